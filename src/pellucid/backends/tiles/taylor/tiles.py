"""Taylor tile evaluation: runs tapes on 16 squares of pixels at once, and fills pixels that Taylor models decide.

A tape runs forward over enclosures (see `taylor.kernels`), in its own memory. Then the mean of the pixel at each place
in a square is bounded, in all 16 squares, and pixels whose bytes are decided are filled.

Places: X and Y go from -1 to 1 over all columns and rows of samples of a square, U and V over those of each pixel.
"""

from __future__ import annotations

from ...jit.assembly import POINTER, Assembly, Function, Value, Variable
from ..abi import (
    INPUTS,
    MAX_VALUES,
    RETRY_PERIOD,
    ROOTS,
    STEP,
    FrameWord,
    FrameWriter,
    TapeRecord,
    WorkspaceWord,
)
from ..machine.tiles import child_corner
from ..sizes import LANES
from ..tape.key import VARIANTS
from .kernels import ERROR, FACTORS, MIDDLE, PARTS

TILE = 256
"""Bytes of a tile of 16 by 16 pixels, each of which says whether a pixel is left."""
OFTEN = VARIANTS.bit_length() - 1


def functions(asm: Assembly, half: int) -> None:
    """Write all functions; `half` is the bytes of a vector."""
    asm.declare("i16 @llvm.ctpop.i16(i16)")
    asm.declare("i32 @llvm.ctpop.i32(i32)")
    for build in (_models, _squares, _tile, _pixels):
        build(asm, half)


def kept_by(f: Function, w: FrameWriter, record: Value, tape: Value) -> tuple[Value, Value]:
    """The address of a tape's `keep` instructions, in the tape or its leaf form, and how many they are."""
    count = w.word(FrameWord.KEPT)
    more = f.choose(count <= ROOTS, f.number(ROOTS), count) - (ROOTS - 1)
    instructions = (more >> 1) + 1
    length = f.load("i64", record, 8 * TapeRecord.LENGTH)
    return tape + ((length - instructions) << 4), instructions


def places_kept(
    f: Function, w: FrameWriter, base: Value, kept: Value, places: Value, strides: Value | None = None
) -> None:
    """Store the addresses of the kept values, and the strides between the vectors of a value."""
    with f.count(w.word(FrameWord.KEPT)) as k:
        reference = _reference(f, kept, k)
        f.store(w.entry(base, reference), places + (k << 3))
        if strides is not None:
            f.store(f.choose(reference < 0, f.number(0), f.number(w.half)), strides + (k << 3))


def _reference(f: Function, kept: Value, k: Value) -> Value:
    """The reference of a kept value."""
    first = k < ROOTS
    instruction = f.choose(first, f.number(0), (k - 1) >> 1)
    operand = f.choose(first, k, ((k - 1) & 1) + 1)
    return f.load("i32", kept + (instruction << 4) + (operand << 2), 4).signed("i64")


def _uniform(f: Function, entry: Value, scratch: Value, half: int) -> None:
    """Copy an entry of the pool to an enclosure whose factors and error are zero already."""
    vector = f"<{half} x i8>"
    for part, source in ((0, 0), (half, half), (MIDDLE * half, 0)):
        f.store(f.load(vector, entry, source, align=half), scratch, part, align=half)


def _scratch(f: Function, half: int, count: int) -> Value:
    """Enclosures for entries of the pool, with zero factors and errors."""
    made = f.block(count * PARTS * half)
    f.call("llvm.memset.p0.i64", made, f.number(0, "i8"), f.number(count * PARTS * half), f.number(0, "i1"))
    return made


def _models(asm: Assembly, half: int) -> None:
    """Write `run_models`, which runs a tape on the enclosures of 16 squares."""
    with asm.function("run_models", frame=POINTER, space=POINTER, tape=POINTER, length="i64") as f:
        w = FrameWriter(f, half)
        base, own = w.place(f.space, FrameWord.BASE), w.place(f.space, FrameWord.MODELS)
        table = w.word(FrameWord.MODEL_KERNELS, POINTER)
        scratch = _scratch(f, half, 3)
        with f.count(f.length) as i:
            at, *operands = w.operands(f.tape, i)
            places: list[Value] = []
            for k, x in enumerate(operands):
                mine = scratch + k * PARTS * half
                with f.when(x < 0):
                    _uniform(f, w.entry(base, x), mine, half)
                places.append(f.choose(x < 0, mine, own + x * (PARTS * half)))
            opcode = f.load("i16", at).to("i64") >> OFTEN
            code = f.load(POINTER, table + (opcode << 3))
            f.call(code.name, own + (i + INPUTS) * (PARTS * half), *places)
        w.add(f.space, WorkspaceWord.SQUARES, 1)
        w.add(f.space, WorkspaceWord.INTERVAL_STEPS, f.length)


class _Scale:
    """The scale of places in a square, from its side and the samples in a row of a pixel.

    X goes from -1 to 1 over all columns of samples, which are H to either side of the middle: half the square's side
    less half a sample. With S samples in a row, and M = (S - 1) / 2, the column of a pixel is the middle's plus H * X
    minus M / S * U, and the number of a sample in its pixel is M + M * U. In a square of one pixel the column is
    constant, and X takes the place of U.
    """

    def __init__(self, f: Function, w: FrameWriter, side: Value) -> None:
        self.f = f
        self.is_one = side.same(1)
        self.side, self.samples = (self.double(v) for v in (side, w.word(FrameWord.SIDE)))
        self.last = self.two("fmul", self.two("fsub", self.samples, 1.0), 0.5)
        self.inside = self.two("fdiv", self.last, self.samples)
        self.reach = self.two("fmul", self.two("fsub", self.side, self.two("fdiv", 1.0, self.samples)), 0.5)

    def double(self, value: Value) -> Value:
        """A whole number as a double."""
        return self.f.let(f"sitofp i64 {value.name} to double", "double")

    def two(self, op: str, a: Value | float, b: Value | float) -> Value:
        """The result of an LLVM operation on two doubles."""
        names = [x.name if isinstance(x, Value) else repr(x) for x in (a, b)]
        return self.f.let(f"{op} double {', '.join(names)}", "double")

    def safe(self) -> Value:
        """The divisor of places: H, or one if it is zero."""
        none = self.f.let(f"fcmp oeq double {self.reach.name}, 0.0", "i1")
        return self.f.let(f"select i1 {none.name}, double 1.0, double {self.reach.name}", "double")

    def place(self, number: Value) -> Value:
        """The place of a pixel's middle along X."""
        from_middle = self.two("fmul", self.double((number << 1) + 1), 0.5)
        return self.two("fdiv", self.two("fsub", from_middle, self.two("fmul", self.side, 0.5)), self.safe())

    def square(self) -> Value:
        """The mean square of the distances along X of a pixel's samples from its middle."""
        # The mean of the squares of M, M - 1, ... -M is M * (M + 1) / 3.
        squares = self.two("fdiv", self.two("fmul", self.last, self.two("fadd", self.last, 1.0)), 3.0)
        step = self.two("fdiv", 1.0, self.two("fmul", self.samples, self.safe()))
        return self.two("fmul", squares, self.two("fmul", step, step))


def _inputs(f: Function, w: FrameWriter, base: Value, scale: _Scale, side: Value) -> None:
    """Store the enclosures of the inputs: columns and rows of 16 squares, and numbers of samples."""
    half, width = w.half, w.half // LANES
    real = "double" if width == 8 else "float"
    vector = f"<{LANES} x {real}>"
    nothing = Value("zeroinitializer", vector, f)

    def splat(value: Value, sign: str = "") -> Value:
        one = value if width == 8 else f.let(f"fptrunc double {value.name} to float", "float")
        return f.splat(f.let(f"fneg {real} {one.name}", real) if sign else one, LANES)

    def put(number: int, first: Value, last: Value, factors: dict[int, Value], error: Value) -> None:
        place = number * PARTS * half
        for k, end in enumerate((first, last)):
            f.store(end.to(f"<{LANES} x i{8 * width}>"), base, place + k * half, align=half)
        total = first + last
        middle = f.let(f"sitofp {total.type} {total.name} to {vector}", vector)
        middle = f.let(f"fmul {vector} {middle.name}, splat ({real} 0.5)", vector)
        f.store(middle, base, place + MIDDLE * half, align=half)
        for k in range(FACTORS, ERROR):
            f.store(factors.get(k - FACTORS, nothing), base, place + k * half, align=half)
        f.store(error, base, place + ERROR * half, align=half)

    end = f.splat((side - 1).to("i32"), LANES)
    zero = f.let("fadd double 0.0, 0.0", "double")

    def of_one(one: Value, more: Value) -> Value:
        return f.let(f"select i1 {scale.is_one.name}, double {one.name}, double {more.name}", "double")

    # The rounding errors of the factors.
    unit = 2.0**-22 if width == 4 else 2.0**-51
    error = splat(of_one(zero, scale.two("fmul", scale.side, unit)))
    for k, (start, steps) in enumerate(
        ((f.x, [n & 3 for n in range(LANES)]), (f.y, [n >> 2 for n in range(LANES)]))
    ):
        first = f.splat(start.to("i32"), LANES) + (f.lanes("i32", steps) << f.splat(f.shift.to("i32"), LANES))
        along, inside = of_one(zero, scale.reach), of_one(zero, scale.inside)
        put(k, first, first + end, {k: splat(along), 2 + k: splat(inside, "-")}, error)
    last = f.splat((w.word(FrameWord.SIDE) - 1).to("i32"), LANES)
    for k in range(2):
        factors = {k: splat(of_one(scale.last, zero)), 2 + k: splat(of_one(zero, scale.last))}
        put(2 + k, f.number(0, f"<{LANES} x i32>"), last, factors, nothing)


def _squares(asm: Assembly, half: int) -> None:
    """Write `squares`, which fills pixels of those of 16 squares that are in the mask `there`, and counts them.

    The squares are 4 rows of 4 from (x, y) on, and `shift` is the logarithm of their side. Filled pixels are no longer
    left in `tile`.
    """
    with asm.function(
        "squares", "i64", frame=POINTER, space=POINTER, record=POINTER, x="i64", y="i64", shift="i64",
        there="i16", tile=POINTER,
    ) as f:  # fmt: skip
        w = FrameWriter(f, half, traced=asm.traced)
        base, own = w.place(f.space, FrameWord.BASE), w.place(f.space, FrameWord.MODELS)
        side = f.number(1) << f.shift
        scale = _Scale(f, w, side)
        _inputs(f, w, own, scale, side)
        tape = f.load(POINTER, f.record, 8 * TapeRecord.TAPE)
        kept, instructions = kept_by(f, w, f.record, tape)
        length = f.load("i64", f.record, 8 * TapeRecord.LENGTH) - instructions
        f.call("run_models", f.frame, f.space, tape, length)
        scratch = _scratch(f, half, MAX_VALUES)
        places, colors = f.block(8 * MAX_VALUES), f.block(4 * LANES)
        with f.count(w.word(FrameWord.KEPT)) as k:
            x = _reference(f, kept, k)
            mine = scratch + k * (PARTS * half)
            with f.when(x < 0):
                _uniform(f, w.entry(base, x), mine, half)
            f.store(f.choose(x < 0, mine, own + x * (PARTS * half)), places + (k << 3))
        found = f.variable("i64", 0)
        samples, slack = w.word(FrameWord.SAMPLES), w.word(FrameWord.SLACK).to("i32")
        z = scale.square()
        with f.count(side) as row, f.count(side) as column:
            x, y = scale.place(column), scale.place(row)
            mask = f.call(
                w.word(FrameWord.PIXEL_MEANS, POINTER).name,
                *(places, base, samples, slack, x, y, z, colors),
                result="i16",
            )
            with f.bits((mask & f.there).to("i64")) as k:
                _fill(f, w, k, (column, row), colors, found)
        w.add(f.space, WorkspaceWord.FILLED, found())
        f.give(found())


def _fill(
    f: Function, w: FrameWriter, k: Value, inside: tuple[Value, Value], colors: Value, found: Variable
) -> None:
    """Fill a pixel of a square if it is in the frame and left."""
    left_edge, top = child_corner(f.x, f.y, k, f.shift)
    column, row = left_edge + inside[0], top + inside[1]
    wide = w.word(FrameWord.WIDTH)
    left = f.tile + place_in_tile(column, row)
    is_left = (column < wide) & (row < w.word(FrameWord.HEIGHT)) & f.load("i8", left).differs(0)
    with f.when(is_left):
        f.store(
            f.load("i32", colors + (k << 2)), w.word(FrameWord.OUT, POINTER) + ((row * wide + column) << 2)
        )
        f.store(f.number(0, "i8"), left)
        found.set(found() + 1)
        w.trace(column, row, f.number(1), f.number(0))


def place_in_tile(column: Value, row: Value) -> Value:
    """The number of a pixel in its tile: squares of 4 by 4 after each other, in rows, and their pixels in rows."""
    square = (((row >> 2) & 3) << 2) | ((column >> 2) & 3)
    return (square << 4) | ((row & 3) << 2) | (column & 3)


MIN_ASKED, MIN_SAVED = 8 * 256, 2 * 256
"""Minimum samples left in a tile that is evaluated, and minimum samples saved that make it a success."""
MIN_LEFT, MIN_FILLED = 24, 16
"""Minimum pixels left for smaller squares, and minimum filled for a success, of the 64 of a quarter of a tile."""
DENSE_SAMPLES = 16
"""Samples of a pixel from which on squares of 2 by 2 are evaluated as well."""


def _is_able(f: Function, w: FrameWriter) -> Value:
    """Whether a record's tape can run on enclosures."""
    length = f.load("i64", f.record, 8 * TapeRecord.LENGTH)
    return w.word(FrameWord.MODEL_KERNELS).differs(0) & (length <= w.word(FrameWord.MAX_MODELS))


def _is_hopeful(f: Function, which: WorkspaceWord) -> Value:
    """Whether to evaluate squares of some size: only every 8th after failures in a row."""
    streak = f.load("i64", f.space, 8 * which)
    f.store(streak + 1, f.space, 8 * which)
    return (streak & (RETRY_PERIOD - 1)).same(0)


def _note(f: Function, which: WorkspaceWord, useful: Value) -> None:
    """Reset the count of failures after a success."""
    with f.when(useful):
        f.store(f.number(0), f.space, 8 * which)


def _tile(asm: Assembly, half: int) -> None:
    """Write `tile`, which fills decided pixels in a square of 16 by 16; gives a mask of its children that are left."""
    with asm.function(
        "tile", "i16", frame=POINTER, space=POINTER, record=POINTER, x="i64", y="i64", rest="i16", tile=POINTER
    ) as f:  # fmt: skip
        w = FrameWriter(f, half, traced=asm.traced)
        f.call("llvm.memset.p0.i64", f.tile, f.number(0, "i8"), f.number(TILE), f.number(0, "i1"))
        ones = f.number(1, f"<{LANES} x i8>")
        with f.bits(f.rest.to("i64")) as k:
            f.store(ones, f.tile + (k << 4), align=LANES)
        asked = f.call("llvm.ctpop.i16", f.rest, result="i16").to("i64") << 4
        is_much = asked * w.word(FrameWord.SAMPLES) >= MIN_ASKED
        with f.when((_is_able(f, w) & is_much) ^ 1):
            f.give(f.rest)
        with f.when(_is_hopeful(f, WorkspaceWord.STREAK_4) ^ 1):
            f.give(f.rest)
        filled = f.variable("i64", 0)
        filled.set(_ask(f, f.x, f.y, f.number(STEP), f.rest))
        with f.when(w.word(FrameWord.SAMPLES) >= DENSE_SAMPLES), f.count(4) as quarter:
            right, down = (quarter & 1) << 3, (quarter >> 1) << 3
            first = f.tile + place_in_tile(right, down)
            left = [f.load("<32 x i8>", first, k, align=LANES).differs(0).read_as("i32") for k in (0, 64)]
            count = f.number(0)
            for x in left:
                count = count + f.call("llvm.ctpop.i32", x, result="i32").to("i64")
            with f.when(count >= MIN_LEFT), f.when(_is_hopeful(f, WorkspaceWord.STREAK_2)):
                more = _ask(f, f.x + right, f.y + down, f.number(1), f.number(-1, "i16"))
                _note(f, WorkspaceWord.STREAK_2, more >= MIN_FILLED)
                filled.set(filled() + more)
        _note(f, WorkspaceWord.STREAK_4, filled() * w.word(FrameWord.SAMPLES) >= MIN_SAVED)
        rest = f.variable("i16", 0)
        with f.bits(f.rest.to("i64")) as k:
            here = f.load(f"<{LANES} x i8>", f.tile + (k << 4), align=LANES).differs(0).read_as("i16")
            is_left = f.choose(here.differs(0), f.number(1) << k, f.number(0))
            rest.set(rest() | is_left.to("i16"))
        f.give(rest())


def _ask(f: Function, x: Value, y: Value, shift: Value, there: Value) -> Value:
    return f.call("squares", f.frame, f.space, f.record, x, y, shift, there, f.tile, result="i64")


def _pixels(asm: Assembly, half: int) -> None:
    """Write `pixels`, which fills those of 16 pixels that Taylor models decide."""
    with asm.function(
        "pixels", frame=POINTER, space=POINTER, record=POINTER, x="i64", y="i64", rest="i16", tile=POINTER
    ) as f:  # fmt: skip
        w = FrameWriter(f, half, traced=asm.traced)
        with f.when(_is_able(f, w)), f.when(_is_hopeful(f, WorkspaceWord.STREAK_1)):
            filled = _ask(f, f.x, f.y, f.number(0), f.rest)
            _note(f, WorkspaceWord.STREAK_1, filled.differs(0))
