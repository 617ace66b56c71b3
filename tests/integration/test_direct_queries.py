"""Queries that are answered without FastStream are answered as all others are: errors, headers, places, and a graceful end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from shared.contracts.errors import Unavailable
from shared.contracts.queries import SearchAnswer, SearchQuery
from shared.runtime.asking import Asker
from shared.runtime.connection import Client
from shared.runtime.direct_queries import DirectQueries, encoded
from shared.runtime.metrics import QUERY_ERRORS, QUERY_SECONDS
from shared.runtime.places import Places
from tests.support.installations import PATIENCE_S, Installation, until

_SUBJECT = "ask.home.an%2Ena.search"
_GOOD = b'{"query": "tea"}'
Answer = Callable[[Asker, SearchQuery], Awaitable[bytes]]


async def _at_once() -> None:
    pass


async def _nothing(asker: Asker, _: SearchQuery) -> bytes:
    assert asker == Asker(asker.space, asker.user)
    return encoded(SearchAnswer(position=len(asker.user), items=()))


@asynccontextmanager
async def _answering(server: Installation, answer: Answer, places: Places | None = None) -> AsyncIterator[DirectQueries]:
    direct = DirectQueries("retriever", places or Places(9), _at_once)
    direct.add(SearchQuery, answer)
    async with server.connected("retriever") as client:
        await direct.open(client)
        await client.flush()
        yield direct
        await direct.close()


async def _asked(bot: Client, data: bytes = _GOOD, **headers: str) -> dict[str, Any]:
    reply = await bot.request(_SUBJECT, data, timeout=PATIENCE_S, headers=headers or None)
    found: dict[str, Any] = json.loads(reply.data)
    return found


async def test_a_query_is_answered_with_the_headers_of_all_replies_and_counted(own_server: Installation) -> None:
    seconds = QUERY_SECONDS.labels("search")
    async with _answering(own_server, _nothing), own_server.connected("bot") as bot:
        before = sum(bucket.get() for bucket in seconds._buckets)
        reply = await bot.request(_SUBJECT, _GOOD, timeout=5, headers={"correlation_id": "mine"})
        assert SearchAnswer.model_validate_json(reply.data).position == len("an.na")
        assert reply.headers == {"content-type": "application/json", "correlation_id": "mine"}
        one, other = [(await bot.request(_SUBJECT, _GOOD, timeout=5)).headers or {} for _ in range(2)]
        assert one["correlation_id"] != other["correlation_id"]
        assert sum(bucket.get() for bucket in seconds._buckets) == before + 3


@pytest.mark.parametrize(
    ("data", "code", "says"),
    [
        (b"", "malformed", "not a JSON object"),
        (b"[1]", "malformed", "not a JSON object"),
        (b"\xff", "malformed", "not a JSON object"),
        (b"{}", "malformed", "the search query does not fit: query: Field required"),
        (b'{"query": "tea", "limit": 0}', "malformed", "limit: Input should be greater than"),
        (b'{"query": "%s"}' % (b"x" * 70_000), "too_large", "shorten it"),
        (b"[" * 100_000, "malformed", "nested too deeply"),
    ],
)
async def test_what_does_not_fit_is_told(own_server: Installation, data: bytes, code: str, says: str) -> None:
    async with _answering(own_server, _nothing), own_server.connected("bot") as bot:
        error = (await _asked(bot, data))["error"]
    assert error["code"] == code
    assert says in error["message"]


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (Unavailable("the retriever is starting"), "unavailable", "is starting"),
        (RuntimeError("words of a person"), "internal", "its log says why"),
    ],
)
async def test_who_asks_is_told_of_every_error(own_server: Installation, error: Exception, code: str, says: str) -> None:
    async def fails(*_: object) -> bytes:
        raise error

    counted = QUERY_ERRORS.labels("search", code)
    before = counted._value.get()
    async with _answering(own_server, fails), own_server.connected("bot") as bot:
        told = (await _asked(bot))["error"]
    assert counted._value.get() == before + 1
    assert told["code"] == code
    assert says in told["message"]
    assert "words of a person" not in told["message"]


async def test_a_person_who_asks_too_much_is_refused(own_server: Installation) -> None:
    may_end = asyncio.Event()

    async def waits(asker: Asker, query: SearchQuery) -> bytes:
        await may_end.wait()
        return await _nothing(asker, query)

    async with _answering(own_server, waits, Places(1, most_of_person=2)), own_server.connected("bot") as bot:
        asking = [asyncio.create_task(_asked(bot)) for _ in range(3)]
        done, _ = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
        assert [each.result()["error"]["code"] for each in done] == ["too_many"]
        may_end.set()
        assert sum("items" in each for each in await asyncio.gather(*asking)) == 2


async def test_a_question_whose_time_is_over_when_its_turn_comes_is_not_worked_on(own_server: Installation) -> None:
    may_end, worked = asyncio.Event(), list[float]()

    async def waits(asker: Asker, query: SearchQuery) -> bytes:
        worked.append(query.timeout_s)
        await may_end.wait()
        return await _nothing(asker, query)

    async with _answering(own_server, waits, Places(1)), own_server.connected("bot") as bot:
        first = asyncio.create_task(_asked(bot))
        await until(lambda: bool(worked))
        late = asyncio.create_task(_asked(bot, b'{"query": "tea", "timeout_s": 1e-6}'))
        await bot.flush()
        assert "items" in (await _asked_elsewhere(bot, may_end, first))
        assert (await late)["error"]["code"] == "not_caught_up"
    assert worked == [2.0]


async def _asked_elsewhere(bot: Client, may_end: asyncio.Event, first: asyncio.Task[dict[str, Any]]) -> dict[str, Any]:
    """Let the first question end once the server has what was sent before, and return its answer."""
    await bot.flush()
    may_end.set()
    return await first


async def test_what_was_taken_is_answered_when_the_service_stops_and_nothing_more_is_taken(own_server: Installation) -> None:
    begun, may_end = asyncio.Event(), asyncio.Event()

    async def slow(asker: Asker, query: SearchQuery) -> bytes:
        begun.set()
        await may_end.wait()
        return await _nothing(asker, query)

    async with own_server.connected("bot") as bot, _answering(own_server, slow) as direct:
        asking, taken = asyncio.create_task(_asked(bot)), asyncio.create_task(begun.wait())
        await asyncio.wait((asking, taken), return_when=asyncio.FIRST_COMPLETED)
        assert taken.done(), asking.result()
        closing = asyncio.create_task(direct.close())
        await asyncio.sleep(0)
        may_end.set()
        await closing
        assert (await asking)["items"] == []
        with pytest.raises(Exception, match=r"no responders|timeout"):
            await bot.request(_SUBJECT, _GOOD, timeout=0.3)
