"""Sends commands and asks queries, as JSON, for one person in one space."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeVar

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json, to_jsonable_python

from memstream._contracts import (
    Asked,
    Command,
    Contract,
    ErrorAnswer,
    Incognito,
    Malformed,
    NotCaughtUp,
    OutcomeAnswer,
    OutcomeQuery,
    Rejected,
    Space,
    User,
    Verdict,
    ask_subject,
    error_classes,
    parse_command,
    send_subject,
    unfit_query,
)
from memstream.client.courier import Courier
from memstream.client.outbox import Letter
from memstream.client.wire import ACTOR_HEADER, Wire

DEFAULT_TIMEOUT_S = 5.0
SEND_TIMEOUT_S = 30.0
_MARGIN_S = 2.0  # for the way there and back, beyond what the service itself waits
_LONGEST_WAIT_S = 30.0

_AnswerOfQuery = TypeVar("_AnswerOfQuery", bound=Contract)


@dataclass(frozen=True, slots=True)
class Receipt:
    """Says that something sent is durable. Give it to `outcome`, or as `after` to a query that must know it."""

    what: str
    message_id: str
    sequence: int
    """The message's place in the stream SEND, sealed for a bot that is limited to spaces; 0: it was not sent."""
    unsent: Literal["incognito", "says_nothing", "waiting"] | None = field(default=None, kw_only=True)
    """Why it was not sent: its session is incognito, nothing in it is said by the user or the assistant, or it waits in the
    outbox, on this machine's disk."""


@dataclass(frozen=True, slots=True)
class Decision(Receipt):
    """A receipt with what became of it: recorded, or unchanged where it was so already. Also good as `after`."""

    verdict: Verdict
    position: int
    memory_id: str | None = None
    number: int | None = None
    lifted: bool = False
    """True if this had been forgotten before, and is kept again."""
    held_back: bool = False
    """True if this had just been forgotten: it is kept as said, but nothing is learned or recalled from it."""
    masked: tuple[str, ...] = ()
    """Kinds of secrets that stand masked in what was recorded."""


_TOLD = ("verdict", "position", "memory_id", "number", "lifted", "held_back", "masked")


class Exchange:
    """Sends commands and asks queries of one person, as contracts or as raw bytes."""

    def __init__(self, wire: Wire, *, space: str, user: str, courier: Courier | None = None, actor: str | None = None) -> None:
        """`actor`: in whose name it is sent, for the audit; by default in the bot's."""
        self._wire = wire
        self._named = {ACTOR_HEADER: actor} if actor else {}
        self._courier = courier
        self._space = Space(space)
        self._user = User(user)
        self._decided_up_to = 0

    @property
    def decided_up_to(self) -> int:
        """Position of the newest decision that this client has seen of the person."""
        return max(self._decided_up_to, self._wire.decisions.newest((self._space, self._user)))

    def is_incognito(self, session_id: str | None) -> bool:
        """True if this client sends nothing of the session."""
        return session_id is not None and (self._space, self._user, session_id) in self._wire.incognito

    @property
    def waiting(self) -> int:
        """How many messages wait in the outbox."""
        return self._courier.waiting if self._courier else 0

    async def flush(self) -> None:
        """Send what waits in the outbox. Raises Unavailable while the server is away."""
        if self._courier:
            await self._courier.drain()

    async def send(self, what: str, fields: Mapping[str, Any]) -> Receipt:
        """Send a command by its name, without the fields that are None. Raises a Rejected instead of sending a bad one."""
        return await self._send(what, fields, courier=self._courier)

    async def _send(self, what: str, fields: Mapping[str, Any], *, courier: Courier | None) -> Receipt:
        given = {key: value for key, value in fields.items() if value is not None}
        document = {"message_id": _new_message_id(), **given}
        payload = _json(document)
        command = parse_command(channel="send", what=what, payload=payload)
        is_unique = "message_id" not in given
        if courier is None:
            return await self.send_raw(what, payload, command=command, is_unique=is_unique)
        message_id = command.message_id or ""
        headers = self._named | ({"Nats-Msg-Id": message_id} if is_unique else {})
        subject = send_subject(self._space, self._user, what)
        sequence = await courier.send(Letter(subject, payload.decode(), headers, message_id))
        return Receipt(what, message_id, sequence, unsent=None if sequence else "waiting")

    async def send_raw(self, what: str, payload: bytes, *, command: Command | None = None, is_unique: bool = False) -> Receipt:
        """Send bytes as they are: what ingest refuses lands in REJECTED. Raises Unavailable."""
        message_id = (command.message_id if command else _message_id(payload)) or ""
        # Duplicate ids of the server are stream-wide: another user's equal message_id would be taken for a copy.
        headers = self._named | ({"Nats-Msg-Id": message_id} if is_unique else {})
        subject = send_subject(self._space, self._user, what)
        sequence = await self._wire.publish(subject, payload, headers=headers, timeout_s=SEND_TIMEOUT_S)
        return Receipt(what, message_id, sequence)

    async def outcome(self, receipt: Receipt, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> OutcomeAnswer:
        """What became of something that was sent. Raises NotCaughtUp if it is not decided within the time."""
        if receipt.unsent == "says_nothing":
            return OutcomeAnswer(verdict=Verdict.UNCHANGED, position=0)
        if receipt.unsent == "waiting":
            await self.flush()  # where another process has sent the message, its sequence is not known
            sequence = self._courier.sequence_of(receipt.message_id) if self._courier else None
            receipt = replace(receipt, sequence=sequence or 0, unsent=None)
        elif not receipt.sequence:
            return OutcomeAnswer(verdict=Verdict.NOT_RECORDED, position=0, code=Incognito.code)
        sent = {"sequence": receipt.sequence or None, "what": receipt.what, "message_id": receipt.message_id or None}
        return await self._ask(OutcomeQuery, OutcomeAnswer, {**sent, "timeout_s": timeout_s})

    async def decide(self, what: str, fields: Mapping[str, Any], *, timeout_s: float = DEFAULT_TIMEOUT_S) -> Decision:
        """Send a command and wait until it is decided. Raises the Rejected or NotRecorded that says why it had no effect.

        Raises NotCaughtUp if it is not decided within the time: it is on disk then, and will be.
        """
        await self.flush()
        receipt = await self._send(what, fields, courier=None)
        try:
            outcome = await self.outcome(receipt, timeout_s=timeout_s)
        except NotCaughtUp as error:
            words = "it is on disk and will be decided; until then send it again with the same message_id"
            raise NotCaughtUp(f"{what} was not decided within {timeout_s:g} s: {words}") from error
        self._decided_up_to = max(self._decided_up_to, outcome.position)
        self._wire.decisions.note((self._space, self._user), outcome.position)
        if outcome.verdict in {Verdict.REJECTED, Verdict.NOT_RECORDED}:
            kind = error_classes().get(outcome.code or "", Rejected)
            raise kind(outcome.reason)
        told = {name: getattr(outcome, name) for name in _TOLD}
        return Decision(**asdict(receipt), **told)

    async def ask_raw(self, query: str, payload: bytes, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> bytes:
        """Ask with bytes as they are; the reply as it came. Raises the error that a reply tells of."""
        subject = ask_subject(self._space, self._user, query)
        reply = await self._wire.request(subject, payload, timeout_s=timeout_s)
        if reply.startswith(b'{"error":'):
            raise ErrorAnswer.model_validate_json(reply).raised()
        return reply

    async def _decide(self, what: str, arguments: Mapping[str, Any]) -> Decision:
        """Decide the command whose fields are the arguments, `locals()`, of the method that sends it."""
        return await self.decide(what, _without(arguments, "self", "timeout_s"), timeout_s=arguments["timeout_s"])

    async def _ask(self, model: type[Asked], answer: type[_AnswerOfQuery], arguments: Mapping[str, Any]) -> _AnswerOfQuery:
        """Ask the query whose fields are the arguments, `locals()`, of the method that asks it.

        It waits for `after`, and for what this client had decided of the person, whichever of its `for_user` that was.
        """
        wait_s = min(arguments["timeout_s"], _LONGEST_WAIT_S)
        fields = _without(arguments, "self", "after") | {"timeout_s": wait_s}
        if "min_position" in fields:
            after = arguments.get("after")
            position = await self._position(after, arguments["timeout_s"]) if after else 0
            fields["min_position"] = max(position, arguments["min_position"], self.decided_up_to)
        payload = _validated(model, fields).model_dump_json().encode()
        reply = await self.ask_raw(model.query_name, payload, timeout_s=wait_s + _MARGIN_S)
        return answer.model_validate_json(reply, extra="ignore")  # a newer memstream may say more

    async def _position(self, after: Receipt, timeout_s: float) -> int:
        """Where in the log a question must begin to know of something. Whoever asks often after the same asks for it once."""
        if isinstance(after, Decision):
            return after.position
        message = (self._space, self._user, after.sequence)
        position = self._wire.outcomes.newest(message)
        if not position:
            position = (await self.outcome(after, timeout_s=timeout_s)).position
            if after.sequence:  # else it is no message of its own
                self._wire.outcomes.note(message, position)
        return position


def _without(arguments: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name not in names}


def _new_message_id() -> str:
    """Unique over all users: else it could be no Nats-Msg-Id."""
    return uuid.uuid4().hex  # noqa: TID251 - the SDK's one place that makes ids; a bot has no shared.runtime


def _json(document: Mapping[str, Any]) -> bytes:
    try:
        try:
            return to_json(document)
        except PydanticSerializationError:  # half an emoji, perhaps, of which ingest makes a whole character
            return json.dumps(to_jsonable_python(document)).encode()
    except ValueError as error:  # such as metadata that is no JSON
        raise Malformed(f"a field is not JSON: {type(error).__name__}") from error


def _message_id(payload: bytes) -> str | None:
    try:
        document = from_json(payload)
    except ValueError:
        return None
    message_id = document.get("message_id") if isinstance(document, dict) else None
    return message_id if isinstance(message_id, str) else None


def _validated(model: type[Asked], fields: Mapping[str, Any]) -> Asked:
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise unfit_query(model.query_name, error) from error
