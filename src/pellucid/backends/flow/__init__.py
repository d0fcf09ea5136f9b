"""Flow graphs over words as machine code: by LLVM, and by templates of instructions of x86-64 for first use.

Both follow `frame`, which says how code is called; `running` calls it, and `collecting` reclaims pairs.
"""
