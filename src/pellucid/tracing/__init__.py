"""From Python functions to expressions: symbolic values, their operators, and the functions that take them."""
