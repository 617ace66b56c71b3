"""Cuts off what a turn hands over: a text to work on, a forwarded message, lines of a chat. It is nobody's statement.

Where such a text ends cannot be told, so all of the turn behind its beginning goes.
"""

import re
from collections.abc import Iterable

_WORKS = (
    r"(?:proofread|translate|rewrite|rephrase|paraphrase|summari[sz]e|shorten|reply|answer|respond|correct|fix|improve|edit|polish"
    r"|check|review|write|draft|continue|complete|compose|turn|convert|explain|analy[sz]e)"
)
_TASK = re.compile(
    rf"(?:^|(?<=[.!?] ))(?:(?:please|pls|can|could|would|will|you|help|me|i|need|want|to|just|now|kindly),? )*"
    rf"(?!(?<![a-z] )edit:){_WORKS}\b"
    r"[^:\n]{0,120}(?::[ \n]*\S|[^.\n]{0,20}\n\s*\S)",
    re.IGNORECASE | re.MULTILINE,
)
"""A request to work on a text that follows a colon or begins in the next line; `edit:` alone puts something right."""


def task_pattern(works: Iterable[str]) -> re.Pattern[str]:
    """Return the expression of such a request in another language. `works`: the words of which one is in it."""
    return re.compile(
        rf"(?:^|(?<=[.!?¿¡] ))(?:[¿¡]?[\w'-]+,? ){{0,4}}[¿¡]?(?:{'|'.join(works)})\b"
        r"[^:\n]{0,120}(?::[ \n]*\S|[^.\n]{0,20}\n\s*\S)",
        re.IGNORECASE | re.MULTILINE,
    )


_STAMP = r"(?:[\[(][\d:., /-]+(?:[ap]m)?[\])] ?-? ?)?"
_LABELLED = re.compile(rf"^[ \t]*{_STAMP}(?P<label>[^\W\d][^:\n?!]{{0,60}}?):\s+(?P<words>\S.*)", re.MULTILINE)
_FIRST_PERSON = re.compile(
    r"\b(?:I|i|[Mm]y|[Mm]e|[Ww]e|[Oo]ur|[Ii]ch|[Mm]eine?[mnrs]?|[Ww]ir|[Jj]e|[Mm](?:on|a|es)|[Nn]ous|[Yy]o|[Mm]is?)\b|\b[Jj]'"
)
_OWN_LABEL = re.compile(
    r"(?:.* )?(?:things?|news|problem|note|update|fyi|p\.?s\.?|reminder|facts?|context|background|important|info|warning"
    r"|confession|question|is|are|was|remember|know|mind|that|edit|summary|reason|issue|situation|told you|tell you|to add)"
    r"|(?:I|[Mm]y|[Oo]ur|[Aa]bout|[Ww]e)\b(?!.*'s\b).*",
    re.IGNORECASE,
)
"""A label that somebody sets before their own words: `Fun fact:`, `About me:`, `My plan:`."""


def own_words(text: str, task: re.Pattern[str] | None = None) -> str:
    """Return the text up to what it hands over. `task`: how a request to work on a text begins in its language.

    >>> own_words("I am a nurse. Please fix this: me has a dog"), own_words("Fun fact: I live in Porto")
    ('I am a nurse. ', 'Fun fact: I live in Porto')
    >>> own_words("Forwarded from Ben: I am allergic to penicillin")
    ''
    """
    begin = min((found.start() for each in (_TASK, task) if each and (found := each.search(text))), default=len(text))
    for line in _LABELLED.finditer(text, 0, begin):
        if _FIRST_PERSON.search(line["words"]) and not _OWN_LABEL.fullmatch(line["label"].strip()):
            return text[: line.start()]
    return text[:begin]
