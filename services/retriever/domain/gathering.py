"""Gathers what several facts state of one person in one respect into one line: `likes: sushi; ramen; kimchi`."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from services.retriever.domain.asked_attributes import asked_about, asked_plainly
from services.retriever.domain.repeats import Sifted
from shared.contracts.queries import Fate, ScoredMemory
from shared.language.statements.attributes import many_valued
from shared.language.statements.subjects import USER
from shared.language.text.stating import content_words
from shared.language.text.words import search_words

LEAST = 3
"""Two facts are two lines."""

_MORE_WORDS = 1
MOST_GATHERED = 16
_VERBS = frozenset(("likes", "uses"))


_OF_USER = f"{USER}'s "
_SELVES = frozenset("i im me we us ich mir uns wir yo me nosotros je j moi nous".split())  # noqa: SIM905 - a list of words reads best as words
_MINE = _SELVES.union("my our mein meine meinen meiner unsere mi mis mon ma mes nos".split())  # noqa: SIM905
_DONE = frozenset(("likes", "uses", "activity", "habit", "looking for", "waiting for"))
"""Attributes of who does something: `what does my sister like` asks for the sister's."""


class StatedValue(NamedTuple):
    """What a live fact says that holds of somebody."""

    number: int
    place: int  # of the slot
    subject: str
    attribute: str
    value: str
    text: str  # of the fact


class Gathering(NamedTuple):
    """The values of one attribute of somebody, by the number of the fact that states each first."""

    whose: str
    attribute: str
    values: Mapping[int, str]


@dataclass(frozen=True)
class AskedOf:
    """A question, and the names of speakers in it."""

    text: str
    speakers: Collection[str]

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes that it asks about, of those that may have several values."""
        return asked_about(asked_plainly(self.text), many_valued())

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset(word.casefold() for word in search_words(self.text))

    def whose(self, stated: StatedValue) -> str | None:
        """Whose value it is, as a line names them; None if the question is not about them."""
        if stated.subject != USER:
            name = stated.subject.removeprefix(_OF_USER)
            is_asked = self._all.issuperset(search_words(name))
            return (name.title() if name == stated.subject else f"The {stated.subject}") if is_asked else None
        if self.speakers:
            folded = stated.text.casefold()
            return next((name for name in sorted(self.speakers) if name.casefold() in folded), None)
        mine = _SELVES if stated.attribute in _DONE else _MINE
        return None if mine.isdisjoint(self._all) else "The user"


def may_be_gathered(stated: Iterable[StatedValue], asked: AskedOf) -> bool:
    """False where `asked_values` finds too few, in whatever order they come."""
    return len({each.number for each in stated if asked.whose(each)}) >= LEAST


def asked_values(stated: Iterable[StatedValue], asked: AskedOf) -> Gathering | None:
    """The values that these facts state of whom the question asks, of the attribute with most of them; None if it has too few.

    Of the person where the question says `I`, of others by their names or what they are to the person.
    """
    found: dict[tuple[str, str], dict[int, str]] = {}
    for each in stated:
        if whose := asked.whose(each):
            values = found.setdefault((each.attribute, whose), {})
            if each.value not in values.values():
                values.setdefault(each.number, each.value)
    several = [(len(values), key) for key, values in found.items() if len(values) >= LEAST]
    if not several:
        return None
    _, (attribute, whose) = max(several)
    return Gathering(whose, attribute, dict(list(found[attribute, whose].items())[:MOST_GATHERED]))


def gathered(sifted: Sifted[ScoredMemory], facts: Sequence[ScoredMemory], gathering: Gathering) -> Sifted[ScoredMemory]:
    """The memories with one in the place of these facts and their turns, best first, whose line lists the values of all.

    What says more than its value keeps a line of its own.
    """
    if len(facts) < LEAST:
        return sifted
    line = _line(facts, gathering)
    listed = {*line.source_ids, line.memory_id, *line.gathers}
    first = next((index for index, memory in enumerate(sifted.kept) if memory.memory_id in listed), len(sifted.kept))
    gone = {
        memory.memory_id: memory.number
        for memory in (*facts[1:], *sifted.kept)
        if memory.memory_id in listed and memory.memory_id != line.memory_id and not _says_more(memory.text, gathering)
    }
    ids = {line.memory_id, *gone}
    before, after = (
        [each for each in part if each.memory_id not in ids] for part in (sifted.kept[:first], sifted.kept[first:])
    )
    said_by = {each: line.memory_id if other in ids else other for each, other in sifted.said_by.items()}
    left_out = sifted.left_out | dict.fromkeys(gone.values(), Fate.DUPLICATE)
    return Sifted(
        kept=[*before, line, *after],
        left_out={number: fate for number, fate in left_out.items() if number != line.number},
        said_by={each: other for each, other in said_by.items() if each != line.memory_id}
        | dict.fromkeys(gone, line.memory_id),
    )


def _says_more(text: str, gathering: Gathering) -> bool:
    """True if a memory has more words than one, as a verb, that neither the values nor the attribute have."""
    listed = content_words(" ".join((gathering.whose, gathering.attribute, *gathering.values.values())))
    return len(content_words(text) - listed) > _MORE_WORDS


def _line(facts: Sequence[ScoredMemory], gathering: Gathering) -> ScoredMemory:
    """The best of the facts, with a line that lists the values of all and with the sources of all."""
    values = (f"{gathering.values[fact.number]} ({fact.occurred_at:%Y-%m-%d})" for fact in facts)
    named = gathering.attribute if gathering.attribute in _VERBS else f"- {gathering.attribute}"
    update = {
        "excerpt": f"{gathering.whose} {named}: {'; '.join(values)}",
        "gathers": tuple(fact.memory_id for fact in facts[1:]),
        "source_ids": tuple(dict.fromkeys(source for fact in facts for source in fact.source_ids)),
    }
    return facts[0].model_copy(update=update)
