"""Files and views: a compiled picture becomes an array, a file, a film, or something to look at.

Above the driver and the vocabularies, below the command line and the notebook.

- `formats`, `source`, and `view` of the driver: what is asked for, checked before anything is computed.
- `draw`, `show`: the verbs.
- `film`, `containers`, `sinks`, `compose`: how pixels reach a file.
- `terminal`: what a person sees where there is none.
"""
