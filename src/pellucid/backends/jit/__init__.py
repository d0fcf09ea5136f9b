"""What the back ends that make machine code share: engine, linking, calling, worker threads, interrupt polling.

A back end imports this package and never another back end.
"""
