"""The moves, one per file; each file exports ``MOVE``, and files are found by listing."""
