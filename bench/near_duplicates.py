"""How long it takes to recognise a known fact: of one user with many facts, and of one among many users."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bench._options import Findings, Options, run
from bench._result import latencies
from bench._text import Writer
from services.ingest.domain import recognising
from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.lacks import Lacks, Needs
from services.ingest.domain.names import called_in
from services.ingest.domain.recognising import likeness_of
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from services.ingest.domain.told_fact import ToldFact
from services.ingest.domain.twins import Twin, find_twin
from services.ingest.projection import IngestProjection
from services.ingest.store import Store
from shared.contracts.envelope import Actor
from shared.contracts.events import FactRemembered
from shared.contracts.ids import Position, Scope, Slot, Space, User
from shared.contracts.subjects import SLOTS
from shared.domain.digests import Digester
from shared.language.text.entities import find_entities
from shared.runtime.projector import Recorded

_DIGESTER = Digester(b"b" * 32)
_SEND_ID = "be" * 16
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_AIM_MS = 2.0
_PAGE = 250


async def measure(options: Options) -> Findings:
    """Measure on an ingest.db of facts alone. Half of the questions repeat a known fact in other spelling, half are new."""
    plans = [(1, options.size(10_000, 300)), (options.size(1_000, 5), 100)]
    asked = options.size(2_000, 50)
    rows = []
    for users, each in plans:
        with _remembered(users, each) as store:
            runs = [_ask(store, users, each, asked) for _ in range(options.runs)]
        said = f"{users:,} users of {each:,} facts" if users > 1 else f"one user of {each:,} facts"
        rows += [
            latencies(f"from the words to the verdict, {said}", [whole for whole, _ in runs], aims={"p95": _AIM_MS}),
            latencies(f"only the look-up in ingest.db, {said}", [found for _, found in runs]),
        ]
    return Findings(
        rows=rows,
        notes=[
            (
                "Synthetic facts of about 18 words. From the words to the verdict: reckon what recognises them (SimHash, keyed"
                " hashes, guards, names), look it up in ingest.db with what else a decision needs, compare."
            ),
        ],
    )


@contextmanager
def _remembered(users: int, each: int) -> Iterator[Store]:
    """An ingest.db with `each` facts of each user."""
    with tempfile.TemporaryDirectory(prefix="memstream-bench-") as folder:
        store = Store(Path(folder), _DIGESTER)
        projection = IngestProjection(store, _DIGESTER, slots=[Slot(slot) for slot in range(SLOTS)], send_id=_SEND_ID)
        position = 0
        for user in range(users):
            for first in range(0, each, _PAGE):
                events = list(_facts(user, first, min(_PAGE, each - first), position))
                position += len(events)
                projection.apply(events, Position(position))
        try:
            yield store
        finally:
            store.close()


def _facts(user: int, first: int, count: int, position: int) -> Iterator[Recorded]:
    write = Writer(f"facts {user} {first}")
    scope = _scope(user)
    for index in range(count):
        text, ruling = write.turn(), Ruling(ScopeState(number=first + index), _given(user, f"{first + index}"))
        identity = ruling.new_memory_id("fact")
        ruling.add(FactRemembered(memory_id=identity, text=text, entities=find_entities(text), manually_saved=False))
        yield Recorded(Position(position + index + 1), scope, ruling.events[0])


def _given(user: int, message_id: str) -> Circumstances:
    command = _DIGESTER.command_id(_scope(user), "save_facts", message_id)
    whose, actor = (Space("bench"), User(f"user-{user}"), _scope(user)), Actor(channel="work")
    return Circumstances(*whose, "save_facts", command, command, _NOW, actor, _DIGESTER)


def _ask(store: Store, users: int, each: int, asked: int) -> tuple[list[float], list[float]]:
    """Recognise `asked` texts; return the seconds from the text to the verdict of each, and of its look-up alone."""
    whole, found, wrong = [], [], 0
    for number in range(asked):
        user, text, is_known = _question(number, users, each)
        scope = _scope(user)
        recognising._recent.clear()  # noqa: SLF001 - each question is a new one, in every run
        began = time.perf_counter()
        told, called = likeness_of(text, _DIGESTER), called_in(text, _DIGESTER)
        looked = time.perf_counter()
        needs = Needs(told={told}, called={called} if called else set())
        state = store.load({scope: needs})[scope]
        found.append(time.perf_counter() - looked)
        twin = _twin(text, needs, state, store, user)
        whole.append(time.perf_counter() - began)
        wrong += (twin is not None) != is_known
    assert not wrong, f"{wrong} of {asked} were not told right"
    return whole, found


def _twin(text: str, needs: Needs, state: ScopeState, store: Store, user: int) -> Twin | None:
    """The fact that says the same, after whatever else that takes was looked up."""
    while True:
        try:
            return find_twin(ToldFact(text, _given(user, "new").now), Ruling(state, _given(user, "new")))
        except Lacks as lacks:
            needs.add(lacks.needs)
            state = store.load({_scope(user): needs})[_scope(user)]


def _question(number: int, users: int, each: int) -> tuple[int, str, bool]:
    """Whose text, the text, and whether it is known: a known fact in other spelling, or a new one."""
    user = number * 7919 % users
    if number % 2:
        return user, f"{Writer(f'new {number}').turn()} {Writer(number).rare_word()}", False
    first = number * 104_729 % each // _PAGE * _PAGE
    return user, f"{Writer(f'facts {user} {first}').turn().upper()} ", True


def _scope(user: int) -> Scope:
    return Scope(f"{user:032x}")


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run("near_duplicates", (__doc__ or "").strip(), measure, arguments)
