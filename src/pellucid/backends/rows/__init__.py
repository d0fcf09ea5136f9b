"""Rows: the quick tier of loops over whole arrays. Prepared kernels run one after another on pieces of a row."""
