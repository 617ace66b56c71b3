"""The client without await, and either client where it has no connection: it works, or says what to do at once."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import sys
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
import pytest_asyncio

from memstream import Memories, MemoryClient, MemstreamError, NotConnected, NotFound, SyncMemories, SyncMemoryClient
from memstream.client import wire
from tests.support.installations import Installation

pytestmark = pytest.mark.asyncio(loop_scope="module")

WAITS_S = 30
"""So long each of these calls may wait for an answer: whoever is refused within less waited for nothing."""
WITHIN_S = 0.8 * WAITS_S
ROOT = Path(__file__).parents[2]
_T = TypeVar("_T")


@pytest.fixture
def options(shared_memstream: Installation, space: str) -> dict[str, Any]:
    settings = shared_memstream.settings
    return {"space": space, "user": "anna", "url": settings.nats_url, "data_dir": settings.data_dir}


@pytest_asyncio.fixture(loop_scope="module")
async def memory(options: dict[str, Any]) -> AsyncIterator[SyncMemoryClient]:
    client = SyncMemoryClient(**options)
    yield client
    client.close()


async def elsewhere(work: Callable[[], _T]) -> _T:
    """The services run in this thread's loop, so whoever waits for them does so in another thread."""
    return await asyncio.to_thread(work)


def seconds_until_refused(work: Callable[[], object], *, saying: str) -> float:
    began = time.perf_counter()
    with pytest.raises(MemstreamError, match=saying):
        work()
    return time.perf_counter() - began


async def run(code: str, options: dict[str, Any]) -> tuple[str, str]:
    """What a bot of its own process says, and what it complains of."""
    filled = code.format(space=options["space"], url=options["url"], data_dir=str(options["data_dir"]))
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", filled, stdout=pipe, stderr=pipe)
    said, complaints = await process.communicate()
    return said.decode(), complaints.decode()


def public(of: type) -> set[str]:
    return {name for name, each in inspect.getmembers(of) if not name.startswith("_") and callable(each)}


async def test_it_has_every_method_of_the_other_client_with_the_same_arguments() -> None:
    assert public(SyncMemories) == {*public(Memories), "run"}
    assert public(SyncMemoryClient) == {*public(MemoryClient), "run"}
    for name in public(Memories):
        made, method = getattr(SyncMemories, name), getattr(Memories, name)
        assert list(inspect.signature(made).parameters) == list(inspect.signature(method).parameters), name
        assert not inspect.iscoroutinefunction(made), name
        assert made.__doc__ == method.__doc__


async def test_type_checkers_know_its_methods_and_what_they_return(tmp_path: Path) -> None:
    code = (
        "from memstream import SyncMemoryClient\n"
        'with SyncMemoryClient(space="shop", user="anna") as memory:\n'
        '    reveal_type(memory.context("tea"))\n'
        '    reveal_type(memory.for_user("ben").export())\n'
        "    memory.add(1)\n"
        "    memory.nosuch()\n"
    )
    (tmp_path / "bot.py").write_text(code, encoding="utf-8")
    checker = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-incremental", str(tmp_path / "bot.py"),
        stdout=asyncio.subprocess.PIPE, cwd=tmp_path, env=os.environ | {"MYPYPATH": f"{ROOT / 'sdk'}:{ROOT}"},
    )  # fmt: skip
    said = (await checker.communicate())[0].decode()
    assert "ContextAnswer" in said
    assert "Iterator[str]" in said or "Iterator[builtins.str]" in said
    assert 'Argument 1 to "add"' in said
    assert 'no attribute "nosuch"' in said


async def test_it_remembers_and_answers(memory: SyncMemoryClient) -> None:
    def work() -> None:
        kept = memory.remember("Anna likes tea")
        assert [item.text for item in memory.search("tea", after=kept).items] == ["Anna likes tea"]
        assert memory.decided_up_to == kept.position
        with pytest.raises(NotFound):
            memory.show("fact_0123456789")

    await elsewhere(work)


async def test_others_are_served_over_its_connection(memory: SyncMemoryClient) -> None:
    def work() -> None:
        ben = memory.for_user("ben")
        kept = ben.remember("Ben likes coffee")
        assert [item.text for item in ben.list(after=kept).items] == ["Ben likes coffee"]
        assert memory.list(min_position=kept.position).items == ()

    await elsewhere(work)


async def test_what_comes_bit_by_bit_is_an_iterator(memory: SyncMemoryClient) -> None:
    def work() -> list[str]:
        kept = memory.remember("Anna likes tea")
        return list(memory.export(min_position=kept.position))

    header, *records = await elsewhere(work)
    assert "memstream_export" in header
    assert any("Anna likes tea" in record for record in records)


async def test_it_works_under_a_running_loop(memory: SyncMemoryClient) -> None:
    async def cell_of_a_notebook() -> str | None:
        return memory.remember("Anna likes tea").memory_id

    assert await elsewhere(lambda: asyncio.run(cell_of_a_notebook()))


async def test_many_threads_share_it(memory: SyncMemoryClient) -> None:
    def work() -> set[str | None]:
        with ThreadPoolExecutor(8) as threads:
            decided = threads.map(lambda number: memory.remember(f"Anna's friend {number} lives at number {number}"), range(16))
            return {each.memory_id for each in decided}

    assert len(await elsewhere(work) - {None}) == 16


async def test_once_closed_it_says_so(options: dict[str, Any]) -> None:
    def work() -> None:
        with SyncMemoryClient(**options) as memory:
            memory.stats()
        assert seconds_until_refused(lambda: memory.stats(timeout_s=WAITS_S), saying="closed") < WITHIN_S

    await elsewhere(work)


async def test_without_a_server_it_says_how_to_start_one_within_a_second(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert wire._ABSENT_S < 1
    monkeypatch.setattr(wire, "_SILENT_S", 2 * WAITS_S)
    memory = SyncMemoryClient(**options | {"url": "nats://127.0.0.1:1"})
    refused_s = await elsewhere(lambda: seconds_until_refused(lambda: memory.stats(timeout_s=WAITS_S), saying="memstream up"))
    assert refused_s < WITHIN_S


FORKING = """
import os, sys, time
from memstream import MemstreamError, SyncMemoryClient
options = dict(space={space!r}, user="anna", url={url!r}, data_dir={data_dir!r})
used, fresh = SyncMemoryClient(**options), SyncMemoryClient(**options)
known = used.remember("Anna likes tea").position
if not os.fork():
    began = time.monotonic()
    try:
        used.stats(timeout_s=30)
    except MemstreamError as error:
        print(type(error).__name__, error, time.monotonic() - began < 24, flush=True)
    print(fresh.stats(min_position=known).memories, flush=True)
    sys.exit()
os.wait()
print(used.stats().memories)
"""


async def test_after_a_fork_it_works_or_says_what_to_do_and_ends_quietly(options: dict[str, Any]) -> None:
    said, complaints = await run(FORKING, options)
    assert complaints == ""
    refused, in_the_child, in_the_parent = said.splitlines()
    assert refused.startswith("NotConnected")
    assert "post_fork" in refused
    assert refused.endswith("True")
    assert in_the_child == in_the_parent
    assert in_the_child != "0"


async def test_a_client_that_was_not_connected_says_so(options: dict[str, Any]) -> None:
    memory = MemoryClient(**options)
    with pytest.raises(NotConnected, match="async with"):
        await memory.context("tea")
    with pytest.raises(NotConnected, match="async with"):
        await memory.add("tea", session_id="s1")


async def test_a_client_that_was_closed_says_so(options: dict[str, Any]) -> None:
    async with MemoryClient(**options) as memory:
        await memory.stats()
    with pytest.raises(NotConnected, match="closed"):
        await memory.stats()


async def test_a_client_can_be_connected_again(options: dict[str, Any]) -> None:
    memory = MemoryClient(**options)
    for _ in range(2):
        async with memory:
            await memory.stats()


async def test_in_another_event_loop_a_client_says_what_to_do(options: dict[str, Any]) -> None:
    async with MemoryClient(**options) as memory:
        work = lambda: asyncio.run(memory.stats(timeout_s=WAITS_S))  # noqa: E731
        assert await elsewhere(lambda: seconds_until_refused(work, saying="another event loop.*SyncMemoryClient")) < WITHIN_S
        await memory.stats()


TWICE = """
import asyncio, time
from memstream import MemoryClient, MemstreamError
memory = MemoryClient(space={space!r}, user="anna", url={url!r}, data_dir={data_dir!r})
async def first():
    await memory.__aenter__()
    await memory.stats()
asyncio.run(first())
began = time.monotonic()
try:
    asyncio.run(memory.stats(timeout_s=30))
except MemstreamError as error:
    print(type(error).__name__, error, time.monotonic() - began < 24)
"""


async def test_in_two_runs_of_asyncio_a_client_says_what_to_do(options: dict[str, Any]) -> None:
    said, _ = await run(TWICE, options)
    assert said.startswith("NotConnected")
    assert "SyncMemoryClient" in said
    assert said.endswith("True\n")


async def test_the_code_of_the_page_runs(options: dict[str, Any]) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/client.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    made = f"SyncMemoryClient(space='shop', user='anna', url={options['url']!r}, data_dir={str(options['data_dir'])!r})"
    code = "\n".join(blocks).replace('SyncMemoryClient(space="shop", user="anna")', made).replace("memory.close()\n", "")
    said, complaints = await run(code.replace("{", "{{").replace("}", "}}"), options)
    assert complaints == ""
    assert "I am allergic to shrimp." in said
