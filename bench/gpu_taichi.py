"""The pictures of `gpu_pictures` in Taichi, for `gpu`: only where that package is."""
# Taichi reads types when a kernel is made, so they are no texts here, and functions have those of what calls them.
# ruff: noqa: ANN001, ANN201, D103

import taichi as ti

LAYER = 0x605A058F
"""The word of the one layer of the noise."""
COLORS = ((1.0, 0.0, 0.0), (0.0, 0.5019608, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 0.0), (0.0, 0.0, 0.0))
Pixels = ti.types.ndarray(dtype=ti.u32, ndim=2)


@ti.func
def packed(red, green, blue):
    r, g, b = ti.u32(red * 255 + 0.5), ti.u32(green * 255 + 0.5), ti.u32(blue * 255 + 0.5)
    return ti.u32(0xFF000000) | (b << 16) | (g << 8) | r


@ti.func
def parity(x, y, r, turns, inverse_size):
    angle = -6.2831853 * turns * r
    sine, cosine = ti.sin(angle), ti.cos(angle)
    u, v = x * cosine - y * sine, y * cosine + x * sine
    return (ti.i32(ti.floor(u * inverse_size)) + ti.i32(ti.floor(v * inverse_size))) & 1


@ti.kernel
def swirl(out: Pixels, scale: ti.f32):
    for j, i in out:
        x, y = (i - (out.shape[1] - 1) * 0.5) * scale, ((out.shape[0] - 1) * 0.5 - j) * scale
        odd = parity(x, y, ti.sqrt(x * x + y * y), 0.01, 0.1)
        out[j, i] = ti.u32(0xFFFFFFFF) if odd == 1 else ti.u32(0xFF000000)


@ti.kernel
def layers(out: Pixels, scale: ti.f32):
    for j, i in out:
        x, y = (i - (out.shape[1] - 1) * 0.5) * scale, ((out.shape[0] - 1) * 0.5 - j) * scale
        r = ti.sqrt(x * x + y * y)
        color = ti.Vector([1.0, 1.0, 1.0])
        for k in ti.static(range(5)):
            alpha = 0.3 + 0.1 * k
            odd = parity(x, y, r, 1 / (100.0 + 20.0 * k), 1 / (10.0 + k))
            own = ti.Vector([1.0, 1.0, 1.0]) if odd == 1 else ti.Vector(COLORS[k])
            color = color * (1 - alpha) + own * alpha
        out[j, i] = packed(color[0], color[1], color[2])


@ti.func
def distance(q):
    u, w = q[0] - 3 * ti.floor(q[0] / 3 + 0.5), q[2] - 3 * ti.floor(q[2] / 3 + 0.5)
    up = q[1] - 0.9
    return ti.min(ti.sqrt(u * u + up * up + w * w) - 0.9, q[1])


@ti.kernel
def spheres(out: Pixels, scale: ti.f32):
    for j, i in out:
        x, y = (i - (out.shape[1] - 1) * 0.5) * scale, ((out.shape[0] - 1) * 0.5 - j) * scale
        ray = ti.Vector([x, y - 0.35, 1.6]).normalized()
        eye = ti.Vector([1.1, 2.3, -6.0])
        t = 0.02
        d = distance(eye + ray * t)
        step = 0
        while step < 90 and not (d < 0.002 or t > 40):
            t += d
            d = distance(eye + ray * t)
            step += 1
        q = eye + ray * t
        d = distance(q)
        slope = ti.Vector(
            [
                distance(q + ti.Vector([0.004, 0.0, 0.0])) - d,
                distance(q + ti.Vector([0.0, 0.004, 0.0])) - d,
                distance(q + ti.Vector([0.0, 0.0, 0.004])) - d,
            ]
        )
        sun = slope.normalized().dot(ti.Vector([0.55, 0.72, -0.42]))
        seen = 0.4 + 0.5 * ray[1] if t > 40 else 0.28 + 0.7 * ti.max(sun, 0.0)
        seen = ti.min(ti.max(seen, 0.0), 1.0)
        out[j, i] = packed(seen, seen, seen)


@ti.func
def mixed(word):
    h = word
    h = (h ^ (h >> 16)) * ti.u32(0x7FEB352D)
    h = (h ^ (h >> 15)) * ti.u32(0x846CA68B)
    return h ^ (h >> 16)


@ti.func
def faded(t):
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@ti.func
def value(x, y):
    across, up = ti.u32(0x1B2BA2D9), ti.u32(0x4229F603)
    i, j = ti.floor(x), ti.floor(y)
    s, t = faded(x - i), faded(y - j)
    base = ti.u32(ti.i32(i)) * across + ti.u32(ti.i32(j)) * up + ti.u32(LAYER)
    part = 1.0 / 16777216.0
    a, b = ti.f32(mixed(base) >> 8) * part, ti.f32(mixed(base + across) >> 8) * part
    c, d = ti.f32(mixed(base + up) >> 8) * part, ti.f32(mixed(base + across + up) >> 8) * part
    low, high = a + s * (b - a), c + s * (d - c)
    return (low + t * (high - low)) * 2.0 - 1.0


@ti.func
def fbm(at_x, at_y):
    x, y = at_x, at_y
    total, weight = 0.0, 1.0
    for _ in ti.static(range(5)):
        total += weight * value(x, y)
        weight *= 0.5
        x, y = x * 1.5921676 - y * 1.2103728 + 17.3, x * 1.2103728 + y * 1.5921676 - 8.9
    return total * (1.0 / 1.9375)


@ti.kernel
def warped(out: Pixels, scale: ti.f32):
    for j, i in out:
        x, y = (i - (out.shape[1] - 1) * 0.5) * scale, ((out.shape[0] - 1) * 0.5 - j) * scale
        across, up = fbm(x + 5.2, y + 1.3), fbm(x + 1.7, y + 9.2)
        seen = 0.5 + 0.5 * fbm(x + 2.0 * across, y + 2.0 * up)
        seen = ti.min(ti.max(seen, 0.0), 1.0)
        out[j, i] = packed(seen, seen, seen)


KERNELS = {"swirl": swirl, "layers": layers, "spheres": spheres, "warped": warped}
