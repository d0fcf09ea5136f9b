"""The rows of the operator table, one family per file; each file exports ``ROWS``, and files are found by listing.

To add an operator, add one row to a file here, and nothing else anywhere.
"""
