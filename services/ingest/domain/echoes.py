"""Finds echoes: parts of a turn that repeat what memstream handed out, so that they are not taken for new evidence.

Which memories a scope's recent recalls handed out is kept. In a turn of the agent or the system, five words or more in a row
that are in such a memory are an echo of it, and so is a short sentence that is a whole sentence of it. A user who says a fact
again is new evidence: of a user's turn only memstream's own block, or words beside the id of their memory, can be an echo.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from shared.contracts.events import MemoriesRecalled
from shared.contracts.ids import MemoryId, Scope
from shared.contracts.parts import Echo, Role
from shared.domain.digests import Digester
from shared.language.text.length import is_read
from shared.language.text.shingles import Passage, Shingler, each, raw, unpack
from shared.language.text.words import Word, words_of

RECENT_RECALLS = 20
"""Recalls whose echoes are recognised: a bot's prompt seldom holds the contexts of more turns."""

RECENT = timedelta(hours=24)
"""How long an echo is recognised, unless newer recalls push its recall out."""

_ID = r"\[((?:ep|fact|ref|roll)_\w{1,60})\]"
_ID_IN_TEXT = re.compile(_ID)
_LINE = r"\[\d{1,3}\]"
"""The number of a line of the block, which names a memory only beside its words."""

_LINE_IN_TEXT = re.compile(_LINE)
_ENTRY = re.compile(rf"^[ \t>]*[-*•][ \t].*{_ID}[ \t.]*$", re.MULTILINE)
_NUMBERED = re.compile(rf"^[ \t>]*[-*•][ \t]\(\d{{4}}-\d\d-\d\d[^()\n]*\) .*{_LINE}[ \t.]*$", re.MULTILINE)
_HEADING = re.compile(r"^[ \t>]*#{1,6} (?:Relevant memory|Weekly insight)\b.*$", re.MULTILINE)
_OF_THE_BLOCK = re.compile(
    r"[ \t>]*(?:$|[-*•#]|Notes from earlier conversations\b|Data, not instructions\.[ \t]*$|</?memories>|About [^:\n]{1,128}:$)"
)
_CLOSING = re.compile(r"\s*</memories>[ \t]*")
_TAIL = re.compile(rf"[.!?…。！？]*[\"'”’)\]]*(?:[ \t]*(?:{_ID}|{_LINE}))?[.!?…]*")


_MOST_PASSAGES = 4_096
"""Of a memory; of a longer one the beginning counts."""


class HandedOut(NamedTuple):
    """A memory that a recent recall handed out."""

    number: int  # of the recall's event
    recorded_at: datetime
    shingles: bytes = b""  # keyed hashes of its words, 8 bytes each; none: they are made of its words when they are needed
    place: int = 0  # of the recall in its event

    @property
    def recall(self) -> tuple[int, int]:
        """Which recall it was: a later one is greater."""
        return self.number, self.place


def passages_of(words: Iterable[str], shingler: Shingler) -> bytes:
    """Keyed hashes of the words of a memory by which an echo is recognised, 8 bytes each."""
    return raw(shingler.hashes(" ".join(words), most=_MOST_PASSAGES))


def after_recall(
    known: Mapping[MemoryId, HandedOut], recalled: MemoriesRecalled, *, number: int, recorded_at: datetime
) -> Mapping[MemoryId, HandedOut]:
    """What counts as handed out after recalls: their memories, and those of the recent recalls before them."""
    told: dict[MemoryId, tuple[int, bytes]] = {}
    for place, recall in enumerate(recalled.recalls):
        for item in (*recall.items, *recall.shared):
            shingles = told[item.memory_id][1] if item.memory_id in told else _shingles(known.get(item.memory_id))
            if item.shingles:
                shingles = max(unpack(item.shingles), shingles, key=len)
            told[item.memory_id] = (place, shingles)
        if recall.insight is not None:
            told[recall.insight] = (place, b"")
    before = {memory_id: one for memory_id, one in known.items() if memory_id not in told}
    recalls = {one.recall for one in before.values()} | {(number, place) for place, _ in told.values()}
    latest = frozenset(sorted(recalls, reverse=True)[:RECENT_RECALLS])
    return {
        **{memory_id: one for memory_id, one in before.items() if one.recall in latest and is_recent(one, at=recorded_at)},
        **{
            memory_id: HandedOut(number, recorded_at, said, at)
            for memory_id, (at, said) in told.items()
            if (number, at) in latest
        },
    }


def _shingles(one: HandedOut | None) -> bytes:
    return one.shingles if one else b""


def may_echo(text: str, role: Role) -> bool:
    """True if a turn can have echoes: one that is read, and of a user's only one with memstream's heading, an id or a line."""
    if not is_read(text):
        return False
    return role is not Role.USER or any(mark.search(text) for mark in (_ID_IN_TEXT, _LINE_IN_TEXT, _HEADING))


def find_echoes(
    text: str, *, role: Role, now: datetime, handed_out: Mapping[MemoryId, HandedOut], scope: Scope, digester: Digester
) -> tuple[Echo, ...]:
    """The parts of a turn that repeat what was handed out, in text order, without overlaps."""
    recent = {memory_id: one for memory_id, one in handed_out.items() if is_recent(one, at=now)}
    if not recent or not may_echo(text, role):
        return ()
    words = words_of(text)
    allowed = _allowed(text, words, recent) if role is Role.USER else None
    passages = []
    for first, last, memory_id in _passages(text, words, recent, Shingler(digester, scope), allowed):
        start, end = words[first].start, words[last].end
        tail = _TAIL.match(text, end)
        passages.append(Echo(memory_id=memory_id, start=start, end=tail.end() if tail else end))
    found = (
        (line, next((each for each in passages if line.start() <= each.start < line.end()), None))
        for line in _NUMBERED.finditer(text)
    )
    spans = [
        *_entries(text, recent),
        *[_whole_line(text, line, passage.memory_id) for line, passage in found if passage],
        *passages,
    ]
    return tuple(_without_overlaps(spans))


class _Run(NamedTuple):
    """Consecutive words of a turn that are in a memory."""

    first: int
    last: int
    memory_id: MemoryId


def is_recent(one: HandedOut, *, at: datetime) -> bool:
    """True if an echo of it is still recognised."""
    return one.recorded_at > at - RECENT


def _entries(text: str, recent: Mapping[MemoryId, HandedOut]) -> list[Echo]:
    """Echoes that are lines with a memory's id, with the block's heading if that stands right before."""
    named = ((line, MemoryId(line[1])) for line in _ENTRY.finditer(text))
    return [_whole_line(text, line, memory_id) for line, memory_id in named if memory_id in recent]


def _whole_line(text: str, line: re.Match[str], memory_id: MemoryId) -> Echo:
    closing = _CLOSING.match(text, line.end())
    end = closing.end() if closing else line.end()
    return Echo(memory_id=memory_id, start=_with_heading(text, line.start()), end=end)


def _with_heading(text: str, start: int) -> int:
    """The offset of the block's heading, if only its preamble is between that and the entry at `start`; else `start`."""
    headings = list(_HEADING.finditer(text, 0, start))
    if not headings:
        return start
    between = text[headings[-1].end() : start].splitlines()
    is_opening = all(_OF_THE_BLOCK.match(line) and not (_ID_IN_TEXT.search(line) or _NUMBERED.match(line)) for line in between)
    return headings[-1].start() if is_opening else start


def _allowed(text: str, words: Sequence[Word], recent: Mapping[MemoryId, HandedOut]) -> list[frozenset[MemoryId]]:
    """For each word of a user's turn, the memories that it can echo: those named on its line; near a number all."""
    lines: list[tuple[int, frozenset[MemoryId]]] = []  # where the line ends
    in_block, start = False, 0
    for line in text.splitlines(keepends=True):
        start += len(line)
        in_block = bool(_HEADING.match(line)) or (in_block and bool(_OF_THE_BLOCK.match(line.rstrip("\r\n"))))
        named = frozenset(MemoryId(found) for found in _ID_IN_TEXT.findall(line))
        lines.append((start, frozenset(recent) if in_block or _LINE_IN_TEXT.search(line) else named))
    allowed, place = [], 0
    for word in words:
        while word.start >= lines[place][0]:
            place += 1
        allowed.append(lines[place][1])
    return allowed


def _passages(
    text: str,
    words: Sequence[Word],
    recent: Mapping[MemoryId, HandedOut],
    shingler: Shingler,
    allowed: Sequence[frozenset[MemoryId]] | None,
) -> Iterator[_Run]:
    """The passages of a turn that are in a memory: runs of five words and more, then short sentences."""
    shingles, short = list(shingler.shingles(words)), list(shingler.short_quotations(text, words))
    said = {passage.hash for passage in (*shingles, *short)}
    holders: dict[int, set[MemoryId]] = {}
    for memory_id, one in recent.items():
        for shingle in said.intersection(each(one.shingles)):
            holders.setdefault(shingle, set()).add(memory_id)

    def held(passage: Passage) -> frozenset[MemoryId]:
        by = frozenset(holders.get(passage.hash, ()))
        return by.intersection(*allowed[passage.first : passage.last + 1]) if by and allowed is not None else by

    yield from _runs((passage, by) for passage in shingles if (by := held(passage)))
    for passage in short:
        if by := held(passage):
            yield _Run(passage.first, passage.last, min(by))


def _runs(found: Iterable[tuple[Passage, frozenset[MemoryId]]]) -> Iterator[_Run]:
    """Join overlapping shingles of one memory into runs, each as long as possible."""
    run: _Run | None = None
    holders: frozenset[MemoryId] = frozenset()
    for passage, by in found:
        if run and passage.last == run.last + 1 and holders & by:
            holders &= by
            run = _Run(run.first, passage.last, min(holders))
        else:
            if run:
                yield run
            run, holders = _Run(passage.first, passage.last, min(by)), by
    if run:
        yield run


def _without_overlaps(spans: Sequence[Echo]) -> Iterator[Echo]:
    """The echoes in text order, without what an earlier one covers."""
    reached = 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if span.end > reached:
            yield span.model_copy(update={"start": max(span.start, reached)})
            reached = span.end
