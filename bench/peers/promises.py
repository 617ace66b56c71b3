"""What a memory keeps of its word: is the right turn found, is what it acknowledged still there, is what it deleted gone?

Each contender has a store of its own for each of these, empty at first, and the same memories.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bench._text import Writer
from bench.peers.contender import Given, Memory
from bench.peers.corpus import write
from bench.peers.embedding import Embed
from bench.peers.entry import Entry
from bench.peers.process import ContenderProcess, Dropped
from memstream.evaluation.scoring import recall_at
from memstream.importers.locomo import LocomoConversation, LocomoQuestion

RECALL_AT = 10
SECRET = "zyzzyvaquokka"
"""A word that stands in one memory only, and in no package."""

_SECRET_ID = "secret"
_ACKNOWLEDGED = (100, 400)
_SHORTEST_S, _LONGEST_S = 0.0, 0.03
_AROUND = 30
_FOLLOWS_S = 10.0
"""What a memory does in the background after it said that a deletion is done is done by then."""

_AT = "2025-01-01T12:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Table:
    """Where contenders are tried, with which embedder."""

    folder: Path
    embedder: str
    models: Path
    embed: Embed

    def process(self, entry: Entry, what: str) -> ContenderProcess:
        """A contender with an empty folder."""
        folder = self.folder / f"{entry.name}-{what}"
        shutil.rmtree(folder, ignore_errors=True)
        self.given(folder).folder.mkdir(parents=True)
        return ContenderProcess(entry, folder)

    def given(self, folder: Path) -> Given:
        """What the contender of this folder is given."""
        return Given(folder / "store", self.embedder, self.models)


@dataclass(slots=True)
class Kept:
    """What one contender kept."""

    recall: list[float] = field(default_factory=list)  # of each question
    acknowledged: list[int] = field(default_factory=list)  # before each kill
    lost: list[int] = field(default_factory=list)  # of these
    was_deleted: bool = False
    left: list[str] = field(default_factory=list)  # files with the deleted word, ten seconds after it was deleted
    left_stopped: list[str] = field(default_factory=list)  # the same after a clean stop


async def recall(
    entry: Entry, python: Path, table: Table, asked: Sequence[tuple[LocomoConversation, Sequence[LocomoQuestion]]]
) -> list[float]:
    """The part of the evidence among the first ten, of each question to its own conversation."""
    scores: list[float] = []
    for conversation, questions in asked:
        process = table.process(entry, conversation.sample_id)
        texts, vectors = process.folder / "texts.json", process.folder / "vectors.npy"
        write(_turns(conversation), texts, vectors, table.embed)
        await process.run(python, table.given(process.folder))
        try:
            await process.load(texts, vectors)
            found = await process.request(
                "answer", within_s=_patience_s(questions), questions=[each.text for each in questions]
            )
        finally:
            await process.stop()
        scores += [
            recall_at(RECALL_AT, frozenset(question.evidence), ids) for question, ids in zip(questions, found, strict=True)
        ]
    return scores


async def killed(entry: Entry, python: Path, table: Table, number: int) -> tuple[int, int]:
    """How many memories were acknowledged one by one until a SIGKILL in the midst of the next, and how many of them it lost."""
    process, chance, write_text = table.process(entry, f"kill-{number}"), Random(number), Writer(f"kill/{number}")
    given = table.given(process.folder)
    await process.run(python, given)
    memories = [_said(f"m{index}", write_text.turn()) for index in range(chance.randint(*_ACKNOWLEDGED) + 1)]
    acknowledged = set()
    for memory in memories[:-1]:
        await process.request("add", memory=memory)
        acknowledged.add(memory.id)
    adding = asyncio.create_task(process.request("add", memory=memories[-1]))
    await asyncio.sleep(chance.uniform(_SHORTEST_S, _LONGEST_S))
    await process.kill()
    with suppress(Dropped):  # as a rule it was not answered any more
        await adding
        acknowledged.add(memories[-1].id)
    await process.run(python, given)
    try:
        known = await process.request("known")
    finally:
        await process.stop()
    return len(acknowledged), len(acknowledged.difference(known))


async def deleted(entry: Entry, python: Path, table: Table) -> tuple[list[str], list[str]]:
    """Files that hold a deleted memory's word: ten seconds after the deletion, and after a clean stop. Raises Dropped."""
    process, text = table.process(entry, "delete"), Writer("delete")
    telling = f"My locker word is {SECRET}, and nobody else knows it."
    await process.run(python, table.given(process.folder))
    try:
        for index in range(2 * _AROUND):
            if index == _AROUND:
                await process.request("add", memory=_said(_SECRET_ID, telling))
            await process.request("add", memory=_said(f"m{index}", text.turn()))
        if _SECRET_ID not in await process.request("known") or not files_with(SECRET, process.folder):
            raise Dropped("it never held what was to be deleted")
        await process.request("delete", memory_id=_SECRET_ID)
        await asyncio.sleep(_FOLLOWS_S)
        left = files_with(SECRET, process.folder)
    finally:
        await process.stop()
    return left, files_with(SECRET, process.folder)


def files_with(word: str, folder: Path) -> list[str]:
    """The names of the files whose bytes hold a word, in UTF-8 or UTF-16."""
    needles = [word.encode(encoding) for encoding in ("utf-8", "utf-16-le")]
    return sorted(
        path.name for path in folder.rglob("*") if path.is_file() and any(map(path.read_bytes().__contains__, needles))
    )


def _turns(conversation: LocomoConversation) -> list[Memory]:
    return [
        Memory(str(turn.message_id), turn.session_id, turn.speaker or "", turn.text, str(turn.occurred_at))
        for turn in conversation.turns
    ]


def _said(id_: str, text: str) -> Memory:
    return Memory(id_, "s1", "Anna", text, _AT)


def _patience_s(questions: Sequence[LocomoQuestion]) -> float:
    return 60.0 + len(questions)
