"""Tells in the third person what somebody asks to remember, so that whoever reads it knows whom it is about."""

import re

from shared.language.statements.old.language import language_of, statement_language
from shared.language.text.sentences import sentences
from shared.language.text.spelling import spelled
from shared.language.text.voice import PERSON, third_person

_WORD = re.compile(r"[^\W\d_]+")


def about_the_speaker(text: str, speaker: str | None) -> str:
    """A text in the third person; as it is where it is not English, asks, or has no first person.

    >>> about_the_speaker("my cat is called Wolfram", None), about_the_speaker("Tom is vegan", None)
    ("The user's cat is called Wolfram.", 'Tom is vegan')
    """
    if "?" in text or language_of(frozenset(_WORD.findall(text.lower()))) is not statement_language("en"):
        return text
    said = [spelled(sentence).rstrip(".! ") for sentence in sentences(text)]
    return third_person(said, speaker) if any(map(PERSON.search, said)) else text
