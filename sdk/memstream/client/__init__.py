"""The client for bots: `async with MemoryClient(space="shop", user="anna") as memory: ...`.

Without await: `with SyncMemoryClient(space="shop", user="anna") as memory: ...`.
"""

from memstream._contracts import (
    ConfirmationNeeded,
    FollowedEvent,
    ImportedTurn,
    Kind,
    MemstreamError,
    NotConnected,
    NotFound,
    PersonSettings,
    Rejected,
    Role,
    Unavailable,
    Verdict,
)
from memstream.client.connected import MemoryClient
from memstream.client.exchange import Decision, Receipt
from memstream.client.exporting import ImportedExport
from memstream.client.following import EventReader
from memstream.client.memories import Memories
from memstream.client.sync import SyncMemories, SyncMemoryClient

__all__ = [
    "ConfirmationNeeded",
    "Decision",
    "EventReader",
    "FollowedEvent",
    "ImportedExport",
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
