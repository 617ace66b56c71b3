"""Splits a message into sentences, and masks quotations and code, which are no commands but may be a topic."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from shared.language.text.sentences import sentence_ends

HIDDEN = "\x00"
"""Replaces each character of a quotation or of code."""
LONGEST_CHARACTERS = 1_000
"""Characters. A longer sentence is no command and is left out."""

# A quotation without an end goes to the end of its line, but for one between apostrophes: those may be no quotation. Such a
# one and one between »« is bounded, or else from each of many marks the whole line would be searched for its end.
_HIDING = (
    re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL),
    re.compile(r"(?<!\w)`[^`\n]*(?:`|$)", re.MULTILINE),
    re.compile(r"<(q|blockquote|code|pre)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE),
    re.compile(r"[“„][^”“\"\n]*[”“\"]?|«[^»\n]*»?|»[^«\n]{0,1000}+«|‹[^›\n]*›?|「[^」\n]*」?"),
    re.compile(r"(?<!\w)\"(?=\S)[^\"\n]*(?:\"|$)", re.MULTILINE),
    re.compile(r"(?<![\w])[‘'‚](?=\w)(?:[^'’\n]|(?<=\w)['’](?=\w)){1,1000}+['’](?!\w)"),
)
_HIDES = frozenset("`~<“„«»‹「\"‘'‚")
"""With one of these begins whatever is hidden."""
_LEFT_OUT = re.compile(r"[ \t]*(?:>|&gt;)|(?: {4}|\t)")
_ITEM = re.compile(r"[ \t]*(?:[-*•+–—]|\d{1,2}[.)])[ \t]+")
_WORD = re.compile(r"\w")
_STRESSED = re.compile(r"(?:(?<![\w.'’])[\w'’]++\. ){3,}+")
"""Words with a full stop after each: `do. not. save. this. `"""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, as it is and with quotations and code masked; both have the same length."""

    text: str
    shown: str
    is_question: bool
    is_item: bool
    """True if it is an item of a list."""
    line: int
    """Index of its line, from 0, counting lines that were left out."""


def sentences(text: str, *, abbreviations: Collection[str] = ()) -> Iterator[Sentence]:
    r"""The sentences of a message, in order. Quoted lines (`>`) and indented code are left out.

    >>> [sentence.text for sentence in sentences("Hi! Ask Dr. No. > that\n> this", abbreviations=["dr"])]
    ['Hi!', 'Ask Dr. No.', '> that']
    """
    shown = text
    if not _HIDES.isdisjoint(text):
        for pattern in _HIDING:
            shown = pattern.sub(lambda match: HIDDEN * len(match[0]), shown)
    shown = _STRESSED.sub(lambda match: match[0].replace(".", " "), shown)
    start = 0
    for number, line in enumerate(shown.split("\n")):
        if not _LEFT_OUT.match(line):
            yield from _of_line(text[start : start + len(line)], line, number, abbreviations)
        start += len(line) + 1


def _of_line(text: str, shown: str, number: int, abbreviations: Collection[str]) -> Iterator[Sentence]:
    item = _ITEM.match(shown)
    start = item.end() if item else 0
    for end in sentence_ends(shown, start, abbreviations=abbreviations, of_chat=True):
        piece = shown[start:end]
        bare = piece.strip()
        if _WORD.search(bare) and len(bare) <= LONGEST_CHARACTERS:
            lead = start + len(piece) - len(piece.lstrip())
            said = text[lead : lead + len(bare)]
            yield Sentence(said, bare, is_question="?" in bare[-3:], is_item=item is not None, line=number)
        start = end
