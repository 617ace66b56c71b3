"""Lifts an event of an older version to the newest, one version at a time, so that consumers see only the newest.

No event has a second version yet. When one gets it: keep its golden file, add the function here, add a golden file.
"""

from collections.abc import Callable
from typing import Any

Document = dict[str, Any]
Upcaster = Callable[[Document], Document]
"""Takes the whole event as parsed JSON at version n and returns it at version n + 1. Must not change its argument."""

UPCASTERS: dict[tuple[str, int], Upcaster] = {}
"""(type, version n) to the function that lifts it to n + 1."""


def upcast(document: Document, chain: dict[tuple[str, int], Upcaster] = UPCASTERS) -> Document:
    """Lift an event to the newest version that the chain reaches."""
    while lift := chain.get((document["type"], document["version"])):
        document = {**lift(document), "version": document["version"] + 1}
    return document
