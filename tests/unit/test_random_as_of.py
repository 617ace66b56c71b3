"""A person's memory as of any event, and what another ranking finds in it, is what a naive replay up to there gives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.retriever import as_of
from services.retriever.domain.weights import Weights
from services.retriever.retrieval import match
from services.retriever.store.memory_file import MemoryFile
from shared.contracts.command import Command
from shared.contracts.errors import NotRecorded, Rejected
from shared.contracts.ids import MemoryId
from shared.contracts.preferences import Fusion
from shared.contracts.privacy import Forget, MemoryForgotten
from shared.runtime.projector import Recorded
from tests.support.commands import confirm, correct, pin, redo, remember, restore, undo, user_says
from tests.support.examples import examples
from tests.support.files import question
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, at

TEXTS = ("I live in Leeds.", "I live in York.", "I keep bees.", "My sister Nora keeps bees.", "I no longer live in York.")
steps = st.lists(st.tuples(st.integers(0, 8), st.sampled_from(TEXTS), st.integers(0, 9)), min_size=1, max_size=10)
weights = st.builds(
    replace,
    st.just(Weights(abstain_below=0.0)),
    fusion=st.sampled_from([Fusion.RRF, Fusion.CONVEX, Fusion.LEARNED]),
    beta=st.floats(0, 2),
    gamma=st.floats(0, 2),
    mmr_lambda=st.floats(0, 1),
)


def told(steps: Sequence[tuple[int, str, int]]) -> list[Recorded]:
    """What some commands lead to, of which some are refused."""
    log = PaperLog()
    for hour, (what, text, which) in enumerate(steps):
        with suppress(Rejected, NotRecorded):
            log.tell(command(log, what, text, which), now=at(60 * hour))
    return log.records


def command(log: PaperLog, what: int, text: str, which: int) -> Command:
    known = sorted(log.state.facts)
    if what == 0 or not known:
        return user_says(text, "s1")
    fact = known[which % len(known)]
    about = {2: pin, 3: confirm, 4: restore}
    if what in about:
        return about[what](fact)
    return {
        5: correct(fact, text),
        6: undo(memory_id=fact),
        7: redo(memory_id=fact),
        8: Forget(memory_ids=(MemoryId(fact),), only=True),
    }.get(what, remember(text))


def naive(records: Sequence[Recorded], until: int) -> list[Recorded]:
    """The events up to one, without those that hold what was forgotten by today."""
    gone = {number for each in records if isinstance(each.event.data, MemoryForgotten) for number in each.event.data.numbers}
    return [each for each in records if each.event.number <= until and each.event.number not in gone]


@given(steps=steps, place=st.floats(0, 1), weights=weights)
@settings(max_examples=examples(25), deadline=None)
def test_a_file_of_then_is_what_a_naive_replay_gives(
    steps: Sequence[tuple[int, str, int]], place: float, weights: Weights
) -> None:
    records = told(steps)
    until = round(place * (records[-1].event.number if records else 0))

    async def of_the_log(_: Any, __: Any, *, types: Sequence[type] = (), **___: Any) -> AsyncGenerator[list[Recorded]]:  # noqa: ANN401
        yield [each for each in records if not types or isinstance(each.event.data, tuple(types))]

    async def compare(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(as_of, "scope_batches", of_the_log)
            async with as_of.file_as_of(None, ANNAS_SCOPE, until, folder) as file:  # type: ignore[arg-type]
                other = MemoryFile(folder / "naive.db")
                other.apply(naive(records, until), allow_gaps=True)
                assert (file.digest(), file.content_digest()) == (other.digest(), other.content_digest())
                assert found(file, weights) == found(other, weights)
                other.close()

    with TemporaryDirectory() as folder:
        asyncio.run(compare(Path(folder)))
        assert [path.name for path in Path(folder).glob("*.db")] == ["naive.db"]


def found(file: MemoryFile, weights: Weights) -> list[tuple[int, float]]:
    """What a question finds, with its scores."""
    with file.connect() as db:
        places = match(file.searched(db), question("Who keeps bees in York?", weights=weights, now=at(3000))).places
    return [(place.candidate.number, place.total) for place in places]
