"""Sends turns, and commands about single memories and settings."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from memstream._contracts import TURNS, AddTurns, ImportedTurn, Malformed, PersonSettings, Role
from memstream.client.chat_messages import ChatMessage, turns_of
from memstream.client.exchange import DEFAULT_TIMEOUT_S, Decision, Exchange, Receipt


class Telling(Exchange):
    """Turns return a receipt as soon as they are on disk; what is asked of the memory returns what became of it."""

    async def add(
        self,
        messages: str | ChatMessage | Iterable[object] = (),
        *,
        session_id: str,
        text: str | None = None,
        role: Role | Literal["user", "assistant", "system"] = "user",
        message_id: str | None = None,
        occurred_at: datetime | None = None,
        speaker: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Receipt:
        """Record what was said, word for word: a text, a message, or the new messages of a chat, in one publish.

        It is on disk when this returns, and recorded once however often it is sent with the same `message_id`. Messages are
        `{"role": ..., "content": ...}`, with content as text or as parts: pictures and sounds count as their captions, else as
        `[image]` and the like. Those of the system and of tools are left out, and those without words. `role` is for a text,
        which can be named: `text=...`. A message has its own, and its own `message_id`, `occurred_at`, `name` and `metadata`
        where it has them.
        """
        messages = messages if text is None else text
        shared = {"occurred_at": occurred_at, "speaker": speaker, "metadata": metadata}
        if isinstance(messages, str):
            if role not in list(Role):
                raise Malformed(f"role must be one of {', '.join(Role)}")
            turns = [{"role": Role(role), "text": messages, **_given(shared)}]
        else:
            listed = [messages] if isinstance(messages, Mapping) else messages
            turns = [_with_shared(turn, shared) for turn in turns_of(listed)]
        if not turns or self.is_incognito(session_id):
            return Receipt(AddTurns.what, message_id or "", 0, unsent="incognito" if turns else "says_nothing")
        if len(turns) > 1:
            return await self.send(AddTurns.what, {"session_id": session_id, "message_id": message_id, "turns": turns})
        [turn] = turns
        named = {"session_id": session_id, "message_id": message_id or turn.get("message_id")}
        return await self.send(TURNS[turn.pop("role")].what, turn | named)

    async def edit_message(
        self, edited_message_id: str, text: str, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Decision:
        """Put this text in the place of a turn's: the old one is erased, with what was learned from it only.

        Raises UnknownMemory for a message that is not known.
        """
        return await self._decide("edit_message", locals())

    async def end_session(self, session_id: str) -> Receipt:
        """Say that a conversation is over. The user's first words in another one say so too."""
        return await self.send("end_session", {"session_id": session_id})

    async def import_turns(self, turns: Iterable[ImportedTurn | Mapping[str, Any]]) -> Receipt:
        """Record turns of the past, in the order in which they were said: at most 500 turns and 1 MiB a call."""
        return await self.send("import_turns", {"turns": list(turns)})

    async def remember(
        self,
        text: str,
        *,
        tags: Iterable[str] = (),
        session_id: str | None = None,
        source_ids: Iterable[str] = (),
        occurred_at: datetime | None = None,
        message_id: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> Decision:
        """Keep a fact, as told. One that is known already is counted as a repeat."""
        tags, source_ids = tuple(tags), tuple(source_ids)
        return await self._decide("remember_fact", locals())

    async def correct(
        self,
        memory_id: str,
        text: str,
        *,
        tags: Iterable[str] = (),
        session_id: str | None = None,
        source_ids: Iterable[str] = (),
        occurred_at: datetime | None = None,
        message_id: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> Decision:
        """Put this text in the place of a fact that is wrong; `memory_id` of the decision is the new fact."""
        tags, source_ids = tuple(tags), tuple(source_ids)
        return await self._decide("correct_fact", locals())

    async def confirm(self, memory_id: str, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S) -> Decision:
        """Say that a fact is certain: it does not decay any more."""
        return await self._decide("confirm_fact", locals())

    async def pin(self, memory_id: str, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S) -> Decision:
        """Keep a memory, whatever the cap and the decay say."""
        return await self._decide("pin", locals())

    async def unpin(self, memory_id: str, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S) -> Decision:
        """Keep a memory like any other."""
        return await self._decide("unpin", locals())

    async def feedback(
        self,
        memory_id: str,
        *,
        helped: bool,
        recall_id: str | None = None,
        message_id: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> Decision:
        """Say whether a memory that was recalled helped. It is counted in the metrics; the memory stays as it is."""
        return await self._decide("record_feedback", locals())

    async def restore(self, memory_id: str, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S) -> Decision:
        """Bring back a memory that was retired or superseded, or all of a fact that is outdated in part."""
        return await self._decide("restore", locals())

    async def share_tag(
        self, tag: str, with_space: str, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Decision:
        """Let contexts of this person in another space hold what has this tag here, now and later."""
        return await self._decide("share_tag", locals())

    async def unshare_tag(
        self, tag: str, with_space: str, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Decision:
        """Give the other space nothing by this tag any more."""
        return await self._decide("unshare_tag", locals())

    async def change_settings(
        self,
        settings: PersonSettings | Mapping[str, Any] | None = None,
        *,
        unset: Iterable[str] = (),
        message_id: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> Decision:
        """Set what is given, let what is in `unset` fall back to the default; the rest stays."""
        settings = settings.model_dump(exclude_unset=True) if isinstance(settings, PersonSettings) else dict(settings or {})
        unset = tuple(unset)
        return await self._decide("change_settings", locals())


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _with_shared(turn: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """A turn with what is said of all of them, where it says nothing itself. The speaker is the user's."""
    said = _given(shared)
    if turn["role"] is not Role.USER:
        said.pop("speaker", None)
    metadata = {**said.pop("metadata", {}), **turn.get("metadata", {})}
    return {**said, **turn} | ({"metadata": metadata} if metadata else {})
