"""Writes facts: a plain English statement in the third person, and whatever else in the person's own words, quoted."""

from __future__ import annotations

from collections.abc import Sequence

from shared.language.statements.language import StatementLanguage
from shared.language.text.spelling import spelled
from shared.language.text.voice import PERSON, called, third_person

_MARKS = str.maketrans({'"': "'", "“": "'", "”": "'", "„": "'", "«": "'", "»": "'"})
_SPELLINGS = str.maketrans({"’": "'", "‘": "'", "`": "'", "ʼ": "'"})


def quote(words: str, speaker: str | None, language: StatementLanguage) -> str:
    r"""Return words in quotation marks, and whose they are.

    >>> from shared.language.statements.language import statement_language
    >>> quote("we're off to Whitby", "Dan", statement_language("en"))
    'Dan said: "we\'re off to Whitby"'
    """
    return _fill(language.tables.quote, words, speaker, language)


def quote_wish(words: str, speaker: str | None, language: StatementLanguage) -> str:
    """Return a wish to the bot in quotation marks, and whose it is."""
    return _fill(language.tables.wish, words, speaker, language)


def quote_reply(words: str, question: str, speaker: str | None, language: StatementLanguage) -> str:
    """Return an answer in quotation marks, with the question that it answers."""
    return _fill(language.tables.reply, words, speaker, language, question=_plain(question))


def quote_correction(words: str, right: str, speaker: str | None, language: StatementLanguage) -> str:
    """Return words in quotation marks, with what puts them right."""
    return _fill(language.tables.correction, words, speaker, language, right=_plain(right))


def write_plain(words: str, speaker: str | None) -> str | None:
    """Return a plain English statement in the third person; None if it has no first person that could be replaced.

    >>> write_plain("im vegan", "Anna Lind")
    'Anna Lind is vegan.'
    """
    written = spelled(words.translate(_SPELLINGS))
    return third_person([written], speaker) if PERSON.search(written) else None


def are_words_of(words: Sequence[str], sources: Sequence[str]) -> bool:
    """Return True if each of some words stands in one of the sources, but for the kind of quotation marks and white space."""
    texts = [_bare(source) for source in sources]
    return all(any(_bare(each) in text for text in texts) for each in words)


def _fill(pattern: str, words: str, speaker: str | None, language: StatementLanguage, **more: str) -> str:
    return pattern.format(name=called(speaker, language.tables.user), words=_plain(words), **more)


def _plain(words: str) -> str:
    return " ".join(words.translate(_MARKS).split())


def _bare(text: str) -> str:
    return " ".join(text.translate(_MARKS).translate(_SPELLINGS).split()).casefold()
