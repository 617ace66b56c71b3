"""Tells from the words of a text alone that it holds no wish not to be kept.

It takes a tenth of the time of reading, and leaves one in seven of what people say to be read.
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, reduce
from operator import or_

from shared.language.commands import phrases
from shared.language.commands.cue_words import CueWords, DoubtWords
from shared.language.text.frequency import rank_of

Kinds = tuple[AbstractSet[str], ...]
"""Kinds of words, of each of which every clause of some sort has one."""

_NOTHING = object()
_NEVER = 10**9
"""The rank of a kind without words: no text has one."""

_FiledPhrase = tuple[int, phrases.Phrase | None]
"""The bits of all kinds that are needed, and the phrase that needs them; None for a clause."""


class _FiledByKind:
    """What needs one kind of words: by the bit of the rarest kind that it needs beside."""

    def __init__(self) -> None:
        self.beside = 0  # the bits of those kinds, of which a text must have one
        self._entries: dict[int, list[_FiledPhrase]] = {}

    def add(self, beside: int, entry: _FiledPhrase) -> None:
        """File an entry. `beside`: the bit of the next kind, or that of the kind itself if it needs no other."""
        self.beside |= beside
        self._entries.setdefault(beside, []).append(entry)

    def that_may_be(self, has: int, words: AbstractSet[str]) -> Iterator[phrases.Phrase | None]:
        """The phrases, and None for each clause, that a text of these words may have. `has`: the bits of its kinds."""
        for beside, entries in self._entries.items():
            if has & beside:
                for needed, phrase in entries:
                    if has & needed == needed and (phrase is None or phrases.may_match(phrase, words)):
                        yield phrase


class WishWords:
    """The words of phrases and clauses, filed so that only those are looked at of which the two rarest words are there."""

    def __init__(self, known: Iterable[phrases.Phrase], clauses: Sequence[Kinds] = ()) -> None:
        self._bits: dict[frozenset[str], int] = {}
        self._has: dict[str, int] = {}
        self._of_kind: dict[frozenset[str], _FiledByKind] = {}
        self._filed: dict[str, list[_FiledByKind]] = {}
        rarity = cache(_rarity)  # hundreds of phrases have the same kinds
        for kinds in clauses:
            self._file(sorted(map(frozenset, kinds), key=rarity, reverse=True), None)
        for phrase in known:
            for way in phrases.ways(phrase):
                self._file(sorted(way, key=rarity, reverse=True), phrase)
        self._rarest = frozenset(self._filed)

    def _file(self, kinds: Sequence[frozenset[str]], phrase: phrases.Phrase | None) -> None:
        """File a phrase, or a clause that is none, by its rarest kind of words and the next. `kinds`: the rarest first."""
        rarest, *others = kinds
        filed = self._of_kind.get(rarest)
        if filed is None:
            filed = self._of_kind[rarest] = _FiledByKind()
            for word in rarest:
                self._filed.setdefault(word, []).append(filed)
        bits = [self._bit(kind) for kind in (rarest, *others)]
        filed.add(bits[min(1, len(others))], (reduce(or_, bits), phrase))

    def _bit(self, kind: frozenset[str]) -> int:
        """The bit of a kind of words, as it is for each word of it."""
        if kind not in self._bits:
            self._bits[kind] = 1 << len(self._bits)
            for word in kind:
                self._has[word] = self._has.get(word, 0) | self._bits[kind]
        return self._bits[kind]

    def may_be_in(self, words: AbstractSet[str]) -> bool:
        """True if a text of these words may have one of the phrases or clauses; never false for one that has."""
        return next(self.that_may_be_in(words), _NOTHING) is not _NOTHING

    def that_may_be_in(self, words: AbstractSet[str]) -> Iterator[phrases.Phrase | None]:
        """The phrases that a text of these words may have, and None for each clause that it may; some more than once."""
        if not (rarest := self._rarest & words):
            return
        has, known = 0, self._has
        for word in words:
            if word in known:
                has |= known[word]
        for word in rarest:
            for filed in self._filed[word]:
                if has & filed.beside:
                    yield from filed.that_may_be(has, words)


def _rarity(kind: frozenset[str]) -> tuple[int, int]:
    """How rare the words of a kind are: those that hardly any text has come last."""
    return min(map(rank_of, kind), default=_NEVER), -len(kind)


def kinds_of_wishes(cues: CueWords) -> tuple[Kinds, ...]:
    """The words that a clause needs to be read as a wish by `cued`, `bare` or `doubted`, a row for each way of reading."""
    bare = cues.bare
    refuses = cues.denies | bare.refuses | bare.bans
    certain = (
        (cues.hashtags,),
        (cues.denies, cues.keeps | cues.places, cues.points | cues.addressed),
        (refuses, cues.keeps | bare.holds | bare.gerunds),
        (refuses, bare.moves, cues.places | bare.places),
        (bare.hears, bare.never, cues.points | bare.vague, bare.pretends | cues.addressed),
        (bare.erases, bare.later, bare.vague | bare.these),
    )
    return certain + kinds_of_doubtful_wishes(cues.doubts)


def kinds_of_doubtful_wishes(doubt: DoubtWords) -> tuple[Kinds, ...]:
    """The words that a clause needs to be read as a wish by `doubted`, a row for each way of reading."""
    denies = doubt.denies | doubt.bans
    points = doubt.these | doubt.next | doubt.own
    wants = doubt.shall | doubt.wants
    return (
        (doubt.hears, doubt.never, doubt.these | doubt.pretends),
        (doubt.together, doubt.never, doubt.talks, doubt.these),
        (doubt.pretends, doubt.secret | doubt.vanishes),
        (doubt.denies, doubt.of, doubt.places | doubt.strict),
        (denies, doubt.keeps | doubt.places),
        (doubt.away, doubt.places, doubt.keeps | doubt.moves | doubt.wants | doubt.yours),
        (doubt.denies, doubt.yours, doubt.places),
        (doubt.erases,),
        (denies | doubt.frees, doubt.minds | doubt.around),
        (doubt.bins | doubt.vanishes,),
        (doubt.minds, doubt.rests),
        (doubt.frees, doubt.strict),
        (doubt.denies, doubt.knows, doubt.yours, points | doubt.personal),
        (doubt.frees, doubt.keeps | doubt.around),
        (doubt.vanishes, wants | doubt.stays, points | doubt.vague),
        (doubt.stays, doubt.here, points),
        (doubt.secret, points),
        (doubt.nobody | doubt.anybody, doubt.knows, wants, points | doubt.vague),
        (denies, doubt.spreads, points | doubt.vague),
    )
