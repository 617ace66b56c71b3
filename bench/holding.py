"""Whether what holds now is known: pairs of statements, sessions apart, told to all services; the current one should answer."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from bench._installation import SPACE, Installation
from bench._options import Findings, Options, run
from bench._result import Row, amount
from memstream.cli.session import CliSession
from memstream.cli.waiting import all_learned
from memstream.client import Memories, MemoryClient
from shared.contracts.parts import Kind
from shared.contracts.queries import ContextAnswer, Memory, Outdated

_PAIRS = Path(__file__).with_suffix(".toml")
_FIRST_SAID = datetime(2025, 1, 14, 18, 30, tzinfo=UTC)
_APART = timedelta(days=60)
_TALK = (
    ("Today we watched a film about glaciers.", "Bot: Which one?"),
    ("Bot: Hello again!", "The weather has been awful all week."),
)
"""What else is said in the session of the older statement, and in that of the newer one."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements of one person, and a question that both are about."""

    older: str
    newer: str
    question: str
    ends: bool  # whether the newer one ends what the older one states
    number: int

    @property
    def user(self) -> str:
        """Who says it."""
        return f"{'ends' if self.ends else 'beside'} {self.number}"


@dataclass(frozen=True, slots=True)
class Held:
    """What came of a pair."""

    pair: Pair
    older: Sequence[Memory]  # the facts that were learned from each statement
    newer: Sequence[Memory]
    answer: ContextAnswer
    first_from: str  # the statement that the first item says, or was learned from

    @property
    def has_ended(self) -> bool:
        """Whether something that the older statement says does not hold any more."""
        return any(fact.outdated for fact in self.older)

    @property
    def is_right(self) -> bool:
        """Whether the older statement has ended where the newer one ends it, and only there."""
        return self.has_ended == self.pair.ends

    @property
    def is_first(self) -> bool:
        """Whether the first item of the context is the newer statement, or a fact learned from it."""
        return self.first_from == self.pair.newer

    @property
    def is_marked(self) -> bool:
        """Whether the older statement is nowhere in the context without a mark."""
        return not any(item.text == self.pair.older and item.outdated is not Outdated.WHOLLY for item in self.answer.items)

    @property
    def cause(self) -> str | None:
        """What was missed first; None if nothing was."""
        if not self.pair.ends:
            return "superseded wrongly" if self.has_ended else None
        if not self.older:
            return "older not learned"
        if not self.newer:
            return "newer not learned"
        if not self.has_ended:
            return "not superseded"
        return None if self.is_first else "not first"


def pairs() -> Iterator[Pair]:
    """All pairs of the table."""
    for kind, listed in tomllib.loads(_PAIRS.read_text(encoding="utf-8")).items():
        for number, (older, newer, question) in enumerate(listed):
            yield Pair(older, newer, question, kind == "ends", number)


async def measure(options: Options) -> Findings:
    """Tell all pairs to an empty memstream, each as a person of its own, and ask the questions."""
    told = list(pairs())[:: 12 if options.is_quick else 1]
    with TemporaryDirectory() as folder:
        installation = Installation(Path(folder) / "data", embedder=options.embedder)
        await installation.create()
        async with installation.running(), installation.bot() as bot:
            held = await _tell(told, bot, CliSession(installation.settings))
    for each in held:
        if cause := each.cause:
            print(f"{cause}: {each.pair.older!r} -> {each.pair.newer!r} ({each.pair.question})", flush=True)
    return Findings(_rows(held), {"What was missed first, pairs": _causes(held)}, _NOTES)


async def _tell(told: Sequence[Pair], bot: MemoryClient, session: CliSession) -> list[Held]:
    for number, talk in enumerate(_TALK):
        for pair in told:
            await _say(bot.for_user(pair.user, space=SPACE), (pair.older, pair.newer)[number], talk, number)
        position = await all_learned(session)
    return [await _held(pair, bot.for_user(pair.user, space=SPACE), position) for pair in told]


async def _say(memories: Memories, statement: str, talk: Sequence[str], number: int) -> None:
    """A session with the statement after small talk."""
    session = f"session {number}"
    for turn, text in enumerate((*talk, statement)):
        said = text.removeprefix("Bot: ")
        at = _FIRST_SAID + number * _APART + turn * timedelta(seconds=30)
        await memories.add(said, session_id=session, role="user" if said == text else "assistant", occurred_at=at)
    await memories.end_session(session)


async def _held(pair: Pair, memories: Memories, position: int) -> Held:
    answer = await memories.context(pair.question, record=False, min_position=position, timeout_s=30)
    listed = (await memories.list(status="all", limit=500)).items
    said = {memory.memory_id: memory.text for memory in listed if memory.kind is Kind.EPISODE}

    def learned_from(statement: str) -> list[Memory]:
        facts = (memory for memory in listed if memory.kind is Kind.FACT)
        return [fact for fact in facts if any(said.get(source) == statement for source in fact.source_ids)]

    first = answer.items[0] if answer.items else None
    rests_on = [first.text, *(said.get(source, "") for source in reversed(first.source_ids))] if first else []
    first_from = next((text for text in rests_on if text in {pair.older, pair.newer}), "")
    return Held(pair, learned_from(pair.older), learned_from(pair.newer), answer, first_from)


def _rows(held: Sequence[Held]) -> list[Row]:
    ending = [each for each in held if each.pair.ends]
    beside = [each for each in held if not each.pair.ends]
    return [
        _share("the newer statement ends the older: superseded", [each.is_right for each in ending], at_least=90),
        _share("the newer statement ends the older: it is the first item of the context", [each.is_first for each in ending]),
        _share("the newer statement ends the older: that is marked wherever it is given", [each.is_marked for each in ending]),
        _share("both hold: neither is superseded", [each.is_right for each in beside], at_least=100),
    ]


def _share(what: str, holds: Sequence[bool], *, at_least: float | None = None) -> Row:
    return amount(what, "%", [100 * sum(holds) / len(holds)], samples=len(holds), at_least=at_least)


def _causes(held: Sequence[Held]) -> dict[str, float]:
    counted = Counter(each.cause or "nothing" for each in held)
    return {cause: float(count) for cause, count in counted.most_common()}


_NOTES = (
    "bench/holding.toml has the pairs: each is told by a person of its own, two months apart, each time with small talk.",
    "All services in one process, facts by the embedded rules, the context asked for with its defaults.",
    "Superseded: a fact that was learned from the older statement has ended, in whole or in part.",
)


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run("holding", "Of two statements about the same, does the current one answer?", measure, arguments, runs=1)
