"""Adds the subject that chat omits: "Lost my keys", "Marcus here, pastry chef in Leeds"."""

import re

from shared.text.words import words_of

_ELIDED = re.compile(
    r"^(?P<adverb>(?:Just|Finally|Recently|Also|Already|Still|Only) )?(?P<verb>Lost|Got|Bought|Sold|Moved|Started|Finished"
    r"|Went|Booked|Met|Adopted|Joined|Quit|Won|Signed|Passed|Failed|Graduated|Broke|Ran|Visited|Planning|Working|Going|Moving"
    r"|Can't eat|Cannot eat|Can't drink|Thinking|Living|Studying|Learning|Love|Hate|Prefer|Trying|Looking|Allergic|Been)"
    r"(?= (?:(?<=eat )[a-z]|(?:my|our|an?|the|to|up|with|from|in|at|for|of|on|as|going|back|living|working|learning)\b"
    r"|(?-i:[A-Z0-9])))",
    re.IGNORECASE,
)
_AM = frozenset("planning working going moving thinking living studying learning trying looking allergic".split())  # noqa: SIM905
_HERE = re.compile(
    r"^(?:(?:it's|this is) )?(?P<name>[A-Z][\w-]+) here, (?P<article>an? |the )?(?P<role>[a-z][\w-]+(?: [\w'-]+){0,12})"
)
_MY_NAME = re.compile(r"^(?:I am|[Mm]y name is|I am called)\b")


def with_subject(sentence: str, speaker: str | None) -> str:
    """The statement with `I` added if it begins without a subject.

    >>> with_subject("Just moved to Oslo", None), with_subject("Ann here, nurse in Leeds", "Ann Lee")
    ('I just moved to Oslo', 'I am a nurse in Leeds')
    """
    if (here := _HERE.match(sentence)) and (speaker is None or here["name"].lower() in speaker.lower().split()):
        return f"I am {here['article'] or _article(here['role'])}{here['role']}{sentence[here.end() :]}"
    if elided := _ELIDED.match(sentence):
        return f"I {_auxiliary(elided['verb'].lower())}{sentence[0].lower()}{sentence[1:]}"
    return sentence


def _auxiliary(verb: str) -> str:
    if verb in _AM:
        return "am "
    return "have " if verb == "been" else ""


def _article(noun: str) -> str:
    return "an " if noun[0] in "aeiou" else "a "


def tells_only_the_name(sentence: str, speaker: str | None) -> bool:
    """True if a statement says only who speaks, which is known.

    >>> tells_only_the_name("I am Ann", "Ann Lee")
    True
    """
    told = _MY_NAME.match(sentence)
    if not told or not speaker:
        return False
    return _words(sentence[told.end() :]) <= _words(speaker)


def _words(text: str) -> set[str]:
    return {word.folded for word in words_of(text)}
