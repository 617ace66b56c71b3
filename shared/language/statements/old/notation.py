"""The notation in which language files write wordings, and the regular expressions made of it.

`(live|lives) [right] in {value}`: words, alternatives, optional words, `<part>` for a part of the file's table, `{name}` for a
capture of one word or more, `{name=part}` for one that a part describes, as a regular expression. Words stand between single
spaces.
"""

import functools
import re
from collections.abc import Callable, Iterator, Mapping

_PART = re.compile(r"<([\w ]+)>")
_CAPTURE = re.compile(r"\{(\w+)(?:=(\w+))?\}")
_OPTIONAL_LAST = re.compile(r" \[([^\[\]]*)\]$")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\] ")
_WRITTEN_TOGETHER = re.compile(r"[^\s(\[|][(\[]|[)\]][^\s)\]|]")
_PLAIN = re.compile(r"[\w',-]+")
_ANY = "*"
_PIECE = re.compile(r"[()\[\]|]|[^\s()\[\]|]+")


def written_out(wording: str, parts: Mapping[str, str]) -> str:
    """The wording with the parts that it names outside of captures."""
    while "<" in wording:
        wording = _PART.sub(lambda found: f"({parts[found[1]]})", wording)
    return wording


def expression(wording: str, parts: Mapping[str, str]) -> str:
    """The regular expression of a wording.

    >>> expression("(live|lives) [right] in {value}", {})
    '(?:live|lives) (?:(?:right) )?in (?P<value>.+)'
    """
    made = written_out(wording, parts).replace("(", "(?:")
    made = _OPTIONAL_LAST.sub(r"(?: (?:\1))?", made)
    while (shorter := _OPTIONAL.sub(r"(?:(?:\1) )?", made)) != made:
        made = shorter

    def capture(found: re.Match[str]) -> str:
        described = with_parts(parts[found[2]], parts) if found[2] else f".+{'' if found.end() == len(made) else '?'}"
        return f"(?P<{found[1]}>{described})"

    return _CAPTURE.sub(capture, made)


def first_words(wording: str, parts: Mapping[str, str]) -> frozenset[str]:
    """The words with which a wording can begin.

    >>> sorted(first_words("(live|lives) in", {})), sorted(first_words("[just] (got|<x>) a", {"x": "took"}))
    (['live', 'lives'], ['got', 'just', 'took'])
    """
    plain = _CAPTURE.sub(lambda found: f"({parts[found[2]]})" if found[2] else found[0], wording, count=1)
    plain = plain if _CAPTURE.match(wording) else wording
    return frozenset(_firsts(iter(_PIECE.findall(written_out(plain, parts)))))


def second_words(wording: str, parts: Mapping[str, str]) -> Mapping[str, frozenset[str]]:
    """By each word with which a wording can begin, those that must stand behind it; where another word can, it is left out.

    >>> second_words("(live|lives) [right] in {value}", {})["live"] == {"right", "in"}
    True
    >>> second_words("live {value}", {}), second_words("live [alone]", {})
    ({}, {})
    """
    plain = written_out(wording, parts)
    found: dict[str, set[str]] = {}
    open_ended = set[str]()
    for first, *second in _beginnings(iter(_PIECE.findall(plain))) if not _WRITTEN_TOGETHER.search(plain) else ():
        if second and second[0] != _ANY:
            found.setdefault(first, set()).add(second[0])
        else:
            open_ended.add(first)
    is_any = _ANY in found.keys() | open_ended
    return {} if is_any else {first: frozenset(found[first]) for first in found.keys() - open_ended}


def with_parts(expression: str, parts: Mapping[str, str]) -> str:
    """A regular expression with those of the parts that it names in their places.

    >>> with_parts("no <food> ever", {"food": "nuts|<drink>", "drink": "tea"})
    'no (?:nuts|(?:tea)) ever'
    """
    return _PART.sub(lambda found: f"(?:{with_parts(parts[found[1]], parts)})", expression)


def _firsts(pieces: Iterator[str]) -> set[str]:
    """The first words of the alternatives up to the end of their bracket."""
    found: set[str] = set()
    is_open = True
    for piece in pieces:
        if piece in ")]":
            break
        if piece == "|":
            is_open = True
        elif piece in "([":
            inner = _firsts(pieces)
            found |= inner if is_open else set()
            is_open = is_open and piece == "["
        else:
            found |= {piece} if is_open else set()
            is_open = False
    return found


def _beginnings(pieces: Iterator[str]) -> set[tuple[str, ...]]:
    """The first two words of the alternatives up to the end of their bracket; fewer where one has no more."""
    found: set[tuple[str, ...]] = set()
    now: set[tuple[str, ...]] = {()}
    for piece in pieces:
        if piece in ")]":
            break
        if piece == "|":
            found |= now
            now = {()}
            continue
        if piece in "([":
            following = _beginnings(pieces) | ({()} if piece == "[" else set())
        else:
            following = {(piece if _PLAIN.fullmatch(piece) else _ANY,)}
        now = {(*before, *after)[:2] for before in now for after in following}
    return found | now


class LazyPattern:
    """A regular expression that is compiled when it is first tried: of thousands, few ever are."""

    def __init__(self, expression: str) -> None:
        self.expression = expression

    @functools.cached_property
    def match(self) -> Callable[..., re.Match[str] | None]:
        """The method of the compiled expression."""
        return re.compile(self.expression).match
