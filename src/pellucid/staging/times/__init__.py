"""Binding times: what is known of a value before a program runs (Draves 1996, Section 4.1).

`lattice` has the times and their joins, `graphs` the algorithm that joins structures, `text` their text.
"""
