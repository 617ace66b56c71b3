"""Scores of a model's replies: the words of the right answer in them, and how much they share. And what the model is told."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_WORD = re.compile(r"[^\w\s]")

SYSTEM = (
    "Answer the question from the memory that is given, in a few words, without a sentence around them. "
    "Dates in brackets say when a note was made. If the memory does not tell, answer: unknown."
)
JUDGE = "You compare answers. Say yes if the reply says the same as the right answer, else no. Say nothing but yes or no."


@dataclass(frozen=True, slots=True)
class Replied:
    """A reply to one question in one run."""

    run: int
    f1: float
    holds: bool
    judged: bool | None = None  # by a model; None: it was not asked


def normalised(text: str) -> list[str]:
    """The words without case, punctuation and articles. Source: the official evaluation of SQuAD 1.1.

    >>> normalised("The  7th of May, 2023!")
    ['7th', 'of', 'may', '2023']
    """
    return _ARTICLES.sub(" ", _NO_WORD.sub(" ", text.casefold())).split()


def f1(reply: str, answer: str) -> float:
    """Harmonic mean of precision and recall over words, in [0, 1]. Source: SQuAD 1.1 (Rajpurkar et al. 2016).

    >>> f1("in May 2023", "May 2023")
    0.8
    """
    said, right = normalised(reply), normalised(answer)
    shared = (Counter(said) & Counter(right)).total()
    return 2 * shared / (len(said) + len(right)) if shared else float(said == right)


def holds(reply: str, answer: str) -> bool:
    """True if the words of the answer stand in the reply, in their order and together.

    >>> holds("She moved in May 2023.", "May 2023")
    True
    """
    return f" {' '.join(normalised(answer))} " in f" {' '.join(normalised(reply))} "


def question_message(block: str, question: str) -> str:
    """The message that puts a question to the model; an empty block says that there is no memory."""
    return f"{block or 'There is no memory.'}\n\nQuestion: {question}"


def judge_message(question: str, answer: str, reply: str) -> str:
    """The message that asks a model to judge a reply."""
    return f"Question: {question}\nRight answer: {answer}\nReply: {reply}"


def says_yes(verdict: str) -> bool:
    """True if a judging model agreed."""
    return normalised(verdict)[:1] == ["yes"]


def accuracy(replies: Sequence[Replied]) -> dict[str, Any]:
    """Means over the runs, and their spread: the standard deviation from run to run (0 of one run)."""
    runs: dict[int, list[Replied]] = {}
    for reply in replies:
        runs.setdefault(reply.run, []).append(reply)
    measures = {
        "f1": [fmean(each.f1 for each in run) for run in runs.values()],
        "holds": [fmean(each.holds for each in run) for run in runs.values()],
    }
    if any(reply.judged is not None for reply in replies):
        measures["judged"] = [fmean(bool(each.judged) for each in run) for run in runs.values()]
    return {"runs": len(runs), **_spread(measures)}


def _spread(measures: Mapping[str, Sequence[float]]) -> dict[str, float]:
    spread: dict[str, float] = {}
    for name, values in measures.items():
        spread[name] = round(fmean(values), 4) if values else 0.0
        spread[f"{name}_spread"] = round(stdev(values), 4) if len(values) > 1 else 0.0
    return spread
