"""Quadratic Taylor models: what every row's result is near over a square of pixels, and pixels decided by that."""
