"""Reads the JSON that a model was asked for out of what it wrote: with fences, thoughts or prose around it, or cut off."""

import re
from typing import Any

from shared.language.text.json_values import json_values, mended, without_thoughts

_LIST = re.compile(r'"facts"\s*:\s*\[')


def read_answer(text: str) -> list[Any] | None:
    r"""The list `facts` that a model wrote; None if there is none, or nothing of it can be read.

    JSON that is broken is mended where one thing only can be meant; of what stays broken, the objects that are whole are taken.

    >>> read_answer('<think>easy</think>Here: ```json\n{"facts": [{"text": "a"}]}\n```')
    [{'text': 'a'}]
    >>> read_answer('{"facts": [{"text": "a"}, {"te'), read_answer('{"facts": [{"te')
    ([{'text': 'a'}], None)
    """
    for candidate in (mended(text), whole := mended(without_thoughts(text))):
        if (facts := _listed(candidate)) is not None:
            return facts
    lists = list(_LIST.finditer(whole))
    return (lists and list(filter(_is_fact, json_values(whole[lists[-1].end() :])))) or None


def _is_fact(value: object) -> bool:
    return isinstance(value, dict) and not value.keys().isdisjoint(("text", "fact"))


def _listed(text: str) -> list[Any] | None:
    """The facts of the last JSON value in a text that has them; of a list of objects, the list."""
    found = None
    values = list(json_values(text))
    for value in values:
        match value:
            case {"facts": list() as facts}:
                found = facts
            case {"facts": dict() as fact}:
                found = [fact]
            case {"facts": str() as written}:
                found = _listed(written)
            case [*facts] if facts and all(map(_is_fact, facts)):
                found = facts
            case {"sources": _} if _is_fact(value) and len(values) == 1 and not _LIST.search(text):
                found = [value]
    return found
