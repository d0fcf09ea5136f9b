"""The back end "tiles": frames, drawn by the tile machine of `backends.tilevm`."""
