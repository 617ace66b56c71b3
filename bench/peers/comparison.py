"""How memstream answers beside other memories: the same person, memories, questions and embedder, by turns."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from bench._aims import AIMS, Aims
from bench._options import Findings, Options, run
from bench._result import Row, amount, brief, latencies, percentile
from bench.peers.contender import LIMIT
from bench.peers.corpus import Corpus
from bench.peers.embedding import PACKAGED
from bench.peers.entry import ENTRIES, OURS, Entry
from bench.peers.environments import NotInstalled
from bench.peers.turns import CLIENTS, Contest, Score

_SIZES = (600, 10_000)
_QUICK_SIZES = (60,)


async def measure(entries: Sequence[Entry], sizes: Sequence[int], options: Options, *, embedder: str = "") -> Findings:
    """Compare them at each number of memories. Whoever cannot be installed or started is left out, and the notes say so.

    Peers have memstream's embedder unless another is named.
    """
    rows: list[Row] = []
    folder = options.data / "peers"
    pythons, out = installed(entries, folder / "environments")
    for size in sizes or (_QUICK_SIZES if options.is_quick else _SIZES):
        contest = await _contest(size, pythons, folder, options, embedder=embedder or options.embedder)
        found = list(_rows(size, contest.scores))
        print(*map(brief, found), sep="\n", flush=True)
        rows += found
        out |= {f"{entry.title} at {size:,} memories": reason for entry, reason in contest.dropped.items()}
    return Findings(
        rows,
        notes=[
            *_NOTES,
            _PACKAGED if embedder == PACKAGED else _ALIKE,
            *(f"Left out: {who}: {reason}" for who, reason in out.items()),
        ],
    )


def installed(entries: Sequence[Entry], environments: Path) -> tuple[dict[Entry, Path], dict[str, str]]:
    """The interpreter of each contender, installed now if it was not before, and why some have none."""
    pythons: dict[Entry, Path] = {}
    reasons: dict[str, str] = {}
    for entry in entries:
        try:
            pythons[entry] = entry.python(environments)
        except NotInstalled as error:
            print(f"{entry.title} is left out: {error}", flush=True)
            reasons[entry.title] = str(error)
    return pythons, reasons


async def _contest(size: int, pythons: Mapping[Entry, Path], folder: Path, options: Options, *, embedder: str) -> Contest:
    models = folder / "models"
    ours, theirs = (Corpus(folder / "corpus", size, kind) for kind in (options.embedder, embedder))
    for corpus in (ours, theirs):
        corpus.make(models)
    contest = Contest(ours, theirs, options, models=models)
    print(f"{size:,} memories: {options.runs} rounds", flush=True)
    async with contest.with_all(pythons, folder):
        await contest.rounds()
    return contest


def _rows(size: int, scores: Mapping[Entry, Score]) -> Iterator[Row]:
    complete = {entry: score for entry, score in scores.items() if score.runs}
    ours = {entry for entry in complete if entry.name == OURS}
    for entry, score in complete.items():
        yield from _rows_of(f"{size:,} memories, {entry.called}", score, AIMS.get(size, Aims()) if entry in ours else Aims())
    peers = [score for entry, score in complete.items() if entry not in ours]
    if ours and peers:
        yield _beside(size, complete[ours.pop()], peers)


def _rows_of(who: str, score: Score, aims: Aims) -> Iterator[Row]:
    asked = min(map(len, score.runs))
    yield latencies(f"{who}: a new question", score.runs, aims=aims.latencies)
    yield amount(f"{who}: processor time of a new question", "ms", score.cpu_ms, samples=asked, at_most=aims.cpu_ms)
    yield amount(f"{who}: {CLIENTS} clients", "answers/s", score.answers_s, at_least=aims.answers_s)


def _beside(size: int, ours: Score, peers: Sequence[Score]) -> Row:
    """The median of memstream against that of the quickest peer, round by round."""
    rounds = zip(ours.runs, *(peer.runs for peer in peers), strict=False)  # one that dropped out has fewer
    against = [percentile(own, 50) / min(percentile(run, 50) for run in others) for own, *others in rounds]
    return amount(f"{size:,} memories: memstream's p50 against the quickest peer's", "times", against, at_most=1)


_NOTES = (
    (
        "All hold the same turns of one person, made up by Zipf's law, with vectors of the same embedder; each answer has up to"
        f" {LIMIT} memories with their texts. Questions are new ones, the same for all. How good the answers are is not"
        " measured here, only that each finds memories by their own words."
    ),
    (
        "memstream runs with all services, is asked over NATS through its client and records every recall; peers are libraries"
        " in the process of whoever asks, record nothing, and have threads as clients."
    ),
    (
        "Each contender has its turn in every round, and each round begins with another one. Processor time is user and system"
        " of all its processes, who asks included, until two seconds after the last answer."
    ),
    (
        "Chroma: one collection for the person, in the process. LangGraph: `SqliteStore` with a vector index. mem0: Qdrant in"
        " the process, which it takes by default, nothing extracted, no model for its words. The plain recipe: FTS5 and exact"
        " vectors, half and half, a connection for each client. Versions are pinned in bench/peers/requirements."
    ),
)
_ALIKE = (
    "The embedder is called in the process that answers, by all in the same way: memstream's own network, one thread a text, no"
    " server in between."
)
_PACKAGED = (
    "Peers call the embedder in their process with the network that the weights' package holds, which takes twice as long, as"
    " whoever uses them would; memstream has its own network of the same weights."
)


def options_of_peers() -> argparse.ArgumentParser:
    """What the command line says of peers: whether, which, and with how many memories."""
    parser = argparse.ArgumentParser(add_help=False)
    names = [entry.name for entry in ENTRIES]
    parser.add_argument(
        "--peers", nargs="*", choices=names, metavar="NAME", help=f"beside other memories, all or some of: {', '.join(names)}"
    )
    parser.add_argument(
        "--memories",
        nargs="+",
        type=int,
        default=(),
        help="so many memories of one person; by default 600 10000 with --peers, else all, of a thousand people too",
    )
    parser.add_argument(
        "--packaged", action="store_true", help="with --peers: they embed with the network of the weights' package, not ours"
    )
    return parser


def main(chosen: argparse.Namespace, arguments: Sequence[str]) -> None:
    """Measure and keep the result, under a name of its own."""
    entries = [entry for entry in ENTRIES if not chosen.peers or entry.name in chosen.peers]
    name, embedder = ("ask_peers_packaged", PACKAGED) if chosen.packaged else ("ask_peers", "")
    question = "How long does a context take beside the answers of other memories?"
    measured = partial(measure, entries, chosen.memories, embedder=embedder)
    run(name, question, measured, arguments, parents=[options_of_peers()])
