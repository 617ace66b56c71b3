"""Tells from the words of a text alone that it holds no wish not to be kept.

It takes a tenth of the time of reading, and leaves one in seven of what people say to be read.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from shared.chat import phrases
from shared.chat.cue_words import CueWords

Kinds = tuple[AbstractSet[str], ...]
"""Kinds of words, of each of which every clause of some sort has one."""


class WishWords:
    """The words of phrases and clauses, filed so that only those are looked at of which the rarest word is there."""

    def __init__(self, known: Iterable[phrases.Phrase], clauses: Sequence[Kinds] = ()) -> None:
        self._filed: dict[str, list[tuple[Kinds, phrases.Phrase]]] = {}
        for kinds in clauses:
            self._file(sorted(kinds, key=len), ())
        for phrase in known:
            self._file(phrases.needed_words(phrase), phrase)

    def _file(self, kinds: Sequence[AbstractSet[str]], phrase: phrases.Phrase) -> None:
        fewest, *others = kinds
        for word in fewest:
            self._filed.setdefault(word, []).append((tuple(others), phrase))

    def may_be_in(self, words: AbstractSet[str]) -> bool:
        """True if a text of these words may have one of the phrases or clauses; never false for one that has."""
        filed = (each for word in self._filed.keys() & words for each in self._filed[word])
        return any(_has_all(words, kinds) and phrases.may_match(phrase, words) for kinds, phrase in filed)


def _has_all(words: AbstractSet[str], kinds: Kinds) -> bool:
    for kind in kinds:  # noqa: SIM110 - a generator takes twice as long, and this runs dozens of times for each text
        if kind.isdisjoint(words):
            return False
    return True


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
