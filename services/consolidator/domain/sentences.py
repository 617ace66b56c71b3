"""Splits a message into statements: sentences without greeting, label or emoji, with `I am` for `I'm`."""

import re
from collections.abc import Iterator

from shared.text.grammar import ADVERB, is_past
from shared.text.sentences import EMOJI, sentences

LONGEST_CHARACTERS = 400
"""Characters. A longer sentence (a pasted log, a list) is no statement and is left out."""

_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_BULLET = re.compile(r"^(?:[-*•+]|\d{1,2}[.)])\s+")
_ABBREVIATIONS = frozenset("dr mr mrs ms prof st mt vs e.g i.e etc approx a.m p.m".split())  # noqa: SIM905

_FILLER = (
    "(?:(?:oh )?my (?:god|gosh|goodness)|omg|oh|then|ah|aw+|okay|ok|yeah|yea|yes|yep|yup|haha|ha|lol|lmao|wow|um+|uh+"
    "|h+m+|and|but|plus|ugh|hurray|whoa|woah|man|btw"
    "|tbh|so(?! (?:far|much|many|long|do|am|kind))|also|actually|honestly|basically|anyway)\\b"
)
_FILLER_WITH_COMMA = (
    "(?:no|nope|nah|wait|no wait|well|right|still|seriously|thanks|thank you|sorry|sure|exactly|good|great|fine|nice"
    "|alright|cool"
    "|true|by the way|of course|to be honest|anyways?|unfortunately|luckily|fyi|ps|p\\.s\\.|hi|hiya|hello|hey|hej|dear"
    "|(?:hi|hello|hey|hej|thanks|dear|alright|ok|okay|listen|so) (?-i:[A-Z])[\\w-]{1,20}|happy to say|and yes|in fact"
    "|for the record|good morning|good evening)"
)
_LABEL = r"[\w' ]{0,30}\b(?:thing|news|problem|side note|update|fyi|ps|reminder|fact|told you|tell you|to add|about me|know):"
_OPENING = re.compile(
    rf"(?:{_FILLER}[\s,.:–—-]*|{_FILLER_WITH_COMMA}\s?[,:–—-]\s*|{_LABEL}\s+"
    r"|(?-i:[A-Z][\w-]{1,20}), (?=(?:I|my|we|our|i)\b))",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    rf"(?:[\s,]*(?:{EMOJI}+|\b(?:lol|haha+|lmao|btw|by the way|(?:like|as) you (?:said|know|say|suggested)|you know|help|pls"
    r"|please|no joke|tho|xd|actually)\b|#\w+|:[-)(DPp]+))+[\s.!…]*$|[\s.!…,:-]+$",
    re.IGNORECASE,
)
_CONTRACTIONS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\bi(?=[ '])"), "I"),
    (re.compile(r"\b(I|[Ww]e)(?:'ve| have)? gotta\b"), r"\1 have to"),
    (re.compile(r"\bgonna\b"), "going to"),
    (re.compile(r"\bwanna\b"), "want to"),
    (re.compile(r"\bim (?=(?:an?|not|from|going|allergic|the|in|now|so|really|moving|starting)\b)"), "I'm "),
    (re.compile(r"\bive (?=(?:been|got|just|never|always|had|lived|worked|moved)\b)"), "I've "),
    (re.compile(r"\b(do|does|did|ca|wo|is|are|was|have|has|had)nt\b"), r"\1n't"),
    (re.compile(r"\bI'm\b"), "I am"),
    (re.compile(r"\b([Ww]e)'re\b"), r"\1 are"),
    (re.compile(r"\b(I|[Ww]e)'ve\b"), r"\1 have"),
    (re.compile(r"\b(I|[Ww]e)'ll\b"), r"\1 will"),
)
_WOULD_OR_HAD = re.compile(rf"\b(I|[Ww]e)'d\b(?=((?: {ADVERB}){{0,3}}) ([A-Za-z]+))")


def statements(text: str) -> Iterator[str]:
    """The sentences of a text, cleaned; questions end in `?`. Code, quoted mail and overlong sentences are left out.

    >>> list(statements("Hi! Oh, I'm from Oslo 😄 You?"))
    ['Hi', 'I am from Oslo', 'You?']
    """
    for line in _CODE.sub("\n", text).replace("’", "'").replace("`", "'").splitlines():
        words = line.strip()
        if words and not words.startswith(">"):
            for sentence in sentences(_BULLET.sub("", words), abbreviations=_ABBREVIATIONS, of_chat=True):
                if len(sentence) <= LONGEST_CHARACTERS and (cleaned := _cleaned(sentence)):
                    yield cleaned


def _cleaned(sentence: str) -> str:
    words = " ".join(sentence.split())
    mark = "?" if words.rstrip("\"')] ").endswith("?") else ""
    words = without_opening(_closed(words.rstrip("?") if mark else words))
    for pattern, replacement in _CONTRACTIONS:
        words = pattern.sub(replacement, words)
    words = _WOULD_OR_HAD.sub(_would_or_had, words)
    return words[:1].upper() + words[1:] + mark if words else ""


def _closed(words: str) -> str:
    while (shorter := _CLOSING.sub("", words)) != words:
        words = shorter
    return words


def without_opening(words: str) -> str:
    """The sentence without interjections, greetings and labels before it."""
    while (match := _OPENING.match(words)) and match.end():
        words = words[match.end() :]
    return words


def _would_or_had(match: re.Match[str]) -> str:
    return f"{match[1]} {'had' if is_past(match[3]) or match[3] in ('better', 'been') else 'would'}"
