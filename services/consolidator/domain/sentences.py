"""Splits a message into statements: sentences without greeting, label or emoji; in English with `I am` for `im`."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from services.consolidator.domain.handed_over import own_words
from services.consolidator.domain.introductions import introduced
from services.consolidator.domain.language import ENGLISH, LearningLanguage
from shared.language.text.sentences import EMOJI, sentences
from shared.language.text.spelling import spelled

LONGEST_CHARACTERS = 400
"""A longer sentence (a pasted log, a list) is no statement and is left out."""

_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_BULLET = re.compile(r"^(?:[-*•+]|\d{1,2}[.)])\s+")

_FILLER = (
    r"(?:(?:oh )?my (?:god|gosh|goodness)|omg|oh|yeh|hiya|bugger|blimey|gtg|(?:love|hun|babe|pal|mate)(?= (?:can|could"
    r"|would|will|what|how|do|you|i|im|its|is)\b)|g2g|ty|yh|ye|(?:it )?turns out(?: that)?|(?:i )?gotta (?:go|run|dash)"
    r"|sorry (?:for|about) my \w+|fr|ngl"
    "|fam|bruv|bet|innit|then|ah|aw+|okay|ok|yeah|yea|yes|yep|yup|haha|ha|lol|lmao|wow|um+|uh+"
    "|h+m+|and|but|plus|ugh|hurray|whoa|woah|man|btw"
    "|tbh|so(?! (?:far|much|many|long|do|am|kind|tired|happy|sad|bored))|also|actually|honestly|basically|anyway)\\b"
)
_FILLER_WITH_COMMA = (
    "(?:no|nope|nah|wait|no wait|well|right|still|seriously|thanks|thank you|sorry|sure|exactly|good|great|fine|nice"
    "|alright|cool|not really|yes please|of course|ok back|oh back|quick one|fun fact|not at all|good question"
    "|true|by the way|to be honest|anyways?|unfortunately|luckily|fyi|ps|p\\.s\\.|hi|hiya|hello|hey|hej|dear"
    "|(?:hi|hello|hey|hej|thanks|dear|alright|ok|okay|listen|so) (?-i:[A-Z])[\\w-]{1,20}|(?:ta |thanks |hiya |hi |hello "
    "|ok )?(?:love|hun|babe|pal|sweetheart|darling|duck|dear)|happy to say|and yes|in fact"
    "|for the record|good morning|good evening)"
)
_LABEL = r"[\w' ]{0,30}\b(?:thing|news|problem|side note|update|fyi|ps|reminder|fact|told you|tell you|to add|about me|know):"
_OPENING = re.compile(
    rf"(?:(?:you can )?assume (?:that )?(?=I(?:'m| am|'ve| have| know)\b)|{_FILLER}[\s,.:–—-]*|(?:great|right|cool|perfect"
    rf"|brilliant|nice|sorry|thanks|back) (?:so )?(?=(?:my|i'm|i've"
    rf"|i have|we|our)\b)|{_FILLER_WITH_COMMA}\s?[,:–—-]\s*|{_LABEL}\s+"
    r"|(?-i:[A-Z][\w-]{1,20}), (?=(?:I|my|we|our|i)\b))",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    rf"(?:[\s,]*+(?:{EMOJI}++|\b(?:lol|l+m+f*ao+|(?:ha){{2,}}h?|(?:ja){{2,}}|mdr|rofl|xd|xo+|xx*|btw|by the way|tho"
    "|though|ngl|tbh|rn|atm|ugh"
    "|(?:like|as) you (?:said|know|say|suggested)|you know|what (?:do|did|can) you (?:expect|do)|you know what i mean"
    "|(?:i )?(?:gotta|got to|have to|must) (?:go|run|dash)|thanks a (?:million|bunch|lot)|thank you|smh|is that (?:bad|ok"
    "|okay|good|normal|alright|too much|a lot)|(?:pls|plz|please) help|pls|plz|please"
    "|no joke|actually|whatever|obvs?|innit|ya know"
    r"|stp|svp|porfa|believe it or not|can you believe it"
    r"|it(?:'s|s| has) been (?:\w+ ){1,3}(?:weeks|months|years|days)(?: now)?)\b"
    r"|(?<!\w)#\w+|:[-']?[)(DPp/]+|<3))++[\s.!…]*+$|[\s.!…,:-]+$",
    re.IGNORECASE,
)


_ASIDE = re.compile(r"\s*+\([^()]*\b(?:you|u)\b[^()]*\)")
"""What is said to the listener in brackets."""


class ChatSentence(NamedTuple):
    """A sentence of a message."""

    words: str
    """Cleaned; a question ends in `?`. Empty where it only greets or agrees."""
    raw: str
    """As it was written: how it opens can tell that it puts something right."""


def statements(text: str, language: LearningLanguage) -> Iterator[ChatSentence]:
    """The sentences of a text, cleaned. Code, quoted mail, overlong sentences and what is handed over are left out."""
    for line in own_words(_CODE.sub("\n", text).replace("’", "'").replace("`", "'")).splitlines():
        words = line.strip()
        if words and not words.startswith(">"):
            yield from _of_line(_BULLET.sub("", words), language)


def _of_line(line: str, language: LearningLanguage) -> Iterator[ChatSentence]:
    split = [
        part
        for each in sentences(line, abbreviations=language.abbreviations, of_chat=True)
        for clause in language.restarts.split(each)
        for part in language.midway.split(clause)
    ]
    for sentence in _joined(split, language):
        raw = " ".join(sentence.split())
        if raw and len(raw) <= LONGEST_CHARACTERS:
            yield ChatSentence(cleaned(raw, language), raw)


def _joined(found: list[str], language: LearningLanguage) -> Iterator[str]:
    """The sentences, one that an exclamation mark or emoji cut too early with its end: `we've moved! to horsforth`."""
    before = ""
    for sentence in found:
        if before and not before.endswith(("?", ".")) and language.joins.match(sentence):
            before = f"{before.rstrip(' !')}, {sentence}"
        else:
            if before:
                yield before
            before = sentence
    if before:
        yield before


def cleaned(sentence: str, language: LearningLanguage) -> str:
    """A sentence without what opens and closes it; a question ends in `?`."""
    if language.code == ENGLISH and (name := introduced(sentence)):
        return name
    mark = "?" if sentence.rstrip("\"')] ").endswith("?") else ""
    words = without_opening(closed(sentence.rstrip("?") if mark else sentence), language)
    if language.code == ENGLISH:
        words = spelled(words)
    return words[:1].upper() + words[1:] + mark if words else ""


def closed(words: str) -> str:
    """The sentence without the emoji, laughter and politeness behind it."""
    words = _ASIDE.sub("", words)
    while (shorter := _CLOSING.sub("", words)) != words:
        words = shorter
    return words


def without_opening(words: str, language: LearningLanguage) -> str:
    """The sentence without interjections, greetings and labels before it."""
    opening = _OPENING if language.code == ENGLISH else language.opening
    while (match := opening.match(words)) and match.end():
        words = words[match.end() :]
    return words
