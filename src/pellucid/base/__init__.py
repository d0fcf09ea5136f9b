"""The ground floor: errors, source places and interning; everything else may import it."""
