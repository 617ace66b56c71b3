"""Reads what other spaces of a person share with the one that is asked about. Nothing is copied: their files are read, too.

Source: docs/adr/0060-shared-by-tags.md.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TypeAlias

from services.retriever.assembly import distinct, scored
from services.retriever.domain.budget import choose
from services.retriever.domain.estimating import estimate_tokens
from services.retriever.domain.excerpt import asked_words
from services.retriever.domain.full_text import named
from services.retriever.domain.given import as_given
from services.retriever.found_memory import wholes
from services.retriever.person_files import PersonFiles, Reading
from services.retriever.retrieval import match
from services.retriever.search_request import SearchRequest
from services.retriever.store.memory_folder import FileBehind
from services.retriever.store.narrowing import among
from services.retriever.store.reading_moment import as_at
from services.retriever.store.shared_tags import given_to, shared_numbers
from shared.contracts.ids import Scope
from shared.contracts.queries import ContextAnswer, ContextQuery, ScoredMemory, SearchQuery
from shared.domain.sharing import recipient
from shared.runtime.asking import Asker
from shared.runtime.ids import new_recall_id
from shared.runtime.logs import log

GivenMemories: TypeAlias = Sequence[ScoredMemory]
_Recalling: TypeAlias = ContextQuery | SearchQuery


class Sharing:
    """What is given to the spaces of all people, each only by others of the same person."""

    def __init__(self, files: PersonFiles, *, is_on: bool) -> None:
        self._files = files
        self._is_on = is_on

    def givers(self, asker: Asker) -> Collection[Scope]:
        """The scopes that give something to the asker's, or once gave. Hardly anybody has any: then this takes a look-up."""
        return self._files.givers(asker) if self._is_on else ()

    def found(self, asker: Asker, query: _Recalling, request: SearchRequest) -> GivenMemories:
        """What is given now for this question, in the thread that calls it; nothing of then. Raises FileBehind.

        A file that fails in another way gives nothing, so that the space's own memories still answer.
        """
        if query.until is not None or not (givers := self.givers(asker)):
            return ()
        key, request = recipient(asker.space, asker.user, self._files.keys.digester), request.awaited
        return [each for scope in sorted(givers) for each in self._of(scope, key, query, request)]

    def _of(self, scope: Scope, key: str, query: _Recalling, request: SearchRequest) -> GivenMemories:
        try:
            return self._files.look_at(scope, lambda reading: _given(reading, key, query, request)) or ()
        except FileBehind:
            raise
        except Exception:  # noqa: BLE001 - as with a leg: whatever it stumbles over, the answer must come
            log.warning("giving.failed", scope=scope, exc_info=True)
            return ()


def _given(reading: Reading, key: str, query: _Recalling, request: SearchRequest) -> GivenMemories:
    """What a file gives for this question: with its own speakers, among nothing but what is shared."""
    profile, given = reading.profile, given_to(reading.db, key)
    # a space gives nothing where nothing would be answered in a session that began there now
    if given is None or profile.settings.memory_enabled is False or profile.settings.incognito_default:
        return ()
    tagged, limits = shared_numbers(reading.db, given.tags), among(reading.db, query)
    numbers = tagged.keys() if limits is None else tagged.keys() & set(limits)
    if not numbers:
        return ()
    wanted = replace(request.wanted, exclude_session_id=None, rolled_up=False, among=tuple(sorted(numbers)))
    asked = request._replace(wanted=wanted, speakers=named(profile.speakers, request.text))
    memories = _best(reading, query, asked)
    return [as_given(each, tags=tagged[each.number], origin=given.own_space) for each in memories if each.number in numbers]


def _best(reading: Reading, query: _Recalling, asked: SearchRequest) -> GivenMemories:
    file = reading.searched
    found = match(file, asked)
    as_at(file.db, asked.now)
    if isinstance(query, SearchQuery):
        return scored(file, found.places[: asked.most], asked)
    return [] if found.abstained else list(wholes(distinct(file, found, asked).kept[: asked.most]))


def given_alone(given: GivenMemories, request: SearchRequest, position: int, budget_tokens: int | None) -> ContextAnswer:
    """A context of a space in which nothing is known of the person."""
    chosen = choose(given, limit=request.most, budget_tokens=budget_tokens, asked=asked_words(request.text), zone=request.zone)
    return ContextAnswer(
        position=position,
        recall_id=new_recall_id(),
        markdown=chosen.markdown,
        items=chosen.items,
        tokens=estimate_tokens(chosen.markdown),
    )
