"""Audit, export and import against a real server, in two installations with keys of their own."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import pytest
import pytest_asyncio

from memstream.client import MemoryClient
from services.retriever.store.memory_file import NOTHING_KNOWN
from shared.contracts.ids import Space, User
from shared.contracts.queries import AuditEntry, Memory
from shared.contracts.subjects import work_subject
from tests.acceptance.everywhere import found
from tests.support.installations import Installation, until
from tests.support.services import answering

RARE = ["Quixeldra", "zorbifers", "Bramblethwick"]


@pytest_asyncio.fixture
async def source(own_server: Installation) -> AsyncIterator[MemoryClient]:
    async with answering(own_server, space="home"), client(own_server, "home", "anna") as memory:
        yield memory


@pytest_asyncio.fixture
async def elsewhere(tmp_path: Path) -> AsyncIterator[Installation]:
    installation = await Installation.create(tmp_path / "elsewhere")
    yield installation
    await installation.server.stop()


def client(server: Installation, space: str, user: str) -> MemoryClient:
    return MemoryClient(space=space, user=user, url=server.server.url, data_dir=server.settings.data_dir)


async def live(memory: MemoryClient, server: Installation) -> dict[str, str]:
    """A life in memory: the memory ids by what they are."""
    ids: dict[str, str] = {}
    await memory.add("My sister Quixeldra keeps zorbifers in Bramblethwick.", session_id="s1", message_id="m1")
    await memory.add("How lovely.", session_id="s1", role="assistant", message_id="m2")
    ended = await memory.end_session("s1")
    position = (await memory.outcome(ended)).position
    turns = (await memory.list(kinds=["episode"], min_position=position)).items
    ids["turn"] = next(item.memory_id for item in turns if "Quixeldra" in item.text)
    await learned(server, ids["turn"])
    ids["tea"] = str((await memory.remember("Anna likes tea", tags=["drink"])).memory_id)
    await memory.remember("Anna likes  TEA.", tags=["taste"])
    ids["coffee"] = str((await memory.correct(ids["tea"], "Anna likes coffee")).memory_id)
    await memory.remember("Anna was born in Leeds", source_ids=["https://example.org/1"])
    await memory.pin(ids["turn"])
    await memory.change_settings({"soft_cap": 77})
    last = await memory.outcome(await memory.add("And another thing", session_id="s2", message_id="m3"))
    await memory.stats(min_position=last.position)
    return ids


async def learned(server: Installation, turn: str) -> None:
    """What the consolidator would send."""
    fact = {
        "text": "Anna's sister Quixeldra keeps zorbifers",
        "source_ids": [turn],
        "tags": ["family"],
        "occurred_at": "2026-05-03T09:00:00Z",
    }
    page = {
        "message_id": "run/0",
        "session_id": "s1",
        "page": 0,
        "is_last": True,
        "through_number": 4,
        "origin": {"extractor": "rules/1", "run_id": "run"},
        "facts": [fact],
    }
    async with server.connected("consolidator") as work:
        await work.jetstream().publish(work_subject(Space("home"), User("anna"), "save_facts"), json.dumps(page).encode())


def _told(item: Memory) -> tuple[object, ...]:
    return item.memory_id, item.text, item.session_id, item.pinned, item.status, item.supersedes


async def lines_of(memory: MemoryClient, position: int = 0) -> list[str]:
    return [line async for line in memory.export(min_position=position)]


async def test_an_export_goes_into_another_installation_with_other_keys_and_the_content_is_equal(
    source: MemoryClient, own_server: Installation, elsewhere: Installation
) -> None:
    await live(source, own_server)
    lines = await lines_of(source)
    header = json.loads(lines[0])
    assert header["memstream_export"] == 1
    assert own_server.keys.digester.key != elsewhere.keys.digester.key
    async with answering(elsewhere, space="work") as there, client(elsewhere, "work", "ben") as target:
        done = await target.import_export(lines)
        assert done.is_equal
        assert done.content_digest == header["content_digest"] is not None
        assert done.records == len(lines) - 1
        again = await target.import_export(lines)
        assert again.pages == {"recorded": 0, "unchanged": 1, "not_recorded": 0}
        assert again.is_equal
        here, there_too = [(await one.list(status="all", limit=500)).items for one in (source, target)]
        assert [_told(item) for item in there_too] == [_told(item) for item in here]
        assert (await target.stats()).settings.soft_cap == 77
        assert json.loads((await lines_of(target))[0])["content_digest"] == header["content_digest"]
        outcome = await there.bot.said("ben", "A word more", "s9")
        assert outcome.verdict == "recorded"
        assert not (await target.import_export(lines)).is_equal


async def test_an_export_holds_nothing_forgotten_nor_does_its_import(
    source: MemoryClient, own_server: Installation, elsewhere: Installation, tmp_path: Path
) -> None:
    ids = await live(source, own_server)
    older = await lines_of(source)
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "older.jsonl").write_text("\n".join(older))
    assert found(folder, RARE)
    decided = await source.forget(memory_ids=[ids["turn"]])
    await source.stats(min_position=decided.position)
    (folder / "older.jsonl").write_text("\n".join(await lines_of(source)))  # hidden, and perhaps not erased yet
    assert found(folder, RARE) == []

    async def is_done() -> bool:
        return (await source.forgetting(decided.number or 0)).state == "done"

    await until(is_done, what="the receipt")
    newer = await lines_of(source)
    (folder / "older.jsonl").write_text("\n".join(newer))
    assert found(folder, RARE) == []
    assert (await source.import_export(older)).pages["recorded"] == 0  # what was forgotten here stays so
    async with answering(elsewhere, space="work"), client(elsewhere, "work", "ben") as target:
        assert (await target.import_export(newer)).is_equal
    assert found(elsewhere.settings.files.root, RARE) == []


async def trail(
    memory: MemoryClient,
    *,
    since: datetime | None = None,
    types: tuple[str, ...] = (),
    everything: bool = False,
    limit: int = 100,
) -> list[AuditEntry]:
    """All pages."""
    entries: list[AuditEntry] = []
    before = None
    while True:
        page = await memory.audit(before_number=before, since=since, types=types, everything=everything, limit=limit)
        entries += page.entries
        before = page.next_before_number
        if before is None:
            return entries


async def test_the_trail_tells_who_did_what_without_text_and_survives_forgetting(
    source: MemoryClient, own_server: Installation
) -> None:
    ids = await live(source, own_server)
    refused = await source.send("pin", {"memory_id": "fact_000000000000000000000000"})
    await source.outcome(refused)
    entries = await trail(source, limit=3)
    assert [entry.number for entry in entries] == sorted((entry.number for entry in entries), reverse=True)
    by_type = {entry.type: entry for entry in reversed(entries)}
    assert "episode_recorded" not in by_type
    assert by_type["command_rejected"].result == "rejected"
    assert by_type["command_rejected"].code == "unknown_memory"
    assert by_type["command_rejected"].details["what"] == "pin"
    assert by_type["memory_pinned"].memory_ids == (ids["turn"],)
    assert (by_type["memory_pinned"].actor.channel, by_type["memory_pinned"].actor.name) == ("send", "bot")
    assert (by_type["session_consolidated"].actor.channel, by_type["session_consolidated"].actor.name) == (
        "work",
        "consolidator",
    )
    assert by_type["settings_changed"].details == {"settings": ["soft_cap"]}
    assert len(await trail(source, everything=True)) == max(entry.number for entry in entries)
    assert {entry.type for entry in await trail(source, types=("memory_pinned",))} == {"memory_pinned"}
    assert await trail(source, since=entries[0].at) == [entry for entry in entries if entry.at >= entries[0].at]
    everything = "".join(entry.model_dump_json() for entry in await trail(source, everything=True))
    for word in (*RARE, "tea", "coffee", "drink", "taste", "Leeds", "example.org", "family"):
        assert word not in everything

    decided = await source.forget_user()

    async def is_done() -> bool:
        return (await source.forgetting(decided.number or 0)).state == "done"

    await until(is_done, what="the receipt")
    assert [entry.type for entry in await trail(source, everything=True)] == ["forgetting_completed", "user_forgotten"]
    [header] = await lines_of(source)
    assert json.loads(header)["content_digest"] == NOTHING_KNOWN


@pytest.mark.usefixtures("source")
async def test_a_large_export_comes_in_pages_and_nothing_is_left_out(own_server: Installation) -> None:
    async with client(own_server, "home", "anna") as memory:
        turns = [
            {
                "role": "user",
                "session_id": f"s{number // 50}",
                "text": f"turn {number} " + "x" * 3000,
                "message_id": f"m{number}",
            }
            for number in range(450)
        ]
        for start in range(0, 450, 150):
            await memory.import_turns(turns[start : start + 150])
        decided = await memory.change_settings({"soft_cap": 900})
        lines = await lines_of(memory, decided.position)
        records = [json.loads(line) for line in lines[1:]]
        assert sum(record["type"] == "episode_recorded" for record in records) == 450
        assert records[-1]["type"] == "settings_changed"
        assert len({record["record_id"] for record in records}) == len(records)
        async with client(own_server, "home", "ben") as other:
            done = await other.import_export(lines)
            assert done.is_equal
            assert done.pages["recorded"] > 2
