"""memstream: long-term memory for bots, over NATS."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memstream.client import (
        ConfirmationNeeded,
        Decision,
        EventReader,
        FollowedEvent,
        ImportedTurn,
        Kind,
        Memories,
        MemoryClient,
        MemstreamError,
        NotConnected,
        NotFound,
        PersonSettings,
        Receipt,
        Rejected,
        Role,
        SyncMemories,
        SyncMemoryClient,
        Unavailable,
        Verdict,
    )

__all__ = [
    "ConfirmationNeeded",
    "Decision",
    "EventReader",
    "FollowedEvent",
    "ImportedTurn",
    "Kind",
    "Memories",
    "MemoryClient",
    "MemstreamError",
    "NotConnected",
    "NotFound",
    "PersonSettings",
    "Receipt",
    "Rejected",
    "Role",
    "SyncMemories",
    "SyncMemoryClient",
    "Unavailable",
    "Verdict",
]


def __getattr__(name: str) -> object:
    """Import the client on first use: the launcher must choose where `shared` comes from before any contract loads."""
    if name in __all__:
        from memstream import client  # noqa: PLC0415

        return getattr(client, name)
    msg = f"module 'memstream' has no attribute {name!r}"
    raise AttributeError(msg)
