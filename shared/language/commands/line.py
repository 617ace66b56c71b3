"""A sentence as phrases see it: normal words, each with a space after it, and the way back to what was written."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from shared.language.commands.language import Language
from shared.language.commands.phrases import normal
from shared.language.text.sentences import HIDDEN, MessageSentence

_TOKEN = re.compile(rf"{HIDDEN}+|[\w'’´`ʼ]+(?:[-.@/][\w'’´`ʼ]+)*(?:[+#]++(?!\w))?|[,:()\[\]/–—|~•→⇒➡-]")
_QUOTED = re.compile(r"[\"“”„«»‘‚`‹›「」<>'’](?:(?<!['’])|(?=[-.@/])|(?<=[-.@/].))")
"""A quotation mark, and an apostrophe beside what joins words; it begins with a set, which is looked for quickly."""
_PART = re.compile(r"[^\W_]+")
_EMOJI = re.compile(r" ?([^\w\s\x00-\x7f.,;:!?…“”‘’«»„–—-]+)")
_MARKS = frozenset("()[]/–—|~•→⇒➡-")
_WRAP = "\"'“”„«»‘’`*_"
_SIGNS = frozenset((",", ":"))
_EDGE = " \t\r,;:-–—!…"
_MOST_CLAUSES = 12


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence in normal words. Offsets refer to `words` unless a docstring says otherwise."""

    said: MessageSentence
    words: str
    offsets: tuple[int, ...]
    """Offset of each word."""
    spans: tuple[tuple[int, int], ...]
    """Begin and end of each word in the sentence's text."""
    slips: tuple[int, ...]
    """Offsets of words in which a slip was corrected."""
    vocabulary: frozenset[str]
    starts: tuple[int, ...]
    """Offsets at which a clause may begin: the start, after each comma, and after each conjunction."""

    def written(self, start: int, end: int, *, keeps_emoji: bool = False) -> str:
        """The original text between two offsets, with single spaces, without quotation marks and punctuation around it."""
        first, last = bisect_left(self.offsets, start), bisect_left(self.offsets, end) - 1
        if first > last:
            return ""
        text = self.said.text[self.spans[first][0] : self.spans[last][1]]
        if keeps_emoji and (emoji := _EMOJI.match(self.said.text, self.spans[last][1])):
            text = f"{text} {emoji[1]}"
        return _bare(" ".join(text.split()))

    def slipped(self, start: int, end: int) -> bool:
        """True if a slip was corrected between these offsets."""
        return any(start <= at < end for at in self.slips)

    def is_name(self, at: int) -> bool:
        """True if the word at this offset is written like a name."""
        start, _ = self.spans[bisect_right(self.offsets, at) - 1]
        return self.said.text[start].isupper()

    def is_called(self, at: int) -> bool:
        """True if the word at this offset is a mention: `@luna`."""
        if at >= len(self.words):
            return False
        start, _ = self.spans[bisect_right(self.offsets, at) - 1]
        return self.said.text[:start].endswith("@")

    def word(self, at: int) -> str:
        """The word at this offset; empty at the end."""
        return self.words[at : self.words.find(" ", at)] if at < len(self.words) else ""

    def next_break(self, start: int, end: int, breaks: frozenset[str]) -> int | None:
        """Offset of the first of these words between `start` and `end`; None if there is none."""
        first = bisect_right(self.offsets, start)
        return next((at for at in self.offsets[first : bisect_left(self.offsets, end)] if self.word(at) in breaks), None)

    def topic_end(self, begin: int, end: int, language: Language) -> int:
        """Offset at which a topic ends: at a reason, or at a comma or colon after which another clause begins."""
        while at := self.next_break(begin, end, language.topic_breaks):
            if (
                self.word(at) not in _SIGNS
                or self.word(at + 2) in language.text.trailers
                or self._is_clause(at + 2, end, language)
            ):
                return at
            begin = at
        return end

    def _is_clause(self, begin: int, end: int, language: Language) -> bool:
        """True if what follows a comma says something: `my address, the new one is ...`."""
        comma = self.words.find(" , ", begin, end)
        following = self.words[begin : end if comma < 0 else comma]
        return not language.text.copulas.isdisjoint(following.split())


def line(said: MessageSentence, language: Language) -> Line:
    """The line of a sentence: its words in normal form, with slips corrected."""
    forms: list[str] = []
    offsets: list[int] = []
    spans: list[tuple[int, int]] = []
    slips: list[int] = []
    at = 0
    for token in _TOKEN.finditer(said.shown):
        shown = token[0]
        form = shown.lower() if shown.isascii() and shown.isalnum() else "," if shown in _MARKS else normal(shown)
        if not form or (form in _SIGNS and forms and forms[-1] in _SIGNS):
            continue
        meant = language.meant(form)
        if meant != form and form not in language.text.spellings:
            slips.append(at)
        for word in meant.split():  # `outta` is two
            forms.append(word)
            offsets.append(at)
            spans.append(token.span())
            at += len(word) + 1
    return Line(
        said,
        "".join(f"{form} " for form in forms),
        tuple(offsets),
        tuple(spans),
        tuple(slips),
        frozenset(forms),
        _starts(forms, offsets, language.text.joints),
    )


def _starts(forms: list[str], offsets: list[int], joints: AbstractSet[str]) -> tuple[int, ...]:
    starts = [0]
    for at, word in zip(offsets, forms, strict=True):
        if word == "," and starts[-1] == at:
            starts[-1] = at + 2
        elif word == "," or word in joints:
            starts.append(at + len(word) + 1)
            if len(starts) > _MOST_CLAUSES:
                break
    return tuple(starts[:_MOST_CLAUSES])


def words_in(text: str) -> frozenset[str]:
    """The words that lines of a text may have, in normal form, and more: what is quoted, and the parts of words.

    >>> sorted(words_in("Off-record: don’t!"))
    [':', 'dont', 'off', 'off-record', 'record']
    """
    shown = normal(text)
    words = frozenset(shown.split())
    signed = " ".join(word for word in words if not word.isalnum())
    if signed:
        found = _TOKEN.findall(signed)
        found += [part for word in found if not word.isalnum() for part in _PART.findall(word)]
        words = words.difference(signed.split()).union(found)
    if _QUOTED.search(text):
        words = words.union(_TOKEN.findall(normal(_QUOTED.sub(" ", text))))
    return frozenset(word.strip("_") for word in words) if "_" in shown else words


def _bare(text: str) -> str:
    bare = text.strip(_EDGE).rstrip(".")
    if len(bare) > 1 and bare[0] in _WRAP and bare[-1] in _WRAP:
        bare = bare.strip(_WRAP)
    return bare.strip(_EDGE)
