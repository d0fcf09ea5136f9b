# Written by `python -m tools.stubs` from the registries: change those.
# Of what is Any, either type of a word may be meant; the one that comes first then is part of the other.
# pyright: reportOverlappingOverload=false, reportUnsupportedDunderAll=false
# mypy: disable-error-code="overload-overlap,misc"

"""The words of the vocabulary as methods, found when they are asked for.

Below `drawable`. What editors and type checkers know of them stands in the stub beside this file, which
``python -m tools.stubs`` writes from the registry.
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
from .annotations import TransformLike
from .animation import Animation
from .image import Image

class Methods:
    """Every word of the vocabulary that takes an image, as a method."""

    @overload
    def alpha(self: Image) -> Image:
        """The field of the opacity of the image.

        `Image Color -> Image Number`

        Example: `alpha(fade(0.5, crop(disk(1), red)))`
        """
    @overload
    def alpha(self: Animation) -> Animation:
        """The field of the opacity of the image.

        `Image Color -> Image Number`

        Example: `alpha(fade(0.5, crop(disk(1), red)))`
        """
    @overload
    def blend(self: Image, mode: Literal['normal', 'multiply', 'screen', 'overlay', 'darken', 'lighten', 'color-dodge', 'color-burn', 'hard-light', 'soft-light', 'difference', 'exclusion', 'hue', 'saturation', 'color', 'luminosity'], bottom: ImageLike) -> Image:
        """The top image blended with the bottom one in one of the sixteen modes of the W3C.

        `Text -> Image Color -> Image Color -> Image Color`; mode: one of normal, multiply, screen, overlay, darken, lighten,
        color-dodge, color-burn, hard-light, soft-light, difference, exclusion, hue, saturation, color, luminosity

        Example: `blend('soft-light', crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5,
        steelblue, white))`

        Source: W3C Compositing and Blending Level 1
        """
    @overload
    def blend(self: Animation, mode: Literal['normal', 'multiply', 'screen', 'overlay', 'darken', 'lighten', 'color-dodge', 'color-burn', 'hard-light', 'soft-light', 'difference', 'exclusion', 'hue', 'saturation', 'color', 'luminosity'], bottom: MovingImage) -> Animation:
        """The top image blended with the bottom one in one of the sixteen modes of the W3C.

        `Text -> Image Color -> Image Color -> Image Color`; mode: one of normal, multiply, screen, overlay, darken, lighten,
        color-dodge, color-burn, hard-light, soft-light, difference, exclusion, hue, saturation, color, luminosity

        Example: `blend('soft-light', crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5,
        steelblue, white))`

        Source: W3C Compositing and Blending Level 1
        """
    @overload
    def blend(self: Image, mode: Literal['normal', 'multiply', 'screen', 'overlay', 'darken', 'lighten', 'color-dodge', 'color-burn', 'hard-light', 'soft-light', 'difference', 'exclusion', 'hue', 'saturation', 'color', 'luminosity'], bottom: MovingImage) -> Picture:
        """The top image blended with the bottom one in one of the sixteen modes of the W3C.

        `Text -> Image Color -> Image Color -> Image Color`; mode: one of normal, multiply, screen, overlay, darken, lighten,
        color-dodge, color-burn, hard-light, soft-light, difference, exclusion, hue, saturation, color, luminosity

        Example: `blend('soft-light', crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5,
        steelblue, white))`

        Source: W3C Compositing and Blending Level 1
        """
    @overload
    def brighten(self: Image, factor: ImageLike) -> Image:
        """The image with its light multiplied: darker below 1, brighter above, black for 0.

        `Image Number -> Image Color -> Image Color`; factor: at least 0

        Example: `brighten(1.5, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def brighten(self: Animation, factor: MovingImage) -> Animation:
        """The image with its light multiplied: darker below 1, brighter above, black for 0.

        `Image Number -> Image Color -> Image Color`; factor: at least 0

        Example: `brighten(1.5, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def brighten(self: Image, factor: MovingImage) -> Picture:
        """The image with its light multiplied: darker below 1, brighter above, black for 0.

        `Image Number -> Image Color -> Image Color`; factor: at least 0

        Example: `brighten(1.5, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def centered(self: Image, center: PointLike, change: Callable[[Image], Any]) -> Image:
        """The result of a function of images, with that point in place of the origin.

        `Point -> Function -> Image a -> Image a`

        Example: `centered((2, 1), lambda i: swirl(8, i), checker)`

        Source: Functional Images
        """
    @overload
    def centered(self: Animation, center: MovingPoint, change: Callable[[Image], Any]) -> Animation:
        """The result of a function of images, with that point in place of the origin.

        `Point -> Function -> Image a -> Image a`

        Example: `centered((2, 1), lambda i: swirl(8, i), checker)`

        Source: Functional Images
        """
    @overload
    def centered(self: Image, center: MovingPoint, change: Callable[[Image], Any]) -> Picture:
        """The result of a function of images, with that point in place of the origin.

        `Point -> Function -> Image a -> Image a`

        Example: `centered((2, 1), lambda i: swirl(8, i), checker)`

        Source: Functional Images
        """
    @overload
    def checkerboard(self: Image, size: Length, first: ImageLike) -> Image:
        """Squares of that side, alternately of the first and of the second image or color.

        `Length -> Image a -> Image a -> Image a`; size: above 0

        Example: `checkerboard(1, black, white)`

        Source: Pan 2.3
        """
    @overload
    def checkerboard(self: Animation, size: MovingNumber, first: MovingImage) -> Animation:
        """Squares of that side, alternately of the first and of the second image or color.

        `Length -> Image a -> Image a -> Image a`; size: above 0

        Example: `checkerboard(1, black, white)`

        Source: Pan 2.3
        """
    @overload
    def checkerboard(self: Image, size: MovingNumber, first: MovingImage) -> Picture:
        """Squares of that side, alternately of the first and of the second image or color.

        `Length -> Image a -> Image a -> Image a`; size: above 0

        Example: `checkerboard(1, black, white)`

        Source: Pan 2.3
        """
    @overload
    def circle_limit(self: Image, radius: Length) -> Image:
        """The whole plane within a disc of that radius: at distance r shows what is at radius · r / (radius - r).

        `Length -> Image Color -> Image Color`; radius: above 0

        Example: `circle_limit(10, rings(yellow, blue))`

        Source: Functional Images
        """
    @overload
    def circle_limit(self: Animation, radius: MovingNumber) -> Animation:
        """The whole plane within a disc of that radius: at distance r shows what is at radius · r / (radius - r).

        `Length -> Image Color -> Image Color`; radius: above 0

        Example: `circle_limit(10, rings(yellow, blue))`

        Source: Functional Images
        """
    @overload
    def circle_limit(self: Image, radius: MovingNumber) -> Picture:
        """The whole plane within a disc of that radius: at distance r shows what is at radius · r / (radius - r).

        `Length -> Image Color -> Image Color`; radius: above 0

        Example: `circle_limit(10, rings(yellow, blue))`

        Source: Functional Images
        """
    @overload
    def complement(self: Image) -> Image:
        """The points outside of the region.

        `Image Bool -> Image Bool`

        Example: `complement(udisk)`

        Source: Functional Images
        """
    @overload
    def complement(self: Animation) -> Animation:
        """The points outside of the region.

        `Image Bool -> Image Bool`

        Example: `complement(udisk)`

        Source: Functional Images
        """
    @overload
    def composite(self: Image, operator: Literal['clear', 'copy', 'destination', 'over', 'destination-over', 'in', 'destination-in', 'out', 'destination-out', 'atop', 'destination-atop', 'xor', 'lighter'], bottom: ImageLike) -> Image:
        """The two images combined by an operator of Porter and Duff.

        `Text -> Image Color -> Image Color -> Image Color`; operator: one of clear, copy, destination, over, destination-
        over, in, destination-in, out, destination-out, atop, destination-atop, xor, lighter

        Example: `composite('xor', crop(move((0.5, 0), disk(1)), crimson), crop(move((-0.5, 0), disk(1)), navy))`

        Source: W3C Compositing and Blending Level 1
        """
    @overload
    def composite(self: Animation, operator: Literal['clear', 'copy', 'destination', 'over', 'destination-over', 'in', 'destination-in', 'out', 'destination-out', 'atop', 'destination-atop', 'xor', 'lighter'], bottom: MovingImage) -> Animation:
        """The two images combined by an operator of Porter and Duff.

        `Text -> Image Color -> Image Color -> Image Color`; operator: one of clear, copy, destination, over, destination-
        over, in, destination-in, out, destination-out, atop, destination-atop, xor, lighter

        Example: `composite('xor', crop(move((0.5, 0), disk(1)), crimson), crop(move((-0.5, 0), disk(1)), navy))`

        Source: W3C Compositing and Blending Level 1
        """
    @overload
    def composite(self: Image, operator: Literal['clear', 'copy', 'destination', 'over', 'destination-over', 'in', 'destination-in', 'out', 'destination-out', 'atop', 'destination-atop', 'xor', 'lighter'], bottom: MovingImage) -> Picture:
        """The two images combined by an operator of Porter and Duff.

        `Text -> Image Color -> Image Color -> Image Color`; operator: one of clear, copy, destination, over, destination-
        over, in, destination-in, out, destination-out, atop, destination-atop, xor, lighter

        Example: `composite('xor', crop(move((0.5, 0), disk(1)), crimson), crop(move((-0.5, 0), disk(1)), navy))`

        Source: W3C Compositing and Blending Level 1
        """
    @overload
    def cond(self: Image, then: ImageLike, orelse: ImageLike) -> Image:
        """One image inside of the region, another one outside.

        `Image Bool -> Image a -> Image a -> Image a`

        Example: `cond(checker, red, blue)`

        Source: Pan 2.3.2
        """
    @overload
    def cond(self: Animation, then: MovingImage, orelse: MovingImage) -> Animation:
        """One image inside of the region, another one outside.

        `Image Bool -> Image a -> Image a -> Image a`

        Example: `cond(checker, red, blue)`

        Source: Pan 2.3.2
        """
    @overload
    def cond(self: Image, then: MovingImage, orelse: MovingImage) -> Picture:
        """One image inside of the region, another one outside.

        `Image Bool -> Image a -> Image a -> Image a`

        Example: `cond(checker, red, blue)`

        Source: Pan 2.3.2
        """
    @overload
    def const(self: Image) -> Image:
        """The image that is the same everywhere: of one color, truth or number.

        `Image a -> Image a`

        Example: `const(teal)`

        Source: Pan 2.3
        """
    @overload
    def const(self: Animation) -> Animation:
        """The image that is the same everywhere: of one color, truth or number.

        `Image a -> Image a`

        Example: `const(teal)`

        Source: Pan 2.3
        """
    @overload
    def contrast(self: Image, amount: ImageLike) -> Image:
        """The image with the distance of its components from the middle gray multiplied: flat below 1, hard above.

        `Image Number -> Image Color -> Image Color`; amount: at least 0

        Example: `contrast(2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def contrast(self: Animation, amount: MovingImage) -> Animation:
        """The image with the distance of its components from the middle gray multiplied: flat below 1, hard above.

        `Image Number -> Image Color -> Image Color`; amount: at least 0

        Example: `contrast(2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def contrast(self: Image, amount: MovingImage) -> Picture:
        """The image with the distance of its components from the middle gray multiplied: flat below 1, hard above.

        `Image Number -> Image Color -> Image Color`; amount: at least 0

        Example: `contrast(2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def crop(self: Image, region: ImageLike) -> Image:
        """The image inside of the region, invisible outside.

        `Image Bool -> Image Color -> Image Color`

        Example: `crop(wedge_annulus(0.25, 10), rings(yellow, blue, 0.1))`

        Source: Functional Images
        """
    @overload
    def crop(self: Animation, region: MovingImage) -> Animation:
        """The image inside of the region, invisible outside.

        `Image Bool -> Image Color -> Image Color`

        Example: `crop(wedge_annulus(0.25, 10), rings(yellow, blue, 0.1))`

        Source: Functional Images
        """
    @overload
    def crop(self: Image, region: MovingImage) -> Picture:
        """The image inside of the region, invisible outside.

        `Image Bool -> Image Color -> Image Color`

        Example: `crop(wedge_annulus(0.25, 10), rings(yellow, blue, 0.1))`

        Source: Functional Images
        """
    @overload
    def crop_rad(self: Image, radius: Length) -> Image:
        """The image within that distance of the origin, invisible beyond.

        `Length -> Image Color -> Image Color`; radius: above 0

        Example: `crop_rad(3, rings(yellow, blue))`

        Source: Functional Images
        """
    @overload
    def crop_rad(self: Animation, radius: MovingNumber) -> Animation:
        """The image within that distance of the origin, invisible beyond.

        `Length -> Image Color -> Image Color`; radius: above 0

        Example: `crop_rad(3, rings(yellow, blue))`

        Source: Functional Images
        """
    @overload
    def crop_rad(self: Image, radius: MovingNumber) -> Picture:
        """The image within that distance of the origin, invisible beyond.

        `Length -> Image Color -> Image Color`; radius: above 0

        Example: `crop_rad(3, rings(yellow, blue))`

        Source: Functional Images
        """
    @overload
    def distance(self: Image) -> Image:
        """The signed distance from a region in units of the plane, negative inside; a field is its own distance.

        `Image -> Image Number`

        Example: `distance(disk(1) | move((1.2, 0), disk(0.6)))`
        """
    @overload
    def distance(self: Animation) -> Animation:
        """The signed distance from a region in units of the plane, negative inside; a field is its own distance.

        `Image -> Image Number`

        Example: `distance(disk(1) | move((1.2, 0), disk(0.6)))`
        """
    @overload
    def fade(self: Image, opacity: ImageLike) -> Image:
        """The image made transparent: its opacity multiplied by a number or a field in 0 .. 1.

        `Image Number -> Image Color -> Image Color`; opacity: from 0 to 1

        Example: `fade(0.5, checkerboard(1, crimson, gold))`
        """
    @overload
    def fade(self: Animation, opacity: MovingImage) -> Animation:
        """The image made transparent: its opacity multiplied by a number or a field in 0 .. 1.

        `Image Number -> Image Color -> Image Color`; opacity: from 0 to 1

        Example: `fade(0.5, checkerboard(1, crimson, gold))`
        """
    @overload
    def fade(self: Image, opacity: MovingImage) -> Picture:
        """The image made transparent: its opacity multiplied by a number or a field in 0 .. 1.

        `Image Number -> Image Color -> Image Color`; opacity: from 0 to 1

        Example: `fade(0.5, checkerboard(1, crimson, gold))`
        """
    @overload
    def fbm(self: Image, octaves: Count = 5, gain: Number = 0.5, lacunarity: Number = 2.0) -> Image:
        """A noise at many scales: each octave is finer by `lacunarity` and weaker by `gain`; in the range of the noise.

        `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
        from 1 to 8

        Example: `fbm(perlin_noise(), 6) * 0.5 + 0.5`

        Source: Mandelbrot and van Ness, 1968
        """
    @overload
    def fbm(self: Animation, octaves: Count = 5, gain: MovingNumber = 0.5, lacunarity: MovingNumber = 2.0) -> Animation:
        """A noise at many scales: each octave is finer by `lacunarity` and weaker by `gain`; in the range of the noise.

        `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
        from 1 to 8

        Example: `fbm(perlin_noise(), 6) * 0.5 + 0.5`

        Source: Mandelbrot and van Ness, 1968
        """
    @overload
    def fbm(self: Image, octaves: Count = 5, gain: MovingNumber = 0.5, lacunarity: MovingNumber = 2.0) -> Picture:
        """A noise at many scales: each octave is finer by `lacunarity` and weaker by `gain`; in the range of the noise.

        `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
        from 1 to 8

        Example: `fbm(perlin_noise(), 6) * 0.5 + 0.5`

        Source: Mandelbrot and van Ness, 1968
        """
    @overload
    def fill(self: Image, paint: ImageLike) -> Image:
        """The region painted with a color or another image, invisible outside.

        `Image Color -> Image Bool -> Image Color`

        Example: `fill(tomato, rad_reg(7))`
        """
    @overload
    def fill(self: Animation, paint: MovingImage) -> Animation:
        """The region painted with a color or another image, invisible outside.

        `Image Color -> Image Bool -> Image Color`

        Example: `fill(tomato, rad_reg(7))`
        """
    @overload
    def fill(self: Image, paint: MovingImage) -> Picture:
        """The region painted with a color or another image, invisible outside.

        `Image Color -> Image Bool -> Image Color`

        Example: `fill(tomato, rad_reg(7))`
        """
    @overload
    def gamma(self: Image, exponent: ImageLike) -> Image:
        """The image with each component raised to a power: darker middle tones above 1, brighter below.

        `Image Number -> Image Color -> Image Color`; exponent: above 0

        Example: `gamma(2.2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def gamma(self: Animation, exponent: MovingImage) -> Animation:
        """The image with each component raised to a power: darker middle tones above 1, brighter below.

        `Image Number -> Image Color -> Image Color`; exponent: above 0

        Example: `gamma(2.2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def gamma(self: Image, exponent: MovingImage) -> Picture:
        """The image with each component raised to a power: darker middle tones above 1, brighter below.

        `Image Number -> Image Color -> Image Color`; exponent: above 0

        Example: `gamma(2.2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def glow(self: Image, radius: Length, paint: ImageLike) -> Image:
        """The light around a shape: all of `paint` inside, then as the square of the way left to `radius` from the edge.

        `Image -> Length -> Image Color -> Image Color`; radius: above 0

        Example: `stack(fill(white, disk(0.7)), glow(disk(0.7), 1, gold), midnightblue)`
        """
    @overload
    def glow(self: Animation, radius: MovingNumber, paint: MovingImage) -> Animation:
        """The light around a shape: all of `paint` inside, then as the square of the way left to `radius` from the edge.

        `Image -> Length -> Image Color -> Image Color`; radius: above 0

        Example: `stack(fill(white, disk(0.7)), glow(disk(0.7), 1, gold), midnightblue)`
        """
    @overload
    def glow(self: Image, radius: MovingNumber, paint: MovingImage) -> Picture:
        """The light around a shape: all of `paint` inside, then as the square of the way left to `radius` from the edge.

        `Image -> Length -> Image Color -> Image Color`; radius: above 0

        Example: `stack(fill(white, disk(0.7)), glow(disk(0.7), 1, gold), midnightblue)`
        """
    @overload
    def grayscale(self: Image) -> Image:
        """The image in grays of the same light.

        `Image Color -> Image Color`

        Example: `grayscale(lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def grayscale(self: Animation) -> Animation:
        """The image in grays of the same light.

        `Image Color -> Image Color`

        Example: `grayscale(lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def hyperbolic(self: Image, sides: Count, around: Count) -> Image:
        """The image in the basic polygon's first triangle, mirrored over the unit disc; invisible outside.

        `Count -> Count -> Image Color -> Image Color`; sides: from 3 to 64; around: from 3 to 64

        Example: `hyperbolic(5, 4, radial_gradient((0, 0), 0.6, [gold, crimson, midnightblue]))`
        """
    @overload
    def hyperbolic(self: Animation, sides: Count, around: Count) -> Animation:
        """The image in the basic polygon's first triangle, mirrored over the unit disc; invisible outside.

        `Count -> Count -> Image Color -> Image Color`; sides: from 3 to 64; around: from 3 to 64

        Example: `hyperbolic(5, 4, radial_gradient((0, 0), 0.6, [gold, crimson, midnightblue]))`
        """
    @overload
    def intersect(self: Image, *regions: ImageLike) -> Image:
        """The points inside all of the regions; of no regions, everywhere.

        `Image Bool... -> Image Bool`

        Example: `intersect(move((0.5, 0), udisk), move((-0.5, 0), udisk))`

        Source: Functional Images
        """
    @overload
    def intersect(self: Animation, *regions: MovingImage) -> Animation:
        """The points inside all of the regions; of no regions, everywhere.

        `Image Bool... -> Image Bool`

        Example: `intersect(move((0.5, 0), udisk), move((-0.5, 0), udisk))`

        Source: Functional Images
        """
    @overload
    def intersect(self: Image, *regions: MovingImage) -> Picture:
        """The points inside all of the regions; of no regions, everywhere.

        `Image Bool... -> Image Bool`

        Example: `intersect(move((0.5, 0), udisk), move((-0.5, 0), udisk))`

        Source: Functional Images
        """
    @overload
    def invert(self: Image) -> Image:
        """The negative of the image: each component c becomes 1 - c, at the same opacity.

        `Image Color -> Image Color`

        Example: `invert(lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def invert(self: Animation) -> Animation:
        """The negative of the image: each component c becomes 1 - c, at the same opacity.

        `Image Color -> Image Color`

        Example: `invert(lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def kaleidoscope(self: Image, folds: Integer) -> Image:
        """The wedge of the image above the positive x axis, mirrored around the origin `folds` times two.

        `Integer -> Image a -> Image a`; folds: at least 1

        Example: `kaleidoscope(6, move((1, 0.3), turn(0.4, checkerboard(1, crimson, gold))))`
        """
    @overload
    def kaleidoscope(self: Animation, folds: MovingNumber) -> Animation:
        """The wedge of the image above the positive x axis, mirrored around the origin `folds` times two.

        `Integer -> Image a -> Image a`; folds: at least 1

        Example: `kaleidoscope(6, move((1, 0.3), turn(0.4, checkerboard(1, crimson, gold))))`
        """
    @overload
    def kaleidoscope(self: Image, folds: MovingNumber) -> Picture:
        """The wedge of the image above the positive x axis, mirrored around the origin `folds` times two.

        `Integer -> Image a -> Image a`; folds: at least 1

        Example: `kaleidoscope(6, move((1, 0.3), turn(0.4, checkerboard(1, crimson, gold))))`
        """
    @overload
    def lerp(self: Image, weight: ImageLike, second: ImageLike) -> Image:
        """`weight` parts of the first image and 1 - weight of the second; the weight, in 0 .. 1, may be a field.

        `Image Number -> Image a -> Image a -> Image a`; weight: from 0 to 1

        Example: `lerp(wave_dist, checkerboard(1, black, white), const(gold))`

        Source: Functional Images
        """
    @overload
    def lerp(self: Animation, weight: MovingImage, second: MovingImage) -> Animation:
        """`weight` parts of the first image and 1 - weight of the second; the weight, in 0 .. 1, may be a field.

        `Image Number -> Image a -> Image a -> Image a`; weight: from 0 to 1

        Example: `lerp(wave_dist, checkerboard(1, black, white), const(gold))`

        Source: Functional Images
        """
    @overload
    def lerp(self: Image, weight: MovingImage, second: MovingImage) -> Picture:
        """`weight` parts of the first image and 1 - weight of the second; the weight, in 0 .. 1, may be a field.

        `Image Number -> Image a -> Image a -> Image a`; weight: from 0 to 1

        Example: `lerp(wave_dist, checkerboard(1, black, white), const(gold))`

        Source: Functional Images
        """
    @overload
    def lift(self: Image, function: Callable[..., Any], *images: ImageLike) -> Image:
        """The image whose value at a point is that function of the values of the images there.

        `Function -> Image... -> Image`

        Example: `lift(lambda a, b: a ^ b, checker, move((0.5, 0.5), checker))`

        Source: Pan 2.3.2
        """
    @overload
    def lift(self: Animation, function: Callable[..., Any], *images: MovingImage) -> Animation:
        """The image whose value at a point is that function of the values of the images there.

        `Function -> Image... -> Image`

        Example: `lift(lambda a, b: a ^ b, checker, move((0.5, 0.5), checker))`

        Source: Pan 2.3.2
        """
    @overload
    def lift(self: Image, function: Callable[..., Any], *images: MovingImage) -> Picture:
        """The image whose value at a point is that function of the values of the images there.

        `Function -> Image... -> Image`

        Example: `lift(lambda a, b: a ^ b, checker, move((0.5, 0.5), checker))`

        Source: Pan 2.3.2
        """
    @overload
    def log_polar(self: Image) -> Image:
        """The image wound around the origin so that small squares stay squares: at distance r shows what is at x = log r.

        `Image a -> Image a`

        Example: `log_polar(stretch((pi / 8, pi / 8), checkerboard(1, navy, khaki)))`
        """
    @overload
    def log_polar(self: Animation) -> Animation:
        """The image wound around the origin so that small squares stay squares: at distance r shows what is at x = log r.

        `Image a -> Image a`

        Example: `log_polar(stretch((pi / 8, pi / 8), checkerboard(1, navy, khaki)))`
        """
    @overload
    def luminance(self: Image) -> Image:
        """The field of the light of the image, as the eye weighs it, in 0 .. 1; of what is invisible, 0.

        `Image Color -> Image Number`

        Example: `luminance(lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def luminance(self: Animation) -> Animation:
        """The field of the light of the image, as the eye weighs it, in 0 .. 1; of what is invisible, 0.

        `Image Color -> Image Number`

        Example: `luminance(lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def mirror(self: Image) -> Image:
        """The right half of the image, and its mirror image on the left.

        `Image a -> Image a`

        Example: `mirror(turn(0.3, checkerboard(1, gold, navy)))`
        """
    @overload
    def mirror(self: Animation) -> Animation:
        """The right half of the image, and its mirror image on the left.

        `Image a -> Image a`

        Example: `mirror(turn(0.3, checkerboard(1, gold, navy)))`
        """
    @overload
    def move(self: Image, offset: PointLike) -> Image:
        """The image moved by an offset.

        `Point -> Image a -> Image a`

        Example: `move((0.5, 0.5), checker)`

        Source: Pan 2.3.1
        """
    @overload
    def move(self: Animation, offset: MovingPoint) -> Animation:
        """The image moved by an offset.

        `Point -> Image a -> Image a`

        Example: `move((0.5, 0.5), checker)`

        Source: Pan 2.3.1
        """
    @overload
    def move(self: Image, offset: MovingPoint) -> Picture:
        """The image moved by an offset.

        `Point -> Image a -> Image a`

        Example: `move((0.5, 0.5), checker)`

        Source: Pan 2.3.1
        """
    @overload
    def multiply(self: Image, bottom: ImageLike) -> Image:
        """The product of two images: never brighter than either, like one slide in front of another.

        `Image Color -> Image Color -> Image Color`

        Example: `multiply(crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5, steelblue,
        white))`

        Source: W3C Compositing and Blending Level 1
        """
    @overload
    def multiply(self: Animation, bottom: MovingImage) -> Animation:
        """The product of two images: never brighter than either, like one slide in front of another.

        `Image Color -> Image Color -> Image Color`

        Example: `multiply(crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5, steelblue,
        white))`

        Source: W3C Compositing and Blending Level 1
        """
    @overload
    def multiply(self: Image, bottom: MovingImage) -> Picture:
        """The product of two images: never brighter than either, like one slide in front of another.

        `Image Color -> Image Color -> Image Color`

        Example: `multiply(crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5, steelblue,
        white))`

        Source: W3C Compositing and Blending Level 1
        """
    @overload
    def over(self: Image, bottom: ImageLike) -> Image:
        """The top image laid over the bottom one, which shows as far as the top is transparent.

        `Image Color -> Image Color -> Image Color`

        Example: `over(crop(disk(1.2), fade(0.6, crimson)), checkerboard(0.5, white, silver))`

        Source: Pan 2.3.2
        """
    @overload
    def over(self: Animation, bottom: MovingImage) -> Animation:
        """The top image laid over the bottom one, which shows as far as the top is transparent.

        `Image Color -> Image Color -> Image Color`

        Example: `over(crop(disk(1.2), fade(0.6, crimson)), checkerboard(0.5, white, silver))`

        Source: Pan 2.3.2
        """
    @overload
    def over(self: Image, bottom: MovingImage) -> Picture:
        """The top image laid over the bottom one, which shows as far as the top is transparent.

        `Image Color -> Image Color -> Image Color`

        Example: `over(crop(disk(1.2), fade(0.6, crimson)), checkerboard(0.5, white, silver))`

        Source: Pan 2.3.2
        """
    @overload
    def polar(self: Image) -> Image:
        """The image wound around the origin: what is at (r, angle) of it shows at that distance and angle.

        `Image a -> Image a`

        Example: `polar(stretch((1, pi / 5), checker))`

        Source: Functional Images
        """
    @overload
    def polar(self: Animation) -> Animation:
        """The image wound around the origin: what is at (r, angle) of it shows at that distance and angle.

        `Image a -> Image a`

        Example: `polar(stretch((1, pi / 5), checker))`

        Source: Functional Images
        """
    @overload
    def posterize(self: Image, levels: Count) -> Image:
        """The image with only that many levels of each component.

        `Count -> Image Color -> Image Color`; levels: from 2 to 256

        Example: `posterize(4, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def posterize(self: Animation, levels: Count) -> Animation:
        """The image with only that many levels of each component.

        `Count -> Image Color -> Image Color`; levels: from 2 to 256

        Example: `posterize(4, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def rad_invert(self: Image) -> Image:
        """The image turned inside out: what is at distance r shows at distance 1 / r.

        `Image a -> Image a`

        Example: `ustretch(3.5, rad_invert(checker))`

        Source: Functional Images
        """
    @overload
    def rad_invert(self: Animation) -> Animation:
        """The image turned inside out: what is at distance r shows at distance 1 / r.

        `Image a -> Image a`

        Example: `ustretch(3.5, rad_invert(checker))`

        Source: Functional Images
        """
    @overload
    def ramp(self: Image, stops: Stops, space: Literal['srgb', 'linear', 'oklab', 'oklch'] = 'srgb', spread: Literal['pad', 'repeat', 'reflect'] = 'pad') -> Image:
        """A field in colors: those of the stops for values from 0 to 1.

        `Stops -> Image Number -> Text -> Text -> Image Color`; space: one of srgb, linear, oklab, oklch; spread: one of pad,
        repeat, reflect

        Example: `ramp([midnightblue, tomato, ivory], wave_dist, 'oklab')`
        """
    @overload
    def ramp(self: Animation, stops: MovingStops, space: Literal['srgb', 'linear', 'oklab', 'oklch'] = 'srgb', spread: Literal['pad', 'repeat', 'reflect'] = 'pad') -> Animation:
        """A field in colors: those of the stops for values from 0 to 1.

        `Stops -> Image Number -> Text -> Text -> Image Color`; space: one of srgb, linear, oklab, oklch; spread: one of pad,
        repeat, reflect

        Example: `ramp([midnightblue, tomato, ivory], wave_dist, 'oklab')`
        """
    @overload
    def ramp(self: Image, stops: MovingStops, space: Literal['srgb', 'linear', 'oklab', 'oklch'] = 'srgb', spread: Literal['pad', 'repeat', 'reflect'] = 'pad') -> Picture:
        """A field in colors: those of the stops for values from 0 to 1.

        `Stops -> Image Number -> Text -> Text -> Image Color`; space: one of srgb, linear, oklab, oklch; spread: one of pad,
        repeat, reflect

        Example: `ramp([midnightblue, tomato, ivory], wave_dist, 'oklab')`
        """
    @overload
    def reflect(self: Image, cell: PointLike) -> Image:
        """The part of the image in a cell about the origin, continued over the plane by mirrors at its edges.

        `Point -> Image a -> Image a`; cell: above 0

        Example: `reflect((1, 1), swirl(1, linear_gradient((-0.5, 0), (0.5, 0), [tomato, navy])))`
        """
    @overload
    def reflect(self: Animation, cell: MovingPoint) -> Animation:
        """The part of the image in a cell about the origin, continued over the plane by mirrors at its edges.

        `Point -> Image a -> Image a`; cell: above 0

        Example: `reflect((1, 1), swirl(1, linear_gradient((-0.5, 0), (0.5, 0), [tomato, navy])))`
        """
    @overload
    def reflect(self: Image, cell: MovingPoint) -> Picture:
        """The part of the image in a cell about the origin, continued over the plane by mirrors at its edges.

        `Point -> Image a -> Image a`; cell: above 0

        Example: `reflect((1, 1), swirl(1, linear_gradient((-0.5, 0), (0.5, 0), [tomato, navy])))`
        """
    @overload
    def ridged(self: Image, octaves: Count = 5, gain: Number = 0.5, lacunarity: Number = 2.0) -> Image:
        """Ridges where a noise passes through 0, at many scales, as of mountains: from 0 to 1 for a noise from -1 to 1.

        `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
        from 1 to 8

        Example: `ridged(perlin_noise(), 6)`

        Source: Musgrave, Texturing and Modeling, 1994
        """
    @overload
    def ridged(self: Animation, octaves: Count = 5, gain: MovingNumber = 0.5, lacunarity: MovingNumber = 2.0) -> Animation:
        """Ridges where a noise passes through 0, at many scales, as of mountains: from 0 to 1 for a noise from -1 to 1.

        `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
        from 1 to 8

        Example: `ridged(perlin_noise(), 6)`

        Source: Musgrave, Texturing and Modeling, 1994
        """
    @overload
    def ridged(self: Image, octaves: Count = 5, gain: MovingNumber = 0.5, lacunarity: MovingNumber = 2.0) -> Picture:
        """Ridges where a noise passes through 0, at many scales, as of mountains: from 0 to 1 for a noise from -1 to 1.

        `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
        from 1 to 8

        Example: `ridged(perlin_noise(), 6)`

        Source: Musgrave, Texturing and Modeling, 1994
        """
    @overload
    def ripple_rad(self: Image, waves: Integer, amount: Number) -> Image:
        """The image with `waves` petals: shows at each point what is 1 + amount · sin(waves · angle) times as far out.

        `Integer -> Number -> Image a -> Image a`; amount: from -0.99 to 0.99

        Example: `ripple_rad(8, 0.3, rings(yellow, blue))`

        Source: Functional Images
        """
    @overload
    def ripple_rad(self: Animation, waves: MovingNumber, amount: MovingNumber) -> Animation:
        """The image with `waves` petals: shows at each point what is 1 + amount · sin(waves · angle) times as far out.

        `Integer -> Number -> Image a -> Image a`; amount: from -0.99 to 0.99

        Example: `ripple_rad(8, 0.3, rings(yellow, blue))`

        Source: Functional Images
        """
    @overload
    def ripple_rad(self: Image, waves: MovingNumber, amount: MovingNumber) -> Picture:
        """The image with `waves` petals: shows at each point what is 1 + amount · sin(waves · angle) times as far out.

        `Integer -> Number -> Image a -> Image a`; amount: from -0.99 to 0.99

        Example: `ripple_rad(8, 0.3, rings(yellow, blue))`

        Source: Functional Images
        """
    @overload
    def rosette(self: Image, copies: Integer) -> Image:
        """The wedge of the image about the positive x axis, turned around the origin that many times.

        `Integer -> Image a -> Image a`; copies: at least 1

        Example: `rosette(5, move((2, 0), stretch((1, 0.4), disk(1.5))))`
        """
    @overload
    def rosette(self: Animation, copies: MovingNumber) -> Animation:
        """The wedge of the image about the positive x axis, turned around the origin that many times.

        `Integer -> Image a -> Image a`; copies: at least 1

        Example: `rosette(5, move((2, 0), stretch((1, 0.4), disk(1.5))))`
        """
    @overload
    def rosette(self: Image, copies: MovingNumber) -> Picture:
        """The wedge of the image about the positive x axis, turned around the origin that many times.

        `Integer -> Image a -> Image a`; copies: at least 1

        Example: `rosette(5, move((2, 0), stretch((1, 0.4), disk(1.5))))`
        """
    @overload
    def saturate(self: Image, amount: ImageLike) -> Image:
        """The image with its chroma multiplied, at the same perceptual lightness and hue: gray for 0, the same for 1.

        `Image Number -> Image Color -> Image Color`; amount: at least 0

        Example: `saturate(0.4, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def saturate(self: Animation, amount: MovingImage) -> Animation:
        """The image with its chroma multiplied, at the same perceptual lightness and hue: gray for 0, the same for 1.

        `Image Number -> Image Color -> Image Color`; amount: at least 0

        Example: `saturate(0.4, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def saturate(self: Image, amount: MovingImage) -> Picture:
        """The image with its chroma multiplied, at the same perceptual lightness and hue: gray for 0, the same for 1.

        `Image Number -> Image Color -> Image Color`; amount: at least 0

        Example: `saturate(0.4, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def screen(self: Image, bottom: ImageLike) -> Image:
        """The product of the negatives: never darker than either, like two projectors on one wall.

        `Image Color -> Image Color -> Image Color`

        Example: `screen(crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5, steelblue, white))`

        Source: W3C Compositing and Blending Level 1
        """
    @overload
    def screen(self: Animation, bottom: MovingImage) -> Animation:
        """The product of the negatives: never darker than either, like two projectors on one wall.

        `Image Color -> Image Color -> Image Color`

        Example: `screen(crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5, steelblue, white))`

        Source: W3C Compositing and Blending Level 1
        """
    @overload
    def screen(self: Image, bottom: MovingImage) -> Picture:
        """The product of the negatives: never darker than either, like two projectors on one wall.

        `Image Color -> Image Color -> Image Color`

        Example: `screen(crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5, steelblue, white))`

        Source: W3C Compositing and Blending Level 1
        """
    @overload
    def sdf_fill(self: Image, paint: ImageLike, softness: Length = 0.0) -> Image:
        """A shape filled with a color or a picture, fading across its outline over a width of `softness`.

        `Image Color -> Image Number -> Length -> Image Color`; softness: at least 0

        Example: `sdf_fill(tomato, sdf_heart(3), 0.05)`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_fill(self: Animation, paint: MovingImage, softness: MovingNumber = 0.0) -> Animation:
        """A shape filled with a color or a picture, fading across its outline over a width of `softness`.

        `Image Color -> Image Number -> Length -> Image Color`; softness: at least 0

        Example: `sdf_fill(tomato, sdf_heart(3), 0.05)`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_fill(self: Image, paint: MovingImage, softness: MovingNumber = 0.0) -> Picture:
        """A shape filled with a color or a picture, fading across its outline over a width of `softness`.

        `Image Color -> Image Number -> Length -> Image Color`; softness: at least 0

        Example: `sdf_fill(tomato, sdf_heart(3), 0.05)`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_inside(self: Image) -> Image:
        """The region inside of a shape, its outline included.

        `Image Number -> Image Bool`

        Example: `sdf_inside(sdf_heart(3))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_inside(self: Animation) -> Animation:
        """The region inside of a shape, its outline included.

        `Image Number -> Image Bool`

        Example: `sdf_inside(sdf_heart(3))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_intersection(self: Image, *fields: ImageLike) -> Image:
        """The distance to what is in all of several shapes; outside of two of them it may be understated.

        `Image Number... -> Image Number`

        Example: `sdf_intersection(sdf_disk(1), sdf_box(3, 0.5))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_intersection(self: Animation, *fields: MovingImage) -> Animation:
        """The distance to what is in all of several shapes; outside of two of them it may be understated.

        `Image Number... -> Image Number`

        Example: `sdf_intersection(sdf_disk(1), sdf_box(3, 0.5))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_intersection(self: Image, *fields: MovingImage) -> Picture:
        """The distance to what is in all of several shapes; outside of two of them it may be understated.

        `Image Number... -> Image Number`

        Example: `sdf_intersection(sdf_disk(1), sdf_box(3, 0.5))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_offset(self: Image, distance: Length) -> Image:
        """The shape grown by a distance, its outer corners rounded; shrunk if the distance is negative.

        `Length -> Image Number -> Image Number`

        Example: `sdf_offset(0.3, sdf_box(2, 1))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_offset(self: Animation, distance: MovingNumber) -> Animation:
        """The shape grown by a distance, its outer corners rounded; shrunk if the distance is negative.

        `Length -> Image Number -> Image Number`

        Example: `sdf_offset(0.3, sdf_box(2, 1))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_offset(self: Image, distance: MovingNumber) -> Picture:
        """The shape grown by a distance, its outer corners rounded; shrunk if the distance is negative.

        `Length -> Image Number -> Image Number`

        Example: `sdf_offset(0.3, sdf_box(2, 1))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_onion(self: Image, thickness: Length) -> Image:
        """The shell of a shape: half of the thickness on either side of its outline.

        `Length -> Image Number -> Image Number`; thickness: above 0

        Example: `sdf_onion(0.2, sdf_onion(0.6, sdf_heart(3)))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_onion(self: Animation, thickness: MovingNumber) -> Animation:
        """The shell of a shape: half of the thickness on either side of its outline.

        `Length -> Image Number -> Image Number`; thickness: above 0

        Example: `sdf_onion(0.2, sdf_onion(0.6, sdf_heart(3)))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_onion(self: Image, thickness: MovingNumber) -> Picture:
        """The shell of a shape: half of the thickness on either side of its outline.

        `Length -> Image Number -> Image Number`; thickness: above 0

        Example: `sdf_onion(0.2, sdf_onion(0.6, sdf_heart(3)))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_scale(self: Image, factor: Number) -> Image:
        """The shape made larger by a factor, with distances that remain right (stretching a field alone leaves them).

        `Number -> Image Number -> Image Number`; factor: above 0

        Example: `sdf_scale(2, sdf_star(5, 1, 0.4))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_scale(self: Animation, factor: MovingNumber) -> Animation:
        """The shape made larger by a factor, with distances that remain right (stretching a field alone leaves them).

        `Number -> Image Number -> Image Number`; factor: above 0

        Example: `sdf_scale(2, sdf_star(5, 1, 0.4))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_scale(self: Image, factor: MovingNumber) -> Picture:
        """The shape made larger by a factor, with distances that remain right (stretching a field alone leaves them).

        `Number -> Image Number -> Image Number`; factor: above 0

        Example: `sdf_scale(2, sdf_star(5, 1, 0.4))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_smooth_intersection(self: Image, softness: Length, first: ImageLike) -> Image:
        """The distance to what is in both shapes, with the edge between them rounded off.

        `Length -> Image Number -> Image Number -> Image Number`; softness: above 0

        Example: `sdf_smooth_intersection(0.5, sdf_disk(1.2), sdf_box(3, 1))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_smooth_intersection(self: Animation, softness: MovingNumber, first: MovingImage) -> Animation:
        """The distance to what is in both shapes, with the edge between them rounded off.

        `Length -> Image Number -> Image Number -> Image Number`; softness: above 0

        Example: `sdf_smooth_intersection(0.5, sdf_disk(1.2), sdf_box(3, 1))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_smooth_intersection(self: Image, softness: MovingNumber, first: MovingImage) -> Picture:
        """The distance to what is in both shapes, with the edge between them rounded off.

        `Length -> Image Number -> Image Number -> Image Number`; softness: above 0

        Example: `sdf_smooth_intersection(0.5, sdf_disk(1.2), sdf_box(3, 1))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_smooth_union(self: Image, softness: Length, first: ImageLike) -> Image:
        """The distance to two shapes with the notch between filled, as far as distances differ by less than `softness`.

        `Length -> Image Number -> Image Number -> Image Number`; softness: above 0

        Example: `sdf_smooth_union(0.5, sdf_disk(1), sdf_box(3, 0.5))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_smooth_union(self: Animation, softness: MovingNumber, first: MovingImage) -> Animation:
        """The distance to two shapes with the notch between filled, as far as distances differ by less than `softness`.

        `Length -> Image Number -> Image Number -> Image Number`; softness: above 0

        Example: `sdf_smooth_union(0.5, sdf_disk(1), sdf_box(3, 0.5))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_smooth_union(self: Image, softness: MovingNumber, first: MovingImage) -> Picture:
        """The distance to two shapes with the notch between filled, as far as distances differ by less than `softness`.

        `Length -> Image Number -> Image Number -> Image Number`; softness: above 0

        Example: `sdf_smooth_union(0.5, sdf_disk(1), sdf_box(3, 0.5))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_stroke(self: Image, width: Length) -> Image:
        """The region along the outline of a shape, half of the width on either side.

        `Length -> Image Number -> Image Bool`; width: above 0

        Example: `sdf_stroke(0.1, sdf_star(5, 1.6, 0.7))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_stroke(self: Animation, width: MovingNumber) -> Animation:
        """The region along the outline of a shape, half of the width on either side.

        `Length -> Image Number -> Image Bool`; width: above 0

        Example: `sdf_stroke(0.1, sdf_star(5, 1.6, 0.7))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_stroke(self: Image, width: MovingNumber) -> Picture:
        """The region along the outline of a shape, half of the width on either side.

        `Length -> Image Number -> Image Bool`; width: above 0

        Example: `sdf_stroke(0.1, sdf_star(5, 1.6, 0.7))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_subtraction(self: Image, other: ImageLike) -> Image:
        """The distance to what is in one shape and not in the other; it may be understated.

        `Image Number -> Image Number -> Image Number`

        Example: `sdf_subtraction(sdf_disk(1.5), sdf_box(4, 0.5))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_subtraction(self: Animation, other: MovingImage) -> Animation:
        """The distance to what is in one shape and not in the other; it may be understated.

        `Image Number -> Image Number -> Image Number`

        Example: `sdf_subtraction(sdf_disk(1.5), sdf_box(4, 0.5))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_subtraction(self: Image, other: MovingImage) -> Picture:
        """The distance to what is in one shape and not in the other; it may be understated.

        `Image Number -> Image Number -> Image Number`

        Example: `sdf_subtraction(sdf_disk(1.5), sdf_box(4, 0.5))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_union(self: Image, *fields: ImageLike) -> Image:
        """The distance to what is in any of several shapes; inside of two of them it may be understated.

        `Image Number... -> Image Number`

        Example: `sdf_union(sdf_disk(1), sdf_box(3, 0.5))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_union(self: Animation, *fields: MovingImage) -> Animation:
        """The distance to what is in any of several shapes; inside of two of them it may be understated.

        `Image Number... -> Image Number`

        Example: `sdf_union(sdf_disk(1), sdf_box(3, 0.5))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def sdf_union(self: Image, *fields: MovingImage) -> Picture:
        """The distance to what is in any of several shapes; inside of two of them it may be understated.

        `Image Number... -> Image Number`

        Example: `sdf_union(sdf_disk(1), sdf_box(3, 0.5))`

        Source: signed distances, as collected by Inigo Quilez
        """
    @overload
    def shear(self: Image, slope: Number) -> Image:
        """The image slanted: each point moves right by `slope` for each unit that it is up.

        `Number -> Image a -> Image a`

        Example: `shear(0.5, checker)`
        """
    @overload
    def shear(self: Animation, slope: MovingNumber) -> Animation:
        """The image slanted: each point moves right by `slope` for each unit that it is up.

        `Number -> Image a -> Image a`

        Example: `shear(0.5, checker)`
        """
    @overload
    def shear(self: Image, slope: MovingNumber) -> Picture:
        """The image slanted: each point moves right by `slope` for each unit that it is up.

        `Number -> Image a -> Image a`

        Example: `shear(0.5, checker)`
        """
    @overload
    def shift_xor(self: Image, distance: Length) -> Image:
        """The exclusive or of the region moved left and right by a distance.

        `Length -> Image Bool -> Image Bool`

        Example: `shift_xor(2.6, alt_rings)`

        Source: Functional Images
        """
    @overload
    def shift_xor(self: Animation, distance: MovingNumber) -> Animation:
        """The exclusive or of the region moved left and right by a distance.

        `Length -> Image Bool -> Image Bool`

        Example: `shift_xor(2.6, alt_rings)`

        Source: Functional Images
        """
    @overload
    def shift_xor(self: Image, distance: MovingNumber) -> Picture:
        """The exclusive or of the region moved left and right by a distance.

        `Length -> Image Bool -> Image Bool`

        Example: `shift_xor(2.6, alt_rings)`

        Source: Functional Images
        """
    @overload
    def stack(self: Image, *images: ImageLike) -> Image:
        """The images laid over one another, the first on top; of no images, the empty one.

        `Image Color... -> Image Color`

        Example: `stack(crop(disk(1), crimson), crop(disk(1.5), gold), navy)`
        """
    @overload
    def stack(self: Animation, *images: MovingImage) -> Animation:
        """The images laid over one another, the first on top; of no images, the empty one.

        `Image Color... -> Image Color`

        Example: `stack(crop(disk(1), crimson), crop(disk(1.5), gold), navy)`
        """
    @overload
    def stack(self: Image, *images: MovingImage) -> Picture:
        """The images laid over one another, the first on top; of no images, the empty one.

        `Image Color... -> Image Color`

        Example: `stack(crop(disk(1), crimson), crop(disk(1.5), gold), navy)`
        """
    @overload
    def stretch(self: Image, factors: PointLike) -> Image:
        """The image stretched by a factor in each direction; a negative one mirrors.

        `Point -> Image a -> Image a`; factors: other than 0

        Example: `stretch((2, 1), checker)`

        Source: Pan 2.3.1
        """
    @overload
    def stretch(self: Animation, factors: MovingPoint) -> Animation:
        """The image stretched by a factor in each direction; a negative one mirrors.

        `Point -> Image a -> Image a`; factors: other than 0

        Example: `stretch((2, 1), checker)`

        Source: Pan 2.3.1
        """
    @overload
    def stretch(self: Image, factors: MovingPoint) -> Picture:
        """The image stretched by a factor in each direction; a negative one mirrors.

        `Point -> Image a -> Image a`; factors: other than 0

        Example: `stretch((2, 1), checker)`

        Source: Pan 2.3.1
        """
    @overload
    def stripes(self: Image, width: Length, first: ImageLike) -> Image:
        """Vertical stripes of that width, alternately of the first and of the second image or color.

        `Length -> Image a -> Image a -> Image a`; width: above 0

        Example: `stripes(0.5, seagreen, white)`
        """
    @overload
    def stripes(self: Animation, width: MovingNumber, first: MovingImage) -> Animation:
        """Vertical stripes of that width, alternately of the first and of the second image or color.

        `Length -> Image a -> Image a -> Image a`; width: above 0

        Example: `stripes(0.5, seagreen, white)`
        """
    @overload
    def stripes(self: Image, width: MovingNumber, first: MovingImage) -> Picture:
        """Vertical stripes of that width, alternately of the first and of the second image or color.

        `Length -> Image a -> Image a -> Image a`; width: above 0

        Example: `stripes(0.5, seagreen, white)`
        """
    @overload
    def subtract(self: Image, other: ImageLike) -> Image:
        """The points inside the region and outside of the other.

        `Image Bool -> Image Bool -> Image Bool`

        Example: `subtract(udisk, move((0.5, 0), udisk))`

        Source: Functional Images
        """
    @overload
    def subtract(self: Animation, other: MovingImage) -> Animation:
        """The points inside the region and outside of the other.

        `Image Bool -> Image Bool -> Image Bool`

        Example: `subtract(udisk, move((0.5, 0), udisk))`

        Source: Functional Images
        """
    @overload
    def subtract(self: Image, other: MovingImage) -> Picture:
        """The points inside the region and outside of the other.

        `Image Bool -> Image Bool -> Image Bool`

        Example: `subtract(udisk, move((0.5, 0), udisk))`

        Source: Functional Images
        """
    @overload
    def swirl(self: Image, radius: Length) -> Image:
        """The image turned by as much more as it is farther out: by a full turn at that distance.

        `Length -> Image a -> Image a`; radius: other than 0

        Example: `swirl(100, checkerboard(10, black, white))`

        Source: Pan 2.3.1
        """
    @overload
    def swirl(self: Animation, radius: MovingNumber) -> Animation:
        """The image turned by as much more as it is farther out: by a full turn at that distance.

        `Length -> Image a -> Image a`; radius: other than 0

        Example: `swirl(100, checkerboard(10, black, white))`

        Source: Pan 2.3.1
        """
    @overload
    def swirl(self: Image, radius: MovingNumber) -> Picture:
        """The image turned by as much more as it is farther out: by a full turn at that distance.

        `Length -> Image a -> Image a`; radius: other than 0

        Example: `swirl(100, checkerboard(10, black, white))`

        Source: Pan 2.3.1
        """
    @overload
    def tile(self: Image, cell: PointLike) -> Image:
        """The part of the image in a cell of that width and height about the origin, again and again over the plane.

        `Point -> Image a -> Image a`; cell: above 0

        Example: `tile((1, 1), disk(0.4))`

        Source: Functional Images
        """
    @overload
    def tile(self: Animation, cell: MovingPoint) -> Animation:
        """The part of the image in a cell of that width and height about the origin, again and again over the plane.

        `Point -> Image a -> Image a`; cell: above 0

        Example: `tile((1, 1), disk(0.4))`

        Source: Functional Images
        """
    @overload
    def tile(self: Image, cell: MovingPoint) -> Picture:
        """The part of the image in a cell of that width and height about the origin, again and again over the plane.

        `Point -> Image a -> Image a`; cell: above 0

        Example: `tile((1, 1), disk(0.4))`

        Source: Functional Images
        """
    @overload
    def tint(self: Image, amount: ImageLike, tone: ColorLike) -> Image:
        """The image mixed with a color, as far as it is opaque: not at all for 0, all of it for 1.

        `Image Number -> Color -> Image Color -> Image Color`; amount: from 0 to 1

        Example: `tint(0.5, teal, checkerboard(1, white, gray))`
        """
    @overload
    def tint(self: Animation, amount: MovingImage, tone: MovingColor) -> Animation:
        """The image mixed with a color, as far as it is opaque: not at all for 0, all of it for 1.

        `Image Number -> Color -> Image Color -> Image Color`; amount: from 0 to 1

        Example: `tint(0.5, teal, checkerboard(1, white, gray))`
        """
    @overload
    def tint(self: Image, amount: MovingImage, tone: MovingColor) -> Picture:
        """The image mixed with a color, as far as it is opaque: not at all for 0, all of it for 1.

        `Image Number -> Color -> Image Color -> Image Color`; amount: from 0 to 1

        Example: `tint(0.5, teal, checkerboard(1, white, gray))`
        """
    @overload
    def turbulence(self: Image, octaves: Count = 5, gain: Number = 0.5, lacunarity: Number = 2.0) -> Image:
        """The magnitudes of a noise at many scales, as of smoke: from 0 to 1 for a noise from -1 to 1.

        `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
        from 1 to 8

        Example: `turbulence(perlin_noise(), 6)`

        Source: Perlin, An Image Synthesizer, 1985
        """
    @overload
    def turbulence(self: Animation, octaves: Count = 5, gain: MovingNumber = 0.5, lacunarity: MovingNumber = 2.0) -> Animation:
        """The magnitudes of a noise at many scales, as of smoke: from 0 to 1 for a noise from -1 to 1.

        `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
        from 1 to 8

        Example: `turbulence(perlin_noise(), 6)`

        Source: Perlin, An Image Synthesizer, 1985
        """
    @overload
    def turbulence(self: Image, octaves: Count = 5, gain: MovingNumber = 0.5, lacunarity: MovingNumber = 2.0) -> Picture:
        """The magnitudes of a noise at many scales, as of smoke: from 0 to 1 for a noise from -1 to 1.

        `Image Number -> Count -> Number -> Number -> Image Number`; octaves: from 1 to 16; gain: from 0 to 1; lacunarity:
        from 1 to 8

        Example: `turbulence(perlin_noise(), 6)`

        Source: Perlin, An Image Synthesizer, 1985
        """
    @overload
    def turn(self: Image, angle: Angle) -> Image:
        """The image turned about the origin, counterclockwise.

        `Angle -> Image a -> Image a`

        Example: `turn(pi / 8, checker)`

        Source: Pan 2.3.1
        """
    @overload
    def turn(self: Animation, angle: MovingNumber) -> Animation:
        """The image turned about the origin, counterclockwise.

        `Angle -> Image a -> Image a`

        Example: `turn(pi / 8, checker)`

        Source: Pan 2.3.1
        """
    @overload
    def turn(self: Image, angle: MovingNumber) -> Picture:
        """The image turned about the origin, counterclockwise.

        `Angle -> Image a -> Image a`

        Example: `turn(pi / 8, checker)`

        Source: Pan 2.3.1
        """
    @overload
    def turn_hue(self: Image, angle: ImageLike) -> Image:
        """The image with its hues turned by an angle, at the same perceptual lightness and chroma.

        `Image Number -> Image Color -> Image Color`

        Example: `turn_hue(pi / 2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def turn_hue(self: Animation, angle: MovingImage) -> Animation:
        """The image with its hues turned by an angle, at the same perceptual lightness and chroma.

        `Image Number -> Image Color -> Image Color`

        Example: `turn_hue(pi / 2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def turn_hue(self: Image, angle: MovingImage) -> Picture:
        """The image with its hues turned by an angle, at the same perceptual lightness and chroma.

        `Image Number -> Image Color -> Image Color`

        Example: `turn_hue(pi / 2, lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r))`
        """
    @overload
    def union(self: Image, *regions: ImageLike) -> Image:
        """The points inside any of the regions; of no regions, nowhere.

        `Image Bool... -> Image Bool`

        Example: `union(move((1, 0), udisk), move((-1, 0), udisk), udisk)`

        Source: Functional Images
        """
    @overload
    def union(self: Animation, *regions: MovingImage) -> Animation:
        """The points inside any of the regions; of no regions, nowhere.

        `Image Bool... -> Image Bool`

        Example: `union(move((1, 0), udisk), move((-1, 0), udisk), udisk)`

        Source: Functional Images
        """
    @overload
    def union(self: Image, *regions: MovingImage) -> Picture:
        """The points inside any of the regions; of no regions, nowhere.

        `Image Bool... -> Image Bool`

        Example: `union(move((1, 0), udisk), move((-1, 0), udisk), udisk)`

        Source: Functional Images
        """
    @overload
    def ustretch(self: Image, factor: Number) -> Image:
        """The image stretched by one factor in all directions.

        `Number -> Image a -> Image a`; factor: other than 0

        Example: `ustretch(2, checker)`

        Source: Pan 2.3.1
        """
    @overload
    def ustretch(self: Animation, factor: MovingNumber) -> Animation:
        """The image stretched by one factor in all directions.

        `Number -> Image a -> Image a`; factor: other than 0

        Example: `ustretch(2, checker)`

        Source: Pan 2.3.1
        """
    @overload
    def ustretch(self: Image, factor: MovingNumber) -> Picture:
        """The image stretched by one factor in all directions.

        `Number -> Image a -> Image a`; factor: other than 0

        Example: `ustretch(2, checker)`

        Source: Pan 2.3.1
        """
    @overload
    def warp(self: Image, transform: TransformLike) -> Image:
        """The image sampled at transformed points: so it is itself transformed by the inverse.

        `Transform -> Image a -> Image a`

        Example: `warp(lambda p: (p.x + sin(p.y), p.y), checker)`
        """
    @overload
    def warp(self: Animation, transform: MovingTransform) -> Animation:
        """The image sampled at transformed points: so it is itself transformed by the inverse.

        `Transform -> Image a -> Image a`

        Example: `warp(lambda p: (p.x + sin(p.y), p.y), checker)`
        """
    @overload
    def warp(self: Image, transform: MovingTransform) -> Picture:
        """The image sampled at transformed points: so it is itself transformed by the inverse.

        `Transform -> Image a -> Image a`

        Example: `warp(lambda p: (p.x + sin(p.y), p.y), checker)`
        """
    @overload
    def washer(self: Image, inner: Fraction, angle: Angle) -> Image:
        """The image turned by an angle inside of distance `inner`, not at all beyond distance 1, and wrung between.

        `Fraction -> Angle -> Image a -> Image a`; inner: from 0 to 0.999

        Example: `washer(0.5, pi / 2, checkerboard(0.2, teal, white))`

        Source: Functional Images
        """
    @overload
    def washer(self: Animation, inner: MovingNumber, angle: MovingNumber) -> Animation:
        """The image turned by an angle inside of distance `inner`, not at all beyond distance 1, and wrung between.

        `Fraction -> Angle -> Image a -> Image a`; inner: from 0 to 0.999

        Example: `washer(0.5, pi / 2, checkerboard(0.2, teal, white))`

        Source: Functional Images
        """
    @overload
    def washer(self: Image, inner: MovingNumber, angle: MovingNumber) -> Picture:
        """The image turned by an angle inside of distance `inner`, not at all beyond distance 1, and wrung between.

        `Fraction -> Angle -> Image a -> Image a`; inner: from 0 to 0.999

        Example: `washer(0.5, pi / 2, checkerboard(0.2, teal, white))`

        Source: Functional Images
        """
    @overload
    def xor(self: Image, *regions: ImageLike) -> Image:
        """The points inside an odd number of the regions.

        `Image Bool... -> Image Bool`

        Example: `xor(move((0.5, 0), udisk), move((-0.5, 0), udisk))`

        Source: Functional Images
        """
    @overload
    def xor(self: Animation, *regions: MovingImage) -> Animation:
        """The points inside an odd number of the regions.

        `Image Bool... -> Image Bool`

        Example: `xor(move((0.5, 0), udisk), move((-0.5, 0), udisk))`

        Source: Functional Images
        """
    @overload
    def xor(self: Image, *regions: MovingImage) -> Picture:
        """The points inside an odd number of the regions.

        `Image Bool... -> Image Bool`

        Example: `xor(move((0.5, 0), udisk), move((-0.5, 0), udisk))`

        Source: Functional Images
        """
    @overload
    def xorgon(self: Image, copies: Count, distance: Length) -> Image:
        """The exclusive or of copies of the region, moved to the corners of a regular polygon about the origin.

        `Count -> Length -> Image Bool -> Image Bool`; copies: from 1 to 1024

        Example: `xorgon(8, 7 / 4, alt_rings)`

        Source: Functional Images
        """
    @overload
    def xorgon(self: Animation, copies: Count, distance: MovingNumber) -> Animation:
        """The exclusive or of copies of the region, moved to the corners of a regular polygon about the origin.

        `Count -> Length -> Image Bool -> Image Bool`; copies: from 1 to 1024

        Example: `xorgon(8, 7 / 4, alt_rings)`

        Source: Functional Images
        """
    @overload
    def xorgon(self: Image, copies: Count, distance: MovingNumber) -> Picture:
        """The exclusive or of copies of the region, moved to the corners of a regular polygon about the origin.

        `Count -> Length -> Image Bool -> Image Bool`; copies: from 1 to 1024

        Example: `xorgon(8, 7 / 4, alt_rings)`

        Source: Functional Images
        """
