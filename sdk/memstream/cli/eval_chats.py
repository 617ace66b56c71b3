"""`eval chats`: in which line of its context a bot finds the answer, in chats as people type them."""

from dataclasses import asdict, dataclass
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from memstream.cli.children import memstream_up, temporary_session
from memstream.cli.eval_tasks import EmbedderKind, EmbedderOption, Player
from memstream.cli.progress import progress_bar
from memstream.cli.session import CliSession, run, session_of
from memstream.cli.waiting import all_learned
from memstream.evaluation.scoring import mean
from memstream.evaluation.task import all_chats
from shared.contracts.queries import ContextAnswer
from shared.runtime.clock import SystemClock

_FIRST_LINES = (1, 3, 6)


@dataclass(frozen=True, slots=True)
class PlacedAnswer:
    """The line of a context that holds the answer to a question, and the size of the context."""

    chat: str
    query: str
    line: int | None
    lines: int
    tokens: int


def chats(ctx: typer.Context, *, embedder: EmbedderOption = EmbedderKind.MINILM) -> None:
    """Play three chats of 60 questions into an empty memstream; tell in which line of the block the answers stand."""
    session = session_of(ctx)
    scores = scored_chats(run(_asked(session, embedder)))
    session.show(scores, lambda console: _print(console, scores))


async def _asked(session: CliSession, embedder: EmbedderKind) -> list[PlacedAnswer]:
    chosen = all_chats()
    with temporary_session(session) as own, progress_bar() as progress:
        async with memstream_up(own, space="home", MEMSTREAM_EMBEDDER_KIND=embedder.value) as client:
            player = Player(own, client, SystemClock().now())
            await player.play(chosen, progress, talk=())
            position = await all_learned(own)
            return [
                placed_answer(chat.name, ask.query, words, await player.ask(chat, ask, position=position))
                for chat in chosen
                for ask in chat.ask
                for words in ask.within
            ]


def placed_answer(chat: str, query: str, words: str, answer: ContextAnswer) -> PlacedAnswer:
    """Where the block shows these words, in any case."""
    shown = ((item.line, item.excerpt or item.text) for item in answer.items)
    line = next((line for line, text in shown if words.casefold() in text.casefold()), None)
    return PlacedAnswer(chat, query, line, len({item.line for item in answer.items}), answer.tokens)


def scored_chats(placed: list[PlacedAnswer]) -> dict[str, Any]:
    """The share of the questions whose answer is in the first lines, and the size of the contexts; JSON-ready."""
    within = {f"in_first_{most}": mean(each.line is not None and each.line <= most for each in placed) for most in _FIRST_LINES}
    return {
        "questions": len(placed),
        **within,
        "given": mean(each.line is not None for each in placed),
        "lines": mean(each.lines for each in placed),
        "tokens": mean(each.tokens for each in placed),
        "below_the_third": [asdict(each) for each in placed if each.line is None or each.line > _FIRST_LINES[1]],
    }


def _print(console: Console, scores: dict[str, Any]) -> None:
    table = Table("chat", "line", "question", box=None)
    for each in scores["below_the_third"]:
        table.add_row(each["chat"], str(each["line"] or "-"), each["query"])
    console.print(table)
    for name, value in scores.items():
        if not isinstance(value, list):
            console.print(f"{name} {value}")
