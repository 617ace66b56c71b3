"""Five hundred hostile questions: each gets an answer or a clear error, and the retriever goes on answering."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from shared.contracts.errors import Malformed, MemstreamError, TooLarge, TooMany
from shared.contracts.queries import MAX_QUERY_CHARACTERS
from shared.runtime.embedders.hashing import hashing_embedder
from tests.support.installations import Installation
from tests.support.services import Answering, answering

USER = "anna"
PIECES = [
    *("\"'`()*^:-+{}[];\\%_?|&<>\t\n "),
    *(
        "--",
        "/*",
        "AND",
        "OR",
        "NOT",
        "NEAR",
        "NEAR(a b, 3)",
        "MATCH",
        "turn:",
        "rowid",
        "NULL",
        "SELECT",
        "DROP TABLE memories",
    ),
    *(
        "\0",
        "\x01",
        "\x1b[2J",
        "\u202e",
        "\u200b",
        "\ufeff",
        "\u2028",
        "\ud800",
        "\udfff",
        "🙂",
        "👩\u200d👧",
        "é",
        "e\u0301",
        "ß",
    ),
    *("שלום", "مرحبا", "寿司", "ありがとう", "สวัสดี", "한국어", "１２３", "٣", "ﷺ", "𝔘"),
    *("heron", "the", "is", "what", "of", "last week", "on 31 February", "in 9999", "99999 years ago", "in May 2023"),
    *("@anna", "#birds", "a@b.co", "http://x"),
]


def hostile() -> list[str]:
    chance = random.Random(5)
    made = [chance.choice(["", " "]).join(chance.choices(PIECES, k=chance.randint(1, 12))) for _ in range(480)]
    long = MAX_QUERY_CHARACTERS
    whole = [
        "",
        " ",
        "\0",
        "the of and is",
        "?" * 999,
        "a" * long,
        "寿" * long,
        "heron " * (long // 6),
        "\ud800" * 9,
        "last " * 3_000,
    ]
    return [*made, *whole, *(piece * 50 for piece in PIECES[-10:])]


@pytest_asyncio.fixture
async def running(own_server: Installation) -> AsyncIterator[Answering]:
    async with answering(own_server, space="home", embedder=hashing_embedder(dimensions=256)) as running:
        said = await running.bot.said(USER, "We saw a heron last week, on 7 May, @anna #birds 寿司")
        await running.bot.ask(USER, "stats", {"min_position": said.position})
        yield running


async def test_each_gets_an_answer_or_a_clear_error(running: Answering) -> None:
    questions = hostile()
    assert len(questions) == 500
    refused = 0
    for text in questions:
        for query in ("context", "search"):
            try:
                answer = await running.bot.ask(USER, query, {"query": text})
            except (Malformed, TooLarge):
                refused += 1
            else:
                assert set(answer["legs_failed"]) <= {"vector"}, repr(text)
    assert refused < len(questions)
    assert (await running.bot.ask(USER, "search", {"query": "heron"}))["items"]


async def test_what_is_too_long_says_so(running: Answering) -> None:
    for query in ("context", "search", "explain"):
        with pytest.raises(TooLarge, match="query"):
            await running.bot.ask(USER, query, {"query": "x" * 1_000_000})


@pytest.mark.parametrize(
    "payload",
    [
        *(b"", b"null", b"[]", b'{"query":', b'{"query": 7}', b'{"query": "x", "limit": 0}', b"\xff\xfe"),
        *(b"[" * 100_000, b'{"query":' * 50_000, b'{"query":' + b"[" * 50_000 + b"]" * 50_000 + b"}"),
    ],
)
async def test_what_is_no_query_is_a_clear_error(running: Answering, payload: bytes) -> None:
    with pytest.raises(MemstreamError) as raised:
        await running.bot.ask(USER, "context", payload)
    assert raised.value.code == "malformed"


QUERIES_WITH_POSITIONS: dict[str, dict[str, object]] = {
    "context": {"query": "heron"},
    "search": {"query": "heron"},
    "list": {},
    "stats": {},
    "summary": {},
    "sessions": {},
    "audit": {},
    "export": {},
    "diff": {"since_number": 1},
    "explain": {"query": "heron"},
}


@pytest.mark.parametrize("query", QUERIES_WITH_POSITIONS)
async def test_a_position_beyond_the_end_of_the_log_is_refused_and_not_waited_for(running: Answering, query: str) -> None:
    asked = QUERIES_WITH_POSITIONS[query] | {"min_position": 2**53 - 1, "timeout_s": 30}
    with pytest.raises(Malformed, match="beyond the end of the log"):
        await running.bot.ask(USER, query, asked)


@pytest.mark.parametrize("query", ["export", "context"])
async def test_who_asks_more_than_can_wait_is_refused_and_the_others_of_the_space_are_answered(
    running: Answering, query: str
) -> None:
    asked = QUERIES_WITH_POSITIONS[query] | {"timeout_s": 30}
    flood = [asyncio.create_task(running.bot.ask("eve", query, asked)) for _ in range(300)]
    assert await running.bot.ask(USER, query, asked)
    told = await asyncio.gather(*flood, return_exceptions=True)
    assert any(isinstance(each, TooMany) for each in told)
    assert any(isinstance(each, dict) for each in told)


async def test_a_page_of_an_export_that_leaves_out_where_it_ends_is_refused(running: Answering) -> None:
    with pytest.raises(Malformed, match="through_position"):
        await running.bot.ask(USER, "export", {"after_position": 1})
