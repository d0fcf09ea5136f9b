"""Images as functions: points, colors, regions, warps, bitmaps, noise, shapes and text."""
