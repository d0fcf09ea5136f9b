"""A flower of five petals, with veins."""

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    petal = 0.55 + 0.45 * im.cos(5 * p.theta)
    edge = 0.35 + 1.25 * im.sqrt(im.max(petal, 0))
    part = im.clamp(p.r / edge, 0, 1)
    veins = 0.08 * im.cos(60 * p.theta) * part * (1 - part)
    blossom = im.color_at(
        ["#ffd60a", "#ff9e00", "#ff477e", "#b5179e", "#560bad"], im.clamp(part + veins, 0, 1)
    )
    heart = im.color_at(
        ["#7f4f24", "#dda15e"], im.clamp(2 + im.cos(26 * p.r) + im.cos(13 * p.theta), 0, 3) / 3
    )
    sky = im.color_at(["#d8f3dc", "#40916c"], im.clamp(p.r / 3, 0, 1))
    return pl.where(p.r < 0.34, heart, pl.where(p.r < edge, blossom, sky))


picture = picture.framed((800, 800), width=4.0)
