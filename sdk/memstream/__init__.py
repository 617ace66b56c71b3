"""memstream: long-term memory for bots, over NATS."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memstream.client import MemoryClient

__all__ = ["MemoryClient"]


def __getattr__(name: str) -> object:
    """Import the client on first use: the launcher must choose where `shared` comes from before any contract loads."""
    if name == "MemoryClient":
        from memstream.client import MemoryClient  # noqa: PLC0415

        return MemoryClient
    msg = f"module 'memstream' has no attribute {name!r}"
    raise AttributeError(msg)
