"""Says which extra an adapter needs."""


def missing(extra: str) -> ImportError:
    """The error to raise where a framework is not installed."""
    return ImportError(f"memstream[{extra}] is needed for this adapter: pip install 'memstream[{extra}]'")
