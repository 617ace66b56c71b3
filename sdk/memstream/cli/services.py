"""The services, listed once: a new room is one line."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from shared.runtime.service import Service
from shared.runtime.settings import RuntimeSettings

SERVICES = {
    "ingest": "services.ingest",
    "retriever": "services.retriever",
    "maintenance": "services.maintenance",
    "consolidator": "services.consolidator",
}
"""Name to package. Each has `app.build`, and `rebuild.rebuild` and `rebuild.digests` where it owns a projection."""


def build(name: str, settings: RuntimeSettings) -> Service:
    """Compose a service."""
    return cast("Service", import_module(f"{SERVICES[name]}.app").build(settings))
