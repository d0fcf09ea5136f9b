"""Pictures in a terminal: colors by what the terminal can, sizes by its cells, and a quiet progress line."""

from __future__ import annotations

import io

import numpy as np
import pytest

from pellucid.base.errors import BackendError
from pellucid.base.progress import ProgressLine
from pellucid.canvas.show import show
from pellucid.canvas.terminal import as_text, color_mode, fitting_size


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


class PlainTerminal(Terminal):
    encoding = "ascii"


@pytest.mark.parametrize(
    ("environment", "mode"),
    [
        ({"COLORTERM": "truecolor", "TERM": "xterm-256color"}, "truecolor"),
        ({"TERM": "xterm-direct"}, "truecolor"),
        ({"TERM_PROGRAM": "WezTerm"}, "truecolor"),
        ({"TERM": "xterm-256color"}, "256"),
        ({"TERM": "xterm"}, "256"),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, "ascii"),
        ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, "ascii"),
        ({"NO_COLOR": "", "COLORTERM": "truecolor"}, "truecolor"),
    ],
)
def test_color_mode(environment, mode):
    assert color_mode(Terminal(), environment) == mode
    assert color_mode(PlainTerminal(), environment) == "ascii"


def test_half_blocks_carry_two_pixels():
    pixels = np.zeros((2, 4, 4), np.uint8)
    pixels[0, 0] = (255, 0, 0, 255)
    pixels[1, 0] = (0, 0, 255, 255)
    pixels[0, 1] = (0, 255, 0, 255)
    pixels[1, 2] = (1, 2, 3, 255)
    assert as_text(pixels, "truecolor") == (
        "\x1b[38;2;255;0;0;48;2;0;0;255m▀\x1b[0m\x1b[38;2;0;255;0m▀\x1b[0m\x1b[38;2;1;2;3m▄\x1b[0m \x1b[0m\n"
    )


def test_256_colors_use_cube_and_grays():
    def number(*color):
        pixels = np.full((2, 1, 4), 255, np.uint8)
        pixels[..., :3] = color
        return as_text(pixels, "256").split(";")[2]

    assert number(0, 0, 0) == "16"
    assert number(255, 255, 255) == "231"
    assert number(255, 0, 0) == "196"
    assert number(128, 128, 128) == "244"
    assert number(95, 135, 175) == "67"


def test_equal_neighbors_share_a_style_and_odd_heights_end_in_air():
    text = as_text(np.full((3, 5, 4), 255, np.uint8), "truecolor")
    first, second = text.splitlines()
    assert first == "\x1b[38;2;255;255;255;48;2;255;255;255m▀▀▀▀▀\x1b[0m"
    assert second == "\x1b[0m\x1b[38;2;255;255;255m▀▀▀▀▀\x1b[0m"


def test_letters_follow_the_light():
    pixels = np.zeros((1, 256, 4), np.uint8)
    pixels[0, :, :3] = np.arange(256)[:, None]
    pixels[..., 3] = 255
    text = as_text(pixels, "ascii").rstrip("\n")
    assert text[0] == " "
    assert text[-1] == "@"
    assert [" .:-=+*#%@".index(letter) for letter in text] == sorted(
        " .:-=+*#%@".index(letter) for letter in text
    )


def test_pictures_fit_the_terminal_and_are_not_enlarged():
    assert fitting_size((4000, 10), "truecolor", (80, 24)) == (80, 2)
    assert fitting_size((10, 4000), "256", (80, 24)) == (1, 46)
    assert fitting_size((8, 6), "truecolor", (80, 24)) == (8, 6)
    assert fitting_size((8, 6), "ascii", (80, 24)) == (8, 3)


def test_show_prints_the_same_view_smaller(opaque_kernel, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("LINES", "100")
    stream = Terminal()
    show(opaque_kernel, (400, 200), zoom=4.0, center=(1.0, 2.0), mode="truecolor", stream=stream)
    (call,) = opaque_kernel.calls
    assert call["size"] == (40, 20)
    assert call["zoom"] == pytest.approx(0.4)
    assert call["center"] == (1.0, 2.0)
    assert call["samples"] == 4
    assert stream.getvalue().count("\n") == 10


def test_show_without_colors_draws_letters(opaque_kernel, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "30")
    stream = Terminal()
    show(opaque_kernel, (64, 64), stream=stream)
    assert "\x1b" not in stream.getvalue()
    assert len(stream.getvalue().splitlines()[0]) == 30


def test_show_plays_an_animation_in_place(opaque_kernel):
    stream = Terminal()
    show(opaque_kernel, (8, 8), seconds=0.12, mode="256", stream=stream)
    times = [call["time"] for call in opaque_kernel.calls]
    assert len(times) >= 2
    assert times == sorted(times)
    assert stream.getvalue().count("\x1b[4A") == len(times) - 1


def test_show_without_terminal_or_viewer_says_so(kernel, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(BackendError, match="no terminal and no picture viewer to show it; save it to a file"):
        show(kernel, 8)


def test_the_line_waits_is_short_and_goes_away():
    now = [0.0]
    stream = Terminal()
    with ProgressLine("frames", stream, clock=lambda: now[0]) as line:
        line(1, 100)
        assert stream.getvalue() == ""
        now[0] = 2.0
        line(50, 100)
        assert stream.getvalue() == "\r[############............] 50/100 frames, 2 s left"
        now[0] = 2.05
        line(51, 100)
        assert "51" not in stream.getvalue()
    assert stream.getvalue().endswith(" \r")
