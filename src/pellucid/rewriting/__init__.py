"""Simplification of expressions by labelled rules, normal forms of sums and products, and expansion of bodies."""
