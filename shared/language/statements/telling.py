"""Writes what somebody asks to remember as a fact: plain English in the third person, else as it was said."""

from shared.language.statements.reading import read
from shared.language.statements.writing import write_plain


def about_the_speaker(text: str, speaker: str | None) -> str:
    """Return a text in the third person if all of it is one plain English statement in the first; else as it is.

    >>> about_the_speaker("my cat is called Wolfram", None), about_the_speaker("Tom is vegan", None)
    ("The user's cat is called Wolfram.", 'Tom is vegan')
    """
    said = read(text, language="en")
    is_plain = said.language == "en" and len(said.sentences) == 1 and 0 in said.plain
    return (is_plain and write_plain(text.rstrip(".! "), speaker)) or text
