"""Finds what is known already and near to what a model is about to read, so that it can say what a new fact supersedes."""

from collections.abc import Iterator, Sequence

from services.consolidator.domain.extraction import KnownFact, SaidTurn
from shared.contracts.answers import SearchAnswer
from shared.contracts.asked import SearchQuery
from shared.contracts.envelope import Envelope
from shared.contracts.errors import MemstreamError
from shared.contracts.ids import MemoryId, Space, User
from shared.contracts.parts import Kind, Role
from shared.contracts.subjects import ask_subject
from shared.runtime.asking import ask
from shared.runtime.connection import Client
from shared.runtime.logs import log

_MOST_SEARCHES = 8
_LEAST_CHARACTERS = 200
_MOST_CHARACTERS = 2_000


async def known_near(client: Client, person: Envelope, turns: Sequence[SaidTurn], *, most: int) -> list[KnownFact]:
    """At most so many live facts of this person, nearest first by words and vectors; none where nobody answers."""
    found: dict[str, KnownFact] = {}
    try:
        ranked = [await _search(client, person, words, most) for words in _searches(turns)] if most else []
    except MemstreamError as error:  # nobody is there: what is known only helps
        log.info("known_facts.unavailable", code=error.code)
        return []
    for place in range(most):
        for facts in ranked:
            if place < len(facts):
                found.setdefault(facts[place].memory_id, facts[place])
    return list(found.values())[:most]


async def _search(client: Client, person: Envelope, words: str, most: int) -> list[KnownFact]:
    query = SearchQuery(query=words, kinds=(Kind.FACT,), limit=most)
    subject = ask_subject(Space(person.space), User(person.user), SearchQuery.query_name)
    answer = SearchAnswer.model_validate(await ask(client, subject, query))
    return [KnownFact(MemoryId(item.memory_id), item.text, item.occurred_at) for item in answer.items]


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
