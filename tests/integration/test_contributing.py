"""What CONTRIBUTING says of adding a query and a command is enough: each is added here in just these steps, and works."""

import pytest

from docs import generate
from services.ingest.domain import decide
from services.ingest.domain.decide import RULES, DecisionRule
from services.ingest.domain.keeping import known_memory
from services.ingest.domain.ruling import Ruling
from services.retriever import app
from services.retriever.answerer import Answerer
from services.retriever.explainer import Explainer
from services.retriever.handlers import make_router, subscribe
from services.retriever.person_files import PersonFiles
from shared.contracts.command import Channel, Command, OfMemory
from shared.contracts.commands import COMMANDS
from shared.contracts.events import MemoryPinned
from shared.contracts.queries import ANSWERS, QUERIES, Answer, Query
from shared.runtime.asking import Asker
from tests.support.installations import Installation
from tests.support.services import answering

USER = "anna"


class EchoAnswer(Answer):
    """The words that were asked."""

    words: str


class EchoQuery(Query):
    """Say it again."""

    answer = EchoAnswer

    words: str


class Bookmark(OfMemory):
    """Come back to this memory."""


def bookmark(command: Bookmark, ruling: Ruling) -> None:
    """Bookmark a memory that is known. Raises UnknownMemory."""
    known_memory(command.memory_id, ruling.state)
    ruling.add(MemoryPinned(memory_id=command.memory_id))


async def test_a_query_is_added_by_its_class_its_answer_and_a_subscription(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def echo(_: Asker, query: EchoQuery) -> EchoAnswer:
        return EchoAnswer(position=query.min_position, words=query.words)

    def with_echo(answerer: Answerer, explainer: Explainer, files: PersonFiles) -> object:
        router = make_router(answerer, explainer, files)
        subscribe(router, EchoQuery, echo)
        return router

    monkeypatch.setattr(app, "make_router", with_echo)
    monkeypatch.setitem(QUERIES, EchoQuery.query_name, EchoQuery)
    monkeypatch.setitem(ANSWERS, EchoQuery.query_name, EchoQuery.answer)
    async with answering(own_server, space="home") as running:
        assert (await running.bot.ask(USER, "echo", {"words": "hello"}))["words"] == "hello"
        with pytest.raises(Exception, match="echo query does not fit: words"):
            await running.bot.ask(USER, "echo", {})
    assert "\n## `echo`\n" in generate.queries_page()


async def test_a_command_is_added_by_its_class_and_its_rule(own_server: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMANDS, Bookmark.what, Bookmark)
    rules: dict[type[Command], DecisionRule] = {**RULES, Bookmark: bookmark}
    monkeypatch.setattr(decide, "RULES", rules)
    async with answering(own_server, space="home") as running:
        bot = running.bot
        said = await bot.said(USER, "I like tea.")
        sent = {"memory_id": said.memory_id, "message_id": "b1"}
        first = await bot.outcome(USER, sequence=await bot.send(USER, "bookmark", sent))
        again = await bot.outcome(USER, sequence=await bot.send(USER, "bookmark", sent))
        unknown = await bot.outcome(USER, sequence=await bot.send(USER, "bookmark", {"memory_id": "ep_0"}))
        assert (first.verdict, again.verdict, unknown.code) == ("recorded", "unchanged", "unknown_memory")
        shown = await bot.ask(USER, "show", {"memory_id": said.memory_id, "min_position": first.position})
        assert shown["memory"]["pinned"]
    assert Bookmark.channel is Channel.SEND
    assert "\n## `bookmark`\n" in generate.commands_page()
