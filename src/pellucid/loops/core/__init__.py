"""The form of moves and theorems, the ledger and tactics, and what new nests are built from."""
