"""Hints for names of GLSL, Processing and p5, Pillow, and FFmpeg, with what to write here: one table.

Beside `word`, whose error for a name that is no word asks it first. A line holds the names that mean one thing, a bar,
and what to write; `im` is `pellucid.images`, `pl` is `pellucid`. Names of words and functions are not here: those are
found as they are.
"""

# ruff: noqa: E501 - a table to be read, a line for each thing
from __future__ import annotations

from ..base.hints import hints_of

_GLSL = """
mix | write pl.lerp(t, a, b) for numbers and im.lerp(weight, a, b) for images, whose weight is that of the first
step | write pl.where(x < edge, 0.0, 1.0), or a comparison such as field > 0.5 for a region
fract frac | write pl.fraction(x), or x % 1
mod fmod | write a % b, which has the sign of b as in GLSL
inversesqrt rsqrt | write 1 / pl.sqrt(x)
saturate_number sat | write pl.clamp(x, 0, 1)
length | write p.r for the distance of a point from the origin, v.length for a pl.Vector3
dot cross | write p.dot(q) or p.cross(q) for points, and for vectors of three, pl.Vector3(x, y, z)
normalize normalized | write v.normalize() for a pl.Vector3, p / p.r for a point
reflected | write direction.reflect(normal) for a pl.Vector3; im.reflect mirrors a picture at the edges of a cell
faceforward | write pl.where(n.dot(d) < 0, n, -n)
vec2 float2 ivec2 PVector createVector | write pl.Point(x, y)
vec3 float3 vec vector | write pl.Vector3(x, y, z), with length, dot, cross, normalize and reflect, or im.rgb(r, g, b) for a color
raymarch sdSphere | write pl.iterate over the way along a ray of pl.Vector3, and (p - center).length - radius for a sphere
vec4 float4 | write im.rgba(r, g, b, a) for a color
mat2 mat3 mat4 | write p.rotate(angle) for a point, or im.compose(im.rotate(angle), im.scale((a, b))) for a transform
radians deg2rad | write degrees * pi / 180: angles are in radians
degrees rad2deg | write angle * 180 / pi: angles are in radians
arctan | write pl.atan(x), or pl.atan2(y, x) for all four quadrants
arcsin | write pl.asin(x)
arccos | write pl.acos(x)
ln | write pl.log(x)
sqr | write x * x, or x ** 2
texture texture2D sampler2D tex2D imageLoad | write picture(p), which is the value of a picture at a point; a file is im.read_image(path)
gl_FragCoord fragCoord uv fragTexCoord | the point p of @pl.image is in units, centered, y upwards; the view says how many pixels a unit has
gl_FragColor fragColor outColor | return the color from the function below @pl.image
iTime u_time iGlobalTime frameCount millis currentTime | write @pl.animation above a function of the time, or use im.seconds
iResolution u_resolution resolution width height | a picture has no size: give size=(width, height) to pl.render or pl.save
iMouse u_mouse mouseX mouseY pmouseX | make a parameter, pl.param(name, default, low, high): it is a slider in a notebook
uniform | write pl.param(name, default, low, high)
discard | return im.transparent
fwidth dFdx dFdy ddx ddy | give samples=4 to pl.render for smooth edges, or draw a distance with im.sdf_fill
voronoi worley | write im.cellular('nearest'), or 'second', 'edge' or 'cell'
noise snoise cnoise random rand hash | write im.perlin_noise(), im.simplex_noise() or im.value_noise(), with seed= for another one
pnoise tileable seamless noiseTile | write im.periodic_noise((4, 4), octaves), which repeats after 4 units: any part of that size is a tile
hsv2rgb hsb | write im.hsv(hue, saturation, value), with the hue in radians
rgb2hsv | write im.turn_hue(angle, image) or im.saturate(amount, image) to change colors
distancetransform signed_distance | write im.distance(region); the distances of pixels are filters of arrays
sdCircle | write im.sdf_disk(radius)
sdBox sdRect | write im.sdf_box(width, height)
sdSegment sdLine | write im.sdf_segment(p, q)
opUnion | write im.sdf_union(a, b)
opSmoothUnion smin | write im.sdf_smooth_union(k, a, b)
opSubtraction | write im.sdf_subtraction(a, b)
opRound | write im.sdf_offset(radius, field)
opOnion | write im.sdf_onion(width, field)
bloom halo glow_filter outerglow | write im.glow(shape, radius, im.gold), with a region or a distance
palette colormap cmap | write field.ramp([im.navy, im.gold, im.white])
ternary iif ifelse select cond_color | write pl.where(condition, a, b) for values, im.cond(region, a, b) for images
"""

_PROCESSING = """
circle ellipse disc | write im.disk(radius) for a region, im.stretch((2, 1), im.disk(1)) for an ellipse
rect rectangle square box quad | write im.sdf_inside(im.sdf_box(width, height))
triangle | write im.sdf_inside(im.sdf_triangle(a, b, c))
polygon vertex beginShape | write im.sdf_inside(im.sdf_polygon(a, b, c, d))
star | write im.sdf_inside(im.sdf_star(points, outer, inner))
heart | write im.sdf_inside(im.sdf_heart(size))
line | write im.sdf_stroke(width, im.sdf_segment(p, q))
point | write im.move((x, y), im.disk(radius))
ring donut | write im.annulus(inner), or im.sdf_inside(im.sdf_ring(radius, width))
stroke strokeWeight outline border | write im.sdf_stroke(width, field), with a distance such as im.sdf_disk(radius)
arc bezier curve | write a distance with @pl.image, or combine im.sdf_disk and im.half_plane
noStroke noFill | regions have no outline and no color until they are filled: region.fill(im.red)
background clear | write im.over(picture, im.white), or give background= to pl.save
rotated rotateZ | write im.turn(angle, image)
rotate | im.rotate(angle) is a transform of points; write im.turn(angle, image), or image.turn(angle)
translate | im.translate(offset) is a transform of points; write im.move(offset, image), or image.move(offset)
scale zoom resize thumbnail zoompan | im.scale is a transform of points; write im.ustretch(factor, image), or give size= and zoom= to pl.render
push pop pushMatrix popMatrix resetMatrix | there is no state: each word gives a new picture
map_range remap norm | write low + (high - low) * (x - a) / (b - a)
map | write low + (high - low) * (x - a) / (b - a) for numbers, im.lift(function, image) for pictures
constrain | write pl.clamp(x, low, high)
lerpColor | write im.lerp_color(weight, first, second), whose weight is that of the first
colorMode HSB HSL | write im.hsv(hue, saturation, value) or im.hsl(hue, saturation, lightness)
dist | write (p - q).r
sq | write x * x
PI TWO_PI HALF_PI TAU | write math.pi of Python
createCanvas setup draw size | a picture is a value: give it to pl.show, pl.render or pl.save with size=(width, height)
frameRate fps | give fps= to pl.animate
loadImage imread | write im.read_image(path)
saveFrame saveFrames saveCanvas | write pl.save(picture, path), or pl.animate(picture, path) for what moves
shadowBlur shadowColor dropShadow box_shadow | write im.move(offset, im.glow(shape, radius, im.black)) under the shape
blendMode | write im.blend(mode, top, bottom)
loadPixels updatePixels pixels get set | write pl.render(picture, size), which is an array of NumPy; im.bitmap(array) is its picture
noLoop loop redraw | a picture without time is still; pl.animate(picture, path, loop=False) ends
"""

_PILLOW = """
open | write im.read_image(path)
new | write im.const(im.red): a picture has no size until it is rendered
fromarray frombytes frombuffer array asarray | write im.bitmap(array) for an array of NumPy, im.from_buffer(...) for packed bytes
paste alpha_composite overlay | write im.over(top, bottom)
rotate_image transpose_image | write im.turn(angle, image)
flip vflip flip_vertical | write im.stretch((1, -1), image)
flop hflip flip_horizontal | write im.stretch((-1, 1), image)
transpose | write im.warp(lambda p: (p.y, p.x), image)
save render show animate explain compile | it is a function of pellucid: write pl.{name}(picture)
getpixel | write picture.at(x, y)
putpixel | a picture is a function: choose with im.cond(region, a, b)
point_transform lut lut3d curves | write im.lift(function, image), with a function of the value
filter convolve convolution kernel | pictures have no pixels: filter arrays with pellucid.algebra
GaussianBlur blur boxblur gblur smartblur median unsharp sharpen | pictures have no pixels: filter arrays with pellucid.algebra
ImageDraw Draw | regions are drawn by words: im.disk(1).fill(im.red)
grayscale_image gray grey_image desaturate | write im.grayscale(image)
negate inverse | write im.invert(image)
autocontrast equalize normalize_image | write im.contrast(amount, image)
solarize | write im.lift(lambda c: c.map(lambda x: pl.where(x > 0.5, 1 - x, x)), image)
merge split getchannel | write im.lift(lambda a, b: im.Color(a.r, b.g, b.b), one, other)
getbbox | pictures have no edges: give center= and zoom= to pl.render
enhance brightness | write im.brighten(factor, image), im.contrast(amount, image) or im.saturate(amount, image)
putalpha opacity | write im.fade(opacity, image)
mask | write im.crop(region, image)
tobytes to_numpy numpy | write pl.render(picture, size), or pl.render(picture, size, format='rgb24') for packed bytes
RGB RGBA mode | write format='rgb24' or format='rgba' in pl.render for packed bytes
"""

_FFMPEG = """
pad | write im.over(im.crop(region, image), im.black)
hue | write im.turn_hue(angle, image) and im.saturate(amount, image)
eq colorbalance colorlevels | write im.brighten, im.contrast, im.gamma and im.saturate
colorkey chromakey lumakey despill | write im.lift(lambda c: pl.where(c.g > 0.5, im.transparent, c), image)
drawtext subtitles | write im.text(letters, size).fill(im.white), laid on the picture with im.over
drawbox drawgrid | write im.sdf_stroke(width, im.sdf_box(width, height)).fill(im.red), or im.grid(size)
fade_in fadein fadeout | write im.fade(im.seconds, image)
setpts speed | write animation.speedup(factor)
reverse | write pl.animation(lambda t: film(end - t))
vignette | write im.brighten(1 - 0.3 * im.r / size, image)
lenscorrection displace perspective | write im.warp(lambda p: ..., image), with a function of points
hstack vstack xstack | write im.cond(im.x < 0, im.move((-1, 0), a), im.move((1, 0), b))
testsrc testsrc2 smptebars rgbtestsrc | write im.ramp(stops, im.x), or see pellucid.images.words()
nullsrc | write im.empty
gradients gradient linearGradient | write im.linear_gradient(start, end, stops), or im.radial_gradient
mandelbrot | write it with pl.iterate, as the gallery does
palettegen paletteuse | pl.save to GIF chooses the colors
edgedetect sobel prewitt canny | pictures have no pixels: filter arrays with pellucid.algebra
geq | write @pl.image above a function of a point
format pixfmt pix_fmt | give format='nv12' to pl.render, or convert bytes with pl.convert
yadif deinterlace deshake tinterlace | it works on films, which pellucid does not read
histogram waveform vectorscope | count in an array with pellucid.algebra
"""

HINTS = hints_of(_GLSL + _PROCESSING + _PILLOW + _FFMPEG)
"""The hint for each name that people look for; `{name}` stands for that name."""
_ANY_CASE = {name.lower(): name for name in HINTS}


def hint(name: str) -> str | None:
    """The hint for a name of another system, or None.

    >>> hint("fract"), hint("show"), hint("swirl")
    ('write pl.fraction(x), or x % 1', 'it is a function of pellucid: write pl.show(picture)', None)
    """
    known = _ANY_CASE.get(name.lower().replace("_", "")) or _ANY_CASE.get(name.lower())
    return HINTS[known].replace("{name}", name) if known else None
