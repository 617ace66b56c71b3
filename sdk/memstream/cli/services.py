"""The services, listed once: a new room is one line."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, cast

from shared.contracts.errors import MemstreamError
from shared.runtime.settings import RuntimeSettings

if TYPE_CHECKING:
    from shared.runtime.embedders.port import Embedder
    from shared.runtime.service import Service

SERVICES = {
    "ingest": "services.ingest",
    "retriever": "services.retriever",
    "maintenance": "services.maintenance",
    "consolidator": "services.consolidator",
}
"""Name to package. Each has `app.build`, and `rebuild.rebuild` and `rebuild.digests` where it owns a projection."""


def import_all() -> None:
    """Import all services, which takes most of the time of a start."""
    for package in SERVICES.values():
        import_module(f"{package}.app")


async def loaded_embedder() -> Embedder | None:
    """The embedder, its model loaded where it runs in this process. As long as somebody holds it, the services share it."""
    from shared.runtime.embedders.factory import EmbedderSettings, make_embedder  # noqa: PLC0415 - only who embeds has numpy
    from shared.runtime.embedders.local import LocalEmbedder  # noqa: PLC0415

    embedder = make_embedder(EmbedderSettings())
    if isinstance(embedder, LocalEmbedder):
        with suppress(MemstreamError):  # the services say what is wrong with it, and go on without vectors
            await embedder.load()
    return embedder


def build(name: str, settings: RuntimeSettings) -> Service:
    """Compose a service."""
    return cast("Service", import_module(f"{SERVICES[name]}.app").build(settings))
