"""The words of the command line: commands, options, and help that teaches by example.

Called by `main`. Each command names the function that does its work as `module:function`, so that asking for help
imports none of them.
"""

from __future__ import annotations

import argparse
import importlib
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from pellucid import __version__
from pellucid.backends.registry import names
from pellucid.base.errors import InputError, did_you_mean
from pellucid.cli import examples, values


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line and name the help to read."""

    def error(self, message: str) -> NoReturn:
        raise InputError(message[:1].lower() + message[1:], fix=f"see {self.prog} --help")


#: Options whose value may begin with a minus sign.
_SIGNED = {
    "--center",
    "--time",
    "--start",
    "--zoom",
    "--size",
    "--param",
    "--seconds",
    "--fps",
    "--rate",
    "--channels",
}


def parsed(words: Sequence[str]) -> int:
    """Do what the words say and give the exit status.

    Raises `InputError` for words that make no sense.

    >>> parsed(["rendr"])
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: unknown command 'rendr'; did you mean 'render'? See pellucid --help
    """
    parser, commands = _parser()
    first = next((word for word in words if not word.startswith("-")), None)
    if first is not None and first not in commands:
        hint = did_you_mean(first, commands)
        raise InputError(
            f"unknown command {first!r}", fix=f"{hint} See pellucid --help" if hint else "see pellucid --help"
        )
    chosen = parser.parse_args(_joined(words))
    if not hasattr(chosen, "run"):
        parser.print_help(sys.stderr)
        return 2
    chosen.command = shlex.join(["pellucid", *words])
    module, _, name = chosen.run.partition(":")
    work: Callable[[argparse.Namespace], int] = getattr(importlib.import_module(module), name)
    return work(chosen)


def _joined(words: Sequence[str]) -> list[str]:
    """`--center -1,2` as `--center=-1,2`: the parser would take the value for an option."""
    joined: list[str] = []
    for word in words:
        negative = word[:1] == "-" and word[1:2] in set("0123456789.")
        if negative and joined and joined[-1] in _SIGNED:
            joined[-1] = f"{joined[-1]}={word}"
        else:
            joined.append(word)
    return joined


def _parser() -> tuple[_Parser, list[str]]:
    parser = _Parser(
        prog="pellucid",
        description="Pictures and sounds, compiled while you wait, and clear all the way through.",
        epilog=examples.EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"pellucid {__version__}")
    parser.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)

    def command(name: str, words: str, run: str, about: str, epilog: str) -> _Parser:
        made = commands.add_parser(
            name,
            usage=f"pellucid {name} {words}",
            help=about,
            description=f"{about[:1].upper()}{about[1:]}.",
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        made.set_defaults(run=f"pellucid.cli.{run}")
        made.add_argument("--debug", action="store_true", help="show the Python traceback of an error")
        return made

    for name, words, run, about, epilog, add in COMMANDS:
        add(command(name, words, run, about, epilog))
    return parser, list(commands.choices)


def _add_source(
    parser: argparse.ArgumentParser, thing: str = "picture", names: str = "picture, animation, main"
) -> None:
    parser.add_argument(
        "file",
        metavar="FILE.py[:NAME]",
        help=f"a Python file, and which {thing} in it ({names}, or the only one)",
    )
    parser.add_argument("--list", action="store_true", help=f"list the {thing}s of the file and stop")


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", dest="out", metavar="OUT", help="the file to write, - for standard output"
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    _add_target(parser)
    parser.add_argument("--quality", type=values.whole, metavar="Q", help="1 to 100, for lossy formats")
    parser.add_argument(
        "--background",
        metavar="COLOR",
        help="'#rrggbb' or a word, under the picture (white where alpha is lost)",
    )
    parser.add_argument(
        "--alpha",
        choices=["straight", "premultiplied"],
        help="how colors are stored (straight; premultiplied in EXR)",
    )
    parser.add_argument(
        "--tolerance",
        type=values.number,
        metavar="PART",
        help="no channel is off by more, such as 1/255; saves samples (0)",
    )
    parser.add_argument(
        "--error", type=values.number, metavar="PART", help="as many samples as this needs, N by N at most"
    )


def _add_param(parser: argparse._ActionsContainer, what: str) -> None:  # pyright: ignore[reportPrivateUsage]
    parser.add_argument(
        "--param",
        type=values.param,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="params",
        help=f"set a {what}; may be repeated",
    )


def _add_sound(parser: argparse.ArgumentParser) -> None:
    _add_source(parser, "sound", "sound, voice, main")
    _add_target(parser)
    parser.add_argument(
        "--seconds", type=values.number, metavar="S", help="duration, for what does not end by itself"
    )
    parser.add_argument(
        "--rate", type=values.whole, metavar="N", help="frames per second (48000, or a recording's)"
    )
    parser.add_argument(
        "--channels", type=values.whole, metavar="N", help="as many as one channel is copied to"
    )
    parser.add_argument("--format", metavar="FORMAT", help="of a sample (pcm_s16le)")
    parser.add_argument("--planar", action="store_true", help="channel after channel, in raw files")
    _add_param(parser, "control of the sound")
    compiling = parser.add_argument_group("how to compute")
    compiling.add_argument("--backend", choices=["auto", *names()], help="what runs it (auto)")


def _add_filter(parser: argparse.ArgumentParser) -> None:
    _add_source(parser, "effect", "effect, main")
    parser.add_argument("source", nargs="?", metavar="IN.wav", help="the sound that it is done to")
    _add_target(parser)
    parser.add_argument(
        "--tail", type=values.number, default=0.0, metavar="S", help="seconds more, for what rings on (0)"
    )
    parser.add_argument("--format", metavar="FORMAT", help="of a sample (that of IN)")
    _add_param(parser, "control of the effect")
    compiling = parser.add_argument_group("how to compute")
    compiling.add_argument("--backend", choices=["auto", *names()], help="what runs it (auto)")


def _add_view(parser: argparse.ArgumentParser, time: str) -> None:
    view = parser.add_argument_group("what to look at")
    view.add_argument(
        "--size", type=values.size, metavar="WxH", help="pixels (512x512, or as the picture says)"
    )
    view.add_argument("--center", type=values.point, metavar="X,Y", help="in units (0,0)")
    view.add_argument(
        "--zoom", type=values.number, metavar="Z", help="pixels per unit (what there is most to see at)"
    )
    view.add_argument(time, type=values.number, metavar="T", dest="time", help="in seconds (0)")
    view.add_argument(
        "--samples",
        type=values.whole,
        metavar="N",
        help="N by N for each pixel, to smooth edges (1)",
    )
    _add_param(view, "parameter of the picture")


def _add_compile(parser: argparse.ArgumentParser, *, threads: bool = True, backend: bool = True) -> None:
    compiling = parser.add_argument_group("how to compute")
    compiling.add_argument(
        "--numerics", choices=["relaxed", "exact"], help="exact: the same bits everywhere (relaxed)"
    )
    compiling.add_argument("--precision", choices=["f32", "f64"], help="of coordinates and colors (f32)")
    if backend:
        compiling.add_argument(
            "--backend",
            choices=["auto", *names()],
            help="what runs it; tiles: no compiler, and only the pixels that matter (auto)",
        )
    if threads:
        compiling.add_argument("--threads", type=values.whole, metavar="N", help="how many (one per core)")


def _add_render(parser: argparse.ArgumentParser) -> None:
    _add_source(parser)
    _add_output(parser)
    parser.add_argument(
        "--depth",
        type=values.whole,
        metavar="BITS",
        help="of a sample: 8, 16 in PNG, TIFF, NPY, EXR, or 32, floats, in TIFF, NPY, EXR (8; 32 in EXR)",
    )
    _add_view(parser, "--time")
    _add_compile(parser)


def _add_animate(parser: argparse.ArgumentParser) -> None:
    _add_source(parser)
    _add_output(parser)
    parser.add_argument("--seconds", type=values.number, default=2.0, metavar="S", help="duration (2)")
    parser.add_argument("--fps", type=values.number, default=25.0, metavar="N", help="frames per second (25)")
    parser.add_argument("--once", action="store_true", help="stop at the end instead of starting again")
    _add_view(parser, "--start")
    _add_compile(parser)


def _add_store(parser: argparse.ArgumentParser) -> None:
    _add_source(parser)
    parser.add_argument("-o", "--output", dest="out", metavar="OUT", help=".ome.zarr, .zarr, .tif or .dzi")
    parser.add_argument("--levels", type=values.whole, metavar="N", help="of the pyramid (down to a tile)")
    parser.add_argument("--shard", type=values.whole, metavar="N", default=2048, help="side of a file (2048)")
    parser.add_argument("--chunk", type=values.whole, metavar="N", default=512, help="side of a tile (512)")
    drawing = parser.add_argument_group("who draws")
    drawing.add_argument("--workers", type=values.whole, metavar="N", help="processes here (one per core)")
    drawing.add_argument("--scheduler", dest="client", metavar="ADDRESS", help="that of a cluster of Dask's")
    drawing.add_argument("--new", action="store_true", help="refuse what is there, instead of going on")
    drawing.add_argument("--verify", type=values.whole, metavar="N", default=0, help="shards to draw again")
    _add_view(parser, "--time")
    _add_compile(parser, threads=False)


def _add_show(parser: argparse.ArgumentParser) -> None:
    _add_source(parser)
    parser.add_argument(
        "--seconds", type=values.number, default=0.0, metavar="S", help="play for so long (0)"
    )
    parser.add_argument("--mode", choices=["truecolor", "256", "ascii"], help="print text with these colors")
    parser.add_argument("--live", action="store_true", help="in the browser, again as FILE.py is saved")
    _add_view(parser, "--time")
    _add_compile(parser)


def _add_explain(parser: argparse.ArgumentParser) -> None:
    _add_source(parser, names="picture, animation, plan, sound, voice, main")
    parser.add_argument(
        "--html",
        metavar="OUT",
        help="a file for a page with a slider over the stages, or for --times in colors",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="for programs")
    form.add_argument("--markdown", action="store_true", help="for documents")
    form.add_argument("--stage", metavar="NAME", help="one stage only")
    form.add_argument("--list-stages", action="store_true", help="the names of the stages")
    form.add_argument(
        "--tiles", action="store_true", help="the tiles that the back end tiles divides it into"
    )
    form.add_argument(
        "--times", action="store_true", help="the binding times of an interpreter, as cogen finds them"
    )
    times = parser.add_argument_group("how to show --times")
    times.add_argument(
        "--static", metavar="NAMES", help="the parameters that are static, where the file makes no compiler"
    )
    tiles = parser.add_argument_group("which frame it is about, and where to draw --tiles")
    tiles.add_argument("-o", "--output", dest="out", metavar="OUT", help="a file for a picture of the tiles")
    tiles.add_argument(
        "--size", type=values.size, metavar="WxH", help="pixels (512x512, or as the picture says)"
    )
    tiles.add_argument("--center", type=values.point, metavar="X,Y", help="in units (0,0)")
    tiles.add_argument(
        "--zoom", type=values.number, metavar="Z", help="pixels per unit (what there is most to see at)"
    )
    tiles.add_argument("--time", type=values.number, metavar="T", help="in seconds (0)")
    tiles.add_argument("--samples", type=values.whole, metavar="N", help="N by N for each pixel (1)")
    _add_param(tiles, "parameter of the picture")
    _add_compile(parser, threads=False)


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "language",
        choices=["c", "html", "glsl", "wgsl", "wasm", "ptx"],
        help="c; html, a page; glsl, for Shadertoy; wgsl, for WebGPU; wasm, for JavaScript; ptx, for CUDA",
    )
    _add_source(parser)
    told = "the file, of C the path without suffix, or a folder (the current one)"
    parser.add_argument("-o", dest="out", metavar="OUT", help=told)
    parser.add_argument("--name", metavar="NAME", help="the name of the C function (that of the file)")
    told = "pixels that C takes together, 4 to 64: 32 for registers of 512 bits (16)"
    parser.add_argument("--lanes", type=values.whole, metavar="N", help=told)
    _add_view(parser, "--time")
    _add_compile(parser, threads=False, backend=False)


def _add_hops(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the program, or a Python file with a picture")
    parser.add_argument(
        "--script", metavar="STEPS", help="a file with one command on each line; - for standard input"
    )
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="go on after a line that cannot be done, and do not count it as failure",
    )
    parser.add_argument(
        "--width", type=values.whole, metavar="N", help="characters on a line (those of the terminal)"
    )


def _add_address(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=values.whole, default=0, metavar="N", help="of the address (free)")
    parser.add_argument("--no-browser", action="store_true", help="print the address, and open none")


def _add_studio(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE.py",
        nargs="?",
        default="picture.py",
        help="a file, made if it is new (picture.py)",
    )
    parser.add_argument("--trust", action="store_true", help="run what is code in FILE.py: it is yours")
    parser.add_argument("--watch", action="store_true", help="draw the picture again as FILE.py is saved")
    _add_address(parser)


def _add_serve(parser: argparse.ArgumentParser) -> None:
    _add_source(parser)
    _add_address(parser)
    _add_view(parser, "--time")
    _add_compile(parser)


def _add_gallery(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", dest="out", metavar="DIR", default="gallery", help="the folder to fill (gallery)"
    )
    parser.add_argument(
        "--size", type=values.size, default=(192, 192), metavar="WxH", help="pixels of each (192)"
    )


def _add_doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--clear-cache", action="store_true", help="remove all compiled code from the cache")
    parser.add_argument(
        "--calibrate", action="store_true", help="measure what each kind of work costs here, for the timer"
    )


COMMANDS: tuple[tuple[str, str, str, str, str, Callable[[argparse.ArgumentParser], None]], ...] = (
    (
        "render",
        "FILE.py[:NAME] -o OUT [options]",
        "drawing:render",
        "draw a picture into a file",
        examples.RENDER,
        _add_render,
    ),
    (
        "animate",
        "FILE.py[:NAME] -o OUT [options]",
        "drawing:animate",
        "draw a moving picture into a file",
        examples.ANIMATE,
        _add_animate,
    ),
    (
        "store",
        "FILE.py[:NAME] -o OUT.ome.zarr --size WxH [options]",
        "storing:store",
        "draw a picture larger than memory, by many workers",
        examples.STORE,
        _add_store,
    ),
    (
        "render-audio",
        "FILE.py[:NAME] -o OUT [options]",
        "sounding:render_audio",
        "render a sound into a file",
        examples.RENDER_AUDIO,
        _add_sound,
    ),
    (
        "filter",
        "FILE.py[:NAME] IN.wav -o OUT [options]",
        "sounding:filter_audio",
        "do an effect to a file of sound",
        examples.FILTER,
        _add_filter,
    ),
    (
        "show",
        "FILE.py[:NAME] [options]",
        "drawing:show",
        "show a picture in the terminal or in a viewer",
        examples.SHOW,
        _add_show,
    ),
    (
        "explain",
        "FILE.py[:NAME] [options]",
        "reports:explain",
        "print the program after every stage, and why, or make a page of it",
        examples.EXPLAIN,
        _add_explain,
    ),
    (
        "export",
        "c|html|glsl|wgsl FILE.py[:NAME] [options]",
        "reports:export",
        "write a picture as a page for browsers, a shader, or C",
        examples.EXPORT,
        _add_export,
    ),
    (
        "hops",
        "FILE [options]",
        "hops:hops",
        "take a program through proven moves, step by step",
        examples.HOPS,
        _add_hops,
    ),
    (
        "studio",
        "[FILE.py] [options]",
        "studio:studio",
        "open a page in the browser with a picture and its text, drawn as you type",
        examples.STUDIO,
        _add_studio,
    ),
    (
        "serve",
        "FILE.py[:NAME] --size WxH [options]",
        "serving:serve",
        "show a picture of any size in the browser, drawn where you look",
        examples.SERVE,
        _add_serve,
    ),
    (
        "gallery",
        "[options]",
        "gallery:gallery",
        "draw the example of every word of the vocabulary",
        examples.GALLERY,
        _add_gallery,
    ),
    (
        "doctor",
        "[options]",
        "doctor:doctor",
        "say what pellucid found on this machine",
        examples.DOCTOR,
        _add_doctor,
    ),
)
"""Each command: its name, what follows it, the function that does it, what it does, examples, and its options."""
