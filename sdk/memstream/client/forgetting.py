"""Forgetting, its preview and its receipt; and sessions that are kept out of memory."""

from collections.abc import Iterable

from memstream._contracts import ForgetPreviewAnswer, ForgetPreviewQuery, ReceiptAnswer, ReceiptQuery
from memstream.client.exchange import DEFAULT_TIMEOUT_S, Decision, Exchange


class ForgettingAndIncognito(Exchange):
    """Forgetting and incognito."""

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
        return await self._ask(ForgetPreviewQuery, ForgetPreviewAnswer, locals())

    async def forget(
        self,
        *,
        memory_ids: Iterable[str] = (),
        deleted_message_id: str | None = None,
        session_id: str | None = None,
        query: str | None = None,
        only: bool = False,
        confirm: str | None = None,
        message_id: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> Decision:
        """Forget what is named (exactly one of the four): hidden from every query at once, then erased from the disk.

        Unless `only`, also its near-duplicates, the turns that state it, and what rests on nothing else. The decision's
        `number` names the receipt: see `forgetting`. Raises ConfirmationNeeded where a query finds what is not surely meant:
        `would_forget` shows it, and its `token` as `confirm` takes all of that.
        """
        memory_ids = tuple(memory_ids)
        return await self._decide("forget", locals())

    async def forget_user(self, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S) -> Decision:
        """Forget everything about this person in this space."""
        return await self._decide("forget_user", locals())

    async def take_back(
        self, number: int | None = None, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Decision:
        """Take back what was forgotten in chat, while it waits to be erased: this forgetting, else the last one.

        `number` is that of its receipt, as a context's `command` tells it. Raises Rejected where none waits.
        """
        return await self._decide("take_back", locals())

    async def forgetting(self, number: int, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> ReceiptAnswer:
        """How far the forgetting with this number has come; when it is done, its receipt. Raises NotFound."""
        return await self._ask(ReceiptQuery, ReceiptAnswer, locals())

    async def start_incognito(
        self, session_id: str, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Decision:
        """From now on nothing of this session is kept or recalled; this client does not even send it.

        Another client gives the decision's `position` to its next query (`min_position`).
        """
        self._wire.incognito.add((self._space, self._user, session_id))  # first: whatever fails, nothing may slip through
        return await self._decide("start_incognito", locals())

    async def end_incognito(
        self, session_id: str, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Decision:
        """From now on this session is kept again."""
        decided = await self._decide("end_incognito", locals())
        self._wire.incognito.discard((self._space, self._user, session_id))
        return decided
