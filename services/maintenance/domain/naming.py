"""Which memories are read once more for names, and how the log says that one was.

Source: ../reference/memory-system.md, "Entity enrichment".
"""

FEW_ENTITIES = 2
"""A memory with more entities is not read again."""

MOST_A_RUN = 50
_ACCURATE = "ner/accurate/"


def is_accurate(method: str) -> bool:
    """True for the method of a finding by which a memory counts as read."""
    return method.startswith(_ACCURATE)
