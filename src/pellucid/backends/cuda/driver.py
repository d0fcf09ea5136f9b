"""The driver of NVIDIA's GPUs by ctypes: memory, modules and launches in the device's primary context.

Below `code`. The primary context is the one that other libraries of the process share, such as torch and CuPy. Memory
is given back to a pool, since asking the driver for some waits for everything that runs.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import threading
import weakref
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ...base.errors import BackendError

LIBRARIES = ("libcuda.so.1", "libcuda.so", "nvcuda.dll")
"""The names of the driver's library."""
MIN_CAPABILITY = (7, 5)
"""The oldest GPUs that the PTX is for."""
MAX_POOLED = 1 << 28
"""Maximum bytes of memory that nobody uses, and that is kept for the next one who asks."""
_OUT_OF_MEMORY = 2
_NO_DEVICE = 100
_CAPABILITY = (75, 76)
"""The numbers of the attributes that tell a GPU's compute capability."""
_ADDRESS, _SIZE = ctypes.c_uint64, ctypes.c_size_t


class Module:
    """A loaded module; it is unloaded with this object."""

    def __init__(self, driver: Driver, handle: ctypes.c_void_p) -> None:
        self.handle = handle
        self._finalizer = weakref.finalize(self, driver.unload, handle)
        # At the end of the process the driver takes everything back by itself.
        self._finalizer.atexit = False


class DeviceBlock:
    """Memory of the device: it goes back to the pool with this object."""

    def __init__(self, driver: Driver, size: int) -> None:
        self.size = size
        self.address, room = driver.allocated(size)
        self._finalizer = weakref.finalize(self, driver.give_back, self.address, room)
        self._finalizer.atexit = False


class Driver:
    """The driver and its first device.

    Raises BackendError, here and in each method: for a library that is not there, and with the driver's own words for
    what went wrong.
    """

    def __init__(self, libraries: Sequence[str]) -> None:
        self._library = _loaded(libraries)
        # Memory may come back at any time, also while this thread asks for some.
        self._lock = threading.RLock()
        self._free: dict[int, list[int]] = {}
        self._pooled = 0
        self._is_behind = False
        """Whether other streams may still use memory that is in the pool."""
        self._modules: weakref.WeakValueDictionary[str, Module] = weakref.WeakValueDictionary()
        self._call("cuInit", ctypes.c_uint(0))
        device = ctypes.c_int()
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        self.capability = self._capability(device)
        if self.capability < MIN_CAPABILITY:
            found, least = (".".join(map(str, n)) for n in (self.capability, MIN_CAPABILITY))
            raise BackendError(
                f"the GPU has compute capability {found}, and {least} is needed", place="cuda", fix="use llvm"
            )
        self._context = ctypes.c_void_p()
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), device)

    def _capability(self, device: ctypes.c_int) -> tuple[int, int]:
        found = (ctypes.c_int(), ctypes.c_int())
        for number, attribute in zip(found, _CAPABILITY, strict=True):
            self._call("cuDeviceGetAttribute", ctypes.byref(number), attribute, device)
        return found[0].value, found[1].value

    def _status(self, name: str, *arguments: Any) -> int:
        try:
            function = getattr(self._library, name)
        except AttributeError:
            raise BackendError(
                f"NVIDIA's driver is too old: it has no {name}", place="cuda", fix="install a newer one"
            ) from None
        return int(function(*arguments))

    def _call(self, name: str, *arguments: Any) -> None:
        status = self._status(name, *arguments)
        if status:
            raise self._error(name, status)

    def _error(self, name: str, status: int) -> BackendError:
        text = ctypes.c_char_p()
        with suppress(BackendError):
            self._status("cuGetErrorString", status, ctypes.byref(text))
        words = (text.value or b"").decode("utf-8", "replace") or f"error {status}"
        if status == _OUT_OF_MEMORY:
            return BackendError(
                "the GPU is out of memory", place="cuda", fix="draw less at once, or free what others hold"
            )
        if status == _NO_DEVICE:
            return BackendError("there is no GPU of NVIDIA", place="cuda", fix="use llvm")
        return BackendError(f"the driver says of {name}: {words}", place="cuda")

    @contextmanager
    def current(self) -> Generator[None]:
        """While the device's primary context is that of this thread."""
        self._call("cuCtxPushCurrent_v2", self._context)
        try:
            yield
        finally:
            self._call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    # ---- memory ----

    def allocated(self, size: int) -> tuple[int, int]:
        """The address of so many bytes, and how many there are: the next power of two."""
        room = 1 << max(9, (size - 1).bit_length())
        with self._lock:
            found = self._free.get(room)
            if found:
                if self._is_behind:
                    with self.current():
                        self._call("cuCtxSynchronize")
                    self._is_behind = False
                self._pooled -= room
                return found.pop(), room
        address = _ADDRESS()
        with self.current():
            status = self._status("cuMemAlloc_v2", ctypes.byref(address), _SIZE(room))
            if status == _OUT_OF_MEMORY:
                self._trim()
                status = self._status("cuMemAlloc_v2", ctypes.byref(address), _SIZE(room))
            if status:
                raise self._error("cuMemAlloc", status)
        return address.value, room

    def give_back(self, address: int, room: int) -> None:
        """Keep memory for the next one who asks, or free it where much is kept already."""
        with self._lock:
            if self._pooled + room <= MAX_POOLED:
                self._pooled += room
                self._free.setdefault(room, []).append(address)
                return
        with suppress(BackendError), self.current():
            self._call("cuMemFree_v2", _ADDRESS(address))

    def _trim(self) -> None:
        with self._lock:
            waiting = [address for free in self._free.values() for address in free]
            self._free, self._pooled = {}, 0
        for address in waiting:
            self._call("cuMemFree_v2", _ADDRESS(address))

    def upload(self, address: int, source: int, size: int) -> None:
        """Copy bytes of this process to the device; the context is current."""
        self._call("cuMemcpyHtoD_v2", _ADDRESS(address), ctypes.c_void_p(source), _SIZE(size))

    def download(self, target: int, address: int, size: int) -> None:
        """Copy bytes of the device to this process, after everything that was launched; the context is current."""
        self._call("cuMemcpyDtoH_v2", ctypes.c_void_p(target), _ADDRESS(address), _SIZE(size))

    # ---- code ----

    def module(self, ptx: str) -> Module:
        """The module of a text: one for equal texts, as long as somebody has it."""
        digest = hashlib.sha256(ptx.encode()).hexdigest()
        with self._lock:
            found = self._modules.get(digest)
        if found is None:
            handle = ctypes.c_void_p()
            with self.current():
                self._call("cuModuleLoadData", ctypes.byref(handle), ctypes.c_char_p(ptx.encode()))
            found = Module(self, handle)
            with self._lock:
                self._modules[digest] = found
        return found

    def unload(self, handle: ctypes.c_void_p) -> None:
        """Let a module go."""
        with suppress(BackendError), self.current():
            self._call("cuModuleUnload", handle)

    def function(self, module: Module, name: str) -> ctypes.c_void_p:
        """An entry of a module, which lives as long as the module."""
        found = ctypes.c_void_p()
        with self.current():
            self._call("cuModuleGetFunction", ctypes.byref(found), module.handle, name.encode())
        return found

    def launch(
        self,
        function: ctypes.c_void_p,
        blocks: tuple[int, int],
        threads: tuple[int, int],
        arguments: Sequence[Any],
        stream: int = 0,
    ) -> None:
        """Run so many blocks of threads with ctypes' values as arguments; the context is current."""
        given = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
        grid = (ctypes.c_uint(n) for n in (*blocks, 1, *threads, 1, 0))
        self._is_behind |= stream != 0
        self._call("cuLaunchKernel", function, *grid, ctypes.c_void_p(stream), given, None)

    def synchronize(self, stream: int = 0) -> None:
        """Wait for what was launched on a stream; the context is current."""
        self._call("cuStreamSynchronize", ctypes.c_void_p(stream))


def _loaded(libraries: Sequence[str]) -> ctypes.CDLL:
    for name in libraries:
        with suppress(OSError):
            return ctypes.CDLL(name)
    raise BackendError(
        f"NVIDIA's driver is not here: there is no {libraries[0]}",
        place="cuda",
        fix="install it, or use llvm",
    )


@functools.cache
def driver() -> Driver:
    """The driver of this process; raises BackendError where there is none."""
    return Driver(LIBRARIES)
