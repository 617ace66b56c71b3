"""Answers to a bot's questions: "Where do you live?" gives "York." its meaning, "I live in York"."""

import re

from services.consolidator.domain.language import ENGLISH, BotQuestion, LearningLanguage
from services.consolidator.domain.sentences import closed
from shared.language.text.sentences import sentences
from shared.language.text.spelling import spelled

_LONGEST_ANSWER = 20
_CLOSERS = " ,.:;!?-–—"
_MY = (
    (re.compile(r"^(?:your|ur|the|my)\b", re.IGNORECASE), "my"),
    (re.compile(r"^(?:dein|ihr|euer)(?=e?\b)", re.IGNORECASE), "mein"),
    (re.compile(r"^(?:eure)\b", re.IGNORECASE), "meine"),
    (re.compile(r"^(?:tus|sus|los|las)\b", re.IGNORECASE), "mis"),
    (re.compile(r"^(?:tu|su|el|la)\b", re.IGNORECASE), "mi"),
    (re.compile(r"^(?:ton|votre)\b", re.IGNORECASE), "mon"),
    (re.compile(r"^(?:ta)\b", re.IGNORECASE), "ma"),
    (re.compile(r"^(?:tes|vos)\b", re.IGNORECASE), "mes"),
)
_SENTENCE = re.compile(r"(?:(?![,;.–—]|\b(?:and|but|because|cos|so|since|though|if|when)\b).)*?\bI\b(?!\.)")
"""What states something itself, and is no value: `just yesterday I joined a church`."""
_BIDDING = re.compile(r"tell me (?:\w+ ){0,3}about (?:yourself|you)\b", re.IGNORECASE)
_OWN = re.compile(r"\b(?:your|ur)\b", re.IGNORECASE)


def question_of(text: str) -> str:
    """The last question of a bot's turn, without its mark; empty where it asks nothing.

    >>> question_of("Noted. Where do you live? I could look for a market.")
    'Where do you live'
    """
    asked = [each for each in sentences(text) if each.rstrip("\"')] ").endswith("?") or _BIDDING.match(each)]
    return asked[-1].rstrip("\"')]?!. ") if asked else ""


def answered(question: str, raw: str, language: LearningLanguage) -> str | None:
    """What an answer states, together with its question; None where that is not clear.

    `raw` is the first sentence of the answer, as it was written.
    """
    for answer in language.answers:
        for asks in answer.asks:
            if found := asks.search(question):
                return _stated(answer, raw, found.groupdict(), language)
    return None


def _stated(answer: BotQuestion, raw: str, groups: dict[str, str], language: LearningLanguage) -> str | None:
    yes, no = language.yes.match(raw), language.no.match(raw)
    polarity = yes or no
    rest = closed(raw[polarity.end() :] if polarity else raw).strip(_CLOSERS)
    pattern = answer.text.yes if yes else answer.text.no if no else None
    if polarity and pattern and not (rest and answer.text.states and yes):
        told = pattern
        if not rest or "{answer}" in pattern:
            return _filled(told, rest, groups, answer, language) if rest or "{answer}" not in pattern else None
        return f"{_filled(told, '', groups, answer, language)}, {rest}"
    if no or not rest or answer.text.states is None or language.evades.match(rest) or len(rest.split()) > _LONGEST_ANSWER:
        return None
    return _filled(answer.text.states, rest, groups, answer, language)


def _filled(pattern: str, rest: str, groups: dict[str, str], answer: BotQuestion, language: LearningLanguage) -> str | None:
    value = answer.strips.sub("", rest, count=1).strip() if answer.text.strips else rest
    is_own = not answer.text.begins and language.own.match(value)  # `my iguana` may be asked for
    is_value = value and answer.begins.match(value) and not is_own and not _SENTENCE.match(value)
    if "{answer}" in pattern and not is_value:
        return None
    named = {name: _mine(words) for name, words in groups.items() if words}
    article = "an" if value[:1].lower() in "aeiou" else "a"
    if re.match(r"(?:an?|the|retired|unemployed|self-employed|between)\b", value, re.IGNORECASE):
        article = ""
    told = " ".join(pattern.format(answer=value, a=article, **named).split())
    return spelled(told[:1].upper() + told[1:]) if language.code == ENGLISH else told[:1].upper() + told[1:]


def _mine(words: str) -> str:
    for pattern, own in _MY:
        words = pattern.sub(own, words, count=1)
    return _OWN.sub("my", words)
