"""Conversion: bytes in one layout to colors and back, as nests of the core language."""
