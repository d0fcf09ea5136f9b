"""A vertical strip.

The simplest region with an edge: |x| <= 1/2.
"""

from pellucid import images as im

picture = im.cond(im.vstrip, "#14213d", "#f7f3e9").framed((800, 800), width=4)
