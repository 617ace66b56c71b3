"""The services' projections as the command line sees them: rebuilt while they are stopped, digests at any time."""

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Protocol, cast

from memstream.cli.admin import ask_service
from memstream.cli.locks import is_held
from memstream.cli.services import SERVICES
from shared.runtime.connection import operator_connection
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import in_thread

Digests = dict[str, str | int]
OnProgress = Callable[[int, int], None]
_DIGEST_TIMEOUT_S = 60.0


class _Rebuilding(Protocol):
    """The module `rebuild` of a service that owns a projection."""

    def rebuild(self, runtime: RuntimeSettings, on_progress: OnProgress | None = None) -> Awaitable[str]: ...

    def digests(self, runtime: RuntimeSettings) -> Digests: ...


async def rebuild(name: str, settings: RuntimeSettings, on_progress: OnProgress) -> str:
    """Replay the log into a new projection that replaces the old; return its digest. The service must not run."""
    return await _module(name).rebuild(settings, on_progress)


async def digests(name: str, settings: RuntimeSettings) -> Digests:
    """The digests of a projection: `projection`, also `content` where the service keeps texts, and their `position`."""
    if is_held(settings.files, name):
        return await live_digests(name, settings)
    return await in_thread(_module(name).digests, settings)


async def live_digests(name: str, settings: RuntimeSettings) -> Digests:
    """The digests that a running service gives of its projection."""
    async with operator_connection(settings) as client:
        return await ask_service(client, name, "digests", timeout_s=_DIGEST_TIMEOUT_S)


def _module(name: str) -> _Rebuilding:
    return cast("_Rebuilding", import_module(f"{SERVICES[name]}.rebuild"))
