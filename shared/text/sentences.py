"""Where the sentences of a text end. Linear in any text: a line of 65,536 exclamation marks is read once."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence

from shared.text.words import Word

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
