"""A checkerboard, swirled: a point at distance 100 from the middle makes a full turn.

Try: pellucid render examples/swirl.py -o swirl.png
     pellucid explain examples/swirl.py
"""

from pellucid import images as im

picture = im.swirl(100, im.checkerboard(10, im.black, im.white))
