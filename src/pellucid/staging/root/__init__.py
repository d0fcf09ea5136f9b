"""root: programs as data, in the style of continuations and closures that are passed (Draves 1996)."""
