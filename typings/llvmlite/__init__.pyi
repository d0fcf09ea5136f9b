# llvmlite ships no types. These stubs are kept by hand and hold what a back end that writes LLVM IR as text
# needs, and no more: `llvmlite.ir`, the builders and the optimization passes are left out on purpose.
# tests/house compares every name and parameter here with the installed library.
__version__: str
