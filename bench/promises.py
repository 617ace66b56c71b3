"""What memories keep of their word, memstream and others: what is found, lost in a SIGKILL, and left of what was deleted."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from bench._options import Findings, Options, run
from bench._result import Row, amount, brief
from bench.peers.comparison import installed
from bench.peers.embedding import embedding
from bench.peers.entry import ENTRIES, Entry
from bench.peers.process import Dropped
from bench.peers.promises import RECALL_AT, Kept, Table, deleted, killed, recall
from memstream.cli.eval_recall import chosen, conversations_of, questions_of
from memstream.importers.locomo import LocomoConversation, LocomoQuestion

FOUND = f"evidence among the first {RECALL_AT}"
ACKNOWLEDGED = "acknowledged before a SIGKILL"
LOST = "acknowledged, and lost in a SIGKILL"
LEFT = "files with a text ten seconds after it was deleted"
LEFT_STOPPED = "files with a deleted text after a clean stop"

_T = TypeVar("_T")
_Asked = Sequence[tuple[LocomoConversation, Sequence[LocomoQuestion]]]
_QUICK_QUESTIONS = 5


async def measure(entries: Sequence[Entry], asked: _Asked, options: Options) -> Findings:
    """Try each contender; `asked` are conversations with their questions, where there are any. Whoever fails is left out."""
    folder = options.data / "promises"
    pythons, out = installed(entries, options.data / "peers" / "environments")
    models = options.data / "peers" / "models"
    table = Table(folder, options.embedder, models, embedding(options.embedder, models))
    rows: list[Row] = []
    notes = list(_NOTES)
    for entry, python in pythons.items():
        kept, failed = await _kept(entry, python, table, asked, options)
        out |= failed
        found = list(_rows(entry, kept))
        print(*map(brief, found), sep="\n", flush=True)
        rows += found
        notes += _told(entry, kept)
    notes += [_CONVERSATIONS.format(names=", ".join(each.sample_id for each, _ in asked)) if asked else _NO_CONVERSATIONS]
    return Findings(rows, notes=[*notes, *(f"Left out: {who}: {reason}" for who, reason in out.items())])


async def _kept(entry: Entry, python: Path, table: Table, asked: _Asked, options: Options) -> tuple[Kept, dict[str, str]]:
    """What it kept of each promise, and why nothing is known of some."""
    print(f"{entry.title}: kills, a deletion, questions", flush=True)
    kept, failed = Kept(), dict[str, str]()
    kills = [await _tried(partial(killed, entry, python, table, number), entry, failed) for number in range(options.runs)]
    kept.acknowledged = [acknowledged for acknowledged, _ in filter(None, kills)]
    kept.lost = [lost for _, lost in filter(None, kills)]
    gone = await _tried(partial(deleted, entry, python, table), entry, failed)
    if gone is not None:
        kept.left, kept.left_stopped = gone
        kept.was_deleted = True
    kept.recall = await _tried(partial(recall, entry, python, table, asked), entry, failed) or []
    return kept, failed


async def _tried(trial: Callable[[], Awaitable[_T]], entry: Entry, failed: dict[str, str]) -> _T | None:
    try:
        return await trial()
    except Dropped as error:
        print(f"{entry.title}: {error}", flush=True)
        failed[entry.title] = str(error)
        return None


def _rows(entry: Entry, kept: Kept) -> Iterator[Row]:
    def row(what: str, unit: str, values: Sequence[float], samples: int = 1) -> Row:
        return amount(f"{entry.called}: {what}", unit, values, samples=samples)

    if kept.recall:
        yield row(FOUND, "%", [100 * sum(kept.recall) / len(kept.recall)], len(kept.recall))
    if kept.lost:
        yield row(ACKNOWLEDGED, "memories", kept.acknowledged)
        yield row(LOST, "memories", kept.lost)
    if kept.was_deleted:
        yield row(LEFT, "files", [len(kept.left)])
        yield row(LEFT_STOPPED, "files", [len(kept.left_stopped)])


def _told(entry: Entry, kept: Kept) -> list[str]:
    """Which files a deleted text was left in."""
    where = list(dict.fromkeys([*kept.left, *kept.left_stopped]))
    return [f"Of what {entry.called} deleted, the text stood in {', '.join(where)}."] if where else []


_NOTES = (
    (
        "SIGKILL: memories are added one at a time until one of them, by chance, is cut short; the contender and all its"
        " processes are killed, started again, and asked for all that they hold. This is the death of processes, not of power."
    ),
    (
        "Deleted text: one of 61 memories has a word that no other has, and is deleted by the means that its pages name. Then"
        " all bytes of all files are searched for it, as UTF-8 and as UTF-16: ten seconds after the deletion is said to be"
        " done, and after a clean stop. memstream's receipt names the person's own file: it is built anew just after it."
    ),
    (
        "All embed with the same embedder, nothing is extracted by a model, and each turn is stored with who said it. Versions"
        " are pinned in bench/peers/requirements; how each is used stands in bench/peers/adapters."
    ),
)
_CONVERSATIONS = (
    "Evidence: the conversations {names} of LoCoMo, each with all its questions but the adversarial; the mean part of the turns"
    f" that answer a question among the first {RECALL_AT} turns found. memstream's ranking was chosen with these conversations"
    " in view (docs/evaluation.md); no peer's was."
)
_NO_CONVERSATIONS = "How much is found was not measured: no conversations were given (`--conversations FILE`)."


def main(arguments: Sequence[str]) -> None:
    """Measure and keep the result."""
    parser = _options()
    given, others = parser.parse_known_args(list(arguments))
    measured = partial(_measured, entries_of(given.peers), given.conversations, given.only)
    run("promises", "What do memories keep of their word?", measured, others, runs=3, parents=[parser])


def entries_of(peers: Sequence[str] | None) -> list[Entry]:
    """Who is tried: whoever is named after `--peers`, all where nobody is, and without it those that need no installing."""
    if peers is None:
        return [entry for entry in ENTRIES if entry.requirements is None]
    return [entry for entry in ENTRIES if not peers or entry.name in peers]


async def _measured(entries: Sequence[Entry], data: Path | None, only: str | None, options: Options) -> Findings:
    conversations = chosen(conversations_of(data), only) if data else []
    most = _QUICK_QUESTIONS if options.is_quick else None
    asked = [(each, [question for _, question in questions_of([each])][:most]) for each in conversations]
    return await measure(entries, asked, options)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False)
    names = [entry.name for entry in ENTRIES]
    parser.add_argument(
        "--peers", nargs="*", choices=names, metavar="NAME", help=f"beside other memories, all or some of: {', '.join(names)}"
    )
    parser.add_argument("--conversations", type=Path, help="a file in LoCoMo's format, to be asked its questions")
    parser.add_argument("--only", help="only the conversations with these sample ids, with commas")
    return parser
