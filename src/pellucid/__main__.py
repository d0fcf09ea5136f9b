"""The command `python -m pellucid`: the same as `pellucid`."""

from pellucid.cli import run

if __name__ == "__main__":
    run()
