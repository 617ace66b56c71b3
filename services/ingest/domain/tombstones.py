"""Makes the tombstones of a forgetting: keyed hashes by which a statement is recognised, in its words and in others."""

from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.likeness import likeness
from services.ingest.domain.recollection import Recollection, ToldMemory
from services.ingest.domain.simhash import packed
from services.ingest.domain.telling import Alone, telling
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Kind
from shared.contracts.privacy import Tombstone
from shared.domain.digests import Digester
from shared.language.text.distinctive import distinctive, held_by, is_of_many_people, telling_word, unmistakable
from shared.language.text.stating import content_words
from shared.language.text.words import words_of

_LONGEST_STATEMENT = 400
_FEWEST_WORDS = 3
_MOST_BY_NAME = 20
"""Of so many memories that go together a name is enough to recognise them; of more, as of a whole session, it is not."""


class Taken(NamedTuple):
    """What a forgetting takes, and how it was named."""

    memories: Collection[MemoryId]
    query: str | None = None  # the words that named it, if words did
    renewed: tuple[str, ...] = ()  # what its person says instead
    is_by_message: bool = False  # its platform deleted it: it may be written anew at once


class Mason:
    """Makes the tombstones of one forgetting, until a time."""

    def __init__(self, taken: Taken, recollection: Recollection, given: Circumstances) -> None:
        self._digester: Digester = given.digester
        self._until: datetime = given.now + given.policy.tombstone
        self._query = taken.query
        self._names_of_query = distinctive(taken.query or "").names | content_words(taken.query or "")
        self._alone = _names_that_go(taken, recollection, self._names_of_query)
        self._renewed = frozenset[str]().union(*(distinctive(text).all for text in taken.renewed))
        self._named = [text for memory_id in taken.memories for text in recollection.told[memory_id].texts]

    def of_query(self) -> Iterator[Tombstone]:
        """The tombstone of the query."""
        if self._query:
            word = telling_word(self._query, self._named)
            yield from self._tombstones(self._query, Alone(frozenset({word} if word else self._names_of_query & self._alone)))

    def of_memories(self, told: Iterable[ToldMemory]) -> Iterator[Tombstone]:
        """One for each wording of a fact, each short turn that states something, and each text with a name that goes.

        None for what memstream wrote: it also tells what stays, which must not be taken for forgotten.
        """
        own = [each for each in told if not each.kind.is_derived]
        for text, is_statement in {text: _comes_again(each, text) for each in own for text in each.texts}.items():
            alone = distinctive(text).names & self._alone
            if (is_statement or alone) and text != self._query:
                yield from self._tombstones(text, self._split(alone))

    def _split(self, names: frozenset[str]) -> Alone:
        """The names by whose bearers many are meant tell it alone only where others say them, unless the query named them."""
        of_others = frozenset(filter(is_of_many_people, names - self._names_of_query))
        return Alone(names - of_others, of_others)

    def _tombstones(self, text: str, alone: Alone) -> Iterator[Tombstone]:
        """The tombstone of a text; none if its person says all of it again instead, as the topic with a new value."""
        found = likeness(text, self._digester)
        told = telling(text, alone, self._digester, renewed=self._renewed)
        if told is None:
            return
        yield Tombstone(
            digest=found.digest.hex(),
            simhash=f"{found.simhash:016x}",
            guard=found.guard.hex(),
            tokens=b64encode(found.tokens).decode(),
            until=self._until,
            words=_packed(told.words),
            light=_packed(told.light),
            names=_packed(told.names),
            alone=_packed(told.alone),
            rare=_packed(told.rare),
            must=_packed(told.must),
        )


def _names_that_go(taken: Taken, recollection: Recollection, named: frozenset[str]) -> frozenset[str]:
    """Return the names in what is forgotten that no other memory holds, if no message was deleted.

    Where much goes these are only the names in the query.
    """
    if taken.is_by_message:
        return frozenset()
    going = [recollection.told[memory_id] for memory_id in taken.memories]
    names = frozenset[str]().union(*(unmistakable(text) for told in going for text in told.texts))
    if len(taken.memories) > _MOST_BY_NAME:
        names &= named
    staying = (text for told in recollection.told.values() if told.memory_id not in taken.memories for text in told.texts)
    return names - held_by(names, staying)


def _comes_again(told: ToldMemory, text: str) -> bool:
    """Whether a text may be repeated: a fact is, and a short turn that states something."""
    if told.kind is Kind.FACT:
        return True
    return not told.is_question and len(text) <= _LONGEST_STATEMENT and len(words_of(text, _FEWEST_WORDS)) >= _FEWEST_WORDS


def _packed(hashes: Iterable[bytes]) -> str:
    return b64encode(packed(hashes)).decode()
