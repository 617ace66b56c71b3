"""A message of SEND, read: whose it is, which command it carries, and under which circumstances it is decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from services.ingest.domain.chat_commands import fact_in, keeps
from services.ingest.domain.decide import turn_command_ids
from services.ingest.domain.drafts import Circumstances
from services.ingest.domain.echoes import may_echo
from services.ingest.domain.importing import memories_of, record_command_id
from services.ingest.domain.names import called_in
from services.ingest.domain.policy import SHIPPED, Policy
from services.ingest.domain.recognising import likeness_of
from services.ingest.store import Aspect, Needs, Room
from shared.contracts.command import Command
from shared.contracts.commands import (
    COMMANDS,
    ChangeSettings,
    ConfirmFact,
    CorrectFact,
    ImportTurns,
    Pin,
    RecordRecall,
    RememberFact,
    Restore,
    SaveFacts,
    Turn,
    Unpin,
    UserMessage,
    parse_command,
)
from shared.contracts.envelope import Actor
from shared.contracts.errors import InvalidToken
from shared.contracts.ids import CommandId, MemoryId, Scope, SessionId, Slot, Space, User
from shared.contracts.moving import ImportMemories
from shared.contracts.subjects import SentSubject, decode_names
from shared.runtime.eventlog.pull import Delivery
from shared.runtime.keys import Keys

ACTOR_HEADER = "Memstream-Actor"
CORRELATION_HEADER = "Memstream-Correlation"
_MOST_CHARACTERS = 128
_MICROSECONDS = 1_000_000


@dataclass(frozen=True)
class Sent:
    """One message whose space and user are known."""

    delivery: Delivery
    subject: SentSubject
    space: Space
    user: User
    keys: Keys
    send_id: str
    policy: Policy = SHIPPED
    _turn_ids: list[CommandId] = field(default_factory=list, compare=False, repr=False)

    @classmethod
    def read(cls, delivery: Delivery, *, keys: Keys, send_id: str, policy: Policy = SHIPPED) -> Sent:
        """Raises InvalidToken if the subject names no space and user."""
        subject = SentSubject.parse(delivery.subject)
        if not subject.has_slot:
            raise InvalidToken("a subject holds * or > as a token; percent-encode them in ids")
        space, user = decode_names(subject.space_token, subject.user_token)
        return cls(delivery, subject, space, user, keys, send_id, policy)

    @property
    def slot(self) -> Slot:
        """The user's slot, as the server reckoned it."""
        return self.subject.slot

    @cached_property
    def scope(self) -> Scope:
        """The keyed name of space and user."""
        return self.keys.scope_of(self.space, self.user)

    @property
    def sent_header(self) -> str:
        """For the last event that this message leads to."""
        return f"{self.send_id}.{self.delivery.sequence}"

    @cached_property
    def delivery_id(self) -> CommandId:
        """Names this one stored message."""
        return self.keys.digester.delivery_id(self.send_id, self.delivery.sequence)

    def command(self) -> Command:
        """The command it carries. Raises a Rejected that says what is wrong with it."""
        return parse_command(channel=self.subject.channel, what=self.subject.what, payload=self.delivery.data)

    def command_id(self, command: Command) -> CommandId:
        """Equal for every copy of the command where its sender named it; else of this one message."""
        if command.message_id is None:
            return self.delivery_id
        return self.keys.digester.command_id(self.scope, command.what, command.message_id)

    def turn_ids(self, command: ImportTurns) -> Sequence[CommandId]:
        """The ids of an import's turns, reckoned once: they are looked up, and then decided by."""
        if not self._turn_ids:
            parent = self.command_id(command)
            self._turn_ids.extend(turn_command_ids(command, scope=self.scope, parent=parent, digester=self.keys.digester))
        return self._turn_ids

    def needs(self, command: Command) -> Needs:
        """What deciding the command needs to know."""
        identity = self.command_id(command)
        if isinstance(command, ImportTurns):
            digester = self.keys.digester
            return Needs(
                {turn.session_id for turn in command.turns},
                {identity, *self.turn_ids(command)},
                aspects=_aspects(command),
                values=[lambda: {digester.digest("content", turn.text) for turn in command.turns}],
            )
        if isinstance(command, ImportMemories):
            return self._needs_of_import(command, identity)
        session_id = getattr(command, "session_id", None)
        texts, digester = self._told(command), self.keys.digester
        return Needs(
            sessions={session_id} if session_id else set(),
            commands={identity},
            memories=set(_memories(command)),
            aspects=_aspects(command),
            told={one.digest: one for one in (likeness_of(text, digester) for text in texts)},
            called=[one for text in texts if (one := called_in(text, digester))],
            room=self._room(command),
        )

    def _needs_of_import(self, command: ImportMemories, identity: CommandId) -> Needs:
        digester, data = self.keys.digester, [record.data for record in command.records]
        here = {record_command_id(record, scope=self.scope, digester=digester) for record in command.records}
        return Needs(
            sessions={SessionId(str(each["session_id"])) for each in data if each.get("session_id")},
            commands={identity} | here | {record.command_id for record in command.records},
            memories={memory_id for record in command.records for memory_id in memories_of(record)},
            values=[lambda: {digester.digest("content", str(each["text"])) for each in data if "text" in each}],
        )

    def _told(self, command: Command) -> Sequence[str]:
        """The facts that it tells."""
        if isinstance(command, RememberFact | CorrectFact):
            return [command.text]
        if isinstance(command, SaveFacts):
            return [fact.text for fact in command.facts]
        if isinstance(command, UserMessage):
            return [text] if (text := fact_in(command, self.policy.languages)) else []
        return ()

    def _room(self, command: Command) -> Room:
        """What the command may do to the number of live facts."""
        default = self.policy.soft_cap
        match command:
            case SaveFacts():
                return Room(is_needed=True, added=len(command.facts), default_cap=default)
            case RememberFact() | CorrectFact() | ConfirmFact() | Pin() | Restore():
                return Room(is_needed=True, added=1, default_cap=default)
            case UserMessage() if keeps(command, self.policy.languages):
                return Room(is_needed=True, added=1, default_cap=default)
            case Unpin():
                return Room(is_needed=True, default_cap=default)
            case ChangeSettings():
                return Room(is_needed=True, default_cap=default, caps={command.settings.soft_cap or default})
        return Room()

    def circumstances(self, command_id: CommandId) -> Circumstances:
        """All that a decision may depend on beside the command and the state: the same at every try."""
        correlation_id = self.delivery.headers.get(CORRELATION_HEADER, "")[:_MOST_CHARACTERS]
        return Circumstances(
            space=self.space,
            user=self.user,
            scope=self.scope,
            what=self.subject.what if self.subject.what in COMMANDS else "unknown",  # free text must not enter the log
            command_id=command_id,
            correlation_id=correlation_id or command_id,
            now=_moment(self.delivery.timestamp_ns),
            actor=Actor(
                channel=self.subject.channel,
                name=self.delivery.headers.get(ACTOR_HEADER, "")[:_MOST_CHARACTERS] or None,
            ),
            digester=self.keys.digester,
            policy=self.policy,
        )


def _memories(command: Command) -> Iterator[MemoryId]:
    if memory_id := getattr(command, "memory_id", None):
        yield memory_id
    if isinstance(command, RecordRecall):
        yield from (item.memory_id for item in command.items)
    if isinstance(command, SaveFacts):
        yield from (source for fact in command.facts for source in fact.source_ids)


def _moment(timestamp_ns: int) -> datetime:
    seconds, microseconds = divmod(timestamp_ns // 1000, _MICROSECONDS)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=microseconds)


def _aspects(command: Command) -> set[Aspect]:
    """What recent recalls handed out is needed to record one, and to tell echoes."""
    match command:
        case RecordRecall():
            is_needed = True
        case Turn(text=text, role=role):
            is_needed = may_echo(text, role)
        case ImportTurns(turns=turns):
            is_needed = any(may_echo(turn.text, turn.role) for turn in turns)
        case _:
            is_needed = False
    return {Aspect.HANDED_OUT} if is_needed else set()
