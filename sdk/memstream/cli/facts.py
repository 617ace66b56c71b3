"""`remember`, `correct`, `confirm`, `pin`, `unpin` and `restore`: what a person wants of the memory."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any

import typer

from memstream.cli.options import DEFAULT_SPACE, DEFAULT_USER, Bot, MemoryId, Space, Tags, User
from memstream.cli.root import run
from memstream.cli.sending import decided
from memstream.cli.session import session_of
from memstream.client import Memories
from shared.contracts.errors import NotFound, Unavailable
from shared.contracts.queries import OutcomeAnswer, Verdict
from shared.runtime.credentials import DEFAULT_BOT
from shared.runtime.ids import new_token

_LIFTED = "; it had been forgotten, and is kept again"


def remember(
    ctx: typer.Context,
    *,
    text: Annotated[str, typer.Argument(help="The fact, in words that make sense on their own.")],
    tags: Tags = None,
    space: Space = DEFAULT_SPACE,
    user: User = DEFAULT_USER,
    bot: Bot = DEFAULT_BOT,
) -> None:
    """Keep a fact. One that is known already is counted as a repeat."""
    session = session_of(ctx)
    fields = {"text": text, "tags": tags or [], "message_id": new_token()}

    async def work() -> tuple[OutcomeAnswer, int]:
        outcome = await decided(session, "remember_fact", fields, space=space, user=user, bot=bot)
        async with session.client(space=space, user=user, bot=bot) as memory:
            return outcome, await _times_told(memory, outcome, str(fields["message_id"]))

    outcome, told = run(work())
    words = f"known already as {outcome.memory_id}; told {told} times" if told > 1 else f"remembered as {outcome.memory_id}"
    words += _LIFTED if outcome.lifted else ""
    session.show(outcome.model_dump(mode="json") | {"told": told}, lambda console: console.print(words))


async def _times_told(memory: Memories, outcome: OutcomeAnswer, message_id: str) -> int:
    """How often the fact has been told by now: 1, where it is new; also where nobody can say."""
    with suppress(Unavailable, NotFound):  # the fact is kept whether the retriever answers or not
        known = (await memory.show(outcome.memory_id or "-", min_position=outcome.position)).memory
        if any(repeat.message_id == message_id for repeat in known.repeats):
            return known.repeat_count + 1
    return 1


def correct(
    ctx: typer.Context,
    *,
    memory_id: MemoryId,
    text: Annotated[str, typer.Argument(help="The fact as it is right.")],
    tags: Tags = None,
    space: Space = DEFAULT_SPACE,
    user: User = DEFAULT_USER,
    bot: Bot = DEFAULT_BOT,
) -> None:
    """Put a right fact in the place of a wrong one. The old one stays readable: see `memstream show`."""
    fields = {"memory_id": memory_id, "text": text, "tags": tags or []}
    _decide(ctx, "correct_fact", fields, "corrected; the right one is {}", space=space, user=user, bot=bot)


def confirm(
    ctx: typer.Context, *, memory_id: MemoryId, space: Space = DEFAULT_SPACE, user: User = DEFAULT_USER, bot: Bot = DEFAULT_BOT
) -> None:
    """Mark a fact as certain: it does not decay."""
    _decide(ctx, "confirm_fact", {"memory_id": memory_id}, "confirmed", space=space, user=user, bot=bot)


def pin(
    ctx: typer.Context, *, memory_id: MemoryId, space: Space = DEFAULT_SPACE, user: User = DEFAULT_USER, bot: Bot = DEFAULT_BOT
) -> None:
    """Keep a memory, whatever the cap and the decay say."""
    _decide(ctx, "pin", {"memory_id": memory_id}, "pinned", space=space, user=user, bot=bot)


def unpin(
    ctx: typer.Context, *, memory_id: MemoryId, space: Space = DEFAULT_SPACE, user: User = DEFAULT_USER, bot: Bot = DEFAULT_BOT
) -> None:
    """Keep a memory like any other."""
    _decide(ctx, "unpin", {"memory_id": memory_id}, "not pinned any more", space=space, user=user, bot=bot)


def restore(
    ctx: typer.Context, *, memory_id: MemoryId, space: Space = DEFAULT_SPACE, user: User = DEFAULT_USER, bot: Bot = DEFAULT_BOT
) -> None:
    """Bring back a memory that was retired or superseded."""
    _decide(ctx, "restore", {"memory_id": memory_id}, "restored", space=space, user=user, bot=bot)


def _decide(ctx: typer.Context, what: str, fields: Mapping[str, Any], done: str, *, space: str, user: str, bot: str) -> None:
    session = session_of(ctx)
    outcome = run(decided(session, what, fields, space=space, user=user, bot=bot))
    words = "unchanged: it was so already" if outcome.verdict is Verdict.UNCHANGED else done.format(outcome.memory_id)
    words += _LIFTED if outcome.lifted else ""
    session.show(outcome.model_dump(mode="json"), lambda console: console.print(words))
