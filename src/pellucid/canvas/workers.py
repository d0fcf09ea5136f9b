"""Workers: the processes that draw shards, of this machine or of a cluster, and how shards are handed to them.

Below `store`. A worker is told places and nothing else: it reads the rest in the folder of the store, and writes there.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from pellucid import __version__
from pellucid.base.errors import InputError, brief
from pellucid.canvas import shards
from pellucid.canvas.shards import ShardPlace
from pellucid.driver.threads import available

MAX_WORKERS = 1024
"""The most workers of a local cluster."""
MAX_BATCH = 16
"""The most shards of one task: a task costs its scheduler a millisecond, and a worker that ends loses all of it."""
PATIENCE = 10
"""Seconds in which a scheduler must answer."""


class ShardWorkers:
    """The workers of a call, who are found or started when there is something for them to do."""

    def __init__(self, start: Callable[[], Any]) -> None:
        self._start, self._client = start, None

    def run(
        self, work: Callable[[list[tuple[int, int, int]]], object], places: Sequence[ShardPlace]
    ) -> Generator[int]:
        """Do the work for all places, by batches; gives the number of places of each batch when it is done.

        `work` is pickled. Raises whatever it raises.
        """
        import distributed

        if not places:
            return
        if self._client is None:
            self._client = self._start()
        client: Any = self._client
        workers = max(1, len(client.scheduler_info()["workers"]))
        size = max(1, min(MAX_BATCH, len(places) // (8 * workers)))
        futures: dict[Any, int] = {}
        for k in range(0, len(places), size):
            batch = [tuple(place) for place in places[k : k + size]]
            futures[client.submit(work, batch, pure=False, retries=1)] = len(batch)
        finished: Any = distributed.as_completed
        try:
            # By this client's loop: the default client may be one that never connected, and its loop stands still.
            for future in finished([*futures], loop=client.loop):
                future.result()
                yield futures[future]
        finally:
            client.cancel([*futures])


@contextlib.contextmanager
def given(client: Any) -> Generator[Any]:
    """The client that was given, or one of the scheduler at an address; its workers have this pellucid.

    Raises InputError otherwise.
    """
    made: Any = _connected(client) if isinstance(client, str) else client
    try:
        _check_workers(made)
        yield made
    finally:
        if isinstance(client, str):
            made.close()


@contextlib.contextmanager
def local(workers: int | None) -> Generator[Any]:
    """A client of a cluster of this machine, with one process for each worker, and one thread in each."""
    import distributed

    config: Any = importlib.import_module("dask.config")
    # Dask trims the allocator of its workers, which then ask the system for each shard's memory anew.
    with config.set({"distributed.nanny.pre-spawn-environ": {}}):
        local: Any = distributed.LocalCluster
        cluster: Any = local(
            n_workers=available() if workers is None else workers,
            threads_per_worker=1,
            # At a free port and for this machine only: without an address it would be one port, of all machines.
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
        )
        try:
            made: Any = distributed.Client(cluster, set_as_default=False)
            try:
                yield made
            finally:
                made.close()
        finally:
            cluster.close()


def _connected(address: str) -> Any:
    import distributed

    try:
        # Whoever calls has a default client of their own, or none.
        return distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        fix = "start one with 'dask scheduler' and give the address that it prints, or leave it out"
        what = f"no scheduler answers ({type(error).__name__})"
        raise InputError(what, place=brief(address), fix=fix) from None


def _check_workers(client: Any) -> None:
    try:
        found: Mapping[str, Any] = client.run(shards.version)
    except Exception as error:  # noqa: BLE001 - whatever a worker says
        fix = "install pellucid[scale] of this version where workers run"
        raise InputError(
            f"its workers have no pellucid ({type(error).__name__})", place="client", fix=fix
        ) from None
    if not found:
        raise InputError(
            "its scheduler has no workers", place="client", fix="start some with 'dask worker ADDRESS'"
        )
    others = sorted({str(v) for v in found.values()} - {__version__})
    if others:
        fix = "install the same where workers run"
        raise InputError(f"its workers have pellucid {others[0]}, not {__version__}", place="client", fix=fix)
