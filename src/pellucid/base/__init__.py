"""The ground floor: errors, source locations, files and memory; everything else may import it."""
