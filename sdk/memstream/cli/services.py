"""The services, listed once: a new room is one line."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from shared.runtime.settings import RuntimeSettings

if TYPE_CHECKING:
    from shared.runtime.service import Service

SERVICES = {
    "ingest": "services.ingest",
    "retriever": "services.retriever",
    "maintenance": "services.maintenance",
    "consolidator": "services.consolidator",
}
"""Name to package. Each has `app.build`, and `rebuild.rebuild` and `rebuild.digests` where it owns a projection."""


def import_all() -> None:
    """Import what all services need, which takes most of a second."""
    for package in SERVICES.values():
        import_module(f"{package}.app")


def build(name: str, settings: RuntimeSettings) -> Service:
    """Compose a service."""
    return cast("Service", import_module(f"{SERVICES[name]}.app").build(settings))
