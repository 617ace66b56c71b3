"""What a person does not want kept: incognito sessions, tombstones, and what was forgotten. Keyed hashes, no words."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from struct import iter_unpack

from shared.contracts.envelope import Envelope
from shared.contracts.events import EpisodeRecorded
from shared.contracts.ids import CommandId, MemoryId, SessionId
from shared.contracts.parts import Role
from shared.contracts.privacy import (
    ChatCommandRead,
    IncognitoEnded,
    IncognitoStarted,
    MemoryForgotten,
    Tombstone,
    TombstoneLifted,
    UserForgotten,
)
from shared.domain.likeness import Likeness, match

DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Stone:
    """A tombstone: a value that was forgotten."""

    likeness: Likeness
    number: int  # of the forgetting: what is older stays blocked for ever
    until: datetime  # until then only a save by hand brings it back


@dataclass(frozen=True, slots=True)
class Question:
    """What a doubtful command asked back."""

    command: str
    memory_ids: tuple[MemoryId, ...]


@dataclass(frozen=True, slots=True)
class Privacy:
    """Of one scope. Forgotten commands and values are those that were asked for; the rest is whole."""

    tombstones: Mapping[bytes, Stone] = field(default_factory=dict)  # by digest
    forgotten_commands: frozenset[CommandId] = frozenset()
    forgotten_values: frozenset[bytes] = frozenset()  # digests of the words of turns
    incognito: frozenset[SessionId] = frozenset()
    kept: frozenset[SessionId] = frozenset()  # that somebody said are not incognito, whatever the default
    questions: Mapping[SessionId, Question] = field(default_factory=dict)
    is_any: bool = False  # ever: where not, nothing needs to be looked up

    def stones_on(self, found: Likeness) -> dict[bytes, Stone]:
        """Every tombstone that stands on this value, by digest: its near-duplicates may have been forgotten too."""
        return {digest: stone for digest, stone in self.tombstones.items() if match(stone.likeness, found)}


def after(privacy: Privacy, event: Envelope) -> Privacy:
    """What an event changes."""
    data = event.data
    changed = privacy
    if isinstance(data, IncognitoStarted):
        session = {data.session_id}
        changed = replace(privacy, incognito=privacy.incognito | session, kept=privacy.kept - session, is_any=True)
    elif isinstance(data, IncognitoEnded):
        session = {data.session_id}
        changed = replace(privacy, incognito=privacy.incognito - session, kept=privacy.kept | session, is_any=True)
    elif isinstance(data, MemoryForgotten):
        changed = _forgotten(privacy, data, event.number)
    elif isinstance(data, UserForgotten):
        changed = Privacy(
            forgotten_commands=privacy.forgotten_commands | commands_of(data),
            forgotten_values=privacy.forgotten_values | values_of(data),
            is_any=True,
        )
    elif isinstance(data, TombstoneLifted):
        left = {digest: stone for digest, stone in privacy.tombstones.items() if digest.hex() != data.digest}
        changed = replace(privacy, tombstones=left)
    elif isinstance(data, ChatCommandRead):
        changed = replace(privacy, questions=_questions(privacy, data), is_any=True)
    elif isinstance(data, EpisodeRecorded) and data.role is Role.USER and data.session_id in privacy.questions:
        left_open = {session: asked for session, asked in privacy.questions.items() if session != data.session_id}
        changed = replace(privacy, questions=left_open)
    return changed


def commands_of(data: MemoryForgotten | UserForgotten) -> frozenset[CommandId]:
    """The commands that may never have their effect again."""
    return frozenset(map(CommandId, map(bytes.hex, digests_in(b64decode(data.commands)))))


def values_of(data: MemoryForgotten | UserForgotten) -> frozenset[bytes]:
    """Digests of turns that an import may not bring back."""
    return frozenset(digests_in(b64decode(data.values)))


def digests_in(packed: bytes) -> list[bytes]:
    """The digests that stand here one after the other."""
    return [digest for (digest,) in iter_unpack(f"{DIGEST_BYTES}s", packed)]


def _forgotten(privacy: Privacy, data: MemoryForgotten, number: int) -> Privacy:
    stones = {bytes.fromhex(stone.digest): Stone(_likeness(stone), number, stone.until) for stone in data.tombstones}
    return replace(
        privacy,
        tombstones={**privacy.tombstones, **stones},
        forgotten_commands=privacy.forgotten_commands | commands_of(data),
        forgotten_values=privacy.forgotten_values | values_of(data),
        is_any=True,
    )


def _likeness(stone: Tombstone) -> Likeness:
    """As the near-duplicate index compares it."""
    return Likeness(bytes.fromhex(stone.digest), int(stone.simhash, 16), bytes.fromhex(stone.guard), b64decode(stone.tokens))


def _questions(privacy: Privacy, data: ChatCommandRead) -> Mapping[SessionId, Question]:
    left = {session: asked for session, asked in privacy.questions.items() if session != data.session_id}
    if data.outcome == "asked_back":
        before = privacy.questions[data.session_id].memory_ids if data.continues else ()
        left[data.session_id] = Question(data.command, (*before, *data.memory_ids))
    return left
