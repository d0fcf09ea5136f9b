"""The exclusive or of column and row, as a color.

A picture of whole numbers: a function from a column and a row to a packed color.
"""

from pellucid import images as im


@im.discrete
def picture(i, j):
    k = (i ^ j) & 255
    return im.packed_color(k, k * 3 >> 2, 255 - (k >> 1))


picture = picture.framed((800, 800), center=(128.0, 128.0), width=256)
