"""Trust: whether a folder, and all folders above it, can be changed by its owner and the administrator only.

Ground floor. Asked before anything is run that a folder holds. Whoever may write to a folder above can put another in
its place, and whoever owns a link on the way can lead it elsewhere, so each step of the path is looked at.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

_MAX_STEPS = 1000
"""Steps of a path, those through links included, after which it is taken to go round in a circle."""


def is_ours(state: os.stat_result) -> bool:
    """Whether this user owns a file or folder and nobody else may write to it; always, where there are no owners."""
    if not hasattr(os, "getuid"):
        return True
    return state.st_uid == os.getuid() and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def distrusted(folder: Path) -> str | None:
    """The reason why a folder cannot be trusted, or None if it can: it is ours, and nobody else can replace it.

    Raises OSError where it is not there.

    >>> import tempfile
    >>> distrusted(Path(tempfile.mkdtemp())) is None
    True
    """
    if not hasattr(os, "getuid"):
        return None
    whole, trusted = folder.absolute(), _trusted()
    here: Path = Path(whole.anchor)
    steps: list[str] = list(whole.parts[1:])
    for _ in range(_MAX_STEPS):
        if not steps:
            return None if is_ours(here.stat()) else "can be written by others"
        if not _is_safe(here.stat(), trusted):
            return f"can be replaced by others, who can write to {here}"
        step = steps.pop(0)
        if step == os.pardir:
            here = here.parent
            continue
        state = (here / step).lstat()
        if not stat.S_ISLNK(state.st_mode):
            here = here / step
        elif state.st_uid not in trusted:
            return f"can be replaced by others, who own the link {here / step}"
        else:
            led: Path = (here / step).readlink()
            if led.is_absolute():
                here, steps = Path(led.anchor), [*led.parts[1:], *steps]
            else:
                steps = [*led.parts, *steps]
    return "is behind links that go round in a circle"


def _is_safe(state: os.stat_result, trusted: set[int]) -> bool:
    """Whether only this user and the administrator can move what a folder holds of theirs, as in those for all."""
    if state.st_uid not in trusted:
        return False
    others = bool(state.st_mode & stat.S_IWOTH) or (
        bool(state.st_mode & stat.S_IWGRP) and not _is_private(state.st_gid)
    )
    return not others or bool(state.st_mode & stat.S_ISVTX)


def _trusted() -> set[int]:
    """This user, and those who can do everything here anyway."""
    found = {0, os.getuid()}
    try:
        # In a sandbox that knows this user only, all others, the administrator among them, have one number.
        if Path("/proc/self/uid_map").read_text(encoding="ascii").split() != ["0", "0", "4294967295"]:
            found.add(int(Path("/proc/sys/kernel/overflowuid").read_text(encoding="ascii")))
    except (OSError, ValueError):
        pass
    return found


def _is_private(group: int) -> bool:
    """Whether a group is that of this user alone, as many systems have one for each: its name is the user's."""
    import grp
    import pwd

    try:
        found, user = grp.getgrgid(group), pwd.getpwuid(os.getuid())
    except KeyError:
        return False
    return (
        found.gr_gid == user.pw_gid and found.gr_name == user.pw_name and set(found.gr_mem) <= {user.pw_name}
    )
