"""Tells from the words of a text alone that it holds no wish not to be kept.

It takes a tenth of the time of reading, and leaves one in seven of what people say to be read.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from shared.chat import phrases
from shared.chat.cue_words import CueWords
from shared.text.frequency import rank_of

Kinds = tuple[AbstractSet[str], ...]
"""Kinds of words, of each of which every clause of some sort has one."""


class WishWords:
    """The words of phrases and clauses, filed so that only those are looked at of which the rarest word is there."""

    def __init__(self, known: Iterable[phrases.Phrase], clauses: Sequence[Kinds] = ()) -> None:
        self._bits: dict[frozenset[str], int] = {}
        self._has: dict[str, int] = {}
        self._clauses = tuple(self._needed(map(frozenset, row)) for row in clauses)
        self._phrases: dict[str, list[tuple[int, phrases.Phrase]]] = {}
        for phrase in known:
            for needed in phrases.ways(phrase):
                for word in max(needed, key=_rarity):
                    self._phrases.setdefault(word, []).append((self._needed(needed), phrase))

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
        has = 0
        for word in self._has.keys() & words:
            has |= self._has[word]
        for needed in self._clauses:
            if has & needed == needed:
                return True
        for word in self._phrases.keys() & words:
            for needed, phrase in self._phrases[word]:
                if has & needed == needed and phrases.may_match(phrase, words):
                    return True
        return False


def _rarity(kind: frozenset[str]) -> tuple[int, int]:
    """How rare the words of a kind are: those that hardly any text has come last."""
    return min(map(rank_of, kind)), -len(kind)


def kinds_of_wishes(cues: CueWords) -> tuple[Kinds, ...]:
    """The words that a clause needs to be read as a wish by `cued`, `bare` or `doubted`, a row for each way of reading."""
    bare, doubt = cues.bare, cues.doubts
    refuses = cues.denies | bare.refuses | bare.bans
    denies = doubt.denies | doubt.bans
    points = doubt.these | doubt.next | doubt.own
    wants = doubt.shall | doubt.wants
    return (
        (cues.hashtags,),
        (cues.denies, cues.keeps | cues.places, cues.points | cues.addressed),
        (refuses, cues.keeps | bare.holds | bare.gerunds),
        (refuses, bare.moves, cues.places | bare.places),
        (bare.hears, bare.never, cues.points | bare.vague, bare.pretends | cues.addressed),
        (bare.erases, bare.later, bare.vague | bare.these),
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
