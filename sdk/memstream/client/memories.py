"""One person's memories in one space, over a connection that may serve many."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeVar

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from memstream._contracts import (
    DEFAULT_BUDGET_TOKENS,
    DEFAULT_CONTEXT_ITEMS,
    TURNS,
    Asked,
    Command,
    ContextAnswer,
    ContextQuery,
    Contract,
    ErrorAnswer,
    ImportedTurn,
    Kind,
    ListAnswer,
    ListQuery,
    Malformed,
    OutcomeAnswer,
    OutcomeQuery,
    Preset,
    RankingOptions,
    Role,
    SearchAnswer,
    SearchQuery,
    ShowAnswer,
    ShowQuery,
    Space,
    StatsAnswer,
    StatsQuery,
    User,
    ask_subject,
    parse_command,
    send_subject,
)
from memstream.client.wire import Wire

DEFAULT_TIMEOUT_S = 5.0
SEND_TIMEOUT_S = 30.0
BOTH_KINDS = (Kind.FACT, Kind.EPISODE)
_MARGIN_S = 2.0  # for the way there and back, beyond what the service itself waits
_LONGEST_WAIT_S = 30.0

_Answer = TypeVar("_Answer", bound=Contract)


@dataclass(frozen=True, slots=True)
class Receipt:
    """Says that something sent is durable. Give it to `outcome`, or as `after` to a query that must know it."""

    what: str
    message_id: str
    sequence: int


class Memories:
    """What a bot can do for one person. Every error is a MemstreamError with a sentence for a person."""

    def __init__(self, wire: Wire, *, space: str, user: str) -> None:
        self._wire = wire
        self._space = Space(space)
        self._user = User(user)

    async def add(
        self,
        text: str,
        *,
        session_id: str,
        role: Role | Literal["user", "assistant", "system"] = "user",
        message_id: str | None = None,
        occurred_at: datetime | None = None,
        speaker: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Receipt:
        """Record a turn, word for word. It is on disk when this returns, and recorded once however often it is sent."""
        if role not in list(Role):
            raise Malformed(f"role must be one of {', '.join(Role)}")
        fields = {
            "session_id": session_id,
            "text": text,
            "message_id": message_id,
            "occurred_at": occurred_at,
            "speaker": speaker,
            "metadata": metadata,
        }
        return await self.send(TURNS[Role(role)].what, fields)

    async def remember(
        self, text: str, *, tags: Iterable[str] = (), session_id: str | None = None, source_ids: Iterable[str] = ()
    ) -> Receipt:
        """Keep a fact, as told."""
        fields = {"text": text, "tags": tuple(tags), "session_id": session_id, "source_ids": tuple(source_ids)}
        return await self.send("remember_fact", fields)

    async def end_session(self, session_id: str) -> Receipt:
        """Say that a conversation is over. The user's first words in another one say so too."""
        return await self.send("end_session", {"session_id": session_id})

    async def import_turns(self, turns: Iterable[ImportedTurn | Mapping[str, Any]]) -> Receipt:
        """Record turns of the past, in the order in which they were said: at most 500 turns and 1 MiB a call."""
        return await self.send("import_turns", {"turns": list(turns)})

    async def send(self, what: str, fields: Mapping[str, Any]) -> Receipt:
        """Send a command by its name, without the fields that are None. Raises a Rejected instead of sending a bad one."""
        given = {key: value for key, value in fields.items() if value is not None}
        document = {**given, "message_id": given.get("message_id") or _new_message_id()}
        payload = _json(document)
        command = parse_command(channel="send", what=what, payload=payload)
        return await self.send_raw(what, payload, command=command, is_unique="message_id" not in given)

    async def send_raw(self, what: str, payload: bytes, *, command: Command | None = None, is_unique: bool = False) -> Receipt:
        """Send bytes as they are: what ingest refuses lands in REJECTED. Raises Unavailable."""
        message_id = (command.message_id if command else _message_id(payload)) or ""
        # Duplicate ids of the server are stream-wide: another user's equal message_id would be taken for a copy.
        headers = {"Nats-Msg-Id": message_id} if is_unique else {}
        subject = send_subject(self._space, self._user, what)
        sequence = await self._wire.publish(subject, payload, headers=headers, timeout_s=SEND_TIMEOUT_S)
        return Receipt(what, message_id, sequence)

    async def outcome(self, receipt: Receipt, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> OutcomeAnswer:
        """What became of something that was sent. Raises NotCaughtUp if it is not decided within the time."""
        fields = {"sequence": receipt.sequence, "what": receipt.what, "message_id": receipt.message_id or None}
        return await self._ask(OutcomeQuery, OutcomeAnswer, fields, timeout_s=timeout_s)

    async def context(
        self,
        query: str,
        *,
        session_id: str | None = None,
        limit: int = DEFAULT_CONTEXT_ITEMS,
        budget_tokens: int | None = DEFAULT_BUDGET_TOKENS,
        kinds: Iterable[Kind | str] = BOTH_KINDS,
        record: bool = True,
        preset: Preset | str = Preset.SHIPPED,
        ranking: RankingOptions | Mapping[str, Any] | None = None,
        message_id: str | None = None,
        min_position: int = 0,
        after: Receipt | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> ContextAnswer:
        """The memories that matter for these words, as items and as a ready block for the prompt.

        Give `session_id`, the current session, to leave it out; `record=False` where no model gets to see the answer.
        `ranking` changes single weights, for this query only.
        """
        fields = {
            "query": query,
            "session_id": session_id,
            "limit": limit,
            "budget_tokens": budget_tokens,
            "kinds": tuple(kinds),
            "record": record,
            "preset": preset,
            "ranking": ranking,
            "message_id": message_id,
            "min_position": min_position,
        }
        return await self._ask(ContextQuery, ContextAnswer, fields, after=after, timeout_s=timeout_s)

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Iterable[Kind | str] = BOTH_KINDS,
        exclude_session_id: str | None = None,
        ranking: RankingOptions | Mapping[str, Any] | None = None,
        min_position: int = 0,
        after: Receipt | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> SearchAnswer:
        """Memories by their words, best first. Nothing is recorded."""
        fields = {
            "query": query,
            "limit": limit,
            "kinds": tuple(kinds),
            "exclude_session_id": exclude_session_id,
            "ranking": ranking,
            "min_position": min_position,
        }
        return await self._ask(SearchQuery, SearchAnswer, fields, after=after, timeout_s=timeout_s)

    async def list(
        self,
        *,
        limit: int = 50,
        kinds: Iterable[Kind | str] = BOTH_KINDS,
        session_id: str | None = None,
        before_number: int | None = None,
        min_position: int = 0,
        after: Receipt | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> ListAnswer:
        """A page of memories, newest first; the next page begins at `before_number=answer.next_before_number`."""
        fields = {
            "limit": limit,
            "kinds": tuple(kinds),
            "session_id": session_id,
            "before_number": before_number,
            "min_position": min_position,
        }
        return await self._ask(ListQuery, ListAnswer, fields, after=after, timeout_s=timeout_s)

    async def show(self, memory_id: str, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> ShowAnswer:
        """One memory with everything that is known of it. Raises NotFound."""
        return await self._ask(ShowQuery, ShowAnswer, {"memory_id": memory_id}, timeout_s=timeout_s)

    async def stats(
        self, *, min_position: int = 0, after: Receipt | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> StatsAnswer:
        """How much is remembered."""
        return await self._ask(StatsQuery, StatsAnswer, {"min_position": min_position}, after=after, timeout_s=timeout_s)

    async def ask_raw(self, query: str, payload: bytes, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> bytes:
        """Ask with bytes as they are; the reply as it came. Raises the error that a reply tells of."""
        subject = ask_subject(self._space, self._user, query)
        reply = await self._wire.request(subject, payload, timeout_s=timeout_s)
        if reply.startswith(b'{"error":'):
            raise ErrorAnswer.model_validate_json(reply).raised()
        return reply

    async def _ask(
        self,
        model: type[Asked],
        answer: type[_Answer],
        fields: Mapping[str, Any],
        *,
        timeout_s: float,
        after: Receipt | None = None,
    ) -> _Answer:
        wait_s = min(timeout_s, _LONGEST_WAIT_S)
        given = {**fields, "timeout_s": wait_s}
        if after is not None:
            position = (await self.outcome(after, timeout_s=timeout_s)).position
            given["min_position"] = max(position, fields.get("min_position", 0))
        payload = _validated(model, given).model_dump_json().encode()
        reply = await self.ask_raw(model.query_name, payload, timeout_s=wait_s + _MARGIN_S)
        return answer.model_validate_json(reply, extra="ignore")  # a newer memstream may say more


def _new_message_id() -> str:
    """Unique over all users: else it could be no Nats-Msg-Id."""
    return uuid.uuid4().hex  # noqa: TID251 - the SDK's one place that makes ids; a bot has no shared.runtime


def _json(document: Mapping[str, Any]) -> bytes:
    try:
        return to_json(document)
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
        problems = error.errors(include_url=False, include_input=False, include_context=False)
        words = "; ".join(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in problems[:3])
        raise Malformed(f"the {model.query_name} query does not fit: {words}") from error
