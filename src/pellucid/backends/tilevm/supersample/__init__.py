"""Supersampling: frames with many samples to a pixel, of which only what bounds leave open is sampled."""
