"""The command `python -m pellucid`: the same as `pellucid`."""

import sys

from pellucid.cli import main

if __name__ == "__main__":
    sys.exit(main())
