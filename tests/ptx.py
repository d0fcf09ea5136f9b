"""PTX as C, which runs a launch on the CPU thread after thread: what a kernel computes, where there is no GPU.

It knows the instructions of PTX ISA 6.3 that LLVM writes for kernels, each with the meaning that the ISA gives it.
What it does not know it refuses, among it sums and products that a driver may contract, approximations, and what
flushes subnormals. As a program, ``python -m tests.ptx IN.ptx OUT.so`` compiles what it makes.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HEAD = r"""
#include <math.h>
#include <stdint.h>
#include <string.h>
typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64;
typedef int8_t s8; typedef int16_t s16; typedef int32_t s32; typedef int64_t s64;
typedef float f32; typedef double f64; typedef unsigned __int128 u128; typedef __int128 s128;
static inline f32 F32(u64 x) { u32 y = (u32)x; f32 z; memcpy(&z, &y, 4); return z; }
static inline f64 F64(u64 x) { f64 z; memcpy(&z, &x, 8); return z; }
static inline u32 W32(f32 x) { u32 z; memcpy(&z, &x, 4); return z; }
static inline u64 W64(f64 x) { u64 z; memcpy(&z, &x, 8); return z; }
/* -0 is below +0, and a number comes before NaN. */
#define LEAST(T, name, less) static inline T name(T a, T b) { \
  if (isnan(a)) return b; if (isnan(b)) return a; \
  if (a == b) return (signbit(a) != 0) == less ? a : b; return (a < b) == less ? a : b; }
LEAST(f32, min_f32, 1) LEAST(f32, max_f32, 0) LEAST(f64, min_f64, 1) LEAST(f64, max_f64, 0)
#define WHOLE(T, low, high, nan64) \
  static inline T T##_of_f32(f32 x) { if (isnan(x)) return sizeof(T) == 8 ? (T)(nan64) : 0; \
    return x <= (f32)(low) ? (T)(low) : x >= (f32)(high) ? (T)(high) : (T)x; } \
  static inline T T##_of_f64(f64 x) { if (isnan(x)) return (T)((u64)1 << (8 * sizeof(T) - 1)); \
    return x <= (f64)(low) ? (T)(low) : x >= (f64)(high) ? (T)(high) : (T)x; }
WHOLE(s8, INT8_MIN, INT8_MAX, 0) WHOLE(u8, 0, UINT8_MAX, 0) WHOLE(s16, INT16_MIN, INT16_MAX, 0)
WHOLE(u16, 0, UINT16_MAX, 0) WHOLE(s32, INT32_MIN, INT32_MAX, 0) WHOLE(u32, 0, UINT32_MAX, 0)
WHOLE(s64, INT64_MIN, INT64_MAX, INT64_MIN) WHOLE(u64, 0, UINT64_MAX, (u64)1 << 63)
static inline u32 prmt(u32 a, u32 b, u32 c) {
  u64 both = (u64)b << 32 | a; u32 found = 0;
  for (int k = 0; k < 4; k++) {
    u32 which = c >> 4 * k & 15, byte = both >> 8 * (which & 7) & 255;
    if (which & 8) byte = byte & 128 ? 255 : 0;
    found |= byte << 8 * k;
  }
  return found;
}
static inline u32 lop3(u32 a, u32 b, u32 c, u32 table) {
  u32 found = 0;
  for (int k = 0; k < 8; k++)
    if (table >> k & 1) found |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  return found;
}
static inline u64 bfe(u64 a, u32 at, u32 count, u32 bits, int is_signed) {
  at &= 255; count &= 255;
  u64 found = 0, sign = is_signed && count ? a >> (at + count - 1 < bits ? at + count - 1 : bits - 1) & 1 : 0;
  for (u32 k = 0; k < bits; k++) found |= (k < count && at + k < bits ? a >> (at + k) & 1 : sign) << k;
  return found;
}
static inline u32 bfi(u32 a, u32 b, u32 at, u32 count) {
  at &= 255; count &= 255;
  for (u32 k = 0; k < count && at + k < 32; k++) b = (b & ~(1u << (at + k))) | (a >> k & 1) << (at + k);
  return b;
}
typedef struct { u32 tid, ctaid, ntid, nctaid; } axis;
"""
REGISTERS = {"pred": "u8", "b16": "u16", "b32": "u32", "b64": "u64", "f32": "u32", "f64": "u64"}
SPECIAL = re.compile(r"%(tid|ctaid|ntid|nctaid)\.([xy])$")
FLOATS = ("f32", "f64")
BINARY = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}
ORDERED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
UNSIGNED = {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
ROUNDINGS = {"rmi": "floor", "rpi": "ceil", "rni": "rint", "rzi": "trunc"}


class UnknownInstructionError(Exception):
    """An instruction that the translator has no meaning for."""


def name_of(word: str) -> str:
    """A register or label as C spells it."""
    return re.sub(r"\W", "_", word.lstrip("%$"))


def operand(word: str) -> str:
    """An operand as raw bits."""
    special = SPECIAL.match(word)
    if special:
        return f"{special[2]}->{special[1]}"
    if word.startswith(("%", "$")):
        return "r_" + name_of(word)
    if word[:2] in ("0f", "0F"):
        return f"0x{word[2:]}u"
    if word[:2] in ("0d", "0D"):
        return f"0x{word[2:]}ull"
    if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", word):
        return f"({word}ll)"
    return f"(u64){name_of(word)}"


def read(type_: str, word: str) -> str:
    if type_ in FLOATS:
        return f"{type_.upper()}({operand(word)})"
    return operand(word) if type_ == "pred" else f"({type_.replace('b', 'u')})({operand(word)})"


def written(type_: str, word: str, value: str) -> str:
    if type_ in FLOATS:
        value = f"W{type_[1:]}({value})"
    elif type_ != "pred":
        value = f"({type_.replace('b', 'u')})({value})"
    return f"r_{name_of(word)} = {value};"


def refuse_unless(condition: bool, op: str) -> None:
    if not condition:
        raise UnknownInstructionError(op)


def arithmetic(op: str, kind: str, parts: list[str], type_: str, a: list[str]) -> str:
    """Sums, products and the like."""
    unsigned = type_.replace("s", "u")
    if type_ in FLOATS:
        # Without a rounding, a driver may fuse a sum with a product.
        needs = [] if kind in ("min", "max", "neg", "abs", "copysign") else ["rn"]
        refuse_unless(parts[1:-1] == needs, op)
        x = [read(type_, w) for w in a[1:]]
        suffix = "f" if type_ == "f32" else ""
        values: dict[str, Callable[[], str]] = {
            "add": lambda: f"{x[0]} + {x[1]}",
            "sub": lambda: f"{x[0]} - {x[1]}",
            "mul": lambda: f"{x[0]} * {x[1]}",
            "div": lambda: f"{x[0]} / {x[1]}",
            "rcp": lambda: f"({type_})1 / {x[0]}",
            "sqrt": lambda: f"sqrt{suffix}({x[0]})",
            "fma": lambda: f"fma{suffix}({x[0]}, {x[1]}, {x[2]})",
            "min": lambda: f"min_{type_}({x[0]}, {x[1]})",
            "max": lambda: f"max_{type_}({x[0]}, {x[1]})",
            "neg": lambda: f"-{x[0]}",
            "abs": lambda: f"fabs{suffix}({x[0]})",
            "copysign": lambda: f"copysign{suffix}({x[1]}, {x[0]})",
        }
        refuse_unless(kind in values, op)
        return written(type_, a[0], values[kind]())
    x = [read(unsigned, w) for w in a[1:]]
    bits = int(type_[1:]) if type_ != "pred" else 1
    middle = parts[1:-1]
    wide = f"{type_[0]}128"
    if kind in BINARY and not middle:
        return written(unsigned, a[0], f"(u64){x[0]} {BINARY[kind]} (u64){x[1]}")
    if kind in ("mul", "mad") and middle in (["lo"], ["wide"], ["hi"]):
        product = f"({wide}){read(type_, a[1])} * ({wide}){read(type_, a[2])}"
        result = f"u{2 * bits}" if middle == ["wide"] else unsigned
        if middle == ["hi"]:
            product = f"({product}) >> {bits}"
        if kind == "mad":
            product = f"(u128)({product}) + {read(result, a[3])}"
        return written(result, a[0], product)
    if kind in ("div", "rem") and not middle:
        p, q = read(type_, a[1]), read(type_, a[2])
        sign = "/" if kind == "div" else "%"
        whole = f"(s128){p} {sign} (s128){q}"
        by_zero = written(unsigned, a[0], "-1" if kind == "div" else p)
        return f"if (!{q}) {by_zero} else {written(unsigned, a[0], whole)}"
    if kind in ("min", "max") and not middle:
        p, q = read(type_, a[1]), read(type_, a[2])
        return written(unsigned, a[0], f"{p} {'<' if kind == 'min' else '>'} {q} ? {p} : {q}")
    if kind == "neg":
        return written(unsigned, a[0], f"-(u64){x[0]}")
    if kind == "abs":
        p = read(type_, a[1])
        return written(unsigned, a[0], f"{p} < 0 ? -(u64){p} : (u64){p}")
    raise UnknownInstructionError(op)


def comparison(op: str, parts: list[str], type_: str, a: list[str]) -> str:
    word = parts[1]
    x, y = read(type_, a[1]), read(type_, a[2])
    refuse_unless(len(parts) == 3, op)
    if type_ in FLOATS:
        nan = f"(isnan({x}) || isnan({y}))"
        if word in ("nan", "num"):
            value = nan if word == "nan" else f"!{nan}"
        elif word in ORDERED:
            value = f"!{nan} && {x} {ORDERED[word]} {y}"
        else:
            refuse_unless(word[-1] == "u" and word[:-1] in ORDERED, op)
            value = f"{nan} || {x} {ORDERED[word[:-1]]} {y}"
    else:
        sign = {**ORDERED, **UNSIGNED}.get(word)
        refuse_unless(sign is not None, op)
        value = f"{x} {sign} {y}"
    return written("pred", a[0], value)


def conversion(op: str, parts: list[str], a: list[str]) -> str:
    *how, to, source = parts[1:]
    x = read(source, a[1])
    if to in FLOATS and source in FLOATS:
        if to == source:
            refuse_unless(len(how) == 1 and how[0] in ROUNDINGS, op)
            return written(to, a[0], f"{ROUNDINGS[how[0]]}{'f' if to == 'f32' else ''}({x})")
        refuse_unless(how == (["rn"] if to == "f32" else []), op)
        return written(to, a[0], f"({to}){x}")
    if to in FLOATS:
        refuse_unless(how == ["rn"], op)
        return written(to, a[0], f"({to}){x}")
    if source in FLOATS:
        refuse_unless(len(how) == 1 and how[0] in ROUNDINGS, op)
        rounded = f"{ROUNDINGS[how[0]]}{'f' if source == 'f32' else ''}({x})"
        return f"r_{name_of(a[0])} = {to}_of_{source}({rounded});"
    refuse_unless(not how, op)
    # A value that is narrower than its register fills it, by its sign if it has one.
    return f"r_{name_of(a[0])} = ({to}){x};"


def shifted(op: str, kind: str, parts: list[str], type_: str, a: list[str]) -> str:
    if kind == "shf":
        side, rule = parts[1:3]
        count = (
            f"({operand(a[3])} & 31)" if rule == "wrap" else f"({operand(a[3])} > 32 ? 32 : {operand(a[3])})"
        )
        both = f"((u64){read('u32', a[2])} << 32 | {read('u32', a[1])})"
        return written("u32", a[0], f"{both} << {count} >> 32" if side == "l" else f"{both} >> {count}")
    bits = int(type_[1:])
    count, x = read("u32", a[2]), read(type_, a[1])
    if kind == "shl":
        return written(type_, a[0], f"{count} >= {bits} ? 0 : (u64){x} << ({count} & {bits - 1})")
    if type_[0] == "s":
        return written(type_.replace("s", "u"), a[0], f"{x} >> ({count} >= {bits} ? {bits - 1} : {count})")
    return written(type_, a[0], f"{count} >= {bits} ? 0 : {x} >> ({count} & {bits - 1})")


def bits_moved(op: str, kind: str, parts: list[str], type_: str, a: list[str]) -> str:
    x = [operand(w) for w in a]
    one = {
        "not": lambda: f"!{x[1]}" if type_ == "pred" else f"~(u64){x[1]}",
        "cnot": lambda: f"!{x[1]}",
        "popc": lambda: f"__builtin_popcountll({read(type_, a[1])})",
        "clz": lambda: f"{x[1]} ? __builtin_clzll({read(type_, a[1])}) - {64 - int(type_[1:])} : {type_[1:]}",
        "prmt": lambda: f"prmt({x[1]}, {x[2]}, {x[3]})",
        "lop3": lambda: f"lop3({x[1]}, {x[2]}, {x[3]}, {x[4]})",
        "bfe": lambda: f"bfe({read(type_, a[1])}, {x[2]}, {x[3]}, {type_[1:]}, {int(type_[0] == 's')})",
        "bfi": lambda: f"bfi({x[1]}, {x[2]}, {x[3]}, {x[4]})",
        "selp": lambda: f"{x[3]} ? {x[1]} : {x[2]}",
    }
    refuse_unless(kind in one, op)
    if kind == "brev":
        raise UnknownInstructionError(op)
    result = "u32" if kind in ("popc", "clz") else type_.replace("f", "u").replace("s", "u")
    return written(result, a[0], one[kind]())


def pieces(word: str) -> list[str]:
    """The registers of a vector operand, or the one."""
    return [w.strip() for w in word.strip("{}").split(",")]


def moved(op: str, type_: str, a: list[str]) -> str:
    into, out = pieces(a[0]), pieces(a[1])
    if len(into) == len(out) == 1:
        return written(type_.replace("f", "u"), a[0], operand(a[1]))
    part = int(type_[1:]) // max(len(into), len(out))
    if len(out) > 1:
        joined = " | ".join(f"(u64)(u{part})({operand(w)}) << {part * k}" for k, w in enumerate(out))
        return written(type_, a[0], joined)
    return " ".join(
        written(f"u{part}", w, f"(u64){operand(a[1])} >> {part * k}") for k, w in enumerate(into) if w != "_"
    )


def accessed(op: str, kind: str, parts: list[str], type_: str, a: list[str]) -> str:
    """A load or a store; arguments are behind pointers, as a launch gives them."""
    word, place = (a[0], a[1]) if kind == "ld" else (a[1], a[0])
    base, _, offset = place.strip("[]").partition("+")
    if "param" in parts:
        found = re.search(r"_param_(\d+)$", base)
        assert found, op
        address = f"(const char *)arguments[{found[1]}] + {offset or 0}"
    else:
        address = f"(char *)({operand(base)} + {offset or 0})"
    memory = type_.replace("b", "u").replace("f", "u")
    size = int(type_[1:]) // 8
    lines: list[str] = []
    for k, w in enumerate(pieces(word)):
        at = f"({memory} *)({address} + {size * k})"
        lines.append(f"r_{name_of(w)} = *{at};" if kind == "ld" else f"*{at} = ({memory})({operand(w)});")
    return " ".join(lines)


ARITHMETIC = {
    *BINARY,
    "mul",
    "mad",
    "div",
    "rem",
    "fma",
    "rcp",
    "sqrt",
    "min",
    "max",
    "neg",
    "abs",
    "copysign",
}


def instruction(op: str, a: list[str]) -> str:
    """One instruction as C."""
    parts = op.split(".")
    kind, type_ = parts[0], parts[-1]
    if kind in ARITHMETIC and not (kind in BINARY and type_ == "pred"):
        return arithmetic(op, kind, parts, type_, a)
    if kind in BINARY:
        return written("pred", a[0], f"{operand(a[1])} {BINARY[kind]} {operand(a[2])}")
    match kind:
        case "setp":
            return comparison(op, parts, type_, a)
        case "cvt":
            return conversion(op, parts, a)
        case "shl" | "shr" | "shf":
            return shifted(op, kind, parts, type_, a)
        case "mov":
            return moved(op, type_, a)
        case "cvta":
            return written("u64", a[0], operand(a[1]))
        case "ld" | "st":
            return accessed(op, kind, parts, type_, a)
        case "ret":
            return "return;"
        case "bra":
            return f"goto {name_of(a[0])};"
        case _:
            return bits_moved(op, kind, parts, type_, a)


ENTRY = re.compile(r"\.visible \.entry (\w+)\((.*?)\)\s*(?:\.\w+[^\n{]*\s*)*\{(.*?)\n\}", re.DOTALL)
GLOBAL = re.compile(r"\.global \.align (\d+) \.b8 (\w+)\[(\d+)\] = \{(.*?)\};", re.DOTALL)
LINE = re.compile(r"(?:@(!?)(%\w+)\s+)?([\w.]+)\s*(.*);$", re.DOTALL)


def body_of(text: str) -> list[str]:
    lines: list[str] = []
    for raw in text.splitlines():
        # Half of a register that nobody wants goes to one of the line's own.
        line = re.sub(r"\{ \.reg \.b\d+ tmp; (.*;) \}", r"\1", raw.split("//")[0].strip()).replace("tmp", "_")
        if not line or line in ("{", "}") or line.startswith((".loc\t", ".pragma")):
            continue
        if line.startswith(".reg"):
            kind, name, count = re.findall(r"\.reg \.(\w+)\s+%(\w+)(?:<(\d+)>)?;", line)[0]
            names = [f"r_{name}{k}" for k in range(int(count))] if count else [f"r_{name}"]
            lines.append(f"{REGISTERS[kind]} {', '.join(names)};")
        elif line.startswith(".local"):
            align, name, size = re.findall(r"\.align (\d+) \.b8\s+(\w+)\[(\d+)\];", line)[0]
            lines.append(f"_Alignas({align}) char {name}[{size}];")
        elif line.endswith(":"):
            lines.append(f"{name_of(line[:-1])}:;")
        else:
            found = LINE.match(line)
            if not found:
                raise UnknownInstructionError(line)
            no, guard, op, rest = found.groups()
            operands = [w.strip() for w in re.findall(r"\{[^}]*\}|[^,{]+", rest) if w.strip()]
            done = instruction(op, operands)
            lines.append(f"if ({no}{operand(guard)}) {{ {done} }}" if guard else done)
    return lines


def to_c(ptx: str) -> str:
    """The C of a module: a function of (arguments, blocks x, y, threads of a block x, y) for each entry."""
    out = [HEAD]
    for align, name, size, content in GLOBAL.findall(ptx):
        # A string is compiled quickly, a list of numbers is not.
        data = "".join(f"\\{int(byte):03o}" for byte in content.split(","))
        out.append(f'static _Alignas({align}) const u8 {name}[{size}] = "{data}";')
    entries = ENTRY.findall(ptx)
    if not entries:
        raise UnknownInstructionError("a module without an entry")
    for name, params, body in entries:
        if ".func" in body:
            raise UnknownInstructionError("a function")
        out.append(f"static void thread_{name}(void **arguments, const axis *x, const axis *y) {{")
        out += body_of(body)
        out.append("}")
        out.append(f"const int count_{name} = {len(re.findall(r'[.]param', params))};")
        out.append(
            f"void {name}(void **arguments, u32 bx, u32 by, u32 tx, u32 ty) {{\n"
            "axis x = {.ntid = tx, .nctaid = bx}, y = {.ntid = ty, .nctaid = by};\n"
            "for (y.ctaid = 0; y.ctaid < by; y.ctaid++) for (x.ctaid = 0; x.ctaid < bx; x.ctaid++)\n"
            "for (y.tid = 0; y.tid < ty; y.tid++) for (x.tid = 0; x.tid < tx; x.tid++)\n"
            f"thread_{name}(arguments, &x, &y);\n}}"
        )
    return "\n".join(out)


def compiled(ptx: str, library: Path) -> None:
    """The module as a library of that name."""
    source = library.with_suffix(".c")
    source.write_text(to_c(ptx))
    flags = ["-O1", "-march=native", "-ffp-contract=off", "-fno-strict-aliasing", "-fwrapv", "-w"]
    words = ["cc", *flags, "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UnknownInstructionError(done.stderr[:2000])


if __name__ == "__main__":
    compiled(Path(sys.argv[1]).read_text(), Path(sys.argv[2]))
