"""All tests. A package, so that nobody else's `tests` can take its place on sys.path."""
