"""Writes what somebody asks to remember as a fact: plain English in the third person, and quoted where it says `I`."""

from shared.language.statements.language import statement_language
from shared.language.statements.reading import read
from shared.language.statements.writing import quote, write_plain
from shared.language.tables import ENGLISH


def about_the_speaker(text: str, speaker: str | None) -> str:
    """Return a text in the third person if all of it is one plain English statement, quoted if it says `I`, else as it is.

    >>> about_the_speaker("my cat is called Wolfram", None), about_the_speaker("Tom is vegan", None)
    ("The user's cat is called Wolfram.", 'Tom is vegan')
    >>> about_the_speaker("my spare key is under the mat", "Ana")
    'Ana said: "my spare key is under the mat"'
    """
    said = read(text, language=ENGLISH)
    if said.language is None:
        return text
    language = statement_language(said.language)
    bare = text.rstrip(".! ")
    is_plain = said.language == ENGLISH and len(said.sentences) == 1 and 0 in said.plain
    if is_plain and (plain := write_plain(bare, speaker)):
        return plain
    words = {token.word for sentence in said.sentences for token in sentence.whole.tokens}
    return text if words.isdisjoint(language.first_person) else quote(bare, speaker, language)
