"""The machine: kernels of instructions, the text that draws tiles with them, and the memory and calls of a frame."""
