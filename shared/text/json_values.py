"""Finds JSON in what a model wrote, with fences, thoughts or prose around it."""

import json
import re
from collections.abc import Iterator
from typing import Any

_THOUGHTS = re.compile(r"<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHTS = re.compile(r"\A.*</(?:think|thinking|thought|reasoning)>", re.DOTALL | re.IGNORECASE)
_MOST_OBJECTS = 1_024
_MOST_READ_OVER = 32
"""So many times the text is read for values that turn out to have no end: each may hold whole ones."""

_decoder = json.JSONDecoder()


def without_thoughts(text: str) -> str:
    """The text without a reasoning model's thoughts, whether or not their beginning was written."""
    return _END_OF_THOUGHTS.sub("", _THOUGHTS.sub("", text))


def json_values(text: str) -> Iterator[Any]:
    """The outermost JSON objects and lists in a text.

    >>> list(json_values('Here: {"a": [1]} and [2]'))
    [{'a': [1]}, [2]]
    """
    place = read_in_vain = 0
    for _ in range(_MOST_OBJECTS):
        start = min((at for sign in "{[" if (at := text.find(sign, place)) >= 0), default=-1)
        if start < 0 or read_in_vain > _MOST_READ_OVER * len(text):
            return
        try:
            value, place = _decoder.raw_decode(text, start)
        except (ValueError, RecursionError) as error:  # or a number of too many digits, or too deep
            read_in_vain += (error.pos if isinstance(error, json.JSONDecodeError) else len(text)) - start
            place = start + 1
        else:
            yield value
