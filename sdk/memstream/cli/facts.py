"""`remember`, `correct`, `confirm`, `pin`, `unpin`, `restore` and `feedback`: what a person wants of the memory."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any

import typer

from memstream.cli.options import MemoryIdArgument, TagsOption, about_person
from memstream.cli.sending import decided
from memstream.cli.session import CliSession
from memstream.client import Memories, MemoryClient
from shared.contracts.errors import NotFound, Unavailable
from shared.contracts.queries import OutcomeAnswer, Verdict
from shared.runtime.ids import new_token

_LIFTED = "; it had been forgotten, and is kept again"


@about_person
def remember(
    session: CliSession,
    *,
    text: Annotated[str, typer.Argument(help="The fact, in words that make sense on their own.")],
    tags: TagsOption = None,
) -> None:
    """Keep a fact. One that is known already is counted as a repeat."""
    fields = {"text": text, "tags": tags or [], "message_id": new_token()}

    async def remembered(memory: MemoryClient) -> tuple[OutcomeAnswer, int]:
        outcome = await decided(session, memory, "remember_fact", fields)
        return outcome, await _times_told(memory, outcome, str(fields["message_id"]))

    outcome, told = session.ask(remembered)
    words = f"known already as {outcome.memory_id}; told {told} times" if told > 1 else f"remembered as {outcome.memory_id}"
    words += _besides(outcome)
    session.show(outcome.model_dump(mode="json") | {"told": told}, lambda console: console.print(words))


async def _times_told(memory: Memories, outcome: OutcomeAnswer, message_id: str) -> int:
    """How often the fact has been told by now: 1, where it is new; also where nobody can say."""
    with suppress(Unavailable, NotFound):  # the fact is kept whether the retriever answers or not
        known = (await memory.show(outcome.memory_id or "-", min_position=outcome.position)).memory
        if any(repeat.message_id == message_id for repeat in known.repeats):
            return known.repeat_count + 1
    return 1


@about_person
def correct(
    session: CliSession,
    *,
    memory_id: MemoryIdArgument,
    text: Annotated[str, typer.Argument(help="The fact as it is right.")],
    tags: TagsOption = None,
) -> None:
    """Put a right fact in the place of a wrong one. The old one stays readable: see `memstream show`."""
    fields = {"memory_id": memory_id, "text": text, "tags": tags or []}
    _decide(session, "correct_fact", fields, "corrected; the right one is {}")


@about_person
def confirm(session: CliSession, *, memory_id: MemoryIdArgument) -> None:
    """Mark a fact as certain: it does not decay."""
    _decide(session, "confirm_fact", {"memory_id": memory_id}, "confirmed")


@about_person
def pin(session: CliSession, *, memory_id: MemoryIdArgument) -> None:
    """Keep a memory, whatever the cap and the decay say."""
    _decide(session, "pin", {"memory_id": memory_id}, "pinned")


@about_person
def unpin(session: CliSession, *, memory_id: MemoryIdArgument) -> None:
    """Keep a memory like any other."""
    _decide(session, "unpin", {"memory_id": memory_id}, "not pinned any more")


@about_person
def restore(session: CliSession, *, memory_id: MemoryIdArgument) -> None:
    """Bring back a memory that was retired or superseded."""
    _decide(session, "restore", {"memory_id": memory_id}, "restored")


@about_person
def feedback(
    session: CliSession,
    *,
    memory_id: MemoryIdArgument,
    helped: Annotated[bool, typer.Option("--helped/--useless", help="Whether it helped.")],
    recall_id: Annotated[str | None, typer.Option("--recall", help="The context that handed it out.")] = None,
) -> None:
    """Say whether a memory that was recalled helped. It is counted; the memory stays as it is."""
    _decide(session, "record_feedback", {"memory_id": memory_id, "helped": helped, "recall_id": recall_id}, "recorded")


def _besides(outcome: OutcomeAnswer) -> str:
    """What else came of a command."""
    masked = f"; masked: {', '.join(outcome.masked)}" if outcome.masked else ""
    return (_LIFTED if outcome.lifted else "") + masked


def _decide(session: CliSession, what: str, fields: Mapping[str, Any], done: str) -> None:
    outcome = session.ask(lambda memory: decided(session, memory, what, fields))
    words = "unchanged: it was so already" if outcome.verdict is Verdict.UNCHANGED else done.format(outcome.memory_id)
    words += _besides(outcome)
    session.show(outcome.model_dump(mode="json"), lambda console: console.print(words))
