"""The command that serves a picture of any size: `serve`.

Thin: words become arguments of `studio.tiles`, which checks and does everything.
"""

from __future__ import annotations

from argparse import Namespace

from pellucid.cli.drawing import listed, view_of
from pellucid.cli.loading import chosen


def serve(words: Namespace) -> int:
    """Serve a picture until it is interrupted, and say where."""
    if words.list:
        return listed(words.file)
    from pellucid.studio.tiles import serve

    found = chosen(words.file)
    with serve(found.thing, port=words.port, title=found.name, **view_of(words)) as served:
        print(
            f"The picture is at {served.address}\nThe address opens one browser, once.\n"
            f"Programs read it as OME-Zarr at {served.zarr}\nEnd it with Ctrl-C.",
            flush=True,
        )
        if not words.no_browser:
            import webbrowser

            webbrowser.open_new_tab(served.address)
        served.wait()
    return 0
