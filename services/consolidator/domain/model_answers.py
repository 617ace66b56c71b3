"""Reads the JSON that a model was asked for out of what it wrote: with fences, thoughts or prose around it, or cut off."""

import re
from typing import Any, NamedTuple

from shared.text.json_values import json_values, without_thoughts

_LIST = re.compile(r'"facts"\s*:\s*\[')


class ReadAnswer(NamedTuple):
    """The facts of an answer as they came, and whether the JSON was whole."""

    facts: list[Any]
    is_whole: bool


def read_answer(text: str) -> ReadAnswer | None:
    r"""The list `facts` that a model wrote; None if there is none. Of JSON that is broken, the objects that are whole.

    >>> read_answer('<think>easy</think>Here: ```json\n{"facts": [{"text": "a"}]}\n```')
    ReadAnswer(facts=[{'text': 'a'}], is_whole=True)
    >>> read_answer('{"facts": [{"text": "a"}, {"te')
    ReadAnswer(facts=[{'text': 'a'}], is_whole=False)
    """
    for candidate in (text, without_thoughts(text)):
        if (facts := _listed(candidate)) is not None:
            return ReadAnswer(facts, is_whole=True)
    return _salvaged(without_thoughts(text))


def _listed(text: str) -> list[Any] | None:
    """The facts of the last JSON value in a text that has them; of a list of objects, the list."""
    found = None
    for value in json_values(text):
        match value:
            case {"facts": list() as facts}:
                found = facts
            case [*facts] if facts and all(isinstance(each, dict) and "text" in each for each in facts):
                found = facts
    return found


def _salvaged(text: str) -> ReadAnswer | None:
    """The whole objects of a list of facts that is broken or was cut off; None if nothing looks like such a list."""
    lists = list(_LIST.finditer(text))
    if not lists:
        return None
    facts = [value for value in json_values(text[lists[-1].end() :]) if isinstance(value, dict) and "text" in value]
    return ReadAnswer(facts, is_whole=False)
