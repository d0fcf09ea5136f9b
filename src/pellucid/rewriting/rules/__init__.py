"""The rules, one family per file; each file exports ``RULES``, and files are found by listing."""
