"""`eval answers`: how well a model answers from what `context` gives it, by token budget, over several runs."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from memstream.cli.eval_recall import LearnedConversations, chosen, conversations_of, imported, questions_of
from memstream.cli.session import CliSession, run, session_of
from memstream.evaluation.replies import JUDGE, SYSTEM, Replied, accuracy, f1, holds, judge_message, question_message, says_yes
from memstream.importers.locomo import LocomoConversation, LocomoQuestion
from shared.contracts.errors import Malformed, Misconfigured
from shared.runtime.chat_models.chat_model import ChatModel
from shared.runtime.chat_models.factory import make_chat_model
from shared.runtime.chat_models.settings import LlmSettings

_BUDGETS = (700, 2_000, 7_000)
_MOST_ITEMS = 200
_NOTHING = 0
_LONGEST_REPLY_TOKENS = 200


@dataclass(frozen=True, slots=True)
class _Plan:
    """How an evaluation asks: token budgets, runs of each question, and whether the model judges replies."""

    budgets: Sequence[int]
    runs: int
    judges: bool


@dataclass(frozen=True, slots=True)
class _Asked:
    conversation: LocomoConversation
    question: LocomoQuestion
    answer: str


def answers(
    ctx: typer.Context,
    *,
    data: Annotated[Path, typer.Argument(help="A file in LoCoMo's format, with answers.")],
    model: Annotated[str | None, typer.Option("--model", help="Its name. (default: MEMSTREAM_LLM_MODEL)")] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", help="Its endpoint. (default: MEMSTREAM_LLM_BASE_URL)")] = None,
    budget: Annotated[
        list[int] | None, typer.Option("--budget", min=1, help="Most tokens of a context; may be repeated. (700, 2000, 7000)")
    ] = None,
    runs: Annotated[int, typer.Option("--runs", min=1, help="How often each question is asked.")] = 3,
    temperature: Annotated[float, typer.Option("--temperature", min=0, max=2, help="Of the model.")] = 0.0,
    judges: Annotated[bool, typer.Option("--judge", help="The model also judges whether a reply is right.")] = False,
    only: Annotated[str | None, typer.Option("--conversations", help="Only these sample ids, with commas.")] = None,
    most: Annotated[int | None, typer.Option("--questions", min=1, help="Only so many of each conversation.")] = None,
) -> None:
    """Give a model each question with its context, and without; compare its replies with the right answers."""
    session = session_of(ctx)
    llm = LlmSettings()
    name = model or llm.model
    if name is None:
        raise Misconfigured("answers need a model: give --model and --base-url, or set MEMSTREAM_LLM_MODEL")
    told = {"model": name, "base_url": base_url or llm.base_url, "temperature": temperature}
    endpoint = make_chat_model(llm.model_copy(update=told))
    conversations = chosen(conversations_of(data), only)
    asked = _asked(conversations, most)
    if not asked:
        raise Malformed(f"{data} has no question with an answer")
    plan = _Plan(sorted(set(budget or _BUDGETS)), runs, judges)
    rows = run(_answers(session, conversations, asked, plan, endpoint))
    result = {
        "model": name,
        "questions": len(asked),
        "conversations": [each.sample_id for each in conversations],
        "budgets": rows,
    }
    session.show(result, lambda console: _print(console, rows))


def _asked(conversations: Sequence[LocomoConversation], most: int | None) -> list[_Asked]:
    return [
        asked
        for each in conversations
        for asked in [_Asked(each, question, question.answer) for _, question in questions_of([each]) if question.answer][:most]
    ]


async def _answers(
    session: CliSession, conversations: Sequence[LocomoConversation], asked: Sequence[_Asked], plan: _Plan, model: ChatModel
) -> list[dict[str, Any]]:
    async with aclosing(model):
        await _reply(model, SYSTEM, question_message("", "Are you there?"))  # before anything is imported in vain
        async with imported(session, conversations) as learned:
            asking = _AnswersByBudget(learned, model, plan)
            return [await asking.row(asked, budget) for budget in (_NOTHING, *plan.budgets)]


@dataclass(frozen=True, slots=True)
class _AnswersByBudget:
    """Asks the model every question at one budget after the other."""

    learned: LearnedConversations
    model: ChatModel
    plan: _Plan

    async def row(self, asked: Sequence[_Asked], budget: int) -> dict[str, Any]:
        """The accuracy of the replies at a token budget; 0: without memory."""
        replies: list[Replied] = []
        tokens = 0
        for each in self.learned.progress.track(asked, description=f"budget {budget}"):
            block = ""
            if budget:
                conversation, question = each.conversation, each.question
                answer = await self.learned.context(conversation, question, limit=_MOST_ITEMS, budget_tokens=budget)
                block, tokens = answer.markdown, tokens + answer.tokens
            replies += [await self._reply(each, block, number) for number in range(self.plan.runs)]
        return {"budget_tokens": budget, "mean_tokens": round(tokens / len(asked)), **accuracy(replies)}

    async def _reply(self, asked: _Asked, block: str, number: int) -> Replied:
        question, right = asked.question.text, asked.answer
        reply = await _reply(self.model, SYSTEM, question_message(block, question), seed=number)
        judged = None
        if self.plan.judges:
            judged = says_yes(await _reply(self.model, JUDGE, judge_message(question, right, reply), seed=number))
        return Replied(number, f1(reply, right), holds(reply, right), judged)


async def _reply(model: ChatModel, system: str, message: str, *, seed: int = 0) -> str:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": message}]
    return await model.reply(messages, seed=seed, max_tokens=_LONGEST_REPLY_TOKENS)


def _print(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    measures = [name for name in ("f1", "holds", "judged") if name in rows[0]]
    table = Table("budget", "tokens", *measures, box=None)
    for row in rows:
        shown = [f"{row[name]:z.3f} ± {row[f'{name}_spread']:z.3f}" for name in measures]
        table.add_row(str(row["budget_tokens"] or "no memory"), str(row["mean_tokens"]), *shown)
    console.print(table)
