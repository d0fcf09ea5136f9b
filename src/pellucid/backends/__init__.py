"""From placed nests to running code: NumPy (the meaning), LLVM and C behind one port."""
