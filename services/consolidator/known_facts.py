"""Finds what is known already of the person who is learned from, so that it can be told what a new fact supersedes."""

from collections.abc import Iterator, Sequence
from typing import Any

from services.consolidator.domain.extraction import KnownFact, SaidTurn
from shared.contracts.answers import SearchAnswer
from shared.contracts.asked import Asked, SearchQuery
from shared.contracts.envelope import Envelope
from shared.contracts.errors import MemstreamError
from shared.contracts.ids import MemoryId, Space, User
from shared.contracts.memories import Memory
from shared.contracts.parts import Kind, Role
from shared.contracts.subjects import ask_subject
from shared.runtime.asking import PATIENT_S, ask
from shared.runtime.connection import Client
from shared.runtime.logs import log

_MOST_SEARCHES = 8
_LEAST_CHARACTERS = 200
_MOST_CHARACTERS = 2_000


class PersonsFacts:
    """The live facts of a person, as the retriever has them when it has read up to a position of the log."""

    def __init__(self, client: Client, person: Envelope, *, most_near: int, min_position: int) -> None:
        self._client = client
        self._person = person
        self._most_near = most_near
        self._terms: dict[str, Any] = {"kinds": (Kind.FACT,), "min_position": min_position, "timeout_s": PATIENT_S}

    async def near(self, turns: Sequence[SaidTurn]) -> Sequence[KnownFact]:
        """The nearest by words and vectors to what the turns say, as many as is set; none where nobody answers."""
        most, found = self._most_near, dict[str, KnownFact]()
        try:
            ranked = [await self._search(words) for words in _searches(turns)] if most else []
        except MemstreamError as error:  # nobody is there: what is known only helps
            log.info("known_facts.unavailable", code=error.code)
            return ()
        for place in range(most):
            for facts in ranked:
                if place < len(facts):
                    found.setdefault(facts[place].memory_id, facts[place])
        return list(found.values())[:most]

    async def _search(self, words: str) -> list[KnownFact]:
        query = SearchQuery(query=words, limit=self._most_near, **self._terms)
        return _known(SearchAnswer.model_validate(await self._ask(query)).items)

    async def _ask(self, query: Asked) -> object:
        subject = ask_subject(Space(self._person.space), User(self._person.user), query.query_name)
        return await ask(self._client, subject, query)


def _known(items: Sequence[Memory]) -> list[KnownFact]:
    return [KnownFact(MemoryId(item.memory_id), item.text, item.occurred_at) for item in items]


def _searches(turns: Sequence[SaidTurn]) -> Iterator[str]:
    """What to search for: the user's turns, several short ones together."""
    said = [turn.text[:_MOST_CHARACTERS] for turn in turns if turn.role is Role.USER]
    enough = max(_LEAST_CHARACTERS, sum(map(len, said)) // _MOST_SEARCHES)
    words = ""
    for text in said:
        words = f"{words}\n{text}" if words else text
        if len(words) >= enough:
            yield words
            words = ""
    if words:
        yield words
