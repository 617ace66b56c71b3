"""Memories by the beginnings of their ids, as `search` and `context` print them."""

import re

from memstream.client import Memories, NotFound

_BEGINNING = re.compile(r"(?:ep|fact|ref|roll)_[0-9a-f]{4,23}")


async def whole_id(memory: Memories, given: str) -> str:
    """The id that begins so; what is a whole id, or no id at all, as it is. Raises Malformed where several begin so."""
    if not _BEGINNING.fullmatch(given):
        return given
    try:
        return (await memory.show(given)).memory.memory_id
    except NotFound:  # whoever gets it says what an unknown id means there
        return given
