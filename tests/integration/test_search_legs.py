"""Each search leg may fail alone: the others answer, and the answer says which is missing and why."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from services.ingest.app import build as build_ingest
from services.maintenance.app import Maintenance
from services.maintenance.settings import MaintenanceSettings
from services.retriever.app import Retriever
from services.retriever.settings import RetrieverSettings
from services.retriever.store.search.word_search import WordSearch
from shared.contracts.ids import Space, User
from shared.runtime.embedders.factory import EmbedderSettings
from shared.runtime.embedders.hashing import hashing_embedder
from shared.runtime.embedders.port import Embedder, EmbedderModel, Vectors
from shared.runtime.service import Service
from shared.runtime.settings import RuntimeSettings
from shared.runtime.sqlite import open_database
from tests.support.installations import Bot, Installation, serving, until

TEXT = "I am allergic to hazelnuts."
QUESTION = "What about hazelnuts?"
_VECTORS = "SELECT model, count(*) AS vectors FROM vec_memories GROUP BY model"
SPACE, USER = Space("home"), User("anna")


class Scripted:
    """An embedder that fails, or that never answers."""

    model = EmbedderModel("scripted", 256)

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self._error:
            raise self._error
        await asyncio.Event().wait()
        raise AssertionError(texts)

    async def close(self) -> None:
        pass


@dataclass
class Memstream:
    """Running services, and a bot that talks to them."""

    retriever: Retriever
    bot: Bot
    file: Path

    async def ask(self, **more: object) -> dict[str, Any]:
        return await self.bot.ask(USER, "context", {"query": QUESTION, "record": False, **more})

    async def embedded(self) -> None:
        """Wait until every leg answers."""

        async def complete() -> bool:
            return not (await self.ask())["legs_failed"]

        await until(complete, what="every memory has a vector")

    async def digest(self) -> str | int:
        return (await self.retriever._files.digests())["projection"]

    def models(self) -> dict[str, int]:
        """How many memories have a vector of each model."""
        engine = open_database(self.file)
        with engine.begin() as db:
            found = {row.model: row.vectors for row in db.exec_driver_sql(_VECTORS)}
        engine.dispose()
        return found

    def destroy(self, *statements: str) -> None:
        """Damage the file behind the retriever's back."""
        engine = open_database(self.file)
        with engine.begin() as db:
            for statement in statements:
                db.exec_driver_sql(statement)
        engine.dispose()


@asynccontextmanager
async def memstream(
    server: Installation,
    embedder: Embedder | None,
    *,
    vectors: bool = True,
    dimensions: int = 256,
    timeout_s: float = 1.0,
) -> AsyncIterator[Memstream]:
    """The services with this embedder for questions; what is said is embedded by hashing, in so many dimensions."""
    settings: RuntimeSettings = server.settings
    retriever = Retriever(settings, RetrieverSettings(query_embedding_timeout_s=timeout_s), embedder)
    services: list[Service] = [build_ingest(settings), retriever]
    if vectors:
        embedding = EmbedderSettings(kind="hashing", dimensions=dimensions)
        services.append(Maintenance(settings, MaintenanceSettings(batch_age_s=0), embedding))
    async with serving(*services), server.connected("bot") as client:
        scope = server.keys.scope_of(SPACE, USER)
        file = settings.files.projection("retriever") / "memories" / scope[:2] / f"{scope}.db"
        running = Memstream(retriever, Bot(client, SPACE), file)
        said = await running.bot.said(USER, TEXT, message_id="m1")
        await running.ask(min_position=said.position)
        yield running


def _words_alone(answer: dict[str, Any], why: str) -> bool:
    legs = [set(item["score"]["legs"]) for item in answer["items"] if item["text"] == TEXT]
    return legs == [{"lexical"}] and answer["legs_failed"] == ["vector"] and answer["leg_failures"] == {"vector": why}


async def test_without_an_embedder_the_words_answer(own_server: Installation) -> None:
    async with memstream(own_server, None, vectors=False) as running:
        assert _words_alone(await running.ask(), "no_embedder")
        found = await running.bot.ask(USER, "search", {"query": QUESTION})
        assert _words_alone(found, "no_embedder")


async def test_before_there_are_vectors_the_words_answer(own_server: Installation) -> None:
    async with memstream(own_server, hashing_embedder(dimensions=256), vectors=False) as running:
        assert _words_alone(await running.ask(), "no_vectors")


async def test_nothing_fails_for_one_of_whom_nothing_is_known(own_server: Installation) -> None:
    async with memstream(own_server, hashing_embedder(dimensions=256), vectors=False) as running:
        assert (await running.bot.ask("ben", "context", {"query": QUESTION}))["leg_failures"] == {}


async def test_a_slow_embedder_is_not_waited_for(own_server: Installation) -> None:
    async with memstream(own_server, Scripted(), timeout_s=0.05) as running:
        assert _words_alone(await running.ask(), "embedder_slow")


async def test_when_the_embedder_raises_the_words_answer_and_no_log_quotes_the_question(
    own_server: Installation, capfd: pytest.CaptureFixture[str]
) -> None:
    async with memstream(own_server, Scripted(RuntimeError(QUESTION))) as running:
        assert _words_alone(await running.ask(), "embedder_failed")
    assert "hazelnuts" not in "".join(capfd.readouterr())


async def test_vectors_of_other_dimensions_are_not_compared(own_server: Installation) -> None:
    async with memstream(own_server, hashing_embedder(dimensions=256)) as running:
        await running.embedded()
    async with memstream(own_server, hashing_embedder(dimensions=64)) as running:
        assert _words_alone(await running.ask(), "other_model")


async def test_another_model_embeds_everything_anew_beside_the_old_vectors(own_server: Installation) -> None:
    """So it is when a new version brings another network: the first model's vectors stay, should it come back."""
    wide, narrow = hashing_embedder(dimensions=256), hashing_embedder(dimensions=64)
    async with memstream(own_server, wide) as running:
        await running.embedded()
        before = running.models()
    async with memstream(own_server, narrow, dimensions=64) as running:
        await running.embedded()
        answer = await running.ask()
        after = running.models()
    assert [(item["text"], set(item["score"]["legs"])) for item in answer["items"]] == [(TEXT, {"lexical", "vector"})]
    assert after == {**before, narrow.model.fingerprint: before[wide.model.fingerprint]}
    async with memstream(own_server, wide, vectors=False) as running:
        await running.embedded()


async def test_vectors_that_cannot_be_compared_leave_the_words_and_the_file(own_server: Installation) -> None:
    narrow = hashing_embedder(dimensions=64)
    narrow.model = hashing_embedder(dimensions=256).model  # it says that it is another than it is
    async with memstream(own_server, hashing_embedder(dimensions=256)) as running:
        await running.embedded()
    narrow.embed = hashing_embedder(dimensions=64).embed  # type: ignore[method-assign]
    async with memstream(own_server, narrow) as running:
        file = running.file.stat().st_ino
        assert _words_alone(await running.ask(), "broken")
        assert _words_alone(await running.ask(), "broken")
        assert running.file.stat().st_ino == file


async def test_without_a_table_the_other_legs_answer_and_the_file_is_built_again(own_server: Installation) -> None:
    async with memstream(own_server, hashing_embedder(dimensions=256)) as running:
        await running.embedded()
        before = await running.digest()
        running.destroy("DROP TABLE memory_entities")
        answer = await running.ask()
        assert answer["leg_failures"] == {"entity": "broken"}
        assert [item["text"] for item in answer["items"]] == [TEXT]
        assert "entity" not in answer["items"][0]["score"]["legs"]
        assert (await running.ask())["leg_failures"] == {}
        assert await running.digest() == before


async def test_events_for_a_damaged_file_are_not_put_aside(own_server: Installation) -> None:
    async with memstream(own_server, hashing_embedder(dimensions=256)) as running:
        await running.embedded()
        running.destroy("DROP TABLE vec_memories", "DROP TABLE memory_days")
        said = await running.bot.said(USER, "I like hazelnuts, though.", message_id="m2")
        answer = await running.ask(min_position=said.position)
        assert {item["message_id"] for item in answer["items"]} == {"m1", "m2"}
        assert running.retriever._memories.index.quarantined() == {}


@pytest.mark.parametrize("table", ["vec_memories", "memory_days", "memories", "memory_words"])
async def test_a_table_that_was_lost_while_nobody_looked_is_built_again(own_server: Installation, table: str) -> None:
    async with memstream(own_server, hashing_embedder(dimensions=256)) as running:
        await running.embedded()
        before = await running.digest()
    running.destroy(f"DROP TABLE {table}")
    async with memstream(own_server, hashing_embedder(dimensions=256)) as running:
        await running.embedded()
        assert [item["text"] for item in (await running.ask())["items"]] == [TEXT]
        assert await running.digest() == before


async def test_a_file_that_is_no_database_is_built_again(own_server: Installation) -> None:
    async with memstream(own_server, hashing_embedder(dimensions=256)) as running:
        await running.embedded()
        before = await running.digest()
    running.file.write_bytes(b"\0" * 5000)
    async with memstream(own_server, hashing_embedder(dimensions=256)) as running:
        assert [item["text"] for item in (await running.ask())["items"]] == [TEXT]
        assert await running.digest() == before


async def test_a_statement_that_fails_on_a_sound_file_does_not_cost_the_file(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OperationalError("SELECT", {}, Exception("fts5: syntax error"))

    async with memstream(own_server, hashing_embedder(dimensions=256)) as running:
        await running.embedded()
        file = running.file.stat().st_ino
        monkeypatch.setattr(WordSearch, "scores", fails)
        for _ in range(2):
            assert (await running.ask())["leg_failures"] == {"lexical": "broken"}
        assert running.file.stat().st_ino == file
