"""Pages of pictures in a browser: the pixels are those of the CPU, and hands, keys and the address move the view."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
from examples import gallery
from PIL import Image
from playwright.sync_api import Page
from tests.canvas.conftest import SIZE
from tools.browser import canvas_pixels, chromium, sized, visit, wait_for

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import BackendError
from pellucid.canvas import exporting

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]
DOZEN = (
    "swirled_checkerboard", "clock", "julia", "truchet", "logo", "porter_duff", "circle_limit_rings", "lava",
    "mountains", "spheres", "bilerp", "sensor_mosaic",
)  # fmt: skip
FRAMES = "document.querySelector('canvas').dataset.frames"
SAID = "document.querySelector('#status').textContent"


def drawn(window: Page, page, address: str = "#time=0") -> np.ndarray:
    """The pixels of a page, row 0 on top."""
    visit(window, page, address)
    wait_for(window, f"{FRAMES} || {SAID}")
    assert not window.evaluate(SAID)
    return now(window)


def bare(window: Page, page) -> None:
    """Open a page and hide its controls, which in so small a window lie over the picture."""
    drawn(window, page)
    window.keyboard.press("h")
    wait_for(window, "document.querySelector('#panel').hidden")


def now(window: Page) -> np.ndarray:
    # On a busy machine the address may be written before the frame that was asked for is drawn.
    window.evaluate("new Promise(requestAnimationFrame)")
    found = np.frombuffer(canvas_pixels(window), np.uint8).reshape(SIZE[1], SIZE[0], 4)
    return (
        found[::-1] if window.evaluate("document.querySelector('canvas').dataset.by") == "WebGL2" else found
    )


def drag(window: Page) -> None:
    """Move the picture by 10 pixels to the right and 6 down, which are 5 and 3 units."""
    window.mouse.move(40, 20)
    window.mouse.down()
    window.mouse.move(50, 26)
    window.mouse.up()
    wait_for(window, "location.hash.includes('x=-5')")


def view_of(window: Page) -> dict[str, float]:
    """The view that the address tells, once it is written."""
    wait_for(window, "location.hash.includes('zoom')")
    words = window.evaluate("[...new URLSearchParams(location.hash.slice(1))]")
    return {name: float(value) for name, value in words}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", DOZEN)
def test_a_page_draws_the_pixels_of_the_cpu(window, tmp_path, name):
    path = next(p for p in gallery.files() if p.stem == name)
    picture = gallery.load(path)
    view = picture.view.replace(SIZE, zoom=picture.view.zoom * SIZE[0] / picture.view.size[0])
    pl.export(picture.picture, tmp_path / "a.html", view=view)
    found = drawn(window, tmp_path / "a.html", f"#time={view.time}")
    right = pl.render(picture.picture, view=view)
    beyond = (np.abs(found.astype(int) - right).max(axis=2) > 1).sum()
    assert beyond <= SIZE[0] * SIZE[1] / 1000


@pytest.fixture
def page(tmp_path):
    twist = pl.param("twist", 100.0, 20.0, 400.0)
    pl.export(im.swirl(twist, im.checkerboard(10, im.black, im.white)), tmp_path / "a.html", SIZE, zoom=2.0)
    return tmp_path / "a.html"


def expected(**arguments) -> np.ndarray:
    twist = pl.param("twist", 100.0, 20.0, 400.0)
    return pl.render(im.swirl(twist, im.checkerboard(10, im.black, im.white)), SIZE, **arguments)


def differing(a: np.ndarray, b: np.ndarray) -> int:
    return int((a != b).any(axis=2).sum())


def test_a_slider_changes_its_parameter(window, page):
    before = drawn(window, page)
    window.evaluate(
        "(() => { const i = document.querySelector('input[name=twist]'); i.value = 50;"
        " i.dispatchEvent(new Event('input')); })()"
    )
    wait_for(window, "location.hash.includes('p.twist=50')")
    after = now(window)
    assert differing(before, after) > 50
    assert differing(after, expected(zoom=2.0, params={"twist": 50.0})) <= 10


def test_a_drag_moves_the_picture_with_the_hand(window, page):
    bare(window, page)
    drag(window)
    view = view_of(window)
    assert (view["x"], view["y"]) == (-5.0, 3.0)
    assert differing(now(window), expected(zoom=2.0, center=(-5.0, 3.0))) <= 10


def test_the_wheel_zooms_at_the_cursor(window, page):
    bare(window, page)
    window.mouse.move(72, 16)
    window.mouse.wheel(0, -400)
    wait_for(window, "location.hash.includes('zoom') && !location.hash.includes('zoom=2&')")
    view = view_of(window)
    assert view["zoom"] == pytest.approx(2 * np.exp(0.6))
    # The point under the cursor was (12, 8), and is there still.
    assert view["x"] + (72 - 48) / view["zoom"] == pytest.approx(12.0)
    assert view["y"] + (32 - 16) / view["zoom"] == pytest.approx(8.0)


def test_the_address_is_a_view(window, page):
    found = drawn(window, page, "#x=3&y=-2&zoom=5&p.twist=200")
    assert differing(found, expected(zoom=5.0, center=(3.0, -2.0), params={"twist": 200.0})) <= 10


def test_keys_move_zoom_tell_and_reset(window, page):
    drawn(window, page)
    window.keyboard.press("ArrowRight")
    wait_for(window, "location.hash.includes('x=20')")
    window.keyboard.press("i")
    assert window.evaluate("document.querySelector('dialog').open")
    assert "void main()" in window.evaluate("document.querySelector('#shader').textContent")
    window.evaluate("document.querySelector('dialog').close()")
    window.keyboard.press("0")
    wait_for(window, "location.hash.includes('x=0&')")


def test_time_stands_until_it_is_asked_to_pass(window, tmp_path):
    pl.export(
        im.animation(lambda t: im.turn(t, im.checkerboard(10, im.black, im.white))),
        tmp_path / "m.html",
        SIZE,
    )
    drawn(window, tmp_path / "m.html", "#time=1.5")
    assert window.evaluate("document.querySelector('#time').textContent") == "1.50 s"
    window.evaluate("document.querySelector('#play').click()")
    wait_for(window, "document.querySelector('#time').textContent !== '1.50 s'")
    assert window.evaluate("document.querySelector('#play').textContent") == "Pause"


def test_a_lost_context_comes_back(window, page):
    before = drawn(window, page)
    window.evaluate(
        "window.lost = document.querySelector('canvas').getContext('webgl2').getExtension('WEBGL_lose_context'),"
        "window.lost.loseContext(), 0"
    )
    wait_for(window, f"{SAID}.includes('taken away')")
    frames = window.evaluate(FRAMES)
    window.evaluate("window.lost.restoreContext()")
    wait_for(window, f"!{SAID} && Number({FRAMES}) > {frames}")
    assert differing(before, now(window)) == 0


def test_a_saved_file_is_the_picture(window, page):
    seen = drawn(window, page)
    with window.expect_download() as waiting:
        window.evaluate("document.querySelector('#save').click()")
    assert waiting.value.suggested_filename == "a.png"
    with Image.open(waiting.value.path()) as saved:
        assert np.array_equal(saved.convert("RGBA"), seen)


@pytest.fixture
def without_gl(playwright) -> Iterator[Page]:
    """A page of a browser that has no WebGL2."""
    with closing(chromium(playwright, ["--disable-3d-apis"])) as other, closing(sized(other, SIZE)) as found:
        yield found


def test_a_browser_without_webgl2_draws_by_the_module(without_gl, page):
    found = drawn(without_gl, page)
    assert without_gl.evaluate("document.querySelector('canvas').dataset.by") == "WebAssembly"
    assert differing(found, expected(zoom=2.0)) <= 10
    bare(without_gl, page)
    drag(without_gl)
    assert differing(now(without_gl), expected(zoom=2.0, center=(-5.0, 3.0))) <= 10


def refused(*_: object, **__: object) -> None:
    raise BackendError("LLVM was built without it")


def test_a_page_without_webgl2_and_module_says_so(without_gl, page, monkeypatch):
    monkeypatch.setattr(exporting, "webassembly", refused)
    pl.export(im.checkerboard(10, im.black, im.white), page, SIZE)
    visit(without_gl, page)
    wait_for(without_gl, SAID)
    assert "WebGL2, which this browser has not" in without_gl.evaluate(SAID)


BREAK = """
  const plain = WebGL2RenderingContext.prototype.shaderSource;
  WebGL2RenderingContext.prototype.shaderSource = function (shader, text) {
    plain.call(this, shader, text.replace("void main()", "nonsense main()"));
  };"""
"""Makes the driver refuse every shader."""
BY = "document.querySelector('canvas').dataset.by"
NOTE = "document.querySelector('#note').textContent"


@pytest.fixture
def refusing(browser) -> Iterator[Page]:
    """A page of a browser whose driver refuses every shader."""
    with closing(sized(browser, SIZE)) as found:
        found.add_init_script(BREAK)
        yield found


def test_where_the_driver_refuses_the_shader_the_module_draws(refusing, page):
    found = drawn(refusing, page)
    assert refusing.evaluate(BY) == "WebAssembly"
    assert differing(found, expected(zoom=2.0)) <= 10
    told = refusing.evaluate(NOTE)
    assert told.startswith("The processor draws: this GPU refuses the shader, ERROR: ")
    assert "nonsense" in told
    assert refusing.evaluate("document.querySelector('#note').checkVisibility()")
    bare(refusing, page)
    drag(refusing)
    assert differing(now(refusing), expected(zoom=2.0, center=(-5.0, 3.0))) <= 10


def test_a_refused_shader_without_a_module_is_told(refusing, page, monkeypatch):
    monkeypatch.setattr(exporting, "webassembly", refused)
    pl.export(im.checkerboard(10, im.black, im.white), page, SIZE)
    visit(refusing, page)
    wait_for(refusing, SAID)
    assert refusing.evaluate(SAID).startswith("This GPU refuses the picture: ERROR: ")


def test_the_module_takes_over_where_a_shader_has_too_few_digits(window, tmp_path):
    cell = 2.0**-28
    picture = im.checkerboard(cell, im.black, im.white)
    pl.export(picture, tmp_path / "deep.html", SIZE, precision="f64")
    deep = {"center": (0.7, -0.3), "zoom": 7 / cell}
    drawn(window, tmp_path / "deep.html")
    assert window.evaluate(BY) == "WebGL2"
    assert window.evaluate("document.querySelector('#note').hidden")
    found = drawn(window, tmp_path / "deep.html", f"#x=0.7&y=-0.3&zoom={7 / cell}")
    assert window.evaluate(BY) == "WebAssembly"
    assert differing(found, pl.render(picture, SIZE, precision="f64", **deep)) == 0
    assert len(np.unique(found[..., 0])) >= 2
    window.keyboard.press("h")
    window.mouse.move(40, 20)
    window.mouse.wheel(0, 400)
    wait_for(window, "!location.hash.includes('x=0.7&')")
    view = view_of(window)
    around = {"center": (view["x"], view["y"]), "zoom": view["zoom"]}
    assert differing(now(window), pl.render(picture, SIZE, precision="f64", **around)) == 0
    window.keyboard.press("0")
    wait_for(window, f"{BY} === 'WebGL2'")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["swirled_checkerboard", "clock", "logo", "spheres"])
def test_an_exact_page_draws_the_bits_of_the_cpu(window, tmp_path, name):
    path = next(p for p in gallery.files() if p.stem == name)
    picture = gallery.load(path)
    view = picture.view.replace(SIZE, zoom=picture.view.zoom * SIZE[0] / picture.view.size[0])
    pl.export(picture.picture, tmp_path / "a.html", view=view, numerics="exact")
    found = drawn(window, tmp_path / "a.html", f"#time={view.time}")
    right = pl.render(picture.picture, view=view, numerics="exact")
    # A canvas keeps colors multiplied by alpha: of what is transparent, only the whole pixels come back as they were.
    opaque = right[..., 3] == 255
    assert opaque.any()
    assert np.array_equal(found[opaque], right[opaque])
    assert np.array_equal(found[..., 3], right[..., 3])


def test_what_takes_long_is_coarse_while_it_moves_and_fine_at_rest(without_gl, tmp_path):
    @pl.image
    def slow(p):
        total = p.x
        for _ in range(120):
            total = im.sin(total * 1.7 + p.y)
        return im.lerp(total * 0.5 + 0.5, im.black, im.white)

    pl.export(slow, tmp_path / "slow.html", (800, 600), zoom=100.0, numerics="exact")
    without_gl.set_viewport_size({"width": 800, "height": 600})
    visit(without_gl, tmp_path / "slow.html", "#")
    width = "document.querySelector('canvas').width"
    wait_for(without_gl, f"{FRAMES} && {width} === 800")
    without_gl.keyboard.press("ArrowRight")
    wait_for(without_gl, f"{width} < 800")
    wait_for(without_gl, f"{width} === 800")


def test_a_view_out_of_range_is_drawn_at_its_limit(without_gl, page):
    drawn(without_gl, page, "#x=1e30&y=-1e30&zoom=1e-30&time=1e30")
    drawn(without_gl, page, "#zoom=1e30")
