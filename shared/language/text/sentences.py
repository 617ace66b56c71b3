"""Splits texts into sentences, and messages also into lines, with quotations and code masked.

Linear in any text: a line of 65,536 exclamation marks is read once.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from shared.language.text.words import Word

HIDDEN = "\x00"
"""Replaces each character of a quotation or of code."""

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

EMOJI = "[\U0001f1e6-\U0001faff\u2600-\u27bf\ufe0f\u200d\u2b50]"
_MARKS = ".!?…؟"
_CLOSERS = "\"'”’)\\]*_\x00"
_END = rf"(?<![{_MARKS}])[{_MARKS}]++[{_CLOSERS}]*+(?=\s|$)|[。！？]|\n"
_SENTENCE_END = re.compile(_END)
_CHAT_END = re.compile(rf"{_END}|;(?=\s)|(?<!{EMOJI}){EMOJI}++(?=\s|$)")
_LAST_WORD = re.compile(r"[\w.]*\w$")
_LONGEST_ABBREVIATION = 12


def sentence_ends(text: str, start: int = 0, *, abbreviations: Collection[str] = (), of_chat: bool = False) -> Iterator[int]:
    """The place behind each sentence from `start` on, and behind its closing quotation marks; the text's end comes last.

    Where `abbreviations` are given, in lower case, no full stop behind one or behind a single capital letter ends a sentence.
    In chat a semicolon ends one, and so do emoji.

    >>> list(sentence_ends('"Hi!" Ask Dr. No.', abbreviations=["dr"]))
    [5, 17]
    """
    for end in (_CHAT_END if of_chat else _SENTENCE_END).finditer(text, start):
        if not (abbreviations and end[0] == "." and _is_abbreviated(text, end.start(), abbreviations)) and end.end() < len(
            text
        ):
            yield end.end()
    yield len(text)


def sentences(text: str, *, abbreviations: Collection[str] = (), of_chat: bool = False) -> list[str]:
    """The sentences of a text, as `sentence_ends` finds them, without the white space between them.

    >>> sentences("It rained. 雨。 Really?!")
    ['It rained.', '雨。', 'Really?!']
    """
    found, start = [], 0
    for end in sentence_ends(text, abbreviations=abbreviations, of_chat=of_chat):
        found.append(text[start:end].strip())
        start = end
    return [sentence for sentence in found if sentence]


class MessageSentence(NamedTuple):
    """A sentence of a message, as it is and with quotations and code masked; both have the same length."""

    text: str
    shown: str
    is_item: bool
    """True if it is an item of a list."""
    line: int
    """Index of its line, from 0, counting lines that were left out."""

    @property
    def is_question(self) -> bool:
        """True if it ends in a question mark."""
        return "?" in self.shown[-3:]


def message_sentences(
    text: str, *, abbreviations: Collection[str] = (), most_characters: int | None = None
) -> Iterator[MessageSentence]:
    r"""Yield the sentences of a message in order, without quoted lines (`>`), indented code and sentences that are longer.

    >>> [sentence.text for sentence in message_sentences("Hi! Ask Dr. No. > that\n> this", abbreviations=["dr"])]
    ['Hi!', 'Ask Dr. No.', '> that']
    """
    shown = text
    if not _HIDES.isdisjoint(text):
        for pattern in _HIDING:
            shown = pattern.sub(lambda match: HIDDEN * len(match[0]), shown)
    shown = _STRESSED.sub(lambda match: match[0].replace(".", " "), shown)
    begin = 0
    for number, line in enumerate(shown.split("\n")):
        item = _ITEM.match(line)
        start = item.end() if item else 0
        for end in () if _LEFT_OUT.match(line) else sentence_ends(line, start, abbreviations=abbreviations, of_chat=True):
            bare = line[start:end].strip()
            if _WORD.search(bare) and len(bare) <= (most_characters or len(bare)):
                at = begin + line.index(bare, start)
                yield MessageSentence(text[at : at + len(bare)], bare, item is not None, number)
            start = end
        begin += len(line) + 1


def word_ranges(words: Sequence[Word], ends: Collection[int]) -> Iterator[tuple[int, int]]:
    """Index of the first word and one past the last, for each part of a text between two ends that has words."""
    starts = [word.start for word in words]
    first = 0
    for end in sorted(ends):
        after = bisect_left(starts, end)
        if after > first:
            yield first, after
            first = after


def _is_abbreviated(text: str, stop: int, abbreviations: Collection[str]) -> bool:
    word = _LAST_WORD.search(text, max(0, stop - _LONGEST_ABBREVIATION), stop)
    return word is not None and (word[0].lower() in abbreviations or (len(word[0]) == 1 and word[0].isupper()))
