"""Which failures to learn from a session count against it."""

_OF_THE_ENDPOINT = frozenset({"unavailable", "endpoint_unreachable", "endpoint_busy"})


def counts(code: str) -> bool:
    """True if a failure with this code may be the session's own fault; nothing was wrong with it where nobody answered.

    >>> counts("answer_invalid"), counts("endpoint_unreachable")
    (True, False)
    """
    return code not in _OF_THE_ENDPOINT
