"""The file of this folder that each word stands in, so that a file is imported when one of its words is asked for.

Written by `python -m tools.stubs` from the registry: change that.
"""

from __future__ import annotations

_WORDS = {
    "adjust": """
alpha brighten contrast fade gamma grayscale invert luminance posterize saturate tint turn_hue
""",
    "bend": """
circle_limit crop_rad kaleidoscope log_polar polar polar_transform rad_invert ripple_rad rosette washer
""",
    "bitmap": """
bitmap read_image reconstruct
""",
    "blend": """
blend composite multiply screen
""",
    "distance": """
distance glow
""",
    "gradient": """
color_at conic_gradient linear_gradient radial_gradient ramp
""",
    "hyperbolic": """
hyperbolic hyperbolic_checker
""",
    "noise": """
cellular fbm periodic_noise perlin_noise ridged simplex_noise turbulence value_noise
""",
    "packed": """
from_buffer
""",
    "palette": """
color gray_level hsl hsv lerp_color linear_rgb oklab oklch over_color rgb rgba
""",
    "pattern": """
alt_rings checker checkerboard dots gasket grid herringbone polar_checker rings stripes vstrip wave_dist yb_rings
""",
    "pointwise": """
bilerp cond const empty lerp lift over r stack theta x y
""",
    "region": """
annulus complement crop disk everywhere fill half_plane intersect nowhere rad_reg shift_xor subtract udisk union
wedge_annulus xor xorgon
""",
    "shape": """
sdf_box sdf_capsule sdf_disk sdf_fill sdf_heart sdf_inside sdf_intersection sdf_offset sdf_onion sdf_polygon
sdf_regular sdf_ring sdf_rounded_box sdf_scale sdf_segment sdf_smooth_intersection sdf_smooth_union sdf_star
sdf_stroke sdf_subtraction sdf_triangle sdf_union
""",
    "text": """
text
""",
    "vm": """
read_vm
""",
    "warp": """
about centered compose mirror move reflect rotate scale shear stretch swirl swirling tile translate turn uscale
ustretch warp
""",
}
HOMES = {word: file for file, words in _WORDS.items() for word in words.split()}
"""The file of each word of the vocabulary."""
