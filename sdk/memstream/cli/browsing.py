"""`list`, `show`, `entity` and `summary`: what is known of a person, to look at."""

from collections.abc import Iterable, Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from memstream.cli.options import (
    AsOfOption,
    EntitiesOption,
    KindsOption,
    MemoryIdArgument,
    SinceOption,
    UntilOption,
    WhereOption,
    WithTagsOption,
    about_person,
    in_utc,
    narrowing,
)
from memstream.cli.session import CliSession
from memstream.cli.text import counted, harmless, minute, one_line
from memstream.client.asking import USUAL_KINDS
from shared.contracts.parts import Standing
from shared.contracts.queries import KnownEntity, Memory, MemoryDetail, Outdated

_WIDE = 100


@about_person
def list_(
    session: CliSession,
    *,
    kinds: KindsOption = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="Only pinned ones.")] = False,
    saved: Annotated[bool, typer.Option("--saved", help="Only those saved by hand.")] = False,
    retired: Annotated[bool, typer.Option("--retired", help="Those that were trimmed, decayed or rolled up.")] = False,
    superseded: Annotated[bool, typer.Option("--superseded", help="Those in whose place another stands.")] = False,
    all_: Annotated[bool, typer.Option("--all", help="Whatever their status.")] = False,
    tags: WithTagsOption = None,
    entities: EntitiesOption = None,
    where: WhereOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    session_id: Annotated[str | None, typer.Option("--session", help="Only of this session.")] = None,
    as_of: AsOfOption = None,
    limit: Annotated[int, typer.Option("--limit", help="Most memories of a page.")] = 50,
    before: Annotated[int | None, typer.Option("--before", help="The next page: what the last one says.")] = None,
) -> None:
    """List memories, newest first, with the ids that other commands take."""
    if retired + superseded + all_ > 1:
        raise typer.BadParameter("give one of --retired, --superseded and --all")
    status = Standing.RETIRED if retired else Standing.SUPERSEDED if superseded else Standing.ACTIVE

    answer = session.ask(
        lambda memory: memory.list(
            kinds=kinds or USUAL_KINDS,
            status="all" if all_ else status,
            pinned=pinned or None,
            manually_saved=saved or None,
            **narrowing(tags=tags, entities=entities, where=where, since=since, until=until),
            session_id=session_id,
            as_of=in_utc(as_of),
            limit=limit,
            before_number=before,
        )
    )

    def human(console: Console) -> None:
        print_memories(console, answer.items)
        if answer.next_before_number:
            console.print(f"[dim]more: --before {answer.next_before_number}[/]")

    session.show(answer.model_dump(mode="json"), human)


@about_person
def show(session: CliSession, *, memory_id: MemoryIdArgument) -> None:
    """Show one memory with its corrections, repeats, entities, sources and scores."""
    answer = session.ask(lambda memory: memory.show(memory_id))
    session.show(answer.model_dump(mode="json"), lambda console: _print_detail(console, answer.memory))


@about_person
def entity(
    session: CliSession,
    *,
    name: Annotated[str, typer.Argument(help="A name, an alias or an id.")],
    limit: Annotated[int, typer.Option("--limit", help="Most memories.")] = 20,
) -> None:
    """Show everything that is known of a person, a place or a thing."""
    answer = session.ask(lambda memory: memory.entity(name, limit=limit))

    def human(console: Console) -> None:
        console.print(Text(_named(answer.entity), style="bold"))
        if others := [alias for alias in answer.entity.aliases if alias != answer.entity.name]:
            console.print(Text(f"also written {', '.join(map(one_line, others))}", style="dim"))
        print_memories(console, answer.memories)
        if answer.others:
            console.print(Text(f"may also mean {', '.join(map(_named, answer.others))}", style="dim"))

    session.show(answer.model_dump(mode="json"), human)


@about_person
def summary(session: CliSession, *, limit: Annotated[int, typer.Option("--limit", help="Most facts of a topic.")] = 10) -> None:
    """Show what is known, by topic."""
    answer = session.ask(lambda memory: memory.summary(limit=limit))
    page = harmless(answer.markdown).rstrip() or "nothing is known"
    session.show(answer.model_dump(mode="json"), lambda console: console.print(Text(page), soft_wrap=True))


def print_memories(console: Console, memories: Sequence[Memory]) -> None:
    """A line a memory: id, time, who, words, and what is special of it."""
    if not memories:
        console.print("nothing found")
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True, min_width=max(len(memory.memory_id) for memory in memories))
    table.add_column(style="dim", no_wrap=True, min_width=len("2026-01-01 00:00"))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="ellipsis", no_wrap=True)
    table.add_column(no_wrap=True)
    for memory in memories:
        who = one_line(memory.speaker or memory.role or memory.kind, 20)
        text = Text(one_line(memory.text, _WIDE))
        table.add_row(memory.memory_id, minute(memory.occurred_at), Text(who), text, ", ".join(_marks(memory)))
    console.print(table)


def _marks(memory: Memory) -> Iterable[str]:
    if memory.status is not Standing.ACTIVE:
        yield memory.status.value
    elif memory.outdated:
        yield "outdated" if memory.outdated is Outdated.WHOLLY else "partly outdated"
    if memory.conflict_ids:
        yield "in doubt"
    if memory.pinned:
        yield "pinned"
    if memory.manually_saved:
        yield "saved"
    if memory.repeat_count:
        yield f"told {memory.repeat_count + 1} times"


def _print_detail(console: Console, memory: MemoryDetail) -> None:
    console.print(Text(harmless(memory.text)), soft_wrap=True)
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in _rows(memory):
        table.add_row(name, Text(value))
    console.print(table)
    for title, memories in (("corrections, oldest first", memory.chain), ("learned from", memory.sources)):
        if memories:
            console.print(f"\n[bold]{title}[/]")
            print_memories(console, memories)
    if memory.repeats:
        console.print("\n[bold]told again[/]")
        for repeat in memory.repeats:
            console.print(
                Text.assemble((f"{minute(repeat.occurred_at)}  ", "dim"), one_line(repeat.text, _WIDE)), soft_wrap=True
            )


def _rows(memory: MemoryDetail) -> Iterable[tuple[str, str]]:
    yield "id", memory.memory_id
    yield "is", ", ".join([memory.kind.value, *_marks(memory)])
    yield "happened", minute(memory.occurred_at)
    yield "learned", minute(memory.recorded_at)
    if memory.ended_at:
        yield "ended", f"{minute(memory.ended_at)}, {memory.ended_because}"
    if memory.slots:
        yield "states", one_line("; ".join(_stated(place, memory) for place in range(len(memory.slots))), _WIDE)
    if memory.outdated_by:
        yield "in its place", ", ".join(memory.outdated_by)
    if memory.origin:
        yield "learned by", f"{memory.origin.extractor}, run {memory.origin.run_id}"
    yield "confidence", f"{memory.confidence:z.3f}, {_decay(memory)}"
    parts = ", ".join(f"{name} {value:+z.2f}" for name, value in memory.importance_parts.items())
    yield "importance", f"{memory.importance:z.2f}" + (f" = {parts}" if parts else "")
    if memory.tags:
        yield "tags", one_line(", ".join(memory.tags), _WIDE)
    if memory.entities:
        yield "mentions", one_line(", ".join(f"{entity.name} ({entity.type})" for entity in memory.entities), _WIDE)
    yield "handed out", counted(memory.access_count, "time")
    if memory.last_scores:
        yield (
            "last scores",
            ", ".join(f"{name} {value:z.2f}" for name, value in memory.last_scores.items() if name != "computed_at"),
        )


def _stated(place: int, memory: MemoryDetail) -> str:
    """What the slot at this place states: `user home: leeds (no longer)`."""
    slot = memory.slots[place]
    value = f"{'not ' if slot.negated else ''}{slot.value or 'any'}"
    ended = memory.outdated is Outdated.WHOLLY or place in memory.outdated_slots
    notes = (("maybe", slot.is_doubtful), ("to come", slot.is_future), ("no longer", ended))
    told = ", ".join(note for note, holds in notes if holds)
    return f"{slot.subject} {slot.attribute}: {value}" + (f" ({told})" if told else "")


def _decay(memory: MemoryDetail) -> str:
    if memory.pinned:
        return "does not decay while it is pinned"
    if not memory.decay_rate:
        return "does not decay"
    since = f", from {memory.confidence_then:z.3f} at {minute(memory.confidence_at)}" if memory.confidence_at else ""
    return f"decays by {memory.decay_rate:g} a day{since}"


def _named(entity: KnownEntity) -> str:
    return f"{one_line(entity.name)} ({entity.type}, mentioned {counted(entity.mention_count, 'time')})"
