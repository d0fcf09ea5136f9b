# Written by `python -m tools.stubs` from the registries: change those.
# Of what is Any, either type of a word may be meant; the one that comes first then is part of the other.
# pyright: reportOverlappingOverload=false, reportUnsupportedDunderAll=false
# mypy: disable-error-code="overload-overlap,misc"

"""The vocabulary: images, regions, colors, and the words that combine them (paper Pan).

Every file of this folder may register words, and each word is an attribute here:
``from pellucid import images as im; im.swirl(100, im.checkerboard(10, im.black, im.white))``. So is every color of CSS.
A file is imported when one of its words is first asked for; `homes` tells which file that is.
"""

from collections.abc import Callable
from typing import Any, Literal, overload

from .annotations import Angle
from .annotations import ColorLike
from .annotations import Count
from .annotations import Fraction
from .annotations import ImageLike
from .annotations import Integer
from .annotations import Length
from .annotations import MovingColor
from .annotations import MovingImage
from .annotations import MovingNumber
from .annotations import MovingPoint
from .annotations import MovingStops
from .annotations import MovingTransform
from .annotations import Number
from .annotations import Picture
from .annotations import PointLike
from .annotations import Stops
from .annotations import Text
from .annotations import Transform
from .annotations import TransformLike
from .annotations import Truth
from .bitmap import Bitmap
from .animation import Animation as Animation
from .animation import Behavior as Behavior
from .color import Color as Color
from .image import Image as Image
from .word import Word as Word
from .animation import animation as animation
from .animation import behavior as behavior
from .display import discrete as discrete
from .display import discrete_animation as discrete_animation
from .display import displayable as displayable
from .image import image as image
from .display import packed_color as packed_color
from .animation import seconds as seconds
from .word import value as value
from .word import vocabulary as vocabulary
from .word import word as word
from .word import words as words

__all__: list[str] = ['Animation', 'Behavior', 'Color', 'Image', 'Word', 'animation', 'behavior', 'discrete', 'discrete_animation', 'displayable', 'image', 'packed_color', 'seconds', 'value', 'vocabulary', 'word', 'words']

@overload
def about(center: PointLike, transform: TransformLike) -> Transform:
    """The transform with that point in place of the origin.

    `Point -> Transform -> Transform`

    Example: `warp(about((2, 0), swirling(8)), checker)`

    Source: Functional Images
    """
@overload
def about(center: MovingPoint, transform: MovingTransform) -> Transform | Behavior:
    """The transform with that point in place of the origin.

    `Point -> Transform -> Transform`

    Example: `warp(about((2, 0), swirling(8)), checker)`

    Source: Functional Images
    """
@overload
def alpha(image: ImageLike) -> Image:
    """The field of the opacity of the image.

    `Image Color -> Image Number`

    Example: `alpha(fade(0.5, crop(disk(1), red)))`
    """
@overload
def alpha(image: MovingImage) -> Picture:
    """The field of the opacity of the image.

    `Image Color -> Image Number`

    Example: `alpha(fade(0.5, crop(disk(1), red)))`
    """
alt_rings: Image
"""Rings of width 1 about the origin, alternately inside and outside.

`Image Bool`

Example: `alt_rings`

Source: Functional Images
"""
@overload
def annulus(inner: Length) -> Image:
    """The unit disk without the disk of radius `inner`.

    `Length -> Image Bool`; inner: from 0 to 1

    Example: `annulus(0.5)`

    Source: Functional Images
    """
@overload
def annulus(inner: MovingNumber) -> Picture:
    """The unit disk without the disk of radius `inner`.

    `Length -> Image Bool`; inner: from 0 to 1

    Example: `annulus(0.5)`

    Source: Functional Images
    """
@overload
def bilerp(lower_left: ColorLike, lower_right: ColorLike, upper_left: ColorLike, upper_right: ColorLike) -> Image:
    """The colors of the corners of the unit square blended inside of it, and continued outside from its edge.

    `Color -> Color -> Color -> Color -> Image Color`

    Example: `bilerp(black, red, blue, white)`

    Source: Pan 2.4
    """
@overload
def bilerp(lower_left: MovingColor, lower_right: MovingColor, upper_left: MovingColor, upper_right: MovingColor) -> Picture:
    """The colors of the corners of the unit square blended inside of it, and continued outside from its edge.

    `Color -> Color -> Color -> Color -> Image Color`

    Example: `bilerp(black, red, blue, white)`

    Source: Pan 2.4
    """
def bitmap(array: Any, alpha: Literal['opaque', 'straight', 'premultiplied'] = 'straight') -> Bitmap:
    """The picture in an array of shape (height, width), (height, width, 3) or (height, width, 4), row 0 on top.

    `Any -> Text -> Image Color`; alpha: one of opaque, straight, premultiplied

    Example: `bitmap([[0.0, 0.5, 1.0], [1.0, 0.25, 0.0]])`
    """
@overload
def blend(mode: Literal['normal', 'multiply', 'screen', 'overlay', 'darken', 'lighten', 'color-dodge', 'color-burn', 'hard-light', 'soft-light', 'difference', 'exclusion', 'hue', 'saturation', 'color', 'luminosity'], top: ImageLike, bottom: ImageLike) -> Image:
    """The top image blended with the bottom one in one of the sixteen modes of the W3C.

    `Text -> Image Color -> Image Color -> Image Color`; mode: one of normal, multiply, screen, overlay, darken, lighten,
    color-dodge, color-burn, hard-light, soft-light, difference, exclusion, hue, saturation, color, luminosity

    Example: `blend('soft-light', crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5,
    steelblue, white))`

    Source: W3C Compositing and Blending Level 1
    """
@overload
def blend(mode: Literal['normal', 'multiply', 'screen', 'overlay', 'darken', 'lighten', 'color-dodge', 'color-burn', 'hard-light', 'soft-light', 'difference', 'exclusion', 'hue', 'saturation', 'color', 'luminosity'], top: MovingImage, bottom: MovingImage) -> Picture:
    """The top image blended with the bottom one in one of the sixteen modes of the W3C.

    `Text -> Image Color -> Image Color -> Image Color`; mode: one of normal, multiply, screen, overlay, darken, lighten,
    color-dodge, color-burn, hard-light, soft-light, difference, exclusion, hue, saturation, color, luminosity

    Example: `blend('soft-light', crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5,
    steelblue, white))`

    Source: W3C Compositing and Blending Level 1
    """
@overload
def brighten(factor: ImageLike, image: ImageLike) -> Image:
    """The image with its light multiplied: darker below 1, brighter above, black for 0.

    `Image Number -> Image Color -> Image Color`; factor: at least 0

    Example: `brighten(1.5, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def brighten(factor: MovingImage, image: MovingImage) -> Picture:
    """The image with its light multiplied: darker below 1, brighter above, black for 0.

    `Image Number -> Image Color -> Image Color`; factor: at least 0

    Example: `brighten(1.5, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def cellular(feature: Literal['nearest', 'second', 'edge', 'cell'] = 'nearest', jitter: Number = 1.0, seed: Count = 0) -> Image:
    """The distance to the nearest of points that lie one in each square of side 1, at random: from 0 to 1.415.

    `Text -> Number -> Count -> Image Number`; feature: one of nearest, second, edge, cell; jitter: from 0 to 1

    Example: `cellular("edge")`

    Source: Worley, A Cellular Texture Basis Function, 1996
    """
@overload
def cellular(feature: Literal['nearest', 'second', 'edge', 'cell'] = 'nearest', jitter: MovingNumber = 1.0, seed: Count = 0) -> Picture:
    """The distance to the nearest of points that lie one in each square of side 1, at random: from 0 to 1.415.

    `Text -> Number -> Count -> Image Number`; feature: one of nearest, second, edge, cell; jitter: from 0 to 1

    Example: `cellular("edge")`

    Source: Worley, A Cellular Texture Basis Function, 1996
    """
@overload
def centered(center: PointLike, change: Callable[[Image], Any], image: ImageLike) -> Image:
    """The result of a function of images, with that point in place of the origin.

    `Point -> Function -> Image a -> Image a`

    Example: `centered((2, 1), lambda i: swirl(8, i), checker)`

    Source: Functional Images
    """
@overload
def centered(center: MovingPoint, change: Callable[[Image], Any], image: MovingImage) -> Picture:
    """The result of a function of images, with that point in place of the origin.

    `Point -> Function -> Image a -> Image a`

    Example: `centered((2, 1), lambda i: swirl(8, i), checker)`

    Source: Functional Images
    """
checker: Image
"""Squares of side 1, alternately inside and outside.

`Image Bool`

Example: `checker`

Source: Pan 2.3
"""
@overload
def checkerboard(size: Length, first: ImageLike, second: ImageLike) -> Image:
    """Squares of that side, alternately of the first and of the second image or color.

    `Length -> Image a -> Image a -> Image a`; size: above 0

    Example: `checkerboard(1, black, white)`

    Source: Pan 2.3
    """
@overload
def checkerboard(size: MovingNumber, first: MovingImage, second: MovingImage) -> Picture:
    """Squares of that side, alternately of the first and of the second image or color.

    `Length -> Image a -> Image a -> Image a`; size: above 0

    Example: `checkerboard(1, black, white)`

    Source: Pan 2.3
    """
@overload
def circle_limit(radius: Length, image: ImageLike) -> Image:
    """The whole plane within a disc of that radius: at distance r shows what is at radius · r / (radius - r).

    `Length -> Image Color -> Image Color`; radius: above 0

    Example: `circle_limit(10, rings(yellow, blue))`

    Source: Functional Images
    """
@overload
def circle_limit(radius: MovingNumber, image: MovingImage) -> Picture:
    """The whole plane within a disc of that radius: at distance r shows what is at radius · r / (radius - r).

    `Length -> Image Color -> Image Color`; radius: above 0

    Example: `circle_limit(10, rings(yellow, blue))`

    Source: Functional Images
    """
@overload
def color(name: ColorLike) -> Color:
    """The color of a CSS name, or of #rgb, #rgba, #rrggbb, #rrggbbaa.

    `Color -> Color`

    Example: `const(color('#ff8800'))`
    """
@overload
def color(name: MovingColor) -> Color | Behavior:
    """The color of a CSS name, or of #rgb, #rgba, #rrggbb, #rrggbbaa.

    `Color -> Color`

    Example: `const(color('#ff8800'))`
    """
@overload
def color_at(stops: Stops, position: Number, space: Literal['srgb', 'linear', 'oklab', 'oklch'] = 'srgb') -> Color:
    """The color at a position of a gradient, from 0 at the first stop to 1 at the last.

    `Stops -> Number -> Text -> Color`; space: one of srgb, linear, oklab, oklch

    Example: `lift(lambda x: color_at([navy, crimson, gold], x), x * 0.25 + 0.5)`
    """
@overload
def color_at(stops: MovingStops, position: MovingNumber, space: Literal['srgb', 'linear', 'oklab', 'oklch'] = 'srgb') -> Color | Behavior:
    """The color at a position of a gradient, from 0 at the first stop to 1 at the last.

    `Stops -> Number -> Text -> Color`; space: one of srgb, linear, oklab, oklch

    Example: `lift(lambda x: color_at([navy, crimson, gold], x), x * 0.25 + 0.5)`
    """
@overload
def complement(region: ImageLike) -> Image:
    """The points outside of the region.

    `Image Bool -> Image Bool`

    Example: `complement(udisk)`

    Source: Functional Images
    """
@overload
def complement(region: MovingImage) -> Picture:
    """The points outside of the region.

    `Image Bool -> Image Bool`

    Example: `complement(udisk)`

    Source: Functional Images
    """
@overload
def compose(*transforms: TransformLike) -> Transform:
    """The transform that applies the others one after another, the last one first.

    `Transform... -> Transform`

    Example: `warp(compose(rotate(0.5), scale((2, 1))), checker)`
    """
@overload
def compose(*transforms: MovingTransform) -> Transform | Behavior:
    """The transform that applies the others one after another, the last one first.

    `Transform... -> Transform`

    Example: `warp(compose(rotate(0.5), scale((2, 1))), checker)`
    """
@overload
def composite(operator: Literal['clear', 'copy', 'destination', 'over', 'destination-over', 'in', 'destination-in', 'out', 'destination-out', 'atop', 'destination-atop', 'xor', 'lighter'], top: ImageLike, bottom: ImageLike) -> Image:
    """The two images combined by an operator of Porter and Duff.

    `Text -> Image Color -> Image Color -> Image Color`; operator: one of clear, copy, destination, over, destination-
    over, in, destination-in, out, destination-out, atop, destination-atop, xor, lighter

    Example: `composite('xor', crop(move((0.5, 0), disk(1)), crimson), crop(move((-0.5, 0), disk(1)), navy))`

    Source: W3C Compositing and Blending Level 1
    """
@overload
def composite(operator: Literal['clear', 'copy', 'destination', 'over', 'destination-over', 'in', 'destination-in', 'out', 'destination-out', 'atop', 'destination-atop', 'xor', 'lighter'], top: MovingImage, bottom: MovingImage) -> Picture:
    """The two images combined by an operator of Porter and Duff.

    `Text -> Image Color -> Image Color -> Image Color`; operator: one of clear, copy, destination, over, destination-
    over, in, destination-in, out, destination-out, atop, destination-atop, xor, lighter

    Example: `composite('xor', crop(move((0.5, 0), disk(1)), crimson), crop(move((-0.5, 0), disk(1)), navy))`

    Source: W3C Compositing and Blending Level 1
    """
@overload
def cond(region: ImageLike, then: ImageLike, orelse: ImageLike) -> Image:
    """One image inside of the region, another one outside.

    `Image Bool -> Image a -> Image a -> Image a`

    Example: `cond(checker, red, blue)`

    Source: Pan 2.3.2
    """
@overload
def cond(region: MovingImage, then: MovingImage, orelse: MovingImage) -> Picture:
    """One image inside of the region, another one outside.

    `Image Bool -> Image a -> Image a -> Image a`

    Example: `cond(checker, red, blue)`

    Source: Pan 2.3.2
    """
@overload
def conic_gradient(center: PointLike, start: Angle, stops: Stops, space: Literal['srgb', 'linear', 'oklab', 'oklch'] = 'srgb') -> Image:
    """The colors of the stops once around a center, counterclockwise from an angle.

    `Point -> Angle -> Stops -> Text -> Image Color`; space: one of srgb, linear, oklab, oklch

    Example: `conic_gradient((0, 0), 0, [crimson, gold, teal, crimson], 'oklab')`
    """
@overload
def conic_gradient(center: MovingPoint, start: MovingNumber, stops: MovingStops, space: Literal['srgb', 'linear', 'oklab', 'oklch'] = 'srgb') -> Picture:
    """The colors of the stops once around a center, counterclockwise from an angle.

    `Point -> Angle -> Stops -> Text -> Image Color`; space: one of srgb, linear, oklab, oklch

    Example: `conic_gradient((0, 0), 0, [crimson, gold, teal, crimson], 'oklab')`
    """
@overload
def const(image: ImageLike) -> Image:
    """The image that is the same everywhere: of one color, truth or number.

    `Image a -> Image a`

    Example: `const(teal)`

    Source: Pan 2.3
    """
@overload
def const(image: MovingImage) -> Picture:
    """The image that is the same everywhere: of one color, truth or number.

    `Image a -> Image a`

    Example: `const(teal)`

    Source: Pan 2.3
    """
@overload
def contrast(amount: ImageLike, image: ImageLike) -> Image:
    """The image with the distance of its components from the middle gray multiplied: flat below 1, hard above.

    `Image Number -> Image Color -> Image Color`; amount: at least 0

    Example: `contrast(2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def contrast(amount: MovingImage, image: MovingImage) -> Picture:
    """The image with the distance of its components from the middle gray multiplied: flat below 1, hard above.

    `Image Number -> Image Color -> Image Color`; amount: at least 0

    Example: `contrast(2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def crop(region: ImageLike, image: ImageLike) -> Image:
    """The image inside of the region, invisible outside.

    `Image Bool -> Image Color -> Image Color`

    Example: `crop(wedge_annulus(0.25, 10), rings(yellow, blue, 0.1))`

    Source: Functional Images
    """
@overload
def crop(region: MovingImage, image: MovingImage) -> Picture:
    """The image inside of the region, invisible outside.

    `Image Bool -> Image Color -> Image Color`

    Example: `crop(wedge_annulus(0.25, 10), rings(yellow, blue, 0.1))`

    Source: Functional Images
    """
@overload
def crop_rad(radius: Length, image: ImageLike) -> Image:
    """The image within that distance of the origin, invisible beyond.

    `Length -> Image Color -> Image Color`; radius: above 0

    Example: `crop_rad(3, rings(yellow, blue))`

    Source: Functional Images
    """
@overload
def crop_rad(radius: MovingNumber, image: MovingImage) -> Picture:
    """The image within that distance of the origin, invisible beyond.

    `Length -> Image Color -> Image Color`; radius: above 0

    Example: `crop_rad(3, rings(yellow, blue))`

    Source: Functional Images
    """
@overload
def disk(radius: Length) -> Image:
    """The points nearer to the origin than that.

    `Length -> Image Bool`; radius: above 0

    Example: `disk(1.5)`
    """
@overload
def disk(radius: MovingNumber) -> Picture:
    """The points nearer to the origin than that.

    `Length -> Image Bool`; radius: above 0

    Example: `disk(1.5)`
    """
@overload
def distance(shape: ImageLike) -> Image:
    """The signed distance from a region in units of the plane, negative inside; a field is its own distance.

    `Image -> Image Number`

    Example: `distance(disk(1) | move((1.2, 0), disk(0.6)))`
    """
@overload
def distance(shape: MovingImage) -> Picture:
    """The signed distance from a region in units of the plane, negative inside; a field is its own distance.

    `Image -> Image Number`

    Example: `distance(disk(1) | move((1.2, 0), disk(0.6)))`
    """
@overload
def dots(radius: Length) -> Image:
    """Disks of that radius about all points with whole coordinates.

    `Length -> Image Bool`; radius: above 0

    Example: `dots(0.3)`
    """
@overload
def dots(radius: MovingNumber) -> Picture:
    """Disks of that radius about all points with whole coordinates.

    `Length -> Image Bool`; radius: above 0

    Example: `dots(0.3)`
    """
empty: Image
"""The image that is invisible everywhere.

`Image Color`

Example: `empty`

Source: Pan 2.3
"""
everywhere: Image
"""The region that is the whole plane.

`Image Bool`

Example: `everywhere`

Source: Functional Images
"""
@overload
def fade(opacity: ImageLike, image: ImageLike) -> Image:
    """The image made transparent: its opacity multiplied by a number or a field in 0 .. 1.

    `Image Number -> Image Color -> Image Color`; opacity: from 0 to 1

    Example: `fade(0.5, checkerboard(1, crimson, gold))`
    """
@overload
def fade(opacity: MovingImage, image: MovingImage) -> Picture:
    """The image made transparent: its opacity multiplied by a number or a field in 0 .. 1.

    `Image Number -> Image Color -> Image Color`; opacity: from 0 to 1

    Example: `fade(0.5, checkerboard(1, crimson, gold))`
    """
@overload
def fbm(field: ImageLike, octaves: Count = 5, gain: Number = 0.5, lacunarity: Number = 2.0) -> Image:
    """A noise at many scales: each octave is finer by `lacunarity` and weaker by `gain`; in the range of the noise.

    `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
    from 1 to 8

    Example: `fbm(perlin_noise(), 6) * 0.5 + 0.5`

    Source: Mandelbrot and van Ness, 1968
    """
@overload
def fbm(field: MovingImage, octaves: Count = 5, gain: MovingNumber = 0.5, lacunarity: MovingNumber = 2.0) -> Picture:
    """A noise at many scales: each octave is finer by `lacunarity` and weaker by `gain`; in the range of the noise.

    `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
    from 1 to 8

    Example: `fbm(perlin_noise(), 6) * 0.5 + 0.5`

    Source: Mandelbrot and van Ness, 1968
    """
@overload
def fill(paint: ImageLike, region: ImageLike) -> Image:
    """The region painted with a color or another image, invisible outside.

    `Image Color -> Image Bool -> Image Color`

    Example: `fill(tomato, rad_reg(7))`
    """
@overload
def fill(paint: MovingImage, region: MovingImage) -> Picture:
    """The region painted with a color or another image, invisible outside.

    `Image Color -> Image Bool -> Image Color`

    Example: `fill(tomato, rad_reg(7))`
    """
def from_buffer(data: Any, format: Any, size: Any, offset: Count = 0) -> Bitmap:
    """The picture in bytes of any packed format, centered on the origin, one unit to the pixel, row 0 on top.

    `Any -> Any -> Any -> Count -> Image Color`; offset: at least 0

    Example: `from_buffer(bytes([0x1F, 0xF8, 0xE0, 0x07]), "rgb565", (2, 1))`
    """
@overload
def gamma(exponent: ImageLike, image: ImageLike) -> Image:
    """The image with each component raised to a power: darker middle tones above 1, brighter below.

    `Image Number -> Image Color -> Image Color`; exponent: above 0

    Example: `gamma(2.2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def gamma(exponent: MovingImage, image: MovingImage) -> Picture:
    """The image with each component raised to a power: darker middle tones above 1, brighter below.

    `Image Number -> Image Color -> Image Color`; exponent: above 0

    Example: `gamma(2.2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
gasket: Image
"""Sierpinski's gasket: the unit cells whose row number has no bit that their column number has not.

`Image Bool`

Example: `ustretch(0.05, gasket)`

Source: Functional Images
"""
@overload
def glow(shape: ImageLike, radius: Length, paint: ImageLike) -> Image:
    """The light around a shape: all of `paint` inside, then as the square of the way left to `radius` from the edge.

    `Image -> Length -> Image Color -> Image Color`; radius: above 0

    Example: `stack(fill(white, disk(0.7)), glow(disk(0.7), 1, gold), midnightblue)`
    """
@overload
def glow(shape: MovingImage, radius: MovingNumber, paint: MovingImage) -> Picture:
    """The light around a shape: all of `paint` inside, then as the square of the way left to `radius` from the edge.

    `Image -> Length -> Image Color -> Image Color`; radius: above 0

    Example: `stack(fill(white, disk(0.7)), glow(disk(0.7), 1, gold), midnightblue)`
    """
@overload
def gray_level(level: Fraction, alpha: Fraction = 1.0) -> Color:
    """The gray of that level, 0 black and 1 white.

    `Fraction -> Fraction -> Color`; level: from 0 to 1; alpha: from 0 to 1

    Example: `const(gray_level(0.25))`
    """
@overload
def gray_level(level: MovingNumber, alpha: MovingNumber = 1.0) -> Color | Behavior:
    """The gray of that level, 0 black and 1 white.

    `Fraction -> Fraction -> Color`; level: from 0 to 1; alpha: from 0 to 1

    Example: `const(gray_level(0.25))`
    """
@overload
def grayscale(image: ImageLike) -> Image:
    """The image in grays of the same light.

    `Image Color -> Image Color`

    Example: `grayscale(lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def grayscale(image: MovingImage) -> Picture:
    """The image in grays of the same light.

    `Image Color -> Image Color`

    Example: `grayscale(lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def grid(size: Length) -> Image:
    """Lines of that thickness through all points with a whole coordinate.

    `Length -> Image Bool`; size: above 0

    Example: `grid(0.08)`
    """
@overload
def grid(size: MovingNumber) -> Picture:
    """Lines of that thickness through all points with a whole coordinate.

    `Length -> Image Bool`; size: above 0

    Example: `grid(0.08)`
    """
@overload
def half_plane(angle: Angle) -> Image:
    """The points on the side of the origin to which that direction points.

    `Angle -> Image Bool`

    Example: `half_plane(pi / 6)`
    """
@overload
def half_plane(angle: MovingNumber) -> Picture:
    """The points on the side of the origin to which that direction points.

    `Angle -> Image Bool`

    Example: `half_plane(pi / 6)`
    """
@overload
def herringbone(length: Integer = 2) -> Image:
    """Bricks of 1 by `length` laid in a herringbone: inside where they lie across, outside where they stand.

    `Integer -> Image Bool`; length: from 1 to 64

    Example: `herringbone(3)`
    """
@overload
def herringbone(length: MovingNumber = 2) -> Picture:
    """Bricks of 1 by `length` laid in a herringbone: inside where they lie across, outside where they stand.

    `Integer -> Image Bool`; length: from 1 to 64

    Example: `herringbone(3)`
    """
@overload
def hsl(hue: Angle, saturation: Fraction = 1.0, lightness: Fraction = 0.5) -> Color:
    """The color of that hue, saturation and lightness.

    `Angle -> Fraction -> Fraction -> Color`; saturation: from 0 to 1; lightness: from 0 to 1

    Example: `lift(lambda t, r: hsl(t, 1, clamp(r, 0, 1)), theta, r)`
    """
@overload
def hsl(hue: MovingNumber, saturation: MovingNumber = 1.0, lightness: MovingNumber = 0.5) -> Color | Behavior:
    """The color of that hue, saturation and lightness.

    `Angle -> Fraction -> Fraction -> Color`; saturation: from 0 to 1; lightness: from 0 to 1

    Example: `lift(lambda t, r: hsl(t, 1, clamp(r, 0, 1)), theta, r)`
    """
@overload
def hsv(hue: Angle, saturation: Fraction = 1.0, value: Fraction = 1.0) -> Color:
    """The color of that hue, saturation and value.

    `Angle -> Fraction -> Fraction -> Color`; saturation: from 0 to 1; value: from 0 to 1

    Example: `lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r)`
    """
@overload
def hsv(hue: MovingNumber, saturation: MovingNumber = 1.0, value: MovingNumber = 1.0) -> Color | Behavior:
    """The color of that hue, saturation and value.

    `Angle -> Fraction -> Fraction -> Color`; saturation: from 0 to 1; value: from 0 to 1

    Example: `lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r)`
    """
@overload
def hyperbolic(sides: Count, around: Count, image: ImageLike) -> Image:
    """The image in the basic polygon's first triangle, mirrored over the unit disc; invisible outside.

    `Count -> Count -> Image Color -> Image Color`; sides: from 3 to 64; around: from 3 to 64

    Example: `hyperbolic(5, 4, radial_gradient((0, 0), 0.6, [gold, crimson, midnightblue]))`
    """
@overload
def hyperbolic(sides: Count, around: Count, image: MovingImage) -> Picture:
    """The image in the basic polygon's first triangle, mirrored over the unit disc; invisible outside.

    `Count -> Count -> Image Color -> Image Color`; sides: from 3 to 64; around: from 3 to 64

    Example: `hyperbolic(5, 4, radial_gradient((0, 0), 0.6, [gold, crimson, midnightblue]))`
    """
def hyperbolic_checker(sides: Count, around: Count) -> Image:
    """The triangles that a tiling and its mirrors cut the unit disc into, alternately inside and outside.

    `Count -> Count -> Image Bool`; sides: from 3 to 64; around: from 3 to 64

    Example: `hyperbolic_checker(7, 3)`
    """
@overload
def intersect(*regions: ImageLike) -> Image:
    """The points inside all of the regions; of no regions, everywhere.

    `Image Bool... -> Image Bool`

    Example: `intersect(move((0.5, 0), udisk), move((-0.5, 0), udisk))`

    Source: Functional Images
    """
@overload
def intersect(*regions: MovingImage) -> Picture:
    """The points inside all of the regions; of no regions, everywhere.

    `Image Bool... -> Image Bool`

    Example: `intersect(move((0.5, 0), udisk), move((-0.5, 0), udisk))`

    Source: Functional Images
    """
@overload
def invert(image: ImageLike) -> Image:
    """The negative of the image: each component c becomes 1 - c, at the same opacity.

    `Image Color -> Image Color`

    Example: `invert(lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def invert(image: MovingImage) -> Picture:
    """The negative of the image: each component c becomes 1 - c, at the same opacity.

    `Image Color -> Image Color`

    Example: `invert(lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def kaleidoscope(folds: Integer, image: ImageLike) -> Image:
    """The wedge of the image above the positive x axis, mirrored around the origin `folds` times two.

    `Integer -> Image a -> Image a`; folds: at least 1

    Example: `kaleidoscope(6, move((1, 0.3), turn(0.4, checkerboard(1, crimson, gold))))`
    """
@overload
def kaleidoscope(folds: MovingNumber, image: MovingImage) -> Picture:
    """The wedge of the image above the positive x axis, mirrored around the origin `folds` times two.

    `Integer -> Image a -> Image a`; folds: at least 1

    Example: `kaleidoscope(6, move((1, 0.3), turn(0.4, checkerboard(1, crimson, gold))))`
    """
@overload
def lerp(weight: ImageLike, first: ImageLike, second: ImageLike) -> Image:
    """`weight` parts of the first image and 1 - weight of the second; the weight, in 0 .. 1, may be a field.

    `Image Number -> Image a -> Image a -> Image a`; weight: from 0 to 1

    Example: `lerp(wave_dist, checkerboard(1, black, white), const(gold))`

    Source: Functional Images
    """
@overload
def lerp(weight: MovingImage, first: MovingImage, second: MovingImage) -> Picture:
    """`weight` parts of the first image and 1 - weight of the second; the weight, in 0 .. 1, may be a field.

    `Image Number -> Image a -> Image a -> Image a`; weight: from 0 to 1

    Example: `lerp(wave_dist, checkerboard(1, black, white), const(gold))`

    Source: Functional Images
    """
@overload
def lerp_color(weight: Fraction, first: ColorLike, second: ColorLike) -> Color:
    """`weight` parts of the first color and 1 - weight of the second.

    `Fraction -> Color -> Color -> Color`; weight: from 0 to 1

    Example: `lift(lambda x: lerp_color(clamp(x, 0, 1), red, blue), x)`

    Source: Pan 2.1
    """
@overload
def lerp_color(weight: MovingNumber, first: MovingColor, second: MovingColor) -> Color | Behavior:
    """`weight` parts of the first color and 1 - weight of the second.

    `Fraction -> Color -> Color -> Color`; weight: from 0 to 1

    Example: `lift(lambda x: lerp_color(clamp(x, 0, 1), red, blue), x)`

    Source: Pan 2.1
    """
@overload
def lift(function: Callable[..., Any], *images: ImageLike) -> Image:
    """The image whose value at a point is that function of the values of the images there.

    `Function -> Image... -> Image`

    Example: `lift(lambda a, b: a ^ b, checker, move((0.5, 0.5), checker))`

    Source: Pan 2.3.2
    """
@overload
def lift(function: Callable[..., Any], *images: MovingImage) -> Picture:
    """The image whose value at a point is that function of the values of the images there.

    `Function -> Image... -> Image`

    Example: `lift(lambda a, b: a ^ b, checker, move((0.5, 0.5), checker))`

    Source: Pan 2.3.2
    """
@overload
def linear_gradient(start: PointLike, end: PointLike, stops: Stops, space: Literal['srgb', 'linear', 'oklab', 'oklch'] = 'srgb', spread: Literal['pad', 'repeat', 'reflect'] = 'pad') -> Image:
    """The colors of the stops along the line from one point to another, and square to it the same.

    `Point -> Point -> Stops -> Text -> Text -> Image Color`; space: one of srgb, linear, oklab, oklch; spread: one of
    pad, repeat, reflect

    Example: `linear_gradient((-2, 0), (2, 0), [navy, crimson, gold], space='oklab')`
    """
@overload
def linear_gradient(start: MovingPoint, end: MovingPoint, stops: MovingStops, space: Literal['srgb', 'linear', 'oklab', 'oklch'] = 'srgb', spread: Literal['pad', 'repeat', 'reflect'] = 'pad') -> Picture:
    """The colors of the stops along the line from one point to another, and square to it the same.

    `Point -> Point -> Stops -> Text -> Text -> Image Color`; space: one of srgb, linear, oklab, oklch; spread: one of
    pad, repeat, reflect

    Example: `linear_gradient((-2, 0), (2, 0), [navy, crimson, gold], space='oklab')`
    """
@overload
def linear_rgb(red: Fraction, green: Fraction, blue: Fraction) -> Color:
    """The opaque color of those amounts of light.

    `Fraction -> Fraction -> Fraction -> Color`; red: from 0 to 1; green: from 0 to 1; blue: from 0 to 1

    Example: `const(linear_rgb(0.5, 0.5, 0.5))`
    """
@overload
def linear_rgb(red: MovingNumber, green: MovingNumber, blue: MovingNumber) -> Color | Behavior:
    """The opaque color of those amounts of light.

    `Fraction -> Fraction -> Fraction -> Color`; red: from 0 to 1; green: from 0 to 1; blue: from 0 to 1

    Example: `const(linear_rgb(0.5, 0.5, 0.5))`
    """
@overload
def log_polar(image: ImageLike) -> Image:
    """The image wound around the origin so that small squares stay squares: at distance r shows what is at x = log r.

    `Image a -> Image a`

    Example: `log_polar(stretch((pi / 8, pi / 8), checkerboard(1, navy, khaki)))`
    """
@overload
def log_polar(image: MovingImage) -> Picture:
    """The image wound around the origin so that small squares stay squares: at distance r shows what is at x = log r.

    `Image a -> Image a`

    Example: `log_polar(stretch((pi / 8, pi / 8), checkerboard(1, navy, khaki)))`
    """
@overload
def luminance(image: ImageLike) -> Image:
    """The field of the light of the image, as the eye weighs it, in 0 .. 1; of what is invisible, 0.

    `Image Color -> Image Number`

    Example: `luminance(lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def luminance(image: MovingImage) -> Picture:
    """The field of the light of the image, as the eye weighs it, in 0 .. 1; of what is invisible, 0.

    `Image Color -> Image Number`

    Example: `luminance(lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def mirror(image: ImageLike) -> Image:
    """The right half of the image, and its mirror image on the left.

    `Image a -> Image a`

    Example: `mirror(turn(0.3, checkerboard(1, gold, navy)))`
    """
@overload
def mirror(image: MovingImage) -> Picture:
    """The right half of the image, and its mirror image on the left.

    `Image a -> Image a`

    Example: `mirror(turn(0.3, checkerboard(1, gold, navy)))`
    """
@overload
def move(offset: PointLike, image: ImageLike) -> Image:
    """The image moved by an offset.

    `Point -> Image a -> Image a`

    Example: `move((0.5, 0.5), checker)`

    Source: Pan 2.3.1
    """
@overload
def move(offset: MovingPoint, image: MovingImage) -> Picture:
    """The image moved by an offset.

    `Point -> Image a -> Image a`

    Example: `move((0.5, 0.5), checker)`

    Source: Pan 2.3.1
    """
@overload
def multiply(top: ImageLike, bottom: ImageLike) -> Image:
    """The product of two images: never brighter than either, like one slide in front of another.

    `Image Color -> Image Color -> Image Color`

    Example: `multiply(crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5, steelblue,
    white))`

    Source: W3C Compositing and Blending Level 1
    """
@overload
def multiply(top: MovingImage, bottom: MovingImage) -> Picture:
    """The product of two images: never brighter than either, like one slide in front of another.

    `Image Color -> Image Color -> Image Color`

    Example: `multiply(crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5, steelblue,
    white))`

    Source: W3C Compositing and Blending Level 1
    """
nowhere: Image
"""The region that is empty.

`Image Bool`

Example: `nowhere`

Source: Functional Images
"""
@overload
def oklab(lightness: Fraction, a: Number, b: Number) -> Color:
    """The color of that perceptual lightness and opponent axes (green to red, blue to yellow), clamped to sRGB.

    `Fraction -> Number -> Number -> Color`; lightness: from 0 to 1; a: from -0.5 to 0.5; b: from -0.5 to 0.5

    Example: `lift(lambda x, y: oklab(0.75, x, y), x, y)`
    """
@overload
def oklab(lightness: MovingNumber, a: MovingNumber, b: MovingNumber) -> Color | Behavior:
    """The color of that perceptual lightness and opponent axes (green to red, blue to yellow), clamped to sRGB.

    `Fraction -> Number -> Number -> Color`; lightness: from 0 to 1; a: from -0.5 to 0.5; b: from -0.5 to 0.5

    Example: `lift(lambda x, y: oklab(0.75, x, y), x, y)`
    """
@overload
def oklch(lightness: Fraction, chroma: Number, hue: Angle) -> Color:
    """The color of that perceptual lightness, chroma (0 to about 0.4) and hue, clamped to sRGB.

    `Fraction -> Number -> Angle -> Color`; lightness: from 0 to 1; chroma: from 0 to 0.5

    Example: `lift(lambda t: oklch(0.75, 0.12, t), theta)`
    """
@overload
def oklch(lightness: MovingNumber, chroma: MovingNumber, hue: MovingNumber) -> Color | Behavior:
    """The color of that perceptual lightness, chroma (0 to about 0.4) and hue, clamped to sRGB.

    `Fraction -> Number -> Angle -> Color`; lightness: from 0 to 1; chroma: from 0 to 0.5

    Example: `lift(lambda t: oklch(0.75, 0.12, t), theta)`
    """
@overload
def over(top: ImageLike, bottom: ImageLike) -> Image:
    """The top image laid over the bottom one, which shows as far as the top is transparent.

    `Image Color -> Image Color -> Image Color`

    Example: `over(crop(disk(1.2), fade(0.6, crimson)), checkerboard(0.5, white, silver))`

    Source: Pan 2.3.2
    """
@overload
def over(top: MovingImage, bottom: MovingImage) -> Picture:
    """The top image laid over the bottom one, which shows as far as the top is transparent.

    `Image Color -> Image Color -> Image Color`

    Example: `over(crop(disk(1.2), fade(0.6, crimson)), checkerboard(0.5, white, silver))`

    Source: Pan 2.3.2
    """
@overload
def over_color(top: ColorLike, bottom: ColorLike) -> Color:
    """The top color laid over the bottom one, which shows as far as the top is transparent.

    `Color -> Color -> Color`

    Example: `const(over_color(rgba(1, 0, 0, 0.5), blue))`

    Source: Pan 2.1
    """
@overload
def over_color(top: MovingColor, bottom: MovingColor) -> Color | Behavior:
    """The top color laid over the bottom one, which shows as far as the top is transparent.

    `Color -> Color -> Color`

    Example: `const(over_color(rgba(1, 0, 0, 0.5), blue))`

    Source: Pan 2.1
    """
@overload
def periodic_noise(period: PointLike, octaves: Count = 1, gain: Number = 0.5, seed: Count = 0, z: Number | None = None) -> Image:
    """Perlin's noise that repeats after `period`, a pair of whole numbers, so that a tile of it has no seam: -1 to 1.

    `Point -> Count -> Number -> Count -> Number -> Image Number`; period: from 1 to 4096; octaves: from 1 to 12; gain:
    from 0 to 1

    Example: `periodic_noise((4, 3), 4) * 0.5 + 0.5`

    Source: Perlin, Improving Noise, 2002
    """
@overload
def periodic_noise(period: MovingPoint, octaves: Count = 1, gain: MovingNumber = 0.5, seed: Count = 0, z: MovingNumber | None = None) -> Picture:
    """Perlin's noise that repeats after `period`, a pair of whole numbers, so that a tile of it has no seam: -1 to 1.

    `Point -> Count -> Number -> Count -> Number -> Image Number`; period: from 1 to 4096; octaves: from 1 to 12; gain:
    from 0 to 1

    Example: `periodic_noise((4, 3), 4) * 0.5 + 0.5`

    Source: Perlin, Improving Noise, 2002
    """
@overload
def perlin_noise(seed: Count = 0, z: Number | None = None) -> Image:
    """Random slopes at points with whole coordinates, where it is 0, and smoothly between: from -1 to 1.

    `Count -> Number -> Image Number`

    Example: `perlin_noise() * 0.5 + 0.5`

    Source: Perlin, Improving Noise, 2002
    """
@overload
def perlin_noise(seed: Count = 0, z: MovingNumber | None = None) -> Picture:
    """Random slopes at points with whole coordinates, where it is 0, and smoothly between: from -1 to 1.

    `Count -> Number -> Image Number`

    Example: `perlin_noise() * 0.5 + 0.5`

    Source: Perlin, Improving Noise, 2002
    """
@overload
def polar(image: ImageLike) -> Image:
    """The image wound around the origin: what is at (r, angle) of it shows at that distance and angle.

    `Image a -> Image a`

    Example: `polar(stretch((1, pi / 5), checker))`

    Source: Functional Images
    """
@overload
def polar(image: MovingImage) -> Picture:
    """The image wound around the origin: what is at (r, angle) of it shows at that distance and angle.

    `Image a -> Image a`

    Example: `polar(stretch((1, pi / 5), checker))`

    Source: Functional Images
    """
@overload
def polar_checker(count: Integer) -> Image:
    """The checker wound around the origin: rings of width 1 cut into 2 · count sectors.

    `Integer -> Image Bool`; count: at least 1

    Example: `polar_checker(10)`

    Source: Functional Images
    """
@overload
def polar_checker(count: MovingNumber) -> Picture:
    """The checker wound around the origin: rings of width 1 cut into 2 · count sectors.

    `Integer -> Image Bool`; count: at least 1

    Example: `polar_checker(10)`

    Source: Functional Images
    """
def polar_transform(change: Callable[[Any, Any], Any]) -> Transform:
    """The transform that is a function of distance and angle, which gives a new pair of distance and angle.

    `Function -> Transform`

    Example: `warp(polar_transform(lambda r, theta: (r, theta + r)), checker)`
    """
@overload
def posterize(levels: Count, image: ImageLike) -> Image:
    """The image with only that many levels of each component.

    `Count -> Image Color -> Image Color`; levels: from 2 to 256

    Example: `posterize(4, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def posterize(levels: Count, image: MovingImage) -> Picture:
    """The image with only that many levels of each component.

    `Count -> Image Color -> Image Color`; levels: from 2 to 256

    Example: `posterize(4, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
r: Image
"""The field of the distance from the origin.

`Image Number`

Example: `r % 1`
"""
@overload
def rad_invert(image: ImageLike) -> Image:
    """The image turned inside out: what is at distance r shows at distance 1 / r.

    `Image a -> Image a`

    Example: `ustretch(3.5, rad_invert(checker))`

    Source: Functional Images
    """
@overload
def rad_invert(image: MovingImage) -> Picture:
    """The image turned inside out: what is at distance r shows at distance 1 / r.

    `Image a -> Image a`

    Example: `ustretch(3.5, rad_invert(checker))`

    Source: Functional Images
    """
@overload
def rad_reg(count: Integer) -> Image:
    """Wedges about the origin, `count` inside and as many outside, starting above the positive x axis.

    `Integer -> Image Bool`; count: at least 1

    Example: `rad_reg(7)`

    Source: Functional Images
    """
@overload
def rad_reg(count: MovingNumber) -> Picture:
    """Wedges about the origin, `count` inside and as many outside, starting above the positive x axis.

    `Integer -> Image Bool`; count: at least 1

    Example: `rad_reg(7)`

    Source: Functional Images
    """
@overload
def radial_gradient(center: PointLike, radius: Length, stops: Stops, space: Literal['srgb', 'linear', 'oklab', 'oklch'] = 'srgb', spread: Literal['pad', 'repeat', 'reflect'] = 'pad') -> Image:
    """The colors of the stops from a center to a distance from it.

    `Point -> Length -> Stops -> Text -> Text -> Image Color`; radius: above 0; space: one of srgb, linear, oklab, oklch;
    spread: one of pad, repeat, reflect

    Example: `radial_gradient((0, 0), 1.5, [gold, crimson, midnightblue])`
    """
@overload
def radial_gradient(center: MovingPoint, radius: MovingNumber, stops: MovingStops, space: Literal['srgb', 'linear', 'oklab', 'oklch'] = 'srgb', spread: Literal['pad', 'repeat', 'reflect'] = 'pad') -> Picture:
    """The colors of the stops from a center to a distance from it.

    `Point -> Length -> Stops -> Text -> Text -> Image Color`; radius: above 0; space: one of srgb, linear, oklab, oklch;
    spread: one of pad, repeat, reflect

    Example: `radial_gradient((0, 0), 1.5, [gold, crimson, midnightblue])`
    """
@overload
def ramp(stops: Stops, field: ImageLike, space: Literal['srgb', 'linear', 'oklab', 'oklch'] = 'srgb', spread: Literal['pad', 'repeat', 'reflect'] = 'pad') -> Image:
    """A field in colors: those of the stops for values from 0 to 1.

    `Stops -> Image Number -> Text -> Text -> Image Color`; space: one of srgb, linear, oklab, oklch; spread: one of pad,
    repeat, reflect

    Example: `ramp([midnightblue, tomato, ivory], wave_dist, 'oklab')`
    """
@overload
def ramp(stops: MovingStops, field: MovingImage, space: Literal['srgb', 'linear', 'oklab', 'oklch'] = 'srgb', spread: Literal['pad', 'repeat', 'reflect'] = 'pad') -> Picture:
    """A field in colors: those of the stops for values from 0 to 1.

    `Stops -> Image Number -> Text -> Text -> Image Color`; space: one of srgb, linear, oklab, oklch; spread: one of pad,
    repeat, reflect

    Example: `ramp([midnightblue, tomato, ivory], wave_dist, 'oklab')`
    """
def read_image(source: Any, alpha: Literal['file', 'opaque', 'straight', 'premultiplied'] = 'file', max_pixels: Count = 134217728) -> Bitmap:
    """The picture in a file, centered on the origin, one pixel to the unit; `source` is a path, or the bytes of a file.

    `Any -> Text -> Count -> Image Color`; alpha: one of file, opaque, straight, premultiplied; max_pixels: at least 1

    Example: `read_image(b"P3 2 2 255  255 0 0  255 255 0  0 0 255  0 160 0")`

    Source: Pan, section 2.4.2
    """
@overload
def read_vm(source: Any, z: Number = 0.0) -> Image:
    """The field of a program of registers: the path of a `.vm` file, or the program as a text of several lines.

    `Any -> Number -> Image Number`

    Example: `read_vm("x var-x\\ny var-y\\nxx square x\\nyy square y\\nd add xx yy\\nr sqrt d\\no const 1\\nf sub r o")`

    Source: Keeter, Fidget
    """
@overload
def read_vm(source: Any, z: MovingNumber = 0.0) -> Picture:
    """The field of a program of registers: the path of a `.vm` file, or the program as a text of several lines.

    `Any -> Number -> Image Number`

    Example: `read_vm("x var-x\\ny var-y\\nxx square x\\nyy square y\\nd add xx yy\\nr sqrt d\\no const 1\\nf sub r o")`

    Source: Keeter, Fidget
    """
def reconstruct(array: Any, filter: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', edge: Literal['transparent', 'crop', 'clamp', 'wrap', 'mirror'] = 'transparent', space: Literal['srgb', 'linear'] = 'srgb') -> Image:
    """The image of an array of colors, centered on the origin, one unit to the pixel, row 0 on top.

    `Any -> Text -> Text -> Text -> Image Color`; filter: one of nearest, bilinear, bicubic; edge: one of transparent,
    crop, clamp, wrap, mirror; space: one of srgb, linear

    Example: `reconstruct(bitmap([[0.0, 0.5], [1.0, 0.25]]), "nearest", edge="wrap")`

    Source: Pan, section 2.4
    """
@overload
def reflect(cell: PointLike, image: ImageLike) -> Image:
    """The part of the image in a cell about the origin, continued over the plane by mirrors at its edges.

    `Point -> Image a -> Image a`; cell: above 0

    Example: `reflect((1, 1), swirl(1, linear_gradient((-0.5, 0), (0.5, 0), [tomato, navy])))`
    """
@overload
def reflect(cell: MovingPoint, image: MovingImage) -> Picture:
    """The part of the image in a cell about the origin, continued over the plane by mirrors at its edges.

    `Point -> Image a -> Image a`; cell: above 0

    Example: `reflect((1, 1), swirl(1, linear_gradient((-0.5, 0), (0.5, 0), [tomato, navy])))`
    """
@overload
def rgb(red: Fraction, green: Fraction, blue: Fraction) -> Color:
    """The opaque color of those components.

    `Fraction -> Fraction -> Fraction -> Color`; red: from 0 to 1; green: from 0 to 1; blue: from 0 to 1

    Example: `const(rgb(1, 0.5, 0))`

    Source: Pan 2.1
    """
@overload
def rgb(red: MovingNumber, green: MovingNumber, blue: MovingNumber) -> Color | Behavior:
    """The opaque color of those components.

    `Fraction -> Fraction -> Fraction -> Color`; red: from 0 to 1; green: from 0 to 1; blue: from 0 to 1

    Example: `const(rgb(1, 0.5, 0))`

    Source: Pan 2.1
    """
@overload
def rgba(red: Fraction, green: Fraction, blue: Fraction, alpha: Fraction) -> Color:
    """The color of those components, which are straight, and that opacity.

    `Fraction -> Fraction -> Fraction -> Fraction -> Color`; red: from 0 to 1; green: from 0 to 1; blue: from 0 to 1;
    alpha: from 0 to 1

    Example: `const(rgba(1, 0.5, 0, 0.5))`

    Source: Pan 2.1
    """
@overload
def rgba(red: MovingNumber, green: MovingNumber, blue: MovingNumber, alpha: MovingNumber) -> Color | Behavior:
    """The color of those components, which are straight, and that opacity.

    `Fraction -> Fraction -> Fraction -> Fraction -> Color`; red: from 0 to 1; green: from 0 to 1; blue: from 0 to 1;
    alpha: from 0 to 1

    Example: `const(rgba(1, 0.5, 0, 0.5))`

    Source: Pan 2.1
    """
@overload
def ridged(field: ImageLike, octaves: Count = 5, gain: Number = 0.5, lacunarity: Number = 2.0) -> Image:
    """Ridges where a noise passes through 0, at many scales, as of mountains: from 0 to 1 for a noise from -1 to 1.

    `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
    from 1 to 8

    Example: `ridged(perlin_noise(), 6)`

    Source: Musgrave, Texturing and Modeling, 1994
    """
@overload
def ridged(field: MovingImage, octaves: Count = 5, gain: MovingNumber = 0.5, lacunarity: MovingNumber = 2.0) -> Picture:
    """Ridges where a noise passes through 0, at many scales, as of mountains: from 0 to 1 for a noise from -1 to 1.

    `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
    from 1 to 8

    Example: `ridged(perlin_noise(), 6)`

    Source: Musgrave, Texturing and Modeling, 1994
    """
@overload
def rings(first: ColorLike, second: ColorLike, width: Length = 1.0) -> Image:
    """Soft rings about the origin: the first color at the center, the second one `width` further out, and so on.

    `Color -> Color -> Length -> Image Color`; width: above 0

    Example: `rings(yellow, blue)`

    Source: Functional Images
    """
@overload
def rings(first: MovingColor, second: MovingColor, width: MovingNumber = 1.0) -> Picture:
    """Soft rings about the origin: the first color at the center, the second one `width` further out, and so on.

    `Color -> Color -> Length -> Image Color`; width: above 0

    Example: `rings(yellow, blue)`

    Source: Functional Images
    """
@overload
def ripple_rad(waves: Integer, amount: Number, image: ImageLike) -> Image:
    """The image with `waves` petals: shows at each point what is 1 + amount · sin(waves · angle) times as far out.

    `Integer -> Number -> Image a -> Image a`; amount: from -0.99 to 0.99

    Example: `ripple_rad(8, 0.3, rings(yellow, blue))`

    Source: Functional Images
    """
@overload
def ripple_rad(waves: MovingNumber, amount: MovingNumber, image: MovingImage) -> Picture:
    """The image with `waves` petals: shows at each point what is 1 + amount · sin(waves · angle) times as far out.

    `Integer -> Number -> Image a -> Image a`; amount: from -0.99 to 0.99

    Example: `ripple_rad(8, 0.3, rings(yellow, blue))`

    Source: Functional Images
    """
@overload
def rosette(copies: Integer, image: ImageLike) -> Image:
    """The wedge of the image about the positive x axis, turned around the origin that many times.

    `Integer -> Image a -> Image a`; copies: at least 1

    Example: `rosette(5, move((2, 0), stretch((1, 0.4), disk(1.5))))`
    """
@overload
def rosette(copies: MovingNumber, image: MovingImage) -> Picture:
    """The wedge of the image about the positive x axis, turned around the origin that many times.

    `Integer -> Image a -> Image a`; copies: at least 1

    Example: `rosette(5, move((2, 0), stretch((1, 0.4), disk(1.5))))`
    """
@overload
def rotate(angle: Angle) -> Transform:
    """The transform that turns points about the origin, counterclockwise.

    `Angle -> Transform`

    Example: `warp(rotate(pi / 8), checker)`

    Source: Pan 2.2
    """
@overload
def rotate(angle: MovingNumber) -> Transform | Behavior:
    """The transform that turns points about the origin, counterclockwise.

    `Angle -> Transform`

    Example: `warp(rotate(pi / 8), checker)`

    Source: Pan 2.2
    """
@overload
def saturate(amount: ImageLike, image: ImageLike) -> Image:
    """The image with its chroma multiplied, at the same perceptual lightness and hue: gray for 0, the same for 1.

    `Image Number -> Image Color -> Image Color`; amount: at least 0

    Example: `saturate(0.4, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def saturate(amount: MovingImage, image: MovingImage) -> Picture:
    """The image with its chroma multiplied, at the same perceptual lightness and hue: gray for 0, the same for 1.

    `Image Number -> Image Color -> Image Color`; amount: at least 0

    Example: `saturate(0.4, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def scale(factors: PointLike) -> Transform:
    """The transform that multiplies each coordinate by its own factor.

    `Point -> Transform`

    Example: `warp(scale((2, 1)), checker)`

    Source: Pan 2.2
    """
@overload
def scale(factors: MovingPoint) -> Transform | Behavior:
    """The transform that multiplies each coordinate by its own factor.

    `Point -> Transform`

    Example: `warp(scale((2, 1)), checker)`

    Source: Pan 2.2
    """
@overload
def screen(top: ImageLike, bottom: ImageLike) -> Image:
    """The product of the negatives: never darker than either, like two projectors on one wall.

    `Image Color -> Image Color -> Image Color`

    Example: `screen(crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5, steelblue, white))`

    Source: W3C Compositing and Blending Level 1
    """
@overload
def screen(top: MovingImage, bottom: MovingImage) -> Picture:
    """The product of the negatives: never darker than either, like two projectors on one wall.

    `Image Color -> Image Color -> Image Color`

    Example: `screen(crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5, steelblue, white))`

    Source: W3C Compositing and Blending Level 1
    """
@overload
def sdf_box(width: Length, height: Length) -> Image:
    """The distance to a rectangle about the origin.

    `Length -> Length -> Image Number`; width: above 0; height: above 0

    Example: `sdf_box(2, 1)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_box(width: MovingNumber, height: MovingNumber) -> Picture:
    """The distance to a rectangle about the origin.

    `Length -> Length -> Image Number`; width: above 0; height: above 0

    Example: `sdf_box(2, 1)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_capsule(start: PointLike, end: PointLike, radius: Length) -> Image:
    """The distance to all that is within a radius of a straight line between two points.

    `Point -> Point -> Length -> Image Number`; radius: above 0

    Example: `sdf_capsule((-1, -0.5), (1, 0.5), 0.4)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_capsule(start: MovingPoint, end: MovingPoint, radius: MovingNumber) -> Picture:
    """The distance to all that is within a radius of a straight line between two points.

    `Point -> Point -> Length -> Image Number`; radius: above 0

    Example: `sdf_capsule((-1, -0.5), (1, 0.5), 0.4)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_disk(radius: Length) -> Image:
    """The distance to a circle about the origin.

    `Length -> Image Number`; radius: above 0

    Example: `sdf_disk(1)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_disk(radius: MovingNumber) -> Picture:
    """The distance to a circle about the origin.

    `Length -> Image Number`; radius: above 0

    Example: `sdf_disk(1)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_fill(paint: ImageLike, field: ImageLike, softness: Length = 0.0) -> Image:
    """A shape filled with a color or a picture, fading across its outline over a width of `softness`.

    `Image Color -> Image Number -> Length -> Image Color`; softness: at least 0

    Example: `sdf_fill(tomato, sdf_heart(3), 0.05)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_fill(paint: MovingImage, field: MovingImage, softness: MovingNumber = 0.0) -> Picture:
    """A shape filled with a color or a picture, fading across its outline over a width of `softness`.

    `Image Color -> Image Number -> Length -> Image Color`; softness: at least 0

    Example: `sdf_fill(tomato, sdf_heart(3), 0.05)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_heart(width: Length) -> Image:
    """The distance to a heart about the origin: a square on its tip, and half a disk on each of its upper sides.

    `Length -> Image Number`; width: above 0

    Example: `sdf_heart(3)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_heart(width: MovingNumber) -> Picture:
    """The distance to a heart about the origin: a square on its tip, and half a disk on each of its upper sides.

    `Length -> Image Number`; width: above 0

    Example: `sdf_heart(3)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_inside(field: ImageLike) -> Image:
    """The region inside of a shape, its outline included.

    `Image Number -> Image Bool`

    Example: `sdf_inside(sdf_heart(3))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_inside(field: MovingImage) -> Picture:
    """The region inside of a shape, its outline included.

    `Image Number -> Image Bool`

    Example: `sdf_inside(sdf_heart(3))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_intersection(*fields: ImageLike) -> Image:
    """The distance to what is in all of several shapes; outside of two of them it may be understated.

    `Image Number... -> Image Number`

    Example: `sdf_intersection(sdf_disk(1), sdf_box(3, 0.5))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_intersection(*fields: MovingImage) -> Picture:
    """The distance to what is in all of several shapes; outside of two of them it may be understated.

    `Image Number... -> Image Number`

    Example: `sdf_intersection(sdf_disk(1), sdf_box(3, 0.5))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_offset(distance: Length, field: ImageLike) -> Image:
    """The shape grown by a distance, its outer corners rounded; shrunk if the distance is negative.

    `Length -> Image Number -> Image Number`

    Example: `sdf_offset(0.3, sdf_box(2, 1))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_offset(distance: MovingNumber, field: MovingImage) -> Picture:
    """The shape grown by a distance, its outer corners rounded; shrunk if the distance is negative.

    `Length -> Image Number -> Image Number`

    Example: `sdf_offset(0.3, sdf_box(2, 1))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_onion(thickness: Length, field: ImageLike) -> Image:
    """The shell of a shape: half of the thickness on either side of its outline.

    `Length -> Image Number -> Image Number`; thickness: above 0

    Example: `sdf_onion(0.2, sdf_onion(0.6, sdf_heart(3)))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_onion(thickness: MovingNumber, field: MovingImage) -> Picture:
    """The shell of a shape: half of the thickness on either side of its outline.

    `Length -> Image Number -> Image Number`; thickness: above 0

    Example: `sdf_onion(0.2, sdf_onion(0.6, sdf_heart(3)))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_polygon(*corners: PointLike) -> Image:
    """The distance to a polygon with these corners; where it crosses itself, every other part is inside.

    `Point... -> Image Number`

    Example: `sdf_polygon((-1.4, -1), (0, -0.4), (1.4, -1), (0, 1.4))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_polygon(*corners: MovingPoint) -> Picture:
    """The distance to a polygon with these corners; where it crosses itself, every other part is inside.

    `Point... -> Image Number`

    Example: `sdf_polygon((-1.4, -1), (0, -0.4), (1.4, -1), (0, 1.4))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_regular(sides: Count, radius: Length) -> Image:
    """The distance to a polygon of equal sides about the origin; the radius goes to its corners, one of them on top.

    `Count -> Length -> Image Number`; sides: from 3 to 1000; radius: above 0

    Example: `sdf_regular(6, 1.5)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_regular(sides: Count, radius: MovingNumber) -> Picture:
    """The distance to a polygon of equal sides about the origin; the radius goes to its corners, one of them on top.

    `Count -> Length -> Image Number`; sides: from 3 to 1000; radius: above 0

    Example: `sdf_regular(6, 1.5)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_ring(radius: Length, width: Length) -> Image:
    """The distance to a ring about the origin, half of whose width lies on either side of the radius.

    `Length -> Length -> Image Number`; radius: above 0; width: above 0

    Example: `sdf_ring(1, 0.4)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_ring(radius: MovingNumber, width: MovingNumber) -> Picture:
    """The distance to a ring about the origin, half of whose width lies on either side of the radius.

    `Length -> Length -> Image Number`; radius: above 0; width: above 0

    Example: `sdf_ring(1, 0.4)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_rounded_box(width: Length, height: Length, radius: Length) -> Image:
    """The distance to a rectangle about the origin with its corners rounded; a radius too large is made to fit.

    `Length -> Length -> Length -> Image Number`; width: above 0; height: above 0; radius: at least 0

    Example: `sdf_rounded_box(2.4, 1.4, 0.3)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_rounded_box(width: MovingNumber, height: MovingNumber, radius: MovingNumber) -> Picture:
    """The distance to a rectangle about the origin with its corners rounded; a radius too large is made to fit.

    `Length -> Length -> Length -> Image Number`; width: above 0; height: above 0; radius: at least 0

    Example: `sdf_rounded_box(2.4, 1.4, 0.3)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_scale(factor: Number, field: ImageLike) -> Image:
    """The shape made larger by a factor, with distances that remain right (stretching a field alone leaves them).

    `Number -> Image Number -> Image Number`; factor: above 0

    Example: `sdf_scale(2, sdf_star(5, 1, 0.4))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_scale(factor: MovingNumber, field: MovingImage) -> Picture:
    """The shape made larger by a factor, with distances that remain right (stretching a field alone leaves them).

    `Number -> Image Number -> Image Number`; factor: above 0

    Example: `sdf_scale(2, sdf_star(5, 1, 0.4))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_segment(start: PointLike, end: PointLike) -> Image:
    """The distance to a straight line between two points, which has no inside.

    `Point -> Point -> Image Number`

    Example: `sdf_segment((-1, -0.5), (1, 0.5))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_segment(start: MovingPoint, end: MovingPoint) -> Picture:
    """The distance to a straight line between two points, which has no inside.

    `Point -> Point -> Image Number`

    Example: `sdf_segment((-1, -0.5), (1, 0.5))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_smooth_intersection(softness: Length, first: ImageLike, second: ImageLike) -> Image:
    """The distance to what is in both shapes, with the edge between them rounded off.

    `Length -> Image Number -> Image Number -> Image Number`; softness: above 0

    Example: `sdf_smooth_intersection(0.5, sdf_disk(1.2), sdf_box(3, 1))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_smooth_intersection(softness: MovingNumber, first: MovingImage, second: MovingImage) -> Picture:
    """The distance to what is in both shapes, with the edge between them rounded off.

    `Length -> Image Number -> Image Number -> Image Number`; softness: above 0

    Example: `sdf_smooth_intersection(0.5, sdf_disk(1.2), sdf_box(3, 1))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_smooth_union(softness: Length, first: ImageLike, second: ImageLike) -> Image:
    """The distance to two shapes with the notch between filled, as far as distances differ by less than `softness`.

    `Length -> Image Number -> Image Number -> Image Number`; softness: above 0

    Example: `sdf_smooth_union(0.5, sdf_disk(1), sdf_box(3, 0.5))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_smooth_union(softness: MovingNumber, first: MovingImage, second: MovingImage) -> Picture:
    """The distance to two shapes with the notch between filled, as far as distances differ by less than `softness`.

    `Length -> Image Number -> Image Number -> Image Number`; softness: above 0

    Example: `sdf_smooth_union(0.5, sdf_disk(1), sdf_box(3, 0.5))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_star(points: Count, radius: Length, inner: Length) -> Image:
    """The distance to a star about the origin, with points at one radius, one of them on top, and notches at another.

    `Count -> Length -> Length -> Image Number`; points: from 2 to 1000; radius: above 0; inner: above 0

    Example: `sdf_star(5, 1.6, 0.7)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_star(points: Count, radius: MovingNumber, inner: MovingNumber) -> Picture:
    """The distance to a star about the origin, with points at one radius, one of them on top, and notches at another.

    `Count -> Length -> Length -> Image Number`; points: from 2 to 1000; radius: above 0; inner: above 0

    Example: `sdf_star(5, 1.6, 0.7)`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_stroke(width: Length, field: ImageLike) -> Image:
    """The region along the outline of a shape, half of the width on either side.

    `Length -> Image Number -> Image Bool`; width: above 0

    Example: `sdf_stroke(0.1, sdf_star(5, 1.6, 0.7))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_stroke(width: MovingNumber, field: MovingImage) -> Picture:
    """The region along the outline of a shape, half of the width on either side.

    `Length -> Image Number -> Image Bool`; width: above 0

    Example: `sdf_stroke(0.1, sdf_star(5, 1.6, 0.7))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_subtraction(field: ImageLike, other: ImageLike) -> Image:
    """The distance to what is in one shape and not in the other; it may be understated.

    `Image Number -> Image Number -> Image Number`

    Example: `sdf_subtraction(sdf_disk(1.5), sdf_box(4, 0.5))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_subtraction(field: MovingImage, other: MovingImage) -> Picture:
    """The distance to what is in one shape and not in the other; it may be understated.

    `Image Number -> Image Number -> Image Number`

    Example: `sdf_subtraction(sdf_disk(1.5), sdf_box(4, 0.5))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_triangle(a: PointLike, b: PointLike, c: PointLike) -> Image:
    """The distance to a triangle, whichever way its corners are counted.

    `Point -> Point -> Point -> Image Number`

    Example: `sdf_triangle((-1.2, -1), (1.2, -1), (0.4, 1.2))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_triangle(a: MovingPoint, b: MovingPoint, c: MovingPoint) -> Picture:
    """The distance to a triangle, whichever way its corners are counted.

    `Point -> Point -> Point -> Image Number`

    Example: `sdf_triangle((-1.2, -1), (1.2, -1), (0.4, 1.2))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_union(*fields: ImageLike) -> Image:
    """The distance to what is in any of several shapes; inside of two of them it may be understated.

    `Image Number... -> Image Number`

    Example: `sdf_union(sdf_disk(1), sdf_box(3, 0.5))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def sdf_union(*fields: MovingImage) -> Picture:
    """The distance to what is in any of several shapes; inside of two of them it may be understated.

    `Image Number... -> Image Number`

    Example: `sdf_union(sdf_disk(1), sdf_box(3, 0.5))`

    Source: signed distances, as collected by Inigo Quilez
    """
@overload
def shear(slope: Number, image: ImageLike) -> Image:
    """The image slanted: each point moves right by `slope` for each unit that it is up.

    `Number -> Image a -> Image a`

    Example: `shear(0.5, checker)`
    """
@overload
def shear(slope: MovingNumber, image: MovingImage) -> Picture:
    """The image slanted: each point moves right by `slope` for each unit that it is up.

    `Number -> Image a -> Image a`

    Example: `shear(0.5, checker)`
    """
@overload
def shift_xor(distance: Length, region: ImageLike) -> Image:
    """The exclusive or of the region moved left and right by a distance.

    `Length -> Image Bool -> Image Bool`

    Example: `shift_xor(2.6, alt_rings)`

    Source: Functional Images
    """
@overload
def shift_xor(distance: MovingNumber, region: MovingImage) -> Picture:
    """The exclusive or of the region moved left and right by a distance.

    `Length -> Image Bool -> Image Bool`

    Example: `shift_xor(2.6, alt_rings)`

    Source: Functional Images
    """
@overload
def simplex_noise(seed: Count = 0, z: Number | None = None) -> Image:
    """Random slopes at the corners of equal triangles (of tetrahedra in space), each felt nearby only: from -1 to 1.

    `Count -> Number -> Image Number`

    Example: `simplex_noise() * 0.5 + 0.5`

    Source: Perlin, Noise Hardware, 2001
    """
@overload
def simplex_noise(seed: Count = 0, z: MovingNumber | None = None) -> Picture:
    """Random slopes at the corners of equal triangles (of tetrahedra in space), each felt nearby only: from -1 to 1.

    `Count -> Number -> Image Number`

    Example: `simplex_noise() * 0.5 + 0.5`

    Source: Perlin, Noise Hardware, 2001
    """
@overload
def stack(*images: ImageLike) -> Image:
    """The images laid over one another, the first on top; of no images, the empty one.

    `Image Color... -> Image Color`

    Example: `stack(crop(disk(1), crimson), crop(disk(1.5), gold), navy)`
    """
@overload
def stack(*images: MovingImage) -> Picture:
    """The images laid over one another, the first on top; of no images, the empty one.

    `Image Color... -> Image Color`

    Example: `stack(crop(disk(1), crimson), crop(disk(1.5), gold), navy)`
    """
@overload
def stretch(factors: PointLike, image: ImageLike) -> Image:
    """The image stretched by a factor in each direction; a negative one mirrors.

    `Point -> Image a -> Image a`; factors: other than 0

    Example: `stretch((2, 1), checker)`

    Source: Pan 2.3.1
    """
@overload
def stretch(factors: MovingPoint, image: MovingImage) -> Picture:
    """The image stretched by a factor in each direction; a negative one mirrors.

    `Point -> Image a -> Image a`; factors: other than 0

    Example: `stretch((2, 1), checker)`

    Source: Pan 2.3.1
    """
@overload
def stripes(width: Length, first: ImageLike, second: ImageLike) -> Image:
    """Vertical stripes of that width, alternately of the first and of the second image or color.

    `Length -> Image a -> Image a -> Image a`; width: above 0

    Example: `stripes(0.5, seagreen, white)`
    """
@overload
def stripes(width: MovingNumber, first: MovingImage, second: MovingImage) -> Picture:
    """Vertical stripes of that width, alternately of the first and of the second image or color.

    `Length -> Image a -> Image a -> Image a`; width: above 0

    Example: `stripes(0.5, seagreen, white)`
    """
@overload
def subtract(region: ImageLike, other: ImageLike) -> Image:
    """The points inside the region and outside of the other.

    `Image Bool -> Image Bool -> Image Bool`

    Example: `subtract(udisk, move((0.5, 0), udisk))`

    Source: Functional Images
    """
@overload
def subtract(region: MovingImage, other: MovingImage) -> Picture:
    """The points inside the region and outside of the other.

    `Image Bool -> Image Bool -> Image Bool`

    Example: `subtract(udisk, move((0.5, 0), udisk))`

    Source: Functional Images
    """
@overload
def swirl(radius: Length, image: ImageLike) -> Image:
    """The image turned by as much more as it is farther out: by a full turn at that distance.

    `Length -> Image a -> Image a`; radius: other than 0

    Example: `swirl(100, checkerboard(10, black, white))`

    Source: Pan 2.3.1
    """
@overload
def swirl(radius: MovingNumber, image: MovingImage) -> Picture:
    """The image turned by as much more as it is farther out: by a full turn at that distance.

    `Length -> Image a -> Image a`; radius: other than 0

    Example: `swirl(100, checkerboard(10, black, white))`

    Source: Pan 2.3.1
    """
@overload
def swirling(radius: Length) -> Transform:
    """The transform that turns a point by as much more as it is farther out: by a full turn at that distance.

    `Length -> Transform`; radius: other than 0

    Example: `warp(swirling(20), checker)`

    Source: Pan 2.2
    """
@overload
def swirling(radius: MovingNumber) -> Transform | Behavior:
    """The transform that turns a point by as much more as it is farther out: by a full turn at that distance.

    `Length -> Transform`; radius: other than 0

    Example: `warp(swirling(20), checker)`

    Source: Pan 2.2
    """
@overload
def text(letters: Text, size: Length = 1.0, font: Text = '', align: Literal['left', 'center', 'right'] = 'center', detail: Count = 512, outlines: Truth = False) -> Image:
    """The inside of letters, in lines of one or more, with the middle of the block at the origin.

    `Text -> Length -> Text -> Text -> Count -> Truth -> Image Bool`; size: above 0; align: one of left, center, right;
    detail: from 8 to 4096

    Example: `text("pellucid")`
    """
@overload
def text(letters: Text, size: MovingNumber = 1.0, font: Text = '', align: Literal['left', 'center', 'right'] = 'center', detail: Count = 512, outlines: Truth = False) -> Picture:
    """The inside of letters, in lines of one or more, with the middle of the block at the origin.

    `Text -> Length -> Text -> Text -> Count -> Truth -> Image Bool`; size: above 0; align: one of left, center, right;
    detail: from 8 to 4096

    Example: `text("pellucid")`
    """
theta: Image
"""The field of the angle from the x axis, counterclockwise, in (-pi, pi].

`Image Number`

Example: `theta * (0.5 / pi) + 0.5`
"""
@overload
def tile(cell: PointLike, image: ImageLike) -> Image:
    """The part of the image in a cell of that width and height about the origin, again and again over the plane.

    `Point -> Image a -> Image a`; cell: above 0

    Example: `tile((1, 1), disk(0.4))`

    Source: Functional Images
    """
@overload
def tile(cell: MovingPoint, image: MovingImage) -> Picture:
    """The part of the image in a cell of that width and height about the origin, again and again over the plane.

    `Point -> Image a -> Image a`; cell: above 0

    Example: `tile((1, 1), disk(0.4))`

    Source: Functional Images
    """
@overload
def tint(amount: ImageLike, tone: ColorLike, image: ImageLike) -> Image:
    """The image mixed with a color, as far as it is opaque: not at all for 0, all of it for 1.

    `Image Number -> Color -> Image Color -> Image Color`; amount: from 0 to 1

    Example: `tint(0.5, teal, checkerboard(1, white, gray))`
    """
@overload
def tint(amount: MovingImage, tone: MovingColor, image: MovingImage) -> Picture:
    """The image mixed with a color, as far as it is opaque: not at all for 0, all of it for 1.

    `Image Number -> Color -> Image Color -> Image Color`; amount: from 0 to 1

    Example: `tint(0.5, teal, checkerboard(1, white, gray))`
    """
@overload
def translate(offset: PointLike) -> Transform:
    """The transform that moves points by an offset.

    `Point -> Transform`

    Example: `warp(translate((0.5, 0)), checker)`

    Source: Pan 2.2
    """
@overload
def translate(offset: MovingPoint) -> Transform | Behavior:
    """The transform that moves points by an offset.

    `Point -> Transform`

    Example: `warp(translate((0.5, 0)), checker)`

    Source: Pan 2.2
    """
@overload
def turbulence(field: ImageLike, octaves: Count = 5, gain: Number = 0.5, lacunarity: Number = 2.0) -> Image:
    """The magnitudes of a noise at many scales, as of smoke: from 0 to 1 for a noise from -1 to 1.

    `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
    from 1 to 8

    Example: `turbulence(perlin_noise(), 6)`

    Source: Perlin, An Image Synthesizer, 1985
    """
@overload
def turbulence(field: MovingImage, octaves: Count = 5, gain: MovingNumber = 0.5, lacunarity: MovingNumber = 2.0) -> Picture:
    """The magnitudes of a noise at many scales, as of smoke: from 0 to 1 for a noise from -1 to 1.

    `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
    from 1 to 8

    Example: `turbulence(perlin_noise(), 6)`

    Source: Perlin, An Image Synthesizer, 1985
    """
@overload
def turn(angle: Angle, image: ImageLike) -> Image:
    """The image turned about the origin, counterclockwise.

    `Angle -> Image a -> Image a`

    Example: `turn(pi / 8, checker)`

    Source: Pan 2.3.1
    """
@overload
def turn(angle: MovingNumber, image: MovingImage) -> Picture:
    """The image turned about the origin, counterclockwise.

    `Angle -> Image a -> Image a`

    Example: `turn(pi / 8, checker)`

    Source: Pan 2.3.1
    """
@overload
def turn_hue(angle: ImageLike, image: ImageLike) -> Image:
    """The image with its hues turned by an angle, at the same perceptual lightness and chroma.

    `Image Number -> Image Color -> Image Color`

    Example: `turn_hue(pi / 2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
@overload
def turn_hue(angle: MovingImage, image: MovingImage) -> Picture:
    """The image with its hues turned by an angle, at the same perceptual lightness and chroma.

    `Image Number -> Image Color -> Image Color`

    Example: `turn_hue(pi / 2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
    """
udisk: Image
"""The unit disk: the points nearer to the origin than 1.

`Image Bool`

Example: `udisk`

Source: Functional Images
"""
@overload
def union(*regions: ImageLike) -> Image:
    """The points inside any of the regions; of no regions, nowhere.

    `Image Bool... -> Image Bool`

    Example: `union(move((1, 0), udisk), move((-1, 0), udisk), udisk)`

    Source: Functional Images
    """
@overload
def union(*regions: MovingImage) -> Picture:
    """The points inside any of the regions; of no regions, nowhere.

    `Image Bool... -> Image Bool`

    Example: `union(move((1, 0), udisk), move((-1, 0), udisk), udisk)`

    Source: Functional Images
    """
@overload
def uscale(factor: Number) -> Transform:
    """The transform that multiplies both coordinates by one factor.

    `Number -> Transform`

    Example: `warp(uscale(2), checker)`

    Source: Pan 2.2
    """
@overload
def uscale(factor: MovingNumber) -> Transform | Behavior:
    """The transform that multiplies both coordinates by one factor.

    `Number -> Transform`

    Example: `warp(uscale(2), checker)`

    Source: Pan 2.2
    """
@overload
def ustretch(factor: Number, image: ImageLike) -> Image:
    """The image stretched by one factor in all directions.

    `Number -> Image a -> Image a`; factor: other than 0

    Example: `ustretch(2, checker)`

    Source: Pan 2.3.1
    """
@overload
def ustretch(factor: MovingNumber, image: MovingImage) -> Picture:
    """The image stretched by one factor in all directions.

    `Number -> Image a -> Image a`; factor: other than 0

    Example: `ustretch(2, checker)`

    Source: Pan 2.3.1
    """
@overload
def value_noise(seed: Count = 0, z: Number | None = None) -> Image:
    """Random numbers at points with whole coordinates, and smoothly between: from -1 to 1.

    `Count -> Number -> Image Number`

    Example: `value_noise() * 0.5 + 0.5`

    Source: lattice noise with hashes
    """
@overload
def value_noise(seed: Count = 0, z: MovingNumber | None = None) -> Picture:
    """Random numbers at points with whole coordinates, and smoothly between: from -1 to 1.

    `Count -> Number -> Image Number`

    Example: `value_noise() * 0.5 + 0.5`

    Source: lattice noise with hashes
    """
vstrip: Image
"""The vertical strip of width 1 about the origin.

`Image Bool`

Example: `vstrip`

Source: Functional Images
"""
@overload
def warp(transform: TransformLike, image: ImageLike) -> Image:
    """The image sampled at transformed points: so it is itself transformed by the inverse.

    `Transform -> Image a -> Image a`

    Example: `warp(lambda p: (p.x + sin(p.y), p.y), checker)`
    """
@overload
def warp(transform: MovingTransform, image: MovingImage) -> Picture:
    """The image sampled at transformed points: so it is itself transformed by the inverse.

    `Transform -> Image a -> Image a`

    Example: `warp(lambda p: (p.x + sin(p.y), p.y), checker)`
    """
@overload
def washer(inner: Fraction, angle: Angle, image: ImageLike) -> Image:
    """The image turned by an angle inside of distance `inner`, not at all beyond distance 1, and wrung between.

    `Fraction -> Angle -> Image a -> Image a`; inner: from 0 to 0.999

    Example: `washer(0.5, pi / 2, checkerboard(0.2, teal, white))`

    Source: Functional Images
    """
@overload
def washer(inner: MovingNumber, angle: MovingNumber, image: MovingImage) -> Picture:
    """The image turned by an angle inside of distance `inner`, not at all beyond distance 1, and wrung between.

    `Fraction -> Angle -> Image a -> Image a`; inner: from 0 to 0.999

    Example: `washer(0.5, pi / 2, checkerboard(0.2, teal, white))`

    Source: Functional Images
    """
wave_dist: Image
"""The field (1 + cos(pi r)) / 2: a wave about the origin, from 1 down to 0 and up again.

`Image Number`

Example: `wave_dist`

Source: Functional Images
"""
@overload
def wedge_annulus(inner: Length, count: Integer) -> Image:
    """The annulus cut into wedges.

    `Length -> Integer -> Image Bool`; inner: from 0 to 1; count: at least 1

    Example: `wedge_annulus(0.25, 10)`

    Source: Functional Images
    """
@overload
def wedge_annulus(inner: MovingNumber, count: MovingNumber) -> Picture:
    """The annulus cut into wedges.

    `Length -> Integer -> Image Bool`; inner: from 0 to 1; count: at least 1

    Example: `wedge_annulus(0.25, 10)`

    Source: Functional Images
    """
x: Image
"""The field of the coordinate to the right.

`Image Number`

Example: `x < y`
"""
@overload
def xor(*regions: ImageLike) -> Image:
    """The points inside an odd number of the regions.

    `Image Bool... -> Image Bool`

    Example: `xor(move((0.5, 0), udisk), move((-0.5, 0), udisk))`

    Source: Functional Images
    """
@overload
def xor(*regions: MovingImage) -> Picture:
    """The points inside an odd number of the regions.

    `Image Bool... -> Image Bool`

    Example: `xor(move((0.5, 0), udisk), move((-0.5, 0), udisk))`

    Source: Functional Images
    """
@overload
def xorgon(copies: Count, distance: Length, region: ImageLike) -> Image:
    """The exclusive or of copies of the region, moved to the corners of a regular polygon about the origin.

    `Count -> Length -> Image Bool -> Image Bool`; copies: from 1 to 1024

    Example: `xorgon(8, 7 / 4, alt_rings)`

    Source: Functional Images
    """
@overload
def xorgon(copies: Count, distance: MovingNumber, region: MovingImage) -> Picture:
    """The exclusive or of copies of the region, moved to the corners of a regular polygon about the origin.

    `Count -> Length -> Image Bool -> Image Bool`; copies: from 1 to 1024

    Example: `xorgon(8, 7 / 4, alt_rings)`

    Source: Functional Images
    """
y: Image
"""The field of the coordinate upwards.

`Image Number`

Example: `y < x * x`
"""
yb_rings: Image
"""Soft blue and yellow rings about the origin, which is blue.

`Image Color`

Example: `yb_rings`

Source: Functional Images
"""
aliceblue: Color
"""The color aliceblue of CSS."""
antiquewhite: Color
"""The color antiquewhite of CSS."""
aqua: Color
"""The color aqua of CSS."""
aquamarine: Color
"""The color aquamarine of CSS."""
azure: Color
"""The color azure of CSS."""
beige: Color
"""The color beige of CSS."""
bisque: Color
"""The color bisque of CSS."""
black: Color
"""The color black of CSS."""
blanchedalmond: Color
"""The color blanchedalmond of CSS."""
blue: Color
"""The color blue of CSS."""
blueviolet: Color
"""The color blueviolet of CSS."""
brown: Color
"""The color brown of CSS."""
burlywood: Color
"""The color burlywood of CSS."""
cadetblue: Color
"""The color cadetblue of CSS."""
chartreuse: Color
"""The color chartreuse of CSS."""
chocolate: Color
"""The color chocolate of CSS."""
coral: Color
"""The color coral of CSS."""
cornflowerblue: Color
"""The color cornflowerblue of CSS."""
cornsilk: Color
"""The color cornsilk of CSS."""
crimson: Color
"""The color crimson of CSS."""
cyan: Color
"""The color cyan of CSS."""
darkblue: Color
"""The color darkblue of CSS."""
darkcyan: Color
"""The color darkcyan of CSS."""
darkgoldenrod: Color
"""The color darkgoldenrod of CSS."""
darkgray: Color
"""The color darkgray of CSS."""
darkgreen: Color
"""The color darkgreen of CSS."""
darkgrey: Color
"""The color darkgrey of CSS."""
darkkhaki: Color
"""The color darkkhaki of CSS."""
darkmagenta: Color
"""The color darkmagenta of CSS."""
darkolivegreen: Color
"""The color darkolivegreen of CSS."""
darkorange: Color
"""The color darkorange of CSS."""
darkorchid: Color
"""The color darkorchid of CSS."""
darkred: Color
"""The color darkred of CSS."""
darksalmon: Color
"""The color darksalmon of CSS."""
darkseagreen: Color
"""The color darkseagreen of CSS."""
darkslateblue: Color
"""The color darkslateblue of CSS."""
darkslategray: Color
"""The color darkslategray of CSS."""
darkslategrey: Color
"""The color darkslategrey of CSS."""
darkturquoise: Color
"""The color darkturquoise of CSS."""
darkviolet: Color
"""The color darkviolet of CSS."""
deeppink: Color
"""The color deeppink of CSS."""
deepskyblue: Color
"""The color deepskyblue of CSS."""
dimgray: Color
"""The color dimgray of CSS."""
dimgrey: Color
"""The color dimgrey of CSS."""
dodgerblue: Color
"""The color dodgerblue of CSS."""
firebrick: Color
"""The color firebrick of CSS."""
floralwhite: Color
"""The color floralwhite of CSS."""
forestgreen: Color
"""The color forestgreen of CSS."""
fuchsia: Color
"""The color fuchsia of CSS."""
gainsboro: Color
"""The color gainsboro of CSS."""
ghostwhite: Color
"""The color ghostwhite of CSS."""
gold: Color
"""The color gold of CSS."""
goldenrod: Color
"""The color goldenrod of CSS."""
gray: Color
"""The color gray of CSS."""
green: Color
"""The color green of CSS."""
greenyellow: Color
"""The color greenyellow of CSS."""
grey: Color
"""The color grey of CSS."""
honeydew: Color
"""The color honeydew of CSS."""
hotpink: Color
"""The color hotpink of CSS."""
indianred: Color
"""The color indianred of CSS."""
indigo: Color
"""The color indigo of CSS."""
invisible: Color
"""The color invisible of CSS."""
ivory: Color
"""The color ivory of CSS."""
khaki: Color
"""The color khaki of CSS."""
lavender: Color
"""The color lavender of CSS."""
lavenderblush: Color
"""The color lavenderblush of CSS."""
lawngreen: Color
"""The color lawngreen of CSS."""
lemonchiffon: Color
"""The color lemonchiffon of CSS."""
lightblue: Color
"""The color lightblue of CSS."""
lightcoral: Color
"""The color lightcoral of CSS."""
lightcyan: Color
"""The color lightcyan of CSS."""
lightgoldenrodyellow: Color
"""The color lightgoldenrodyellow of CSS."""
lightgray: Color
"""The color lightgray of CSS."""
lightgreen: Color
"""The color lightgreen of CSS."""
lightgrey: Color
"""The color lightgrey of CSS."""
lightpink: Color
"""The color lightpink of CSS."""
lightsalmon: Color
"""The color lightsalmon of CSS."""
lightseagreen: Color
"""The color lightseagreen of CSS."""
lightskyblue: Color
"""The color lightskyblue of CSS."""
lightslategray: Color
"""The color lightslategray of CSS."""
lightslategrey: Color
"""The color lightslategrey of CSS."""
lightsteelblue: Color
"""The color lightsteelblue of CSS."""
lightyellow: Color
"""The color lightyellow of CSS."""
lime: Color
"""The color lime of CSS."""
limegreen: Color
"""The color limegreen of CSS."""
linen: Color
"""The color linen of CSS."""
magenta: Color
"""The color magenta of CSS."""
maroon: Color
"""The color maroon of CSS."""
mediumaquamarine: Color
"""The color mediumaquamarine of CSS."""
mediumblue: Color
"""The color mediumblue of CSS."""
mediumorchid: Color
"""The color mediumorchid of CSS."""
mediumpurple: Color
"""The color mediumpurple of CSS."""
mediumseagreen: Color
"""The color mediumseagreen of CSS."""
mediumslateblue: Color
"""The color mediumslateblue of CSS."""
mediumspringgreen: Color
"""The color mediumspringgreen of CSS."""
mediumturquoise: Color
"""The color mediumturquoise of CSS."""
mediumvioletred: Color
"""The color mediumvioletred of CSS."""
midnightblue: Color
"""The color midnightblue of CSS."""
mintcream: Color
"""The color mintcream of CSS."""
mistyrose: Color
"""The color mistyrose of CSS."""
moccasin: Color
"""The color moccasin of CSS."""
navajowhite: Color
"""The color navajowhite of CSS."""
navy: Color
"""The color navy of CSS."""
oldlace: Color
"""The color oldlace of CSS."""
olive: Color
"""The color olive of CSS."""
olivedrab: Color
"""The color olivedrab of CSS."""
orange: Color
"""The color orange of CSS."""
orangered: Color
"""The color orangered of CSS."""
orchid: Color
"""The color orchid of CSS."""
palegoldenrod: Color
"""The color palegoldenrod of CSS."""
palegreen: Color
"""The color palegreen of CSS."""
paleturquoise: Color
"""The color paleturquoise of CSS."""
palevioletred: Color
"""The color palevioletred of CSS."""
papayawhip: Color
"""The color papayawhip of CSS."""
peachpuff: Color
"""The color peachpuff of CSS."""
peru: Color
"""The color peru of CSS."""
pink: Color
"""The color pink of CSS."""
plum: Color
"""The color plum of CSS."""
powderblue: Color
"""The color powderblue of CSS."""
purple: Color
"""The color purple of CSS."""
rebeccapurple: Color
"""The color rebeccapurple of CSS."""
red: Color
"""The color red of CSS."""
rosybrown: Color
"""The color rosybrown of CSS."""
royalblue: Color
"""The color royalblue of CSS."""
saddlebrown: Color
"""The color saddlebrown of CSS."""
salmon: Color
"""The color salmon of CSS."""
sandybrown: Color
"""The color sandybrown of CSS."""
seagreen: Color
"""The color seagreen of CSS."""
seashell: Color
"""The color seashell of CSS."""
sienna: Color
"""The color sienna of CSS."""
silver: Color
"""The color silver of CSS."""
skyblue: Color
"""The color skyblue of CSS."""
slateblue: Color
"""The color slateblue of CSS."""
slategray: Color
"""The color slategray of CSS."""
slategrey: Color
"""The color slategrey of CSS."""
snow: Color
"""The color snow of CSS."""
springgreen: Color
"""The color springgreen of CSS."""
steelblue: Color
"""The color steelblue of CSS."""
tan: Color
"""The color tan of CSS."""
teal: Color
"""The color teal of CSS."""
thistle: Color
"""The color thistle of CSS."""
tomato: Color
"""The color tomato of CSS."""
transparent: Color
"""The color transparent of CSS."""
turquoise: Color
"""The color turquoise of CSS."""
violet: Color
"""The color violet of CSS."""
wheat: Color
"""The color wheat of CSS."""
white: Color
"""The color white of CSS."""
whitesmoke: Color
"""The color whitesmoke of CSS."""
yellow: Color
"""The color yellow of CSS."""
yellowgreen: Color
"""The color yellowgreen of CSS."""
def abs(x: Any, /) -> Any:
    """The magnitude of x; of the lowest integer, itself."""
def acos(x: Any, /) -> Any:
    """The angle in radians, from 0 to pi, whose cosine is x; NaN beyond 1."""
def asin(x: Any, /) -> Any:
    """The angle in radians, from -pi/2 to pi/2, whose sine is x; NaN beyond 1."""
def atan(x: Any, /) -> Any:
    """The angle in radians, from -pi/2 to pi/2, whose tangent is x."""
def atan2(x: Any, y: Any, /) -> Any:
    """The angle in radians, from -pi to pi, of the point (y first, x second) from the positive x axis."""
def cbrt(x: Any, /) -> Any:
    """The cube root of x."""
def ceil(x: Any, /) -> Any:
    """The smallest integer not below x."""
def clamp(x: Any, low: Any, high: Any, /) -> Any:
    """x limited to the range from low to high; NaN gives low.

    >>> clamp(3, 0, 1)
    1
    """
def cos(x: Any, /) -> Any:
    """The cosine of x radians."""
def cos_near(x: Any, /) -> Any:
    """The cosine of x radians, without the long way for large angles: as good up to a million (f32) or 2**48 (f64), as if x
    were off by half a unit in its last place up to 2**22 or 2**51, and beyond that any number from -1 to 1.
    """
def cosh(x: Any, /) -> Any:
    """The hyperbolic cosine of x."""
def cospi(x: Any, /) -> Any:
    """The cosine of x half turns."""
def exp(x: Any, /) -> Any:
    """e to the x."""
def exp2(x: Any, /) -> Any:
    """Two to the x."""
def expm1(x: Any, /) -> Any:
    """e to the x, less 1, precisely near 0."""
def floor(x: Any, /) -> Any:
    """The largest integer not above x."""
def fma(x: Any, y: Any, z: Any, /) -> Any:
    """x * y + z with one rounding."""
def fraction(x: Any, /) -> Any:
    """x minus its floor, in [0, 1).

    >>> fraction(2.75)
    0.75
    """
def hypot(x: Any, y: Any, /) -> Any:
    """The length of the vector (x, y), without overflow on the way."""
def log(x: Any, /) -> Any:
    """The natural logarithm of x."""
def log10(x: Any, /) -> Any:
    """The logarithm of x to base 10."""
def log1p(x: Any, /) -> Any:
    """The natural logarithm of 1 + x, precisely near 0."""
def log2(x: Any, /) -> Any:
    """The logarithm of x to base 2."""
def max(x: Any, y: Any, /) -> Any:
    """x if x > y, else y."""
def min(x: Any, y: Any, /) -> Any:
    """x if x < y, else y."""
def neg(x: Any, /) -> Any:
    """The negation -x."""
def pow(x: Any, y: Any, /) -> Any:
    """x to the y, as in IEEE 754: NaN for a negative x and a y that is not whole; 1 when y is 0 or x is 1."""
def pow_near(x: Any, y: Any, /) -> Any:
    """x to the y for pictures: the error grows with the result's exponent, x counts as at least the smallest normal number,
    and the result stays normal.
    """
def round(x: Any, /) -> Any:
    """x rounded to the nearest integer, ties to even."""
def sign(x: Any, /) -> Any:
    """-1, 0 or 1 as x is negative, zero or positive.

    >>> sign(-3.0)
    -1.0
    """
def sin(x: Any, /) -> Any:
    """The sine of x radians."""
def sin_near(x: Any, /) -> Any:
    """The sine of x radians, without the long way for large angles: as good up to a million (f32) or 2**48 (f64), as if x
    were off by half a unit in its last place up to 2**22 or 2**51, and beyond that any number from -1 to 1.
    """
def sinh(x: Any, /) -> Any:
    """The hyperbolic sine of x."""
def sinpi(x: Any, /) -> Any:
    """The sine of x half turns."""
def smooth(x: Any, /) -> Any:
    """x * x * (3 - 2 * x): from 0 to 1 with level ends as x goes from 0 to 1."""
def smoothstep(low: Any, high: Any, x: Any, /) -> Any:
    """0 below `low`, 1 above `high`, and a smooth cubic between; a step where `low` is `high`.

    Raises TraceError for what is not a number.

    >>> smoothstep(0.0, 1.0, 0.5)
    0.5
    """
def sqrt(x: Any, /) -> Any:
    """The square root of x, correctly rounded; NaN below zero."""
def tan_near(x: Any, /) -> Any:
    """The tangent of x radians, without the long way for large angles: as good up to a million (f32) or 2**48 (f64), as if x
    were off by half a unit in its last place up to 2**22 or 2**51, and beyond that any number.
    """
def tanh(x: Any, /) -> Any:
    """The hyperbolic tangent of x."""
def trunc(x: Any, /) -> Any:
    """x rounded towards zero."""
