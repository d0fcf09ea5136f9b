"""Intervals: the arithmetic that rows state bounds with, as NumPy facts and as terms that become code.

`bounds` makes transfer functions of facts, `notation` writes expressions with Python's operators, and `interval` and
`corners` give the endpoints of a row's result. The rows themselves are in `ir.prims`.
"""
