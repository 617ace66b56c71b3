"""What a person can ask to be forgotten, kept out, or shown of themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from memstream._contracts import (
    Asked,
    Contract,
    ForgetPreviewAnswer,
    ForgetPreviewQuery,
    OutcomeAnswer,
    ReceiptAnswer,
    ReceiptQuery,
    Space,
    User,
)
from memstream.client.wire import Receipt, Wire

DEFAULT_TIMEOUT_S = 5.0
_Answer = TypeVar("_Answer", bound=Contract)


class Privacy:
    """Forgetting and incognito, for one person in one space: a part of `Memories`."""

    _wire: Wire
    _space: Space
    _user: User

    if TYPE_CHECKING:  # what the whole has; documented there

        async def send(self, what: str, fields: Mapping[str, Any]) -> Receipt: ...  # noqa: D102

        async def outcome(self, receipt: Receipt, *, timeout_s: float = ...) -> OutcomeAnswer: ...  # noqa: D102

        async def _ask(
            self,
            model: type[Asked],
            answer: type[_Answer],
            fields: Mapping[str, Any],
            *,
            timeout_s: float,
            after: Receipt | None = ...,
        ) -> _Answer: ...

    async def would_forget(
        self,
        *,
        memory_ids: Iterable[str] = (),
        deleted_message_id: str | None = None,
        session_id: str | None = None,
        query: str | None = None,
        only: bool = False,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> ForgetPreviewAnswer:
        """A dry run of `forget`: which memories would go, and why each."""
        fields = _target(memory_ids, deleted_message_id, session_id, query, only=only)
        return await self._ask(ForgetPreviewQuery, ForgetPreviewAnswer, fields, timeout_s=timeout_s)

    async def forget(
        self,
        *,
        memory_ids: Iterable[str] = (),
        deleted_message_id: str | None = None,
        session_id: str | None = None,
        query: str | None = None,
        only: bool = False,
    ) -> Receipt:
        """Forget what is named (exactly one of the four): hidden from every query at once, then erased from the disk.

        Unless `only`, also its near-duplicates, the turns that state it, and what rests on nothing else.
        """
        return await self.send("forget", _target(memory_ids, deleted_message_id, session_id, query, only=only))

    async def forget_user(self) -> Receipt:
        """Forget everything about this person in this space."""
        return await self.send("forget_user", {})

    async def forgetting(self, forgot: Receipt | int, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> ReceiptAnswer:
        """How far a forgetting has come; when it is done, its receipt. Raises NotFound where nothing was forgotten."""
        number = forgot if isinstance(forgot, int) else (await self.outcome(forgot, timeout_s=timeout_s)).number
        return await self._ask(ReceiptQuery, ReceiptAnswer, {"number": number or 0}, timeout_s=timeout_s)

    async def start_incognito(self, session_id: str, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> OutcomeAnswer:
        """From now on nothing of this session is kept or recalled; this client does not even send it.

        Returns when it is decided. Another client gives the answer's `position` to its next query (`min_position`).
        """
        self._wire.incognito.add((self._space, self._user, session_id))  # first: whatever fails, nothing may slip through
        return await self.outcome(await self.send("start_incognito", {"session_id": session_id}), timeout_s=timeout_s)

    async def end_incognito(self, session_id: str, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> OutcomeAnswer:
        """From now on this session is kept again."""
        decided = await self.outcome(await self.send("end_incognito", {"session_id": session_id}), timeout_s=timeout_s)
        self._wire.incognito.discard((self._space, self._user, session_id))
        return decided


def _target(
    memory_ids: Iterable[str], deleted_message_id: str | None, session_id: str | None, query: str | None, *, only: bool
) -> dict[str, Any]:
    named = {
        "memory_ids": tuple(memory_ids) or None,
        "deleted_message_id": deleted_message_id,
        "session_id": session_id,
        "query": query,
    }
    return {key: value for key, value in named.items() if value is not None} | {"only": only}
