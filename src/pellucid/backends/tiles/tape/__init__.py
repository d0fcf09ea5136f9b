"""The tape: a pixel as instructions, and the shorter tapes of squares where interval evaluation decides something."""
