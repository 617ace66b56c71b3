"""A tag that is shared with another space of the same person, through a real server: read there at once, and gone at once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from memstream import MemoryClient, MemstreamError, NotFound, Verdict
from services.ingest.app import build as build_ingest
from services.retriever.app import build as build_retriever
from shared.contracts.ids import Space
from shared.contracts.parts import Kind
from shared.runtime.credentials import create_credentials, load_credentials
from shared.runtime.service import Service
from tests.support.installations import Installation, serving, until

pytestmark = pytest.mark.asyncio(loop_scope="module")
PIER, DENTIST = "My favourite pier is in Zanzibar", "My dentist is called Quimby"
QUESTION = "Where is my favourite pier?"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def installation(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """A running memstream with a bot for all spaces, and one for the space `work`."""
    credentials = create_credentials().with_bot("clerk", (Space("work"),))
    installation = await Installation.create(tmp_path_factory.mktemp("sharing"), credentials=credentials)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MEMSTREAM_EMBEDDER_KIND", "none")  # words alone are searched
        services: list[Service] = [build_ingest(installation.settings), build_retriever(installation.settings)]
    async with serving(*services):
        yield installation
    await installation.server.stop()


def client(installation: Installation, space: str, user: str, bot: str = "bot") -> MemoryClient:
    password = load_credentials(installation.settings.files.credentials).bots[bot].password
    return MemoryClient(space=space, user=user, url=installation.settings.nats_url, name=bot, password=password)


async def test_it_is_read_with_the_position_of_the_acknowledgement_and_gone_with_it(installation: Installation) -> None:
    async with client(installation, "home", "anna") as home, client(installation, "work", "anna") as work:
        told = await home.remember(PIER, tags=["Travel"])
        await home.remember(DENTIST, tags=["health"])
        assert not (await work.context(QUESTION, min_position=told.position)).items
        shared = await home.share_tag("travel", "work")
        assert (await home.share_tag("travel", "work")).verdict is Verdict.UNCHANGED
        [listed] = (await home.shares(after=shared)).shares
        assert (listed.tag, listed.with_space, listed.memories) == ("travel", "work", 1)
        context = await work.context(f"{QUESTION} Who is my dentist?", min_position=shared.position)
        assert [(item.text, item.origin) for item in context.items] == [(PIER, "home")]
        revoked = await home.unshare_tag("travel", "work")
        assert not (await work.context(QUESTION, min_position=revoked.position)).items


async def test_the_other_space_shows_exports_and_counts_nothing_of_it_and_its_bot_cannot_share(
    installation: Installation,
) -> None:
    async with client(installation, "home", "ben") as home, client(installation, "work", "ben", "clerk") as work:
        told = await home.remember(PIER, tags=["travel"])
        await home.share_tag("travel", "work")
        await work.remember("I write reports on Mondays")
        await until(lambda: _is_given(work), what="the shared memory")
        with pytest.raises(NotFound):
            await work.show(told.memory_id or "")
        assert [item.text for item in (await work.list()).items] == ["I write reports on Mondays"]
        assert (await work.stats()).memories.get(Kind.FACT) == 1
        exported = [record async for record in work.export()]
        assert "Zanzibar" not in "".join(exported)
        explained = await work.explain(query=QUESTION)
        assert [item.text for item in explained.shared] == [PIER]
    async with client(installation, "home", "ben", "clerk") as foreign:
        with pytest.raises(MemstreamError):
            await foreign.share_tag("health", "work", timeout_s=2)
        with pytest.raises(MemstreamError):
            await foreign.shares(timeout_s=2)


async def test_what_a_bot_repeats_of_it_is_an_echo_and_nothing_counts_in_the_space_that_gives(
    installation: Installation,
) -> None:
    async with client(installation, "home", "cleo") as home, client(installation, "work", "cleo") as work:
        told = await home.remember(PIER, tags=["travel"])
        shared = await home.share_tag("travel", "work")
        assert (await work.context(QUESTION, session_id="s1", min_position=shared.position)).items

        async def is_recorded() -> bool:
            return bool((await work.audit(types=["memories_recalled"])).entries)

        await until(is_recorded, what="the recall")
        receipt = await work.add(f"{PIER}.", session_id="s1", role="assistant")
        outcome = await work.outcome(receipt)
        turn = (await work.show(outcome.memory_id or "", min_position=outcome.position or 0)).memory
        assert [echo.memory_id for echo in turn.echoes] == [told.memory_id]
        original = (await home.show(told.memory_id or "")).memory
        assert (original.access_count, original.last_scores) == (0, None)
        assert not (await home.audit(types=["memories_recalled"])).entries


async def test_what_is_forgotten_is_gone_from_the_other_space_and_from_every_byte(installation: Installation) -> None:
    async with client(installation, "home", "dora") as home, client(installation, "work", "dora") as work:
        await home.remember("My favourite pier is in Xylokastro", tags=["xylotravel"])
        shared = await home.share_tag("xylotravel", "work")
        await work.remember("I write reports on Mondays")
        assert (await work.context(QUESTION, min_position=shared.position)).items
        gone = await home.forget(query="Xylokastro")
        assert not (await work.context(QUESTION, min_position=gone.position)).items
        assert not (await home.shares(min_position=gone.position)).shares

        async def is_erased() -> bool:
            return (await home.forgetting(gone.number or 0)).state == "done"

        await until(is_erased, what="the receipt")
        scan = (await home.forgetting(gone.number or 0)).scan
        assert scan is not None
        assert (scan.found, scan.places) == (0, ())
        await until(lambda: b"xylo" not in _bytes(installation.settings.files.root), what="the bytes of the person's files")


async def _is_given(work: MemoryClient) -> bool:
    return bool((await work.context(QUESTION)).items)


def _bytes(root: Path) -> bytes:
    """All bytes of the files of memories, in lower case."""
    raw = []
    for path in (root / "retriever").rglob("*.db*"):
        try:
            raw.append(path.read_bytes())
        except FileNotFoundError:  # it was replaced meanwhile
            continue
    return b"".join(raw).lower()
