"""Writes the facts of a person as a page to read, without a model."""

from collections.abc import Iterable, Mapping, Sequence

from shared.contracts.parts import Kind
from shared.contracts.prompt_safety import harmless
from shared.contracts.queries import KnownEntity, Memory, Topic

HEADING = "## What is known"
_LONGEST_CHARACTERS = 300


def summary_markdown(memories: Mapping[Kind, int], topics: Sequence[Topic], entities: Sequence[KnownEntity]) -> str:
    """The page: facts by topic, then the entities mentioned most; empty if nothing is known."""
    if not any(memories.values()):
        return ""
    counts = f"{_count(memories[Kind.FACT], 'fact')}, {_count(memories[Kind.EPISODE], 'turn')} of conversation."
    lines = [HEADING, counts, *(line for topic in topics for line in _topic(topic))]
    if entities:
        named = ", ".join(f"{one_line(entity.name)} ({entity.mention_count})" for entity in entities)
        lines += ["### Mentioned most", named]
    return "\n".join(lines) + "\n"


def one_line(text: str, most: int = _LONGEST_CHARACTERS) -> str:
    """A text on one line, so that it cannot begin a heading of its own, and harmless; a long one is shortened at a word."""
    line = harmless(text)
    return line if len(line) <= most else line[:most].rsplit(" ", 1)[0] + " …"


def _topic(topic: Topic) -> Iterable[str]:
    yield f"### {one_line(topic.tag) if topic.tag else 'Without a topic'} ({topic.facts})"
    yield from map(_entry, topic.memories)
    if more := topic.facts - len(topic.memories):
        yield f"- and {more} more"


def _entry(memory: Memory) -> str:
    notes = ["pinned"] if memory.pinned else []
    notes += [f"told {memory.repeat_count + 1} times"] if memory.repeat_count else []
    note = f" ({', '.join(notes)})" if notes else ""
    return f"- {one_line(memory.text)}{note} [{memory.memory_id}]"


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
