"""A snowflake: one branch with its twigs, mirrored around twelve times."""

from pellucid import images as im

_branch = im.sdf_union(
    im.sdf_capsule((0, 0), (1.7, 0), 0.045),
    *(
        im.sdf_capsule((x, 0), (x + 0.55 * s, 0.45 * s), 0.035)
        for x, s in ((0.45, 0.7), (0.85, 1.0), (1.25, 0.6))
    ),
    im.sdf_capsule((0.28, 0), (0.28, 0.3), 0.03),
)
_flake = im.kaleidoscope(6, _branch)
_sky = im.radial_gradient((0, 0), 2.6, ["#4361ee", "#1b2a6b", "#0a1128"])
_shine = im.ramp(["#0a1128", "#4cc9f0"], im.exp(-5.0 * im.max(_flake, 0.0)))
picture = im.over(im.sdf_fill("#f8fdff", _flake, 0.02), im.screen(_shine, _sky)).framed((800, 800), width=4.4)
