"""A memory as the page shows it."""

from dataclasses import dataclass
from datetime import datetime

from shared.contracts.memories import Memory, Outdated, ScoredMemory
from shared.contracts.parts import Kind, Role, Standing

LONG_CHARACTERS = 220
_SHORTENED_CHARACTERS = 320
_SURE_FROM = ((0.9, 4), (0.7, 3), (0.4, 2))
_SAID_BY = {Role.USER: "you", Role.ASSISTANT: "bot", Role.SYSTEM: "system"}


@dataclass(frozen=True, slots=True)
class MemoryView:
    """One memory: its words, and which sayings go with it."""

    memory_id: str
    words: str
    is_said: bool
    """Word for word, as in a talk."""
    kind: str
    at: datetime
    """When it was said, or became true."""
    learned_at: datetime
    is_pinned: bool
    is_past: bool
    past: str | None
    """Why, or how much of it, does not hold any more."""
    sure: int | None
    """From 1, faint, to 4; of what was said word for word none."""
    tags: tuple[str, ...]
    repeats: int
    origin: str | None
    """The other space of the person that shares it."""
    is_asked: bool
    """A question is open whether it holds."""

    @property
    def path(self) -> str | None:
        """Where all of it is shown; None for what another space shares, which is shown there."""
        return None if self.origin else f"/memories/{self.memory_id}"


def memory_view(memory: Memory, *, shortened: bool = True) -> MemoryView:
    """A memory for a list, or in full."""
    is_said = memory.kind is Kind.EPISODE
    past = past_of(memory)
    return MemoryView(
        memory_id=memory.memory_id,
        words=shortened_to(memory.text, _SHORTENED_CHARACTERS) if shortened else memory.text,
        is_said=is_said,
        kind=kind_of(memory),
        at=memory.occurred_at,
        learned_at=memory.recorded_at,
        is_pinned=memory.pinned,
        is_past=past is not None and past != "partly",
        past=past,
        sure=None if is_said else sureness(memory.confidence),
        tags=memory.tags,
        repeats=memory.repeat_count,
        origin=memory.origin if isinstance(memory, ScoredMemory) else None,
        is_asked=bool(memory.conflict_ids),
    )


def kind_of(memory: Memory) -> str:
    """What a memory is, as a key of the catalogue: who said it, or how it came to be known."""
    match memory.kind:
        case Kind.EPISODE:
            return f"said_by_{_SAID_BY.get(memory.role or Role.USER, 'you')}"
        case Kind.FACT:
            return "saved" if memory.manually_saved else "learned"
        case other:
            return other.value


def past_of(memory: Memory) -> str | None:
    """Why a memory does not hold any more; None where it does.

    `partly` where some of what it says still holds.
    """
    if memory.status is Standing.SUPERSEDED:
        return "superseded"
    if memory.status is Standing.RETIRED:
        return "retired"
    if memory.outdated is None:
        return None
    return "partly" if memory.outdated is Outdated.PARTLY else "outdated"


def sureness(confidence: float) -> int:
    """How sure a memory is, from 1 to 4.

    >>> [sureness(each) for each in (1.0, 0.75, 0.5, 0.1)]
    [4, 3, 2, 1]
    """
    return next((step for least, step in _SURE_FROM if confidence >= least), 1)


def shortened_to(text: str, most: int) -> str:
    """A text of at most so many characters, cut between words where there are any.

    >>> shortened_to("green tea with honey", 12)
    'green tea …'
    """
    if len(text) <= most:
        return text
    cut = text[: most - 2]
    return f"{cut.rpartition(' ')[0] or cut} …"
