"""A person's hand on the memory, through a real server: the client, the tools and the command line."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from memstream import MemoryClient, MemstreamError, NotFound, PersonSettings, Rejected, Verdict
from memstream.client import Memories
from services.ingest.app import build as build_ingest
from services.retriever.app import build as build_retriever
from services.retriever.rebuild import rebuild
from shared.contracts.parts import Kind, Standing
from shared.runtime.service import Service, run_services
from tests.support.installations import PATIENCE_S, Installation, until

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def services_of(server: Installation) -> AsyncIterator[None]:
    services: list[Service] = [build_ingest(server.settings), build_retriever(server.settings)]
    task = asyncio.create_task(run_services(services, version="test", http_port=None))
    try:
        await until(lambda: all(service.is_ready for service in services) or task.done(), what="the services are ready")
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def client_of(server: Installation) -> MemoryClient:
    return MemoryClient(space="home", user="anna", url=server.server.url, data_dir=server.settings.data_dir)


@pytest_asyncio.fixture
async def memstream(own_server: Installation, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Installation]:
    """ingest and the retriever; words alone are searched."""
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
    async with services_of(own_server):
        yield own_server


@pytest_asyncio.fixture
async def anna(memstream: Installation) -> AsyncIterator[MemoryClient]:
    async with client_of(memstream) as memory:
        yield memory


async def remembered(anna: Memories, text: str = "Anna likes tea", **more: Any) -> str:  # noqa: ANN401 - as `remember` has it
    decision = await anna.remember(text, **more)
    assert decision.memory_id
    return decision.memory_id


async def test_a_correction_is_found_in_the_place_of_what_was_wrong(anna: MemoryClient) -> None:
    wrong = await remembered(anna, "Anna lives in Rome", tags=["home"])
    decision = await anna.correct(wrong, "Anna lives in Oslo")
    assert decision.verdict is Verdict.RECORDED
    assert decision.memory_id not in {None, wrong}
    found = await anna.search("Where does Anna live?", after=decision)
    assert [item.text for item in found.items] == ["Anna lives in Oslo"]
    old = (await anna.show(wrong)).memory
    assert (old.status, old.superseded_by) == (Standing.SUPERSEDED, decision.memory_id)
    new = (await anna.show(decision.memory_id or "")).memory
    assert (new.supersedes, new.tags) == (wrong, ("home",))
    assert [memory.text for memory in new.chain] == ["Anna lives in Rome", "Anna lives in Oslo"]
    back = await anna.restore(wrong)
    assert (await anna.show(wrong, after=back)).memory.status is Standing.ACTIVE


async def test_what_is_told_again_is_counted_and_its_words_are_kept(anna: MemoryClient) -> None:
    first = await remembered(anna, "Anna likes green tea")
    again = await anna.remember("anna likes  GREEN tea!")
    tea = (await anna.show(first, after=again)).memory
    assert (tea.repeat_count, tea.text) == (1, "Anna likes green tea")
    assert [repeat.text for repeat in tea.repeats] == ["anna likes  GREEN tea!"]
    assert tea.importance == pytest.approx(min(1.0, sum(tea.importance_parts.values())))


async def test_pins_and_confirmations_are_seen_at_once_and_twice_is_unchanged(anna: MemoryClient) -> None:
    tea = await remembered(anna)
    pinned = await anna.pin(tea)
    assert [item.memory_id for item in (await anna.list(pinned=True, after=pinned)).items] == [tea]
    assert (await anna.pin(tea)).verdict is Verdict.UNCHANGED
    unpinned = await anna.unpin(tea)
    assert (await anna.list(pinned=True, after=unpinned)).items == ()
    confirmed = await anna.confirm(tea)
    assert (await anna.show(tea, after=confirmed)).memory.decay_rate == 0


async def test_a_memory_that_is_not_known_is_refused_in_plain_words(anna: MemoryClient) -> None:
    with pytest.raises(Rejected, match="No memory with this id"):
        await anna.pin("fact_nowhere")
    with pytest.raises(NotFound):
        await anna.entity("Zoe")


async def test_settings_change_and_fall_back(anna: MemoryClient) -> None:
    changed = await anna.change_settings({"time_zone": "Europe/Berlin", "soft_cap": 50})
    stats = await anna.stats(after=changed)
    assert stats.settings == PersonSettings(time_zone="Europe/Berlin", soft_cap=50)
    assert stats.soft_cap == 50
    fallen_back = await anna.change_settings(unset=["soft_cap"])
    assert (await anna.stats(after=fallen_back)).settings.soft_cap is None
    with pytest.raises(MemstreamError, match="time zone"):
        await anna.change_settings({"time_zone": "Mars/Olympus"})


async def test_over_the_cap_the_weakest_fact_is_retired_and_comes_back_when_restored(anna: MemoryClient) -> None:
    await anna.change_settings({"soft_cap": 2})
    for number in range(2):
        await remembered(anna, f"Anna has {number + 3} boats")
    stats = await anna.stats(after=await anna.remember("Anna sails to Crete"))
    assert stats.soft_cap == 2
    assert stats.memories[Kind.FACT] >= 2


async def test_an_agent_uses_the_tools(anna: MemoryClient) -> None:
    told = await anna.call("remember_fact", {"text": "@ben is Anna's brother", "tags": ["family"]})
    assert told["outcome"] == "recorded"
    await anna.summary(min_position=(await anna.pin(told["memory_id"])).position)
    (item,) = (await anna.call("search_memory", {"query": "brother"}))["memories"]
    assert (item["memory_id"], item["tags"], item["pinned"]) == (told["memory_id"], ["family"], True)
    corrected = await anna.call("correct_fact", {"memory_id": told["memory_id"], "text": "@ben is Anna's cousin"})
    await anna.stats(min_position=(await anna.confirm(corrected["memory_id"])).position)
    profile = await anna.call("get_entity_info", '{"name": "Ben"}')
    assert (profile["name"], profile["summary"]) == ("ben", "@ben is Anna's cousin")
    assert (await anna.call("memory_stats", {}))["memories"]["fact"] == 1
    assert (await anna.call("pin_memory", {"memory_id": "fact_nowhere"}))["error"]["code"] == "unknown_memory"


async def test_a_rebuild_gives_the_digest_of_the_live_run(own_server: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
    async with services_of(own_server):
        async with client_of(own_server) as anna:
            tea = await remembered(anna, "@ben drinks tea on Mondays", tags=["tea"])
            await anna.remember("@ben drinks TEA on Mondays!", tags=["drinks"])
            right = await anna.correct(tea, "@ben drinks coffee on Mondays")
            await anna.pin(right.memory_id or "")
            await anna.change_settings({"soft_cap": 9})
            last = await anna.restore(tea)
            await anna.stats(after=last)
        async with own_server.connected("operator") as client:
            live = json.loads((await client.request("admin.retriever.digests", b"", timeout=PATIENCE_S)).data)
    assert await rebuild(own_server.settings) == live["projection"]


# --- the command line -----------------------------------------------------------------------------------------------------


@dataclass
class Printed:
    """What a call of the command line printed."""

    code: int | None
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        return dict(json.loads(self.out))


async def cli(server: Installation, *args: str) -> Printed:
    path = os.pathsep.join((str(ROOT), str(ROOT / "sdk")))
    environment = {**os.environ, "MEMSTREAM_NATS_URL": server.server.url, "PYTHONPATH": path, "COLUMNS": "200"}
    words = ["-m", "memstream", *args, "--data-dir", str(server.settings.data_dir)]
    process = await asyncio.create_subprocess_exec(sys.executable, *words, env=environment, stdout=-1, stderr=-1)
    out, err = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    return Printed(process.returncode, out.decode(), err.decode())


async def test_the_command_line_remembers_corrects_and_shows(memstream: Installation) -> None:
    wrong = (await cli(memstream, "remember", "Anna lives in Rome", "--tag", "home", "--json")).document["memory_id"]
    corrected = await cli(memstream, "correct", wrong, "Anna lives in Oslo")
    assert corrected.code == 0, corrected.err
    assert corrected.out.startswith("corrected; the right one is fact_")
    right = corrected.out.split()[-1]
    assert (await cli(memstream, "pin", right)).out == "pinned\n"
    assert (await cli(memstream, "pin", right)).out == "unchanged: it was so already\n"
    listed = (await cli(memstream, "list", "--pinned")).out
    assert right in listed
    assert wrong not in listed
    assert wrong in (await cli(memstream, "list", "--superseded")).out
    shown = (await cli(memstream, "show", wrong)).out
    assert "Anna lives in Rome" in shown
    assert "corrections, oldest first" in shown
    assert "Anna lives in Oslo" in shown
    assert "Anna lives in Oslo (pinned)" in (await cli(memstream, "summary")).out
    assert [(await cli(memstream, *call)).out for call in (("unpin", right), ("confirm", right), ("restore", wrong))] == [
        "not pinned any more\n",
        "confirmed\n",
        "restored\n",
    ]


async def test_the_command_line_says_that_a_fact_is_known_already(memstream: Installation) -> None:
    first = await cli(memstream, "remember", "Anna likes tea")
    assert first.out.startswith("remembered as fact_")
    again = await cli(memstream, "remember", "Anna likes tea!")
    assert again.out == first.out.replace("remembered", "known already").removesuffix("\n") + "; told 2 times\n"
    assert (await cli(memstream, "remember", "Anna likes tea", "--json")).document["told"] == 3


async def test_the_command_line_takes_the_beginning_of_an_id(memstream: Installation) -> None:
    whole = (await cli(memstream, "remember", "Anna likes tea", "--json")).document["memory_id"]
    found = await cli(memstream, "search", "tea")
    short = next(word for word in found.out.split() if word.startswith("fact_"))
    assert whole.startswith(short)
    assert len(short) < len(whole)
    assert (await cli(memstream, "pin", short)).out == "pinned\n"
    assert (await cli(memstream, "show", short, "--json")).document["memory"]["memory_id"] == whole
    right = (await cli(memstream, "correct", short, "Anna likes coffee", "--json")).document["memory_id"]
    assert (await cli(memstream, "forget", right[:13], "--only", "--dry-run", "--json")).document["memories"][0][
        "memory_id"
    ] == right
    assert (await cli(memstream, "show", "fact_")).code == 4


async def test_a_recorded_context_names_its_recall(memstream: Installation) -> None:
    await cli(memstream, "remember", "Anna likes tea")
    assert "recall" not in (await cli(memstream, "context", "tea")).out
    shown = await cli(memstream, "context", "tea", "--record")
    recall = next(word for word in shown.out.split() if word.startswith("rec_"))
    assert "the same as recorded" in (await explained(memstream, recall)).out


async def explained(server: Installation, recall_id: str) -> Printed:
    """The recall is recorded a moment after the answer."""
    found: list[Printed] = []

    async def is_there() -> bool:
        found.append(await cli(server, "explain", "tea", "--recall", recall_id))
        return found[-1].code != 4

    await until(is_there, what="the recall is recorded")
    return found[-1]


async def test_the_command_line_shows_an_entity(memstream: Installation) -> None:
    assert (await cli(memstream, "remember", "@ben likes eels")).code == 0
    shown = await cli(memstream, "entity", "Ben")
    assert "ben (person, mentioned 1 time)" in shown.out
    assert "@ben likes eels" in shown.out


async def test_the_command_line_sets_shows_and_unsets_settings(memstream: Installation) -> None:
    changed = await cli(memstream, "settings", "set", "soft_cap=50", "time_zone=Europe/Berlin", "ranking.alpha=0.5", "--json")
    assert changed.code == 0, changed.err
    assert (changed.document["soft_cap"], changed.document["ranking"]["alpha"]) == (50, 0.5)
    added = (await cli(memstream, "settings", "set", "ranking.beta=0.2", "--json")).document
    assert (added["ranking"]["alpha"], added["ranking"]["beta"]) == (0.5, 0.2)
    assert (await cli(memstream, "settings", "unset", "soft_cap", "--json")).document["soft_cap"] is None
    shown = (await cli(memstream, "settings", "show")).out
    assert "Europe/Berlin" in shown
    assert "default" in shown


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("pin", "fact_nowhere"), 3, "unknown_memory: "),
        (("show", "fact_nowhere"), 4, "Nothing with this id"),
        (("entity", "Zoe"), 4, "nobody and nothing of this name"),
        (("list", "--retired", "--all"), 2, "give one of"),
        (("ask", "nonsense"), 3, "no query has this name; known are audit, context"),
        (("settings", "set", "colour=red"), 3, "expected NAME=VALUE"),
        (("settings", "set", "time_zone=Mars/Olympus"), 3, "no such time zone"),
        (("settings", "unset", "colour"), 3, "names a setting that does not exist"),
    ],
)
async def test_the_command_line_says_what_is_wrong_with_its_exit_code(
    memstream: Installation, args: tuple[str, ...], code: int, words: str
) -> None:
    await cli(memstream, "remember", "Anna likes tea")
    printed = await cli(memstream, *args)
    assert (printed.code, printed.out) == (code, "")
    assert words in printed.err
    assert len(printed.err.splitlines()) == 1
