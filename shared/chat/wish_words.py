"""Tells from the words of a text alone that it holds no wish not to be kept.

It takes a tenth of the time of reading, and leaves one in seven of what people say to be read.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from shared.chat import phrases
from shared.chat.cue_words import CueWords, DoubtWords
from shared.text.frequency import rank_of

Kinds = tuple[AbstractSet[str], ...]
"""Kinds of words, of each of which every clause of some sort has one."""

_NOTHING = object()
_NEVER = 10**9
"""The rank of a kind without words: no text has one."""


class WishWords:
    """The words of phrases and clauses, filed so that only those are looked at of which the rarest word is there."""

    def __init__(self, known: Iterable[phrases.Phrase], clauses: Sequence[Kinds] = ()) -> None:
        self._bits: dict[frozenset[str], int] = {}
        self._has: dict[str, int] = {}
        self._filed: dict[str, list[tuple[int, phrases.Phrase | None]]] = {}
        for kinds in clauses:
            self._file(tuple(map(frozenset, kinds)), None)
        for phrase in known:
            for way in phrases.ways(phrase):
                self._file(way, phrase)
        self._rarest = frozenset(self._filed)

    def _file(self, kinds: Collection[frozenset[str]], phrase: phrases.Phrase | None) -> None:
        """File a phrase, or a clause that is none, by the words of its rarest kind."""
        needed = self._needed(kinds)
        for word in max(kinds, key=_rarity):
            self._filed.setdefault(word, []).append((needed, phrase))

    def _needed(self, kinds: Iterable[frozenset[str]]) -> int:
        """The bits of kinds of words, as they are for each word of them."""
        needed = 0
        for kind in kinds:
            if kind not in self._bits:
                self._bits[kind] = 1 << len(self._bits)
                for word in kind:
                    self._has[word] = self._has.get(word, 0) | self._bits[kind]
            needed |= self._bits[kind]
        return needed

    def may_be_in(self, words: AbstractSet[str]) -> bool:
        """True if a text of these words may have one of the phrases or clauses; never false for one that has."""
        return next(self.that_may_be_in(words), _NOTHING) is not _NOTHING

    def that_may_be_in(self, words: AbstractSet[str]) -> Iterator[phrases.Phrase | None]:
        """The phrases that a text of these words may have, and None for each of the clauses that it may."""
        if not (rarest := self._rarest & words):
            return
        has, known = 0, self._has
        for word in words:
            if word in known:
                has |= known[word]
        for word in rarest:
            for needed, phrase in self._filed[word]:
                if has & needed == needed and (phrase is None or phrases.may_match(phrase, words)):
                    yield phrase


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
