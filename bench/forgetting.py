"""How quickly what is forgotten is hidden, and how quickly it is erased, while somebody goes on asking."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from random import Random

from bench._installation import SPACE, Installation
from bench._log import Plan, installation_of, user_name
from bench._options import Findings, Options, run
from bench._result import Row, amount, latencies
from bench._witness import Person, Witness
from memstream.client import Decision, Memories, MemoryClient, Receipt
from shared.contracts.queries import ReceiptAnswer

_SENDERS = 8
_DECIDED_WITHIN_S = 300.0
_HIDDEN_MS = 100
_POLL_S = 0.05
_LOOK_S = 0.005
"""Pause between queries that wait for a forgetting to show. Each takes milliseconds of the same cores: more would delay it."""
_TOLD_EVERY = 100
_RUNS = 1
"""A run takes minutes, for the server erases one message after the other."""


@dataclass(frozen=True, slots=True)
class Case:
    """A number of forgets, spread evenly over the users of a log."""

    plan: Plan
    events_each: int
    forgets: int

    @property
    def name(self) -> str:
        """How rows name the case."""
        users = f"{self.plan.users:,} users" if self.plan.users > 1 else "one user"
        return f"{self.forgets:,} forgets, {users} of {self.events_each:,} events"


async def measure(options: Options) -> Findings:
    """Measure each run on a copy of a fabricated log, for forgetting changes it; all services in one process."""
    rows: list[Row] = []
    answers = 0
    for case in _cases(options):
        await _settle(case.plan, options)
        trials = []
        for number in range(options.runs):
            _say(f"{case.name}: run {number + 1} of {options.runs}")
            async with _copied(case.plan, options) as installation:
                trials.append(await _Trial(case, number).run(installation))
        answers += sum(trial.answers for trial in trials)
        rows += _rows(case, trials)
    plan, users = Plan(1, options.size(9_540, 60), options.embedder), []
    await _settle(plan, options)
    for number in range(options.runs):
        _say(f"`forget_user`: run {number + 1} of {options.runs}")
        async with _copied(plan, options) as installation, installation.bot(user_name(0)) as bot:
            users.append(await _UserForgotten(bot).run())
    return Findings([*rows, *_rows_of_users(users)], notes=[*_NOTES, _CHECKED.format(answers=answers)])


def _cases(options: Options) -> list[Case]:
    if options.is_quick:
        return [Case(Plan(4, 47, options.embedder), 100, 4), Case(Plan(1, 90, options.embedder), 189, 3)]
    return [Case(Plan(1_000, 47, options.embedder), 100, 1_000), Case(Plan(1, 950, options.embedder), 1_998, 50)]


async def _settle(plan: Plan, options: Options) -> None:
    """Let the services work through the fabricated log once, so that its copies are at rest when we measure."""
    original = await installation_of(plan, options.data)
    async with original.running():
        await original.until_at_rest()


def _say(words: str) -> None:
    print(words, flush=True)


@asynccontextmanager
async def _copied(plan: Plan, options: Options) -> AsyncIterator[Installation]:
    """A running copy of the installation, deleted afterwards."""
    original = await installation_of(plan, options.data)
    with tempfile.TemporaryDirectory(prefix="copy-", dir=options.data) as folder:
        root = Path(folder) / plan.name
        await asyncio.to_thread(shutil.copytree, original.root, root)
        installation = Installation(root, options.embedder)
        async with installation.running():
            await installation.until_at_rest()
            yield installation


class _Trial:
    """One run of a case: the seconds until each forget was hidden and erased, and the rates."""

    def __init__(self, case: Case, number: int) -> None:
        self._case = case
        self._random = Random(f"{case.name}/{number}")
        self._clock = asyncio.get_running_loop().time
        self.hidden_s: list[float] = []
        self.erased_s: list[float] = []
        self.hidden_rate = self.erased_rate = 0.0
        self.answers = 0

    async def run(self, installation: Installation) -> _Trial:
        """Forget, query meanwhile, and wait for every receipt."""
        async with AsyncExitStack() as stack:
            bots = [await stack.enter_async_context(installation.bot()) for _ in range(_SENDERS + 1)]
            names = [user_name(index) for index in range(self._case.plan.users)]
            people = [await Person(name, bots[-1].for_user(name, space=SPACE)).learn() for name in names]
            todo = [(person, fact) for person in people for fact in self._facts(person)]
            witness = Witness(people, self._random)
            asking, began = asyncio.create_task(witness.ask()), self._clock()
            decided = await asyncio.gather(*(self._forget(bot, todo) for bot in bots[:_SENDERS]))
            self.hidden_rate = self._case.forgets / (self._clock() - began)
            _say(f"  all hidden after {self._clock() - began:.0f} s")
            in_order = sorted(chain.from_iterable(decided), key=lambda one: one[1].position)
            for count, (person, decision) in enumerate(in_order, start=1):
                await self._until_erased(person, decision)
                if count % _TOLD_EVERY == 0:
                    _say(f"  {count:,} of {self._case.forgets:,} erased after {self._clock() - began:.0f} s")
            self.erased_rate = self._case.forgets / (self._clock() - began)
            asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking
            await witness.verify()
            self.answers = witness.answers
        return self

    def _facts(self, person: Person) -> list[str]:
        return self._random.sample(person.facts, k=self._case.forgets // self._case.plan.users)

    async def _forget(self, bot: MemoryClient, todo: list[tuple[Person, str]]) -> list[tuple[Person, Decision]]:
        """Take forgets from `todo` until it is empty; after each, wait until a list shows that it is decided and hidden."""
        decided = []
        while todo:
            person, fact = todo.pop()
            memory = bot.for_user(person.name, space=SPACE)
            began = self._clock()
            decision = await memory.forget(memory_ids=[fact], timeout_s=_DECIDED_WITHIN_S)
            shown = await memory.list(limit=1, after=decision, timeout_s=_DECIDED_WITHIN_S)
            self.hidden_s.append(self._clock() - began)
            assert shown.position >= decision.position
            person.hidden.add(fact)
            decided.append((person, decision))
        return decided

    async def _until_erased(self, person: Person, decision: Decision) -> None:
        receipt, _ = await _until_receipt(person.memory, decision)
        assert receipt.completed_at is not None
        self.erased_s.append((receipt.completed_at - receipt.forgotten_at).total_seconds())
        person.forgotten += receipt.memories


async def _until_receipt(memory: Memories, decision: Decision) -> tuple[ReceiptAnswer, list[int]]:
    """The receipt when it is done, and the counts of erased events that were reported before."""
    assert decision.number is not None
    reports: list[int] = []
    while (receipt := await memory.forgetting(decision.number, timeout_s=30)).state != "done":
        if not reports or receipt.erased != reports[-1]:
            reports.append(receipt.erased)
        await asyncio.sleep(_POLL_S)
    assert reports == sorted(reports), "progress goes forward"
    return receipt, reports


class _UserForgotten:
    """Measures how one person is forgotten altogether."""

    def __init__(self, memory: Memories) -> None:
        self._memory = memory
        self._clock = asyncio.get_running_loop().time
        self.acknowledged_s = self.hidden_s = self.decided_s = self.erased_s = 0.0
        self.events = 0
        self.reports: list[int] = []

    async def run(self) -> _UserForgotten:
        """Send `forget_user`, list until nothing is left, and follow the progress to the receipt."""
        await self._memory.context("Who went to the harbour?", record=False, timeout_s=30)
        began = self._clock()
        sent = await self._memory.send("forget_user", {})
        acknowledged = self._clock()
        self.acknowledged_s = acknowledged - began
        self.hidden_s, decision = await asyncio.gather(
            self._until_hidden(acknowledged), self._until_decided(sent, acknowledged)
        )
        _say(f"  hidden after {1000 * self.hidden_s:.0f} ms")
        receipt, self.reports = await _until_receipt(self._memory, decision)
        assert receipt.completed_at is not None
        self.erased_s = self._clock() - acknowledged
        self.events = receipt.erased
        return self

    async def _until_hidden(self, began: float) -> float:
        while (await self._memory.list(limit=1, timeout_s=30)).items:  # noqa: ASYNC110 - a bot has no other way to know
            await asyncio.sleep(_LOOK_S)
        return self._clock() - began

    async def _until_decided(self, sent: Receipt, began: float) -> Decision:
        outcome = await self._memory.outcome(sent, timeout_s=30)
        self.decided_s = self._clock() - began
        return Decision(sent.what, sent.message_id, sent.sequence, outcome.verdict, outcome.position, None, outcome.number)


def _rows(case: Case, trials: Sequence[_Trial]) -> list[Row]:
    return [
        latencies(f"{case.name}: sent to hidden", [trial.hidden_s for trial in trials]),
        latencies(f"{case.name}: sent to erased", [trial.erased_s for trial in trials]),
        amount(f"{case.name}: hidden", "forgets/s", [trial.hidden_rate for trial in trials], samples=case.forgets),
        amount(f"{case.name}: erased", "forgets/s", [trial.erased_rate for trial in trials], samples=case.forgets),
    ]


def _rows_of_users(users: Sequence[_UserForgotten]) -> list[Row]:
    events = users[0].events
    name = f"`forget_user`, {events:,} events"
    return [
        amount(f"{name}: acknowledged to hidden", "ms", [1000 * each.hidden_s for each in users], at_most=_HIDDEN_MS),
        amount(f"{name}: acknowledged to outcome", "ms", [1000 * each.decided_s for each in users]),
        amount(f"{name}: acknowledged to receipt", "s", [each.erased_s for each in users]),
        amount(f"{name}: erased", "events/s", [events / each.erased_s for each in users], samples=events),
        amount(f"{name}: reports of progress on the way", "", [len(each.reports) for each in users]),
    ]


_NOTES = (
    (
        f"Fabricated logs of turns, facts and vectors, as in the other benchmarks; each run destroys a copy. A forget names one"
        " fact, and takes what goes with it by default: about four events. Sent to hidden: until a list that waits for"
        f" the decision is answered, {_SENDERS} bots each awaiting theirs; sent to erased: until the receipt, by its own times."
    ),
    (
        "1,000 users of 100 events, a log of 100,000, are many people, each of whom wants something forgotten. One user of"
        " 2,000 events wants it again and again: ingest keeps no words, so each decision reads all events of the person, and"
        " each erasure is followed by a rebuild of the scope; what waits together is read, erased and rebuilt once."
    ),
    (
        "After `forget_user` a list of one is asked for, from the acknowledgement on, 5 ms after each answer; the file is open"
        " and its vectors are loaded. What is erased is limited by the server, which writes a file of up to 4 MB anew and"
        " syncs it for each event."
    ),
)
_CHECKED = (
    "Meanwhile one client listed and searched, and checked {answers:,} answers: none held what was hidden before it was asked,"
    " and none lacked anything else."
)


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    question = "How quickly is what is forgotten hidden, and erased, while somebody asks?"
    run("forgetting", question, measure, arguments, runs=_RUNS)
