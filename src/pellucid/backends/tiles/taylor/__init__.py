"""Quadratic Taylor models of every row's result over a square of pixels, and the pixels that they decide."""
