"""The services' projections as the command line sees them: rebuilt while they are stopped, digests at any time."""

from collections.abc import Awaitable, Callable, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from memstream.cli.admin import ask_once, ask_service
from memstream.cli.locks import is_held
from memstream.cli.services import PROJECTIONS
from shared.contracts.ids import Scope, Space, User
from shared.runtime.comparing import CompareRequest, Comparison, RebuildRequest
from shared.runtime.connection import Client, operator_connection
from shared.runtime.eventlog.read import LogReader
from shared.runtime.extensions import import_extensions
from shared.runtime.keys import load_keys
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import in_thread

Digests = dict[str, str | int]
OnProgress = Callable[[int, int], None]
_DIGEST_TIMEOUT_S = 60.0
_COMPARE_TIMEOUT_S = 600.0
_PEOPLE_AT_ONCE = 16


class _Rebuilding(Protocol):
    """The module `rebuild` of a service that owns a projection."""

    def rebuild(self, runtime: RuntimeSettings, on_progress: OnProgress | None = None) -> Awaitable[str]: ...

    def digests(self, runtime: RuntimeSettings) -> Digests: ...

    def compare(self, runtime: RuntimeSettings, client: Client, request: CompareRequest) -> Awaitable[Comparison]: ...


async def rebuild(name: str, settings: RuntimeSettings, on_progress: OnProgress) -> str:
    """Replay the log into a new projection that replaces the old; return its digest. The service must not run."""
    return await _module(name).rebuild(settings, on_progress)


async def digests(name: str, settings: RuntimeSettings) -> Digests:
    """The digests of a projection: `projection`, also `content` where the service keeps texts, and their `position`."""
    if is_held(settings.files, name):
        return await live_digests(name, settings)
    return await in_thread(_module(name).digests, settings)


async def compared(name: str, settings: RuntimeSettings, scopes: Sequence[Scope]) -> Comparison:
    """Compare what a projection holds of these people with the log, in the service if it runs. Raises ProjectionDamaged."""
    request = CompareRequest(scopes=tuple(scopes))
    async with operator_connection(settings) as client:
        if not is_held(settings.files, name):
            return await _module(name).compare(settings, client, request)
        payload = request.model_dump_json().encode()
        return Comparison(**await ask_service(client, name, "compare", payload, timeout_s=_COMPARE_TIMEOUT_S))


async def rebuild_person(settings: RuntimeSettings, space: str, user: str) -> dict[str, Any]:
    """Have the running retriever rebuild one person's file, and replace the old file also if it differs."""
    scope = load_keys(settings.files.keys).scope_of(Space(space), User(user))
    async with operator_connection(settings) as client:
        return await _rebuilt(client, [scope], in_any_case=True)


async def rebuild_live(settings: RuntimeSettings, *, in_any_case: bool, on_progress: OnProgress) -> dict[str, Any]:
    """Have the running retriever rebuild all files, one group of people after another, and return whose files differ.

    A file that differs stays, unless `in_any_case`. Where this ends early, each file is the old one or the new one.
    """
    found: dict[str, Any] = {"compared": 0, "differing": [], "untold": 0, "rebuilt": 0}
    async with operator_connection(settings) as client:
        scopes = sorted({record.scope async for batch in LogReader(client).to_end() for record in batch})
        for done in range(0, len(scopes), _PEOPLE_AT_ONCE):
            portion = scopes[done : done + _PEOPLE_AT_ONCE]
            told = await _rebuilt(client, portion, in_any_case=in_any_case)
            found = {key: found[key] + value for key, value in told.items()}
            on_progress(done + len(portion), len(scopes) - done - len(portion))
    return found


async def _rebuilt(client: Client, scopes: Sequence[Scope], *, in_any_case: bool) -> dict[str, Any]:
    payload = RebuildRequest(scopes=tuple(scopes), in_any_case=in_any_case).model_dump_json().encode()
    return await ask_service(client, "retriever", "rebuild", payload, timeout_s=_COMPARE_TIMEOUT_S)


async def live_digests(name: str, settings: RuntimeSettings) -> Digests:
    """The digests that a running service gives of its projection."""
    return await ask_once(settings, name, "digests", timeout_s=_DIGEST_TIMEOUT_S)


def _module(name: str) -> _Rebuilding:
    import_extensions()
    return cast("_Rebuilding", import_module(f"{PROJECTIONS[name]}.rebuild"))
