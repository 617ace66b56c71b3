"""What a bot does with a person's memory in a run, whichever framework it is written with."""

import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic_core import to_json

from memstream import tools
from memstream._contracts import ContextAnswer, Kind, Memory, Role
from memstream.adapters.scope import MemoryScope
from memstream.client import Memories

_MOST_QUERY_CHARACTERS = 16_384
_TURNS_OF_A_PAGE = 200

Gained = TypeVar("Gained")


@dataclass(frozen=True, slots=True)
class MemoryStep(Generic[Gained]):
    """Something to do for a person, and what the bot goes on with where it fails."""

    name: str
    work: Callable[[Memories, MemoryScope], Coroutine[Any, Any, Gained]]
    otherwise: Gained


def hearing(words: str, message_id: str | None = None) -> MemoryStep[str]:
    """Record what the person says, and give the block for the prompt, with what became of a command in it."""

    async def heard(memories: Memories, scope: MemoryScope) -> str:
        if not words.strip():
            return ""
        named = scope.message_id or message_id or uuid.uuid4().hex  # noqa: TID251 - a bot's process has no shared.runtime
        await memories.add(words, session_id=scope.session_id, speaker=scope.speaker, message_id=named)
        return _block(await memories.context(_query(words), session_id=scope.session_id, message_id=named))

    return MemoryStep("hear what was said", heard, "")


def recalling(words: str) -> MemoryStep[str]:
    """Give the block for the prompt, and record nothing of what is said."""

    async def recalled(memories: Memories, scope: MemoryScope) -> str:
        return _block(await memories.context(_query(words), session_id=scope.session_id)) if words.strip() else ""

    return MemoryStep("recall", recalled, "")


def saying(words: str, message_id: str | None = None) -> MemoryStep[None]:
    """Record what the bot says."""

    async def said(memories: Memories, scope: MemoryScope) -> None:
        if words.strip():
            await memories.add(words, session_id=scope.session_id, role=Role.ASSISTANT, message_id=message_id)

    return MemoryStep("record what was answered", said, None)


def telling(turns: Sequence[tuple[Role, str, str | None]]) -> MemoryStep[None]:
    """Record turns, each with its message_id if it has one, and wait until they can be read."""

    async def told(memories: Memories, scope: MemoryScope) -> None:
        names = {Role.USER: scope.speaker}
        messages = [
            {"role": role.value, "content": words, "message_id": message_id, "name": names.get(role)}
            for role, words, message_id in turns
        ]
        receipt = await memories.add(messages, session_id=scope.session_id)
        await memories.stats(after=receipt)

    return MemoryStep("record turns", told, None)


def reading(most: int) -> MemoryStep[list[Memory]]:
    """Give the last turns of the session, in their order."""

    async def read(memories: Memories, scope: MemoryScope) -> list[Memory]:
        turns: list[Memory] = []
        before: int | None = None
        while len(turns) < most:
            limit = min(most - len(turns), _TURNS_OF_A_PAGE)
            page = await memories.list(kinds=(Kind.EPISODE,), session_id=scope.session_id, limit=limit, before_number=before)
            turns += page.items
            before = page.next_before_number
            if before is None:
                break
        return turns[::-1]

    return MemoryStep("read the session", read, [])


def clearing() -> MemoryStep[None]:
    """Forget the session: its turns, and what was learned from nothing else."""

    async def cleared(memories: Memories, scope: MemoryScope) -> None:
        await memories.forget(session_id=scope.session_id)

    return MemoryStep("forget the session", cleared, None)


def calling(name: str, arguments: Mapping[str, Any] | str) -> MemoryStep[dict[str, Any]]:
    """Run a tool as the model asks for it, in the session in which it talks."""

    async def called(memories: Memories, scope: MemoryScope) -> dict[str, Any]:
        return await tools.call(memories, name, arguments, session_id=scope.session_id)

    message = "the memory does not answer now; go on without it"
    return MemoryStep(f"run {name}", called, {"error": {"code": "unavailable", "message": message}})


def prompt(instructions: str, block: str) -> str:
    """A system prompt with the block at its end."""
    return "\n\n".join(part for part in (instructions, block) if part)


def as_text(answer: object) -> str:
    """What the bot answered, in words; as JSON where it is structured."""
    return answer if isinstance(answer, str) else to_json(answer, fallback=str).decode()


def _query(words: str) -> str:
    """The end of a text that is longer than a query may be: there, mostly, stands what is asked."""
    return words[-_MOST_QUERY_CHARACTERS:]


def _block(answer: ContextAnswer) -> str:
    """The memories that matter, and what the memory has done where it was spoken to."""
    say = (
        f"The memory was asked for something and has seen to it. Tell the person: {answer.command.say}"
        if answer.command
        else ""
    )
    return prompt(answer.markdown, say)
