"""A model that a process lends to another: the same vectors and the same errors, and an end that both notice."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import numpy as np
import pytest

from shared.contracts.errors import InputRefused, Unavailable
from shared.runtime.embedders.hashing import hashing_embedder
from shared.runtime.embedders.lent import BorrowedEmbedder, Borrower, KeptEmbedder, Lender
from shared.runtime.embedders.port import Embedder, EmbedderModel, Vectors
from tests.support.installations import PATIENCE_S, until


@asynccontextmanager
async def borrowed(embedder: Embedder) -> AsyncIterator[tuple[BorrowedEmbedder, asyncio.Task[None]]]:
    """An embedder at the other end of a socket, and what lends it."""
    ours, theirs = socket.socketpair()
    borrower = Borrower(theirs)
    lending, borrowing = asyncio.create_task(Lender(embedder).serve(ours)), asyncio.create_task(borrower.run())
    await asyncio.sleep(0)
    await until(lambda: borrower.is_open)
    try:
        yield BorrowedEmbedder(embedder.model, borrower), lending
    finally:
        for task in (lending, borrowing):
            task.cancel()
        await asyncio.gather(lending, borrowing, return_exceptions=True)


class Refusing:
    """An embedder that takes no text, or none ever."""

    model = EmbedderModel("refusing", 16)

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def embed(self, _: Sequence[str]) -> Vectors:
        raise self._error

    async def close(self) -> None:
        """Nothing to close."""


async def test_the_vectors_are_those_of_the_model() -> None:
    own, texts = hashing_embedder(dimensions=64), ["tea", "", "an odd \ud83d half"]
    async with borrowed(own) as (embedder, _):
        assert np.array_equal(await embedder.embed(texts), await own.embed(texts))
        assert (await embedder.embed([])).shape == (0, 64)


async def test_each_of_many_at_once_gets_its_own() -> None:
    own, texts = hashing_embedder(dimensions=64), [f"text {number}" for number in range(200)]
    async with borrowed(own) as (embedder, _):
        made = await asyncio.gather(*(embedder.embed([text]) for text in texts))
    assert np.array_equal(np.concatenate(made), await own.embed(texts))


async def test_whoever_borrows_is_told_what_the_model_says() -> None:
    async with borrowed(Refusing(InputRefused("not this text"))) as (embedder, _):
        with pytest.raises(InputRefused, match="not this text"):
            await embedder.embed(["tea"])


async def test_an_error_that_may_quote_a_question_is_not_passed_on() -> None:
    async with borrowed(Refusing(ValueError("where did I hide the money"))) as (embedder, _):
        with pytest.raises(Unavailable, match=r"the embedder failed; ask again$"):
            await embedder.embed(["tea"])


async def test_when_the_lender_ends_whoever_waits_is_told_and_the_borrower_ends() -> None:
    ours, theirs = socket.socketpair()
    borrower = Borrower(theirs)
    borrowing = asyncio.create_task(borrower.run())
    await until(lambda: borrower.is_open)
    asked = asyncio.create_task(borrower.ask(["tea"]))
    await asyncio.sleep(0.01)
    ours.close()
    with pytest.raises(Unavailable):
        await asked
    await asyncio.wait_for(borrowing, PATIENCE_S)
    with pytest.raises(Unavailable):
        await borrower.ask(["tea"])


async def test_who_gave_up_waiting_leaves_the_others_their_answers() -> None:
    own = hashing_embedder(dimensions=64)
    async with borrowed(own) as (embedder, _):
        given_up = asyncio.create_task(embedder.embed(["tea"]))
        await asyncio.sleep(0)
        given_up.cancel()
        assert np.array_equal(await embedder.embed(["coffee"]), await own.embed(["coffee"]))


async def test_whoever_ends_its_use_leaves_the_model_to_the_others() -> None:
    own = hashing_embedder(dimensions=64)
    kept = KeptEmbedder(own)
    await kept.close()
    assert np.array_equal(await kept.embed(["tea"]), await own.embed(["tea"]))
