"""The order of the pipeline as data, options, caches, threads and the callable kernel."""
