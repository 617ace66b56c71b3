"""The kept list of what was forgotten: ids and keyed hashes, no name, no word. A restore forgets again what it tells."""

from collections.abc import Iterator, Sequence
from contextlib import aclosing
from pathlib import Path

from pydantic import ValidationError

from shared.contracts.contract import Contract
from shared.contracts.envelope import Envelope
from shared.contracts.errors import KeysMismatch, Misconfigured
from shared.contracts.events import decode
from shared.contracts.ids import MessageId, Scope
from shared.contracts.privacy import ForgetAgain, ForgettingTakenBack, MemoryForgotten, TombstoneLifted, UserForgotten
from shared.contracts.subjects import scope_filter
from shared.runtime.connection import Client
from shared.runtime.datadir import write_private
from shared.runtime.eventlog.read import LogReader

_EVERYBODY = Scope("*")
_FORGETTINGS = (MemoryForgotten, UserForgotten)
_KEPT = ("commands", "values")


class KeptForgetting(Contract):
    """One event of a forgetting."""

    scope: str
    forget_id: str
    is_whole: bool  # all of the person went with it
    again: ForgetAgain


class _Head(Contract):
    memstream_forgettings: int = 1
    keys: str  # fingerprint of those by which the hashes are made


async def forgettings_in(client: Client) -> list[KeptForgetting]:
    """What the log says is forgotten, in order: nothing that was taken back, no value that may be known again."""
    subjects = [
        scope_filter(None, _EVERYBODY, each.event_type) for each in (*_FORGETTINGS, ForgettingTakenBack, TombstoneLifted)
    ]
    kept: dict[str, list[KeptForgetting]] = {}
    async with aclosing(LogReader(client, subjects=subjects).to_end()) as batches:
        async for batch in batches:
            for record in batch:
                _take_up(kept.setdefault(record.scope, []), record.scope, decode(record.data))
    return [each for of_scope in kept.values() for each in of_scope]


def write_forgettings(file: Path, keys: str, kept: Sequence[KeptForgetting]) -> None:
    """Write the list, in place of an older one."""
    lines = (_Head(keys=keys), *kept)
    write_private(file, "".join(f"{each.model_dump_json()}\n" for each in lines))


def read_forgettings(file: Path, keys: str) -> list[KeptForgetting]:
    """The list in a file. Raises Misconfigured where it is none, KeysMismatch where other keys made it."""
    try:
        head, *lines = file.read_text(encoding="utf-8").splitlines()
        found = _Head.model_validate_json(head)
        kept = [KeptForgetting.model_validate_json(line) for line in lines]
    except (OSError, ValueError, ValidationError) as error:
        raise Misconfigured(f"{file} is no list of forgettings; `memstream backup forgotten` makes one") from error
    if found.keys != keys:
        raise KeysMismatch(f"{file} was made of another installation: its hashes mean nothing here")
    return kept


def _take_up(kept: list[KeptForgetting], scope: Scope, event: Envelope) -> None:
    message_id = MessageId(event.event_id)
    match event.data:
        case MemoryForgotten() as data:
            known_by = data.model_dump(include={"by", "memory_ids", *_KEPT})
            again = ForgetAgain(message_id=message_id, tombstones=data.tombstones, **known_by)
            kept.append(KeptForgetting(scope=scope, forget_id=data.forget_id, is_whole=False, again=again))
        case UserForgotten() as data:
            again = ForgetAgain(message_id=message_id, by="memory", **data.model_dump(include={*_KEPT}))
            kept.append(KeptForgetting(scope=scope, forget_id=data.forget_id, is_whole=True, again=again))
        case ForgettingTakenBack(forget_id=taken_back):
            kept[:] = [each for each in kept if each.forget_id != taken_back]
        case TombstoneLifted(digest=digest):
            kept[:] = _without(kept, digest)
        case _:
            pass


def _without(kept: Sequence[KeptForgetting], digest: str) -> Iterator[KeptForgetting]:
    """These forgettings without this value, which its person has said again."""
    for each in kept:
        left = tuple(stone for stone in each.again.tombstones if stone.digest != digest)
        yield each.model_copy(update={"again": each.again.model_copy(update={"tombstones": left})})
