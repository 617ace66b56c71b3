"""An embedder that fails costs nothing: it is left alone until it is well, and the answer says why there is no vector."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from services.retriever.query_vectors import QueryVectors
from services.retriever.store.legs import QueryVector
from shared.contracts.errors import InputRefused, Unavailable
from shared.contracts.queries import LegFailure
from shared.domain.arrays import np
from shared.runtime.embedders.port import EmbedderModel, Vectors
from tests.support.installations import until
from tests.support.scopes import ANNAS_SCOPE


class Moody:
    """An embedder that fails as long as it is told to."""

    model = EmbedderModel("moody", 16)

    def __init__(self) -> None:
        self.mood: Callable[[], Exception] | None = None
        self.hangs = False
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        if self.hangs:
            await asyncio.Event().wait()
        if self.mood:
            raise self.mood()
        return np.full((len(texts), 16), 0.25, np.float32)

    async def close(self) -> None:
        pass


@pytest.fixture
def moody() -> Moody:
    return Moody()


@pytest.fixture
async def vectors(moody: Moody) -> AsyncIterator[QueryVectors]:
    made = QueryVectors(moody, timeout_s=0.05, probe_s=(0.01, 0.02))
    yield made
    await made.close()


async def _until_well(vectors: QueryVectors, question: str) -> None:
    async def well() -> bool:
        return isinstance(await vectors.of(question, ANNAS_SCOPE), QueryVector)

    await until(well, what="vectors come again")


@pytest.mark.parametrize(
    ("mood", "hangs", "why"),
    [
        (lambda: Unavailable("refused"), False, LegFailure.EMBEDDER_FAILED),
        (lambda: RuntimeError("whatever"), False, LegFailure.EMBEDDER_FAILED),
        (None, True, LegFailure.EMBEDDER_SLOW),
    ],
)
async def test_a_failing_embedder_is_left_alone_after_three_failures_and_found_again(
    vectors: QueryVectors, moody: Moody, *, mood: Callable[[], Exception] | None, hangs: bool, why: LegFailure
) -> None:
    moody.mood, moody.hangs = mood, hangs
    assert [await vectors.of(f"question {number}", ANNAS_SCOPE) for number in range(20)] == [why] * 20
    assert [text for text in moody.asked if "question" in text] == ["question 0", "question 1", "question 2"]
    moody.mood, moody.hangs = None, False
    await _until_well(vectors, "another")


async def test_two_outages_are_both_noticed_and_ended(vectors: QueryVectors, moody: Moody) -> None:
    for outage in range(2):
        moody.mood = lambda: Unavailable("refused")
        assert {await vectors.of(f"{outage}/{number}", ANNAS_SCOPE) for number in range(4)} == {LegFailure.EMBEDDER_FAILED}
        moody.mood = None
        await _until_well(vectors, f"after {outage}")


async def test_probes_hold_nobodys_words(vectors: QueryVectors, moody: Moody) -> None:
    moody.mood = lambda: Unavailable("refused")
    for _ in range(4):
        await vectors.of("my secret", ANNAS_SCOPE)

    async def probed() -> bool:
        return len(moody.asked) > 4

    await until(probed, what="the embedder is probed")
    assert all(text == "hello" for text in moody.asked if text != "my secret")
    assert moody.asked.count("my secret") == 3


async def test_a_text_that_is_refused_says_nothing_of_the_embedder(vectors: QueryVectors, moody: Moody) -> None:
    moody.mood = lambda: InputRefused("too long")
    assert {await vectors.of(f"too long {number}", ANNAS_SCOPE) for number in range(6)} == {LegFailure.EMBEDDER_FAILED}
    moody.mood = None
    assert isinstance(await vectors.of("short", ANNAS_SCOPE), QueryVector)


async def test_failures_that_are_not_in_a_row_do_not_add_up(vectors: QueryVectors, moody: Moody) -> None:
    for number in range(8):
        moody.mood = (lambda: Unavailable("refused")) if number % 2 else None
        made = await vectors.of(f"question {number}", ANNAS_SCOPE)
        assert isinstance(made, QueryVector) is (number % 2 == 0)


class English(Moody):
    """An embedder that knows no script but the Latin one."""

    model = EmbedderModel("english", 16, is_english=True)


@pytest.mark.parametrize(
    ("question", "trust"),
    [("Which tea do I like?", 1.0), ("Welchen Tee mag ich?", 1.0), ("我最喜欢什么茶？", 0.5), ("Какой чай я люблю?", 0.5)],
)
async def test_a_vector_weighs_less_where_the_model_does_not_know_the_script(question: str, trust: float) -> None:
    for embedder, expected in ((English(), trust), (Moody(), 1.0)):
        vectors = QueryVectors(embedder, timeout_s=1)
        made = await vectors.of(question, ANNAS_SCOPE)
        await vectors.close()
        assert isinstance(made, QueryVector)
        assert made.trust == expected
