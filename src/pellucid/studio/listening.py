"""Listening: a port of this machine, and the server behind it; used by `server` and `tiles`.

uvicorn and Starlette are asked for first, so that what is missing is told before anything is opened.
"""

from __future__ import annotations

import socket
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from pellucid.base.errors import InputError, installed


def require(instead: str = "") -> None:
    """Nothing, if the packages of a server are there.

    Raises `MissingExtraError` otherwise.
    """
    with installed("Starlette or uvicorn", instead, extra="studio"):
        import_module("starlette")
        import_module("uvicorn")


@contextmanager
def listening(port: int) -> Generator[socket.socket]:
    """A socket that others of this machine can reach; port 0 is a free one.

    Raises `InputError` if the port cannot be used.
    """
    # asyncio sends answers at once only where the protocol is named; else small ones wait for 40 ms.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
            # Whoever is told the address may come at once, before the server runs.
            listener.listen(128)
        except (OSError, OverflowError) as error:
            raise InputError(
                f"{port} cannot be used ({error})", place="port", fix="name another one"
            ) from error
        yield listener


def server_of(application: Any, **options: Any) -> Any:
    """A server of uvicorn that says nothing about itself."""
    uvicorn: Any = import_module("uvicorn")
    config = uvicorn.Config(
        application,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
        **options,
    )
    return uvicorn.Server(config)
