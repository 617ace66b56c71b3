"""What the embedded rules learn of conversations as people type them: how much of it is right, and how much they find."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Mapping, Sequence

from bench._options import Findings, Options, run
from bench._result import Row, amount
from tests.support.annotated_talks import Score, score, talks

_NAMES = {"en": "English", "de": "German", "es": "Spanish", "fr": "French"}
_LEAST_PRECISION = 85
_LEAST_RECALL = {"en": 65, "de": 50, "es": 50, "fr": 50}


async def measure(options: Options) -> Findings:  # noqa: ARG001 - there is nothing to measure in small
    """Learn from the annotated conversations, and compare."""
    scores = {
        language: functools.reduce(operator.add, (score(talk) for talk in talks().values() if talk.language == language))
        for language in _NAMES
    }
    return Findings(rows=list(_rows(scores)), notes=[*_NOTES, *_mistakes(scores)])


def _rows(scores: Mapping[str, Score]) -> Iterator[Row]:
    for language, name in _NAMES.items():
        found = scores[language]
        learned, due = len(found.right) + len(found.wrong), found.found + len(found.missed)
        yield amount(
            f"{name}: of what is learned is right", "%", [100 * found.precision], samples=learned, at_least=_LEAST_PRECISION
        )
        yield amount(
            f"{name}: of what is to learn is learned", "%", [100 * found.recall], samples=due, at_least=_LEAST_RECALL[language]
        )


def _mistakes(scores: Mapping[str, Score]) -> Iterator[str]:
    for language, name in _NAMES.items():
        if wrong := scores[language].wrong:
            yield f"{name}, wrong: {' / '.join(wrong)}"
        if missed := scores[language].missed:
            yield f"{name}, missed: {' / '.join(' '.join(fact.states) for fact in missed)}"


_NOTES = (
    "tests/support/annotated has the conversations, with small talk, jokes and corrections; each fact is annotated.",
    "The rules were written with these conversations in view: those of strangers are learned from less well.",
)


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run("learning", "What is learned of conversations as people type them?", measure, arguments, runs=1)
