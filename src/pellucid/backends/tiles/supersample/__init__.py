"""Supersampling: frames with many samples to a pixel, which are computed only where bounds do not decide the bytes."""
