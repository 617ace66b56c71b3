"""A memory for the adapters' tests: a client for each way to call it, and what it recorded."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from memstream import MemoryClient, SyncMemoryClient
from memstream.client import Memories
from shared.contracts.parts import Kind
from tests.support.installations import Installation

SHRIMP = "I am allergic to shrimp."
QUESTION = "Is there shrimp in it?"


@asynccontextmanager
async def memory_of(installation: Installation, space: str) -> AsyncIterator[MemoryClient]:
    settings = installation.settings
    async with MemoryClient(space=space, url=settings.nats_url, data_dir=settings.data_dir) as client:
        yield client


@contextmanager
def blocking_memory_of(installation: Installation, space: str) -> Iterator[SyncMemoryClient]:
    settings = installation.settings
    with SyncMemoryClient(space=space, url=settings.nats_url, data_dir=settings.data_dir) as client:
        yield client


def unconnected(installation: Installation) -> MemoryClient:
    """A client that fails at every call."""
    return MemoryClient(url=installation.settings.nats_url, data_dir=installation.settings.data_dir)


async def turns_of(memories: Memories, session_id: str) -> list[tuple[str, str, str | None]]:
    """The turns of a session in their order: who said what, by name if told."""
    written = await memories.add("the end", session_id="the session that waits for what was sent before")
    turns = await memories.list(session_id=session_id, kinds=(Kind.EPISODE,), after=written)
    return [(turn.role.value, turn.text, turn.speaker) for turn in reversed(turns.items) if turn.role]
