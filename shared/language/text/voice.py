"""Rewrites the first person as the third: `I work` becomes `Anna works`.

`we` becomes `<name> and others`, later `they`; `our` becomes the name's. Quoted words stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from shared.language.text.grammar import ADVERB, KIN, is_past, third_form

NOBODY = "The user"
_TITLES = frozenset("dr mr mrs ms miss prof professor sir dame lady lord father sister van von de the".split())  # noqa: SIM905

_QUOTED = re.compile(r"(\"[^\"]*\"|“[^”]*”)")
PERSON = re.compile(
    rf"(?:^|(?<=[,;:] ))(?P<both>(?:(?:[Mm]y|[Oo]ur) (?:[\w-]+ )?{KIN}(?: [A-Z][\w-]+)?|[A-Z][\w-]+) and I)\b"
    rf"|\b(?P<i>I)\b(?P<adverbs>(?: {ADVERB}){{0,4}})(?: (?P<verb>[A-Za-z]+(?:'t)?)\b)?"
    r"|\b(?P<other>[Ww]e|us|[Oo]urs?|[Mm]y|[Mm]ine|[Mm]e|myself|ourselves)\b"
)
_SECOND_VERB = re.compile(
    r" and (?P<verb>[a-z]+)(?= (?:it|the|an?|my|our|his|her|their|in|at|for|with|from|on|every|to|about|as)\b)"
)
_COORDINATED = frozenset(
    """work live play teach study write run call make sing read cook bake paint coach volunteer drive ride swim hike collect
    own manage lead speak sell buy grow help use keep have take do go travel train climb dance knit sew fish draw
    practise practice love like hate enjoy prefer want need eat drink feed walk build fix design""".split()  # noqa: SIM905
)
_I_VERB = re.compile(rf"\bI\b(?: {ADVERB}){{0,4}} (?P<verb>[a-z]+)\b")
_BREAKS_CHAIN = re.compile(r"\b(?:to|will|can|could|would|should|must|might|may|don't|doesn't|didn't|not|let|make|help)\b|,")


def third_person(sentences: Sequence[str], speaker: str | None) -> str:
    """The sentences with the speaker's name for `I`, `my`, `me`; the full name once, then the first.

    >>> third_person(["I work in Oslo and my cat hides"], "Anna Lind")
    "Anna Lind works in Oslo and Anna's cat hides."
    """
    names = _Names(speaker)
    return " ".join(f"{_told(sentence, names)}." for sentence in sentences)


def _told(sentence: str, names: _Names) -> str:
    pieces = _QUOTED.split(sentence)
    pieces[::2] = [PERSON.sub(_replacement(names), _with_second_verbs(piece)) for piece in pieces[::2]]
    words = "".join(pieces)
    return words[:1].upper() + words[1:]


def called(speaker: str | None, nobody: str) -> str:
    """The speaker's name, or who speaks where it is not known."""
    return " ".join(speaker.split()) if speaker and speaker.strip() else nobody


class _Names:
    """How to call the speaker, and those with them: first in full, then shorter."""

    def __init__(self, speaker: str | None) -> None:
        self._next = called(speaker, NOBODY.lower())
        first, _, rest = self._next.partition(" ")
        is_given = bool(rest) and first.isalpha() and first.lower() not in _TITLES
        self._later = first if is_given else self._next
        self._has_others = False

    def name(self) -> str:
        name, self._next = self._next, self._later
        return name

    def possessive(self) -> str:
        return f"{self.name()}'s"

    def others(self, later: str) -> str:
        if self._has_others:
            return later
        self._has_others = True
        return f"{self.name()} and others"


def _replacement(names: _Names) -> Callable[[re.Match[str]], str]:
    def replace(match: re.Match[str]) -> str:
        if match["both"]:
            companion = re.sub(
                r"^(?:my|our)\b", lambda _: names.possessive(), match["both"].removesuffix(" and I"), flags=re.IGNORECASE
            )
            return f"{companion} and {names.name()}"
        if match["i"]:
            return _subject(match, names)
        return _other(match["other"].lower(), names)

    return replace


def _subject(match: re.Match[str], names: _Names) -> str:
    verb = match["verb"]
    return names.name() + match["adverbs"] + (f" {third_form(verb)}" if verb else "")


def _other(word: str, names: _Names) -> str:
    match word:
        case "we":
            return names.others("they")
        case "us":
            return names.others("them")
        case "me":
            return names.name()
        case "myself" | "ourselves":
            return "themselves"
        case _:
            return names.possessive()


def _with_second_verbs(sentence: str) -> str:
    """Give the second verb of one `I` the ending too: `I count shoots and call it work`."""

    def conjugated(match: re.Match[str]) -> str:
        if match["verb"] in _COORDINATED and _is_present_of_i(sentence[: match.start()]):
            return f" and {third_form(match['verb'])}"
        return match[0]

    return _SECOND_VERB.sub(conjugated, sentence)


def _is_present_of_i(before: str) -> bool:
    """True if the words end in an unbroken clause `I <present verb> ...`."""
    subjects = list(_I_VERB.finditer(before))
    if not subjects or is_past(subjects[-1]["verb"]) or subjects[-1]["verb"] in ("am", "will", "can", "would", "could", "must"):
        return False
    return not _BREAKS_CHAIN.search(before, subjects[-1].end())
