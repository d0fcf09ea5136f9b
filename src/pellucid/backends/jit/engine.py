"""The door to LLVM: text to object code for a machine, and object code to a callable address.

One `Machine` per kind of processor, made once. Object code is linked into a library of its own; the linker is replaced
by a new one now and then, because a library's name can be used only once and what was unlinked leaves traces.
"""

from __future__ import annotations

import ctypes
import hashlib
import itertools
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from ...base.errors import BackendError
from ...base.fingerprint import fingerprint
from ...ir.prim import changed
from ..port import CodeStore
from . import flat_binary
from .binding import llvm_binding
from .calling import SIGNATURE, Library, entry
from .host import host
from .loading import Loaded, loaded

if TYPE_CHECKING:
    from llvmlite import binding

# Passes that find nothing in a nest whose values have their places and whose loops step by whole vectors, or that
# fill all registers with constants that an instruction could read from memory: a third of the time to compile.
# Options are the process's, so each is set for one compilation and then set back.
HOISTING = ("-disable-machine-licm=true", "-disable-machine-licm=false")
OPTIONS = (
    ("-disable-lsr=true", "-disable-lsr=false"),
    ("-disable-cgp=true", "-disable-cgp=false"),
    HOISTING,
    ("-enable-misched=false", "-enable-misched=true"),
    ("-disable-machine-sink=true", "-disable-machine-sink=false"),
)
LINKS_PER_LINKER = 256
_REGISTER = " = alloca [1 x "
"""The text of scratch memory of one element in a module."""
_lock = threading.Lock()


@contextmanager
def _options(hoist: bool) -> Generator[None]:
    chosen = [each for each in OPTIONS if not (hoist and each == HOISTING)]
    for on, _ in chosen:
        llvm_binding().set_option("pellucid", on)
    try:
        yield
    finally:
        for _, off in chosen:
            llvm_binding().set_option("pellucid", off)


@contextmanager
def _freed(passes: Any) -> Generator[Any]:
    """A pass manager, freed afterwards: of its two base classes, llvmlite asks the one that does nothing."""
    from llvmlite.binding.newpassmanagers import NewPassManager  # pyright: ignore[reportMissingTypeStubs]

    try:
        yield passes
    finally:
        NewPassManager._dispose(passes)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - no public way does it
        # Whatever becomes of llvmlite, it is freed once.
        passes.detach()


@dataclass(slots=True)
class Machine:
    """Compiles for one processor, given by its name and features as LLVM calls them, and loads what was compiled.

    LLVM itself is first needed to compile, or to load what `flat_binary` leaves to it.
    """

    cpu: str
    features: str
    triple: str
    _version: str = field(repr=False)
    _make: Callable[[], binding.TargetMachine] = field(repr=False)
    _target: binding.TargetMachine | None = field(default=None, repr=False)
    _linker: binding.LLJIT | None = field(default=None, repr=False)
    _links: int = field(default=0, repr=False)

    @property
    def identity(self) -> str:
        """A text of all that object code depends on besides its own text."""
        options = " ".join(on for on, _ in OPTIONS)
        return f"llvm {self._version} {self.triple} {self.cpu} {self.features} {options}"

    @property
    def target(self) -> binding.TargetMachine:
        """LLVM's description of the processor."""
        if self._target is None:
            self._target = self._make()
        return self._target

    @property
    def cheap_masks(self) -> bool:
        """Whether vector loads and stores under a mask cost no more than without."""
        features = set(self.features.split(","))
        return {"+avx512bw", "+avx512vl"} <= features

    @property
    def summed_bytes(self) -> int:
        """The bytes of a register of which one instruction adds up each eight; 0 if there is none."""
        features = self.features.split(",")
        widths = {"+avx512bw": 64, "+avx2": 32, "+sse2": 16}
        return next((size for name, size in widths.items() if name in features), 0)

    @property
    def grid(self) -> bool:
        """Whether it runs an iteration of a loop on a grid by a thread of its own, as GPUs do."""
        return self.triple.startswith("nvptx")

    @property
    def permutes(self) -> bool:
        """Whether one instruction brings any bytes of two whole registers together."""
        return "+avx512vbmi" in self.features.split(",")

    @property
    def shuffled_bytes(self) -> int:
        """The bytes of a register that one instruction brings in any order."""
        return 64 if self.permutes else 16

    @property
    def ordered_bytes(self) -> int:
        """The bytes of the longest register that one instruction brings in an order given in another; 0 if none can."""
        features = self.features.split(",")
        widths = {"+avx512vbmi": 64, "+avx512bw": 64, "+avx2": 32, "+ssse3": 16}
        return next((size for name, size in widths.items() if name in features), 0)

    def compile(self, text: str, *, hoist: bool = False) -> bytes:
        """The code of a module, to be loaded: a flat binary where there can be one, else an object; raises alike."""
        return flat_binary.flattened(self.object_code(text, hoist=hoist))

    def object_code(self, text: str, *, hoist: bool = False) -> bytes:
        """The object code of a module; `hoist` constants out of loops: where they are few, and the loops short.

        Raises BackendError when LLVM does not accept the text.
        """
        try:
            with _lock, llvm_binding().parse_assembly(text) as module, _options(hoist):
                self._promote(module, text)
                return self.target.emit_object(module)
        except RuntimeError as problem:
            raise BackendError(f"LLVM does not accept the text: {problem}", place="llvm") from problem

    def whole(self, text: str, level: int = 2) -> bytes:
        """The code of a module that nothing has optimized before, by LLVM's own passes of a level, 0 to 3.

        As by `compile`, it is to be loaded here; of another kind of processor it is the object code.
        Raises BackendError when LLVM does not accept the text.
        """
        with self._optimized(text, level) as module:
            return flat_binary.flattened(self.target.emit_object(module))

    def whole_assembly(self, text: str, level: int = 2) -> str:
        """The assembly text of such a module; raises as `whole` does."""
        with self._optimized(text, level) as module:
            return self.target.emit_assembly(module)

    @contextmanager
    def _optimized(self, text: str, level: int) -> Generator[binding.ModuleRef]:
        llvm = llvm_binding()
        try:
            with _lock, llvm.parse_assembly(text) as module:
                if level:
                    tuning = llvm.create_pipeline_tuning_options(speed_level=level)
                    builder = llvm.create_pass_builder(self.target, tuning)
                    with _freed(builder.getModulePassManager()) as passes:
                        passes.run(module, builder)
                yield module
        except RuntimeError as problem:
            raise BackendError(f"LLVM does not accept the text: {problem}", place="llvm") from problem

    def _promote(self, module: binding.ModuleRef, text: str) -> None:
        """Keep scratch memory of single elements in registers: the one pass that pays, where there is such memory."""
        if _REGISTER not in text:
            return
        llvm = llvm_binding()
        builder = llvm.create_pass_builder(self.target, llvm.create_pipeline_tuning_options(speed_level=0))
        with _freed(llvm.create_new_function_pass_manager()) as passes:
            passes.add_sroa_pass()
            for function in module.functions:
                if not function.is_declaration:
                    passes.run(function, builder)

    def kept(
        self,
        told: str,
        write: Callable[[], str],
        store: CodeStore | None,
        load: Callable[[bytes], Loaded],
        *,
        hoist: bool = False,
    ) -> Loaded:
        """The result of `load` on the object code of a module: kept in the store, or compiled, with that `hoist`.

        It is found again by what is told of it, which must say all that its text depends on besides the program's
        files; so the text is written only when it is compiled.
        """
        return loaded(store, self.key(told, write), lambda: self.compile(write(), hoist=hoist), load)

    def key(self, told: str, write: Callable[[], str]) -> str:
        """The key of a module's object code in the store; see `kept`."""
        # Rows that were added by hand are in no file.
        parts = (fingerprint(), self.identity, write() if changed() else told)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def assembly(self, text: str, *, hoist: bool = False) -> str:
        """The machine's own instructions for a module, to be read."""
        with _lock, llvm_binding().parse_assembly(text) as module, _options(hoist):
            self._promote(module, text)
            return self.target.emit_assembly(module)

    def link(self, code: bytes, phases: int = 1) -> Library:
        """The object code of a kernel of so many phases made callable.

        Raises BackendError when it cannot be linked.
        """
        return self.linked(code, [entry(k) for k in range(phases)], SIGNATURE)

    def linked(self, code: bytes, names: Sequence[str], signature: Any) -> Library:
        """Functions of one signature in object code, made callable for as long as the library lives."""
        places, owners = self._load(code, names)
        return Library(tuple(signature(places[name]) for name in names), owners)

    def functions(self, code: bytes, signatures: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
        """The functions of an object by name, for ctypes, each with the types of its result and arguments."""
        places, owners = self._load(code, tuple(signatures))
        _kept.append(owners)
        return {n: ctypes.CFUNCTYPE(*types)(places[n]) for n, types in signatures.items()}

    def addresses(self, code: bytes, names: Sequence[str]) -> list[int]:
        """The addresses of functions and constants of an object, by name."""
        places, owners = self._load(code, names)
        _kept.append(owners)
        return [places[name] for name in names]

    def _load(self, code: bytes, names: Sequence[str]) -> tuple[Mapping[str, int], tuple[Any, ...]]:
        """The places of some names of code, and what its memory lives as long as."""
        if flat_binary.is_flat(code):
            found, owner = flat_binary.addresses(code)
            missing = [name for name in names if name not in found]
            if missing:
                raise BackendError(f"the code has no function {missing[0]!r}", place="machine code")
            return found, (owner,)
        llvm = llvm_binding()
        with _lock:
            if self._linker is None or self._links >= LINKS_PER_LINKER:
                # The newer linker: it keeps the parts of an object together, however scattered the free memory is.
                self._linker, self._links = llvm.create_lljit_compiler(self.target, use_jit_link=True), 0
            self._links += 1
            builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
            for name in names:
                builder.export_symbol(name)
            try:
                tracker = builder.link(self._linker, f"kernel {next(_numbers)}")
            except RuntimeError as problem:
                raise BackendError(f"LLVM cannot link the code: {problem}", place="llvm") from problem
            return {name: int(tracker[name]) for name in names}, (tracker, self._linker)


_numbers = itertools.count()
_kept: list[tuple[Any, ...]] = []
"""Libraries that live as long as the process."""


@cache
def machine(cpu: str | None = None, features: str | None = None) -> Machine:
    """The machine of that name; without a name, the one this program runs on."""
    this = host()
    if cpu is None:
        cpu, features = this.cpu, this.features

    def target() -> binding.TargetMachine:
        return (
            llvm_binding()
            .Target.from_triple(this.triple)
            .create_target_machine(cpu=cpu, features=features or "", opt=1, reloc="pic", codemodel="small")
        )

    return Machine(str(cpu), features or "", this.triple, this.version, target)


def foreign(triple: str, cpu: str, features: str, *, place: str) -> Machine:
    """A machine of another kind than this program runs on, by the names that LLVM has for it.

    Raises BackendError that tells the `place` if LLVM was built without it.
    """
    llvm = llvm_binding()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        target = llvm.Target.from_triple(triple)
    except RuntimeError as problem:
        fix = "install the llvmlite that PyPI has"
        raise BackendError(
            f"this llvmlite cannot compile for it: {problem}", place=place, fix=fix
        ) from problem
    version = ".".join(map(str, llvm.llvm_version_info))
    return Machine(
        cpu,
        features,
        triple,
        version,
        lambda: target.create_target_machine(cpu=cpu, features=features, opt=2),
    )
