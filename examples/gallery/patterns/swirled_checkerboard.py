"""A swirled checkerboard: figure 1 of the paper on Pan."""

from pellucid import images as im

picture = im.swirl(100, im.checkerboard(10, im.black, im.white)).framed((800, 800), width=200)
