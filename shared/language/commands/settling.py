"""Reads from an answer which of two statements holds: `yep, Thursday`, `no, still Tuesday`, `both`, `nein, noch in Bonn`.

All languages of settling.toml are read at once: who answers in a word shows no language, and no word of the table means yes in
one language and no in another.
"""

import functools
import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Literal, NamedTuple

from shared.contracts.conflicts import Holds
from shared.language.text.stating import content_words

LONGEST_ANSWER = 200
"""Characters. Who says more does not answer, but tells something: it is learned from like any other turn."""
_MOST_BARE_WORDS = 8
_OPENING = 6
"""Words among which a pointing phrase must begin."""
_WORD = re.compile(r"[\w'’-]+|[,.;:!]")
_STOPS = frozenset(",.;:!")

YesOrNo = Literal["yes", "no"]
Side = Literal["newer", "older"]
"""One of two statements."""

Aim = Literal["newer", "older", "either"]
"""Which of two statements a question asks about; either: it leaves the choice."""


class Alternatives(NamedTuple):
    """The words by which two statements differ, as stems."""

    newer: frozenset[str]
    older: frozenset[str]

    def named_by(self, text: str) -> frozenset[Side]:
        """Which of the two a text names."""
        words = content_words(text)
        sides: dict[Side, frozenset[str]] = {"newer": self.newer, "older": self.older}
        return frozenset(side for side, own in sides.items() if own & words)


def may_answer(text: str) -> bool:
    """Whether a text may answer any question of the kind; told without looking at the question."""
    return len(text) <= LONGEST_ANSWER and not text.rstrip().endswith(("?", "？"))


def aim_of(question: str, between: Alternatives) -> Aim | None:
    """Which statement a question asks about; None where it names neither."""
    named = between.named_by(question)
    if len(named) == 2:  # noqa: PLR2004 - both
        return "either" if re.search(_any_of(_phrases()["or"]), question.lower()) else "newer"
    return next(iter(named), None)


def read_holds(text: str, aim: Aim, between: Alternatives) -> Holds | None:
    """Which of two statements holds, as the answer to a question says; None where it does not say.

    >>> between = Alternatives(content_words("Thursday"), content_words("Tuesday"))
    >>> [read_holds(text, "newer", between) for text in ("yep, Thursday", "no, still Tuesday", "Tuesday, not Thursday", "Yes")]
    ['newer', 'older', 'older', 'newer']
    """
    said = _said(text)
    if not may_answer(text) or said.names("unsure"):
        return None
    for holds in ("both", "neither"):
        if said.names(holds):
            return holds
    affirmed, denied = _sides(said, between)
    if len(affirmed) == 1 and (said.opener or len(said.words) <= _MOST_BARE_WORDS):
        return next(iter(affirmed))
    if len(denied) == 1 and not affirmed and said.opener != "yes":
        return _OTHER[next(iter(denied))]
    return None if affirmed or denied else _bare(said, aim)


class _Said(NamedTuple):
    """The words of an answer, after what only opens it."""

    words: tuple[str, ...]
    opener: YesOrNo | None

    def names(self, kind: str) -> bool:
        """Whether a phrase of this kind is among its first words."""
        return bool(re.search(_any_of(_phrases()[kind]), " ".join(self.words[:_OPENING])))


def _said(text: str) -> _Said:
    words = [word.replace("’", "'") for word in _WORD.findall(text.lower())]
    while words and (words[0] in _STOPS or words[0] in _phrases()["fillers"]):
        words = words[1:]
    spoken = " ".join(words)
    found: dict[YesOrNo, int] = {"yes": _opens(spoken, "yes"), "no": _opens(spoken, "no")}
    opener = max(found, key=found.__getitem__)
    return _Said(tuple(words), opener if found[opener] else None)


def _opens(spoken: str, kind: str) -> int:
    """The length of the longest phrase of this kind with which a text begins; 0: none."""
    found = re.match(_any_of(_phrases()[kind]), spoken)
    return len(found[0]) if found else 0


def _after_opener(said: _Said, between: Alternatives) -> str:
    """What follows a `no` that answers; one that denies what follows, as in `no vivo en Roma`, is part of it."""
    first, *rest = said.words or ("",)
    if said.opener != "no" or first not in _phrases()["not"]:
        return " ".join(said.words)
    is_answer = not rest or rest[0] in _STOPS or between.named_by(rest[0]) or said.names("older") or said.names("newer")
    return " ".join(rest if is_answer else said.words)


def _sides(said: _Said, between: Alternatives) -> tuple[frozenset[Side], frozenset[Side]]:
    """Which statements are affirmed, and which denied: what stands after a `not` in its clause."""
    affirmed: set[Side] = set()
    denied: set[Side] = set()
    for clause in re.split(_any_of(_phrases()["breaks"] | _STOPS), _after_opener(said, between)):
        before, *after = re.split(_any_of(_phrases()["not"]), clause, maxsplit=1)
        affirmed |= between.named_by(before)
        denied |= between.named_by(" ".join(after))
    return frozenset(affirmed - denied), frozenset(denied - affirmed)


def _bare(said: _Said, aim: Aim) -> Holds | None:
    """What a yes, a no or a pointing word means, where neither statement is named."""
    if said.names("older") and said.opener != "yes":
        return "older"
    if said.names("newer") and said.opener != "no":
        return "newer"
    if said.opener is None or aim == "either":
        return None
    return aim if said.opener == "yes" else _OTHER[aim]


@functools.cache
def _any_of(phrases: frozenset[str]) -> str:
    """A pattern for any of these phrases as whole words, the longest first."""
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return rf"(?<![\w'])(?:{'|'.join(map(re.escape, longest_first))})(?![\w'])"


@functools.cache
def _phrases() -> Mapping[str, frozenset[str]]:
    source = resources.files(__package__).joinpath("settling.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(source).values()
    return {kind: frozenset(phrase for table in tables for phrase in table[kind]) for kind in next(iter(tables))}


_OTHER: Mapping[str, Side] = {"newer": "older", "older": "newer"}
