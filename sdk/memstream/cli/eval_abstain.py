"""`eval abstain`: questions about one conversation are asked of another, where nothing answers them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from memstream.cli.eval_recall import chosen, conversations_of, imported, questions_of
from memstream.cli.session import CliSession, run, session_of
from memstream.evaluation.scoring import mean
from memstream.importers.locomo import LocomoConversation
from shared.contracts.errors import Malformed

if TYPE_CHECKING:
    from memstream.evaluation.calibrating import SignedQuestion

_ANSWERED, _EXCHANGED, _AS_IS = "answered", "exchanged", "as_is"


@dataclass(frozen=True, slots=True)
class AskedElsewhere:
    """A question, whom it was asked of, whether nothing was given, and the signs that there is an answer."""

    file: str
    conversation: str
    asked: str
    is_empty: bool
    signs: Mapping[str, float]


def abstain(
    ctx: typer.Context,
    *,
    data: Annotated[
        list[Path], typer.Option("--data", help="A file in LoCoMo's format, with two conversations at least; may be repeated.")
    ],
    only: Annotated[str | None, typer.Option("--conversations", help="Only these sample ids, with commas.")] = None,
    below: Annotated[float | None, typer.Option("--below", help="The threshold; the shipped one by default.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Fit the evidence, and write it here, as services/.../evidence.toml.")
    ] = None,
) -> None:
    """Ask every question of its own conversation and of the next one: how many contexts are empty here, how many there.

    There it is asked as it is, and with the names of the speakers exchanged.
    """
    session = session_of(ctx)
    asked = run(_asked(session, data, only, {} if below is None else {"abstain_below": below}))
    scores: dict[str, Any] = {"questions": sum(each.asked == _ANSWERED for each in asked), "empty": _shares(asked)}
    if out:
        scores |= _calibrated(asked, out)
    session.show(scores, lambda console: _print(console, scores))


async def _asked(
    session: CliSession, files: Sequence[Path], only: str | None, ranking: Mapping[str, float]
) -> list[AskedElsewhere]:
    found: list[AskedElsewhere] = []
    for file in files:
        conversations = chosen(conversations_of(file), only)
        if len(conversations) == 1:
            raise Malformed("a question is foreign only where there are two conversations")
        async with imported(session, conversations) as learned:
            for kind, where, text in learned.progress.track(list(_questions(conversations)), description="asking"):
                answer = await learned.client.for_user(where.sample_id).explain(
                    text, most_candidates=1, ranking=ranking, timeout_s=30
                )
                is_empty = answer.abstained or not answer.candidates
                found.append(AskedElsewhere(str(file), where.sample_id, kind, is_empty, answer.signs))
    return found


def _questions(conversations: Sequence[LocomoConversation]) -> Iterator[tuple[str, LocomoConversation, str]]:
    """Every question thrice: of its conversation, of the next one as it is, and with the names of its speakers."""
    next_to = {here.sample_id: there for here, there in pairwise([*conversations, conversations[0]])}
    for here, question in questions_of(conversations):
        there = next_to[here.sample_id]
        yield _ANSWERED, here, question.text
        yield _EXCHANGED, there, exchanged(question.text, _speakers(here), _speakers(there))
        yield _AS_IS, there, question.text


def _speakers(conversation: LocomoConversation) -> list[str]:
    return list(dict.fromkeys(turn.speaker for turn in conversation.turns if turn.speaker))


def exchanged(text: str, names: Sequence[str], others: Sequence[str]) -> str:
    """The text with the first names of others in the place of these names, each in its turn.

    >>> exchanged("What did Ada give Ben's sister?", ["Ada Lind", "Ben"], ["Ben", "Cleo"])
    "What did Ben give Cleo's sister?"
    """
    first = dict(zip((name.split()[0] for name in names), (name.split()[0] for name in others), strict=False))
    return re.sub("|".join(rf"\b{re.escape(name)}\b" for name in first), lambda found: first[found[0]], text)


def _shares(asked: Sequence[AskedElsewhere]) -> dict[str, dict[str, float]]:
    """The share of empty contexts, by file and conversation, and by what was asked of whom."""
    groups: dict[str, dict[str, list[bool]]] = {}
    for each in asked:
        for group in (each.file, each.conversation):
            groups.setdefault(group, {}).setdefault(each.asked, []).append(each.is_empty)
    return {name: {kind: mean(empty) for kind, empty in of.items()} for name, of in groups.items()}


def _calibrated(asked: Sequence[AskedElsewhere], out: Path) -> dict[str, Any]:
    """Fit the evidence with vectors and by words alone, and write both."""
    from memstream.evaluation.calibrating import (  # noqa: PLC0415 - numpy is not there with the client alone
        BY_WORDS,
        WITH_VECTORS,
        SignedQuestion,
        calibrated,
        left_out,
    )

    written, shares = "# Made by `memstream eval abstain --out`.\n", {}
    for title, names in (("vectors", WITH_VECTORS), ("words", BY_WORDS)):
        signed: list[SignedQuestion] = [
            SignedQuestion(each.file, each.asked, each.signs) for each in asked if set(names) <= set(each.signs)
        ]
        if not signed:
            raise Malformed(f"no question has the signs {', '.join(names)}; is there an embedder?")
        written += calibrated(signed, names).toml(title)
        shares[title] = left_out(signed, names)
    out.write_text(written, encoding="utf-8")
    return {"left_out": shares}


def _print(console: Console, scores: Mapping[str, Any]) -> None:
    table = Table("", "its own", "of another, names exchanged", "as they are", title="empty contexts", box=None)
    rows = {**scores["empty"]}
    for title, of in scores.get("left_out", {}).items():
        rows |= {f"{name}, by the other files, {title}": shares for name, shares in of.items()}
    for name, of in rows.items():
        table.add_row(Path(name).name, *(f"{of[kind]:.3f}" for kind in (_ANSWERED, _EXCHANGED, _AS_IS)))
    console.print(table)
