"""Takes the frame off a fact that quotes a user without a name: `The user said: "…"`."""

from functools import cache

from shared.language.tables import CODES, section

_WORDS = "\0"


def words_quoted(text: str) -> str:
    """Return the quoted words of a fact, in whichever language its frame is; any other text unchanged.

    >>> words_quoted('The user said: "off to Whitby"'), words_quoted('Dan said: "off to Whitby"')
    ('off to Whitby', 'Dan said: "off to Whitby"')
    """
    for before, after in _frames():
        if text.startswith(before) and text.endswith(after):
            return text[len(before) : len(text) - len(after)]
    return text


@cache
def _frames() -> tuple[tuple[str, str], ...]:
    """Return the text before and after the quoted words, for each language."""
    tables = [section(code, "statements") for code in CODES]
    written = (table["quote"].format(name=table["user"], words=_WORDS).partition(_WORDS) for table in tables)
    return tuple((before, after) for before, _, after in written)
