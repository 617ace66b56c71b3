"""Queries memories while they are forgotten, and checks that answers hold nothing forgotten and lack nothing else."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from random import Random

from memstream.client import Memories
from services.retriever.domain.full_text import terms
from shared.contracts.ids import User
from shared.contracts.queries import Memory

_PAGE = 500
_TIMEOUT_S = 30.0
_TELLING = 3
"""A text with so many words that are no stop words must be found when it is searched for."""

_FOUND = 10
"""`limit` of the searches."""

_PAUSE_S = 0.1
"""Pause between queries, so that they do not take the cores from what is measured."""


@dataclass(slots=True)
class Person:
    """What one user's memories were at the start, oldest first, which of them are hidden by now, and what answers lacked."""

    name: User
    memory: Memories
    numbers: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    telling: list[int] = field(default_factory=list)  # which of the texts
    facts: list[str] = field(default_factory=list)
    hidden: set[str] = field(default_factory=set)  # named by a forget that is decided
    missed: dict[str, str] = field(default_factory=dict)  # not in a list in which it would have been: in which
    unfound: dict[str, str] = field(default_factory=dict)  # by a search for these words
    forgotten: int = 0  # memories that went, by the receipts

    async def learn(self) -> Person:
        """Fill in everything that is remembered now."""
        items = [item async for item in self._everything()]
        for item in reversed(items):
            self.numbers.append(item.number)
            self.ids.append(item.memory_id)
            self.texts.append(item.text)
        self.telling = [index for index, text in enumerate(self.texts) if len(terms(text)) >= _TELLING]
        self.facts = [item.memory_id for item in reversed(items) if item.kind == "fact"]
        return self

    async def finds(self, memory: str, words: str, *, gone: int) -> bool:
        """Whether a search for these words returns the memory among the first, even if `gone` memories were ranked before it.

        Another text with the same rare words may rank higher; then the search that missed the memory was right.
        """
        answer = await self.memory.search(words, limit=_FOUND, timeout_s=_TIMEOUT_S)
        return memory in {item.memory_id for item in answer.items[: max(_FOUND - gone, 1)]}

    async def left(self) -> set[str]:
        """Ids of all memories that are remembered now."""
        return {item.memory_id async for item in self._everything()}

    async def _everything(self) -> AsyncIterator[Memory]:
        before = None
        while True:
            page = await self.memory.list(limit=_PAGE, before_number=before, timeout_s=_TIMEOUT_S)
            for item in page.items:
                yield item
            if (before := page.next_before_number) is None:
                return


class Witness:
    """Queries the memories of random people, as a bot would, and judges the answers."""

    def __init__(self, people: Sequence[Person], random: Random) -> None:
        self._people = people
        self._random = random
        self.answers = 0

    async def ask(self) -> None:
        """List a page, then search for a remembered text, for ever. Raises AssertionError if an answer holds forgotten text."""
        while True:
            person = self._random.choice(self._people)
            await self._list(person)
            await self._search(person)
            await asyncio.sleep(_PAUSE_S)

    async def verify(self) -> None:
        """Raise AssertionError unless exactly what the receipts count is gone in the end, and no answer lacked more."""
        for person in self._people:
            lost = set(person.ids) - await person.left()
            assert person.hidden <= lost, "a forgotten memory is there again"
            lacked = [question for memory, question in person.missed.items() if memory not in lost]
            unfound = {memory: words for memory, words in person.unfound.items() if memory not in lost}
            lacked += [words for memory, words in unfound.items() if await person.finds(memory, words, gone=len(lost))]
            assert not lacked, f"{person.name}: answers lacked a memory that is not forgotten: {lacked}"
            assert len(lost) == person.forgotten, f"{person.name}: by the receipts {person.forgotten} are gone, not {len(lost)}"

    async def _list(self, person: Person) -> None:
        hidden = set(person.hidden)  # as of now: what is decided while the answer comes may be in it
        before = self._random.choice(person.numbers) + 1
        page = await person.memory.list(limit=_PAGE, before_number=before, timeout_s=_TIMEOUT_S)
        found = {item.memory_id for item in page.items}
        first = page.items[-1].number if page.next_before_number else 0
        expected = person.ids[bisect_left(person.numbers, first) : bisect_left(person.numbers, before)]
        question = f"list before {before}: {len(found)} of {len(expected)}, position {page.position}"
        person.missed |= dict.fromkeys(set(expected) - found, question)
        self._judge(found, hidden)

    async def _search(self, person: Person) -> None:
        hidden = set(person.hidden)
        at = self._random.choice(person.telling)
        answer = await person.memory.search(person.texts[at], limit=_FOUND, timeout_s=_TIMEOUT_S)
        found = {item.memory_id for item in answer.items}
        if person.ids[at] not in found:
            person.unfound[person.ids[at]] = person.texts[at]
        self._judge(found, hidden)

    def _judge(self, found: set[str], hidden: set[str]) -> None:
        assert not found & hidden, "an answer holds what was forgotten before it was asked for"
        self.answers += 1
