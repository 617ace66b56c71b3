"""Reads a message of SEND: its user and space, its command, and the circumstances of its decision."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.enrichment import embedding_command_ids
from services.ingest.domain.policy import SHIPPED, Policy
from services.ingest.domain.turns import turn_command_ids
from shared.contracts.command import Channel, Command
from shared.contracts.commands import COMMANDS, AddTurns, AttachEmbedding, ImportTurns, parse_command
from shared.contracts.envelope import Actor
from shared.contracts.errors import InvalidToken, WrongChannel
from shared.contracts.ids import CommandId, Scope, Slot, Space, User
from shared.contracts.moving import ImportMemories
from shared.contracts.subjects import SentSubject, decode_names
from shared.domain.moments import moment
from shared.runtime.eventlog.pull import Delivery
from shared.runtime.gate import bot_of
from shared.runtime.keys import Keys

ACTOR_HEADER = "Memstream-Actor"
CORRELATION_HEADER = "Memstream-Correlation"
_NAME = re.compile(r"[!-~]{1,128}")
_UUID = re.compile(r"[0-9a-f]{8}(-?)([0-9a-f]{4}\1){3}[0-9a-f]{12}", re.IGNORECASE)
_IMPORTS = frozenset((ImportTurns.what, ImportMemories.what))


def named_what(what: str) -> str:
    """Return the name of a command, or `unknown`: what else stands there is free text, which nothing may keep."""
    return what if what in COMMANDS else "unknown"


@dataclass(frozen=True)
class SentMessage:
    """A message of SEND with its space and user."""

    delivery: Delivery
    subject: SentSubject
    space: Space
    user: User
    keys: Keys
    send_id: str
    policy: Policy = SHIPPED
    ids_are_taken: bool = False
    """True where the server still knows an event of this id that the log holds no more."""

    @classmethod
    def read(
        cls, delivery: Delivery, *, keys: Keys, send_id: str, policy: Policy = SHIPPED, ids_are_taken: bool = False
    ) -> SentMessage:
        """Read a delivered message. Raises InvalidToken if its subject names no space and user."""
        subject = SentSubject.parse(delivery.subject)
        if not subject.has_slot:
            raise InvalidToken("a subject holds * or > as a token; percent-encode them in ids")
        nobody = Space(""), User("")
        space, user = nobody if subject.is_of_installation else decode_names(subject.space_token, subject.user_token)
        return cls(delivery, subject, space, user, keys, send_id, policy, ids_are_taken)

    @property
    def slot(self) -> Slot:
        """The user's slot, which the server put into the subject."""
        return self.subject.slot

    @cached_property
    def scope(self) -> Scope:
        """The scope of its space and user."""
        return self.keys.scope_of(self.space, self.user)

    @property
    def sent_header(self) -> str:
        """The header for the last event of this message: `<SEND stream id>.<sequence>`."""
        return f"{self.send_id}.{self.delivery.sequence}"

    @property
    def can_wait(self) -> bool:
        """True for an import and for what a job proposes: nobody who is there waits for it."""
        command = COMMANDS.get(self.subject.what)
        return command is not None and command.can_wait

    @property
    def is_import(self) -> bool:
        """True for turns or memories of the past."""
        return self.subject.what in _IMPORTS

    @property
    def is_live(self) -> bool:
        """True for what a person says or wants now."""
        return self.subject.channel == Channel.SEND and not self.is_import

    @cached_property
    def delivery_id(self) -> CommandId:
        """The id of this one stored message."""
        return self.keys.digester.delivery_id(self.send_id, self.delivery.sequence)

    @cached_property
    def bot(self) -> str | None:
        """The bot that sent it, where it is limited to spaces: of others the server does not say who they are."""
        return bot_of(self.delivery.headers, self.keys.digester, self.subject.space_token, self.subject.user_token)

    def command(self) -> Command:
        """Parse the command. Raises a Rejected that says what is wrong with it."""
        command = parse_command(channel=self.subject.channel, what=self.subject.what, payload=self.delivery.data)
        if command.is_of_installation != self.subject.is_of_installation:
            raise WrongChannel(f"{command.what} is about {'nobody' if command.is_of_installation else 'a person'}")
        return command

    def command_id(self, command: Command) -> CommandId:
        """The id of the command: with a message_id equal for every copy, else of this one message."""
        if command.message_id is None:
            return self.delivery_id
        return self.keys.digester.command_id(self.scope, command.what, command.message_id)

    def circumstances(self, command: Command) -> Circumstances:
        """The circumstances of deciding this command."""
        given = self.circumstances_of(self.command_id(command))
        match command:
            case AddTurns() | ImportTurns():
                ids = turn_command_ids(command, scope=given.scope, parent=given.command_id, digester=given.digester)
            case AttachEmbedding() if command.further:
                ids = embedding_command_ids(command, scope=given.scope, digester=given.digester)
            case _:
                return given
        return given._replace(part_ids=ids)

    def circumstances_of(self, command_id: CommandId) -> Circumstances:
        """The circumstances of a command with this id, equal at every attempt.

        Headers outlive what is forgotten, so they may hold no words: a correlation that is no UUID is kept as a keyed hash, and
        an actor that is no name is left out.
        """
        actor, correlation = (self.delivery.headers.get(each, "") for each in (ACTOR_HEADER, CORRELATION_HEADER))
        if correlation and not _UUID.fullmatch(correlation):
            correlation = f"c_{self.keys.digester.digest('correlation', ascii(correlation)).hex()}"
        return Circumstances(
            space=self.space,
            user=self.user,
            scope=self.scope,
            what=named_what(self.subject.what),
            command_id=command_id,
            correlation_id=correlation or command_id,
            now=moment(self.delivery.timestamp_ns // 1_000),
            actor=Actor(channel=self.subject.channel, name=actor if _NAME.fullmatch(actor) else None),
            digester=self.keys.digester,
            policy=self.policy,
            told_again=self.delivery_id if self.ids_are_taken else "",
        )
