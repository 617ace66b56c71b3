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

_decoder = json.JSONDecoder(strict=False)  # takes line breaks and tabs in strings
_STRING = re.compile(r'("(?:[^"\\]|\\.)*+")', re.DOTALL)
_PYTHON = {"True": "true", "False": "false", "None": "null"}
_MENDS = (
    (re.compile(rf"\b(?:{'|'.join(_PYTHON)})\b"), lambda found: _PYTHON[found[0]]),
    (re.compile(r"(?<=[{,])(\s*)([A-Za-z_]\w*)(?=\s*:)"), r'\1"\2"'),  # a key without quotation marks
    (re.compile(r",\s*(?=[}\]])"), ""),
    (re.compile(r"(?<=[}\]])\s*(?=[{\[])"), ","),
)
_ENDS_VALUE = re.compile(r"(?:[}\]\d]|true|false|null)\s*\Z")


def without_thoughts(text: str) -> str:
    """The text without a reasoning model's thoughts, whether or not their beginning was written."""
    return _END_OF_THOUGHTS.sub("", _THOUGHTS.sub("", text))


def mended(text: str) -> str:
    """The text with what JSON forbids and cannot be meant otherwise put right: commas, Python's words, keys without marks.

    >>> mended('{facts: [{"text": "a", "sources": [1] "is": None,}, ]}')
    '{"facts": [{"text": "a", "sources": [1] ,"is": null}]}'
    """
    parts = _STRING.split(text)
    for place in range(0, len(parts), 2):
        for wrong, right in _MENDS:
            parts[place] = wrong.sub(right, parts[place])
        is_between = 0 < place < len(parts) - 1 and not parts[place].strip()
        if is_between or (place < len(parts) - 1 and _ENDS_VALUE.search(parts[place])):
            parts[place] += ","
    return "".join(parts)


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
