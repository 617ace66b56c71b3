"""Texts that come while a model is busy are embedded in one go."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import numpy as np
import pytest

from shared.runtime.embedders.port import Vectors
from shared.runtime.embedders.text_batcher import TextBatcher


class Model:
    """Each text's vector is its length; a call takes until it is let go."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.may_answer = asyncio.Event()

    async def embed(self, texts: list[str]) -> Vectors:
        self.calls.append(texts)
        await self.may_answer.wait()
        if "bad" in texts:
            raise ValueError("bad")
        return np.array([[len(text)] for text in texts], np.float32)


async def _asked(batcher: TextBatcher, *texts: str) -> asyncio.Task[Vectors]:
    task = asyncio.create_task(batcher.vectors_of(texts))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return task


async def test_what_comes_meanwhile_goes_together() -> None:
    model = Model()
    batcher = TextBatcher(model.embed)
    tasks = [await _asked(batcher, *texts) for texts in (["a"], ["bb", "ccc"], ["dddd"])]
    model.may_answer.set()
    assert [vectors.tolist() for vectors in await asyncio.gather(*tasks)] == [[[1]], [[2], [3]], [[4]]]
    assert model.calls == [["a"], ["bb", "ccc", "dddd"]]


async def test_no_call_holds_more_than_it_may_but_for_one_that_came_so() -> None:
    model = Model()
    batcher = TextBatcher(model.embed)
    tasks = [await _asked(batcher, *["x"] * count) for count in (1, 40, 20, 12, 1)]
    model.may_answer.set()
    assert [len(vectors) for vectors in await asyncio.gather(*tasks)] == [1, 40, 20, 12, 1]
    assert list(map(len, model.calls)) == [1, 40, 32, 1]


async def test_everyone_who_waits_for_a_call_that_fails_is_told_and_the_next_are_served() -> None:
    model = Model()
    batcher = TextBatcher(model.embed)
    first, bad, beside = [await _asked(batcher, text) for text in ("a", "bad", "ccc")]
    model.may_answer.set()
    assert (await first).tolist() == [[1]]
    for task in (bad, beside):
        with pytest.raises(ValueError, match="bad"):
            await task
    assert (await batcher.vectors_of(["dd"])).tolist() == [[2]]


async def test_who_stops_waiting_is_left_out_and_disturbs_nobody() -> None:
    model = Model()
    batcher = TextBatcher(model.embed)
    tasks = [await _asked(batcher, text) for text in ("a", "bb", "ccc")]
    for task in tasks[:2]:  # one whose call runs, one that waits
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    model.may_answer.set()
    assert (await tasks[2]).tolist() == [[3]]
    assert model.calls == [["a"], ["ccc"]]
