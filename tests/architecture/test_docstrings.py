"""A docstring is understood alone: no sentence leans on what stands above it (CONTRIBUTING, style 6)."""

import re

import pytest

from tests.architecture.source import FILES

LEANS = re.compile(
    r"""
      The\ same\b
    | (?:They|Those|That|These|It)(?:[,.:;]|\ (?:it|in|of|for|with|behind|which|whose|that|what)\b)
    | (?:They|Those|That|These|It)\ (?:is|are|was|were|does|do|did|has|had|holds)\b
    | Whether\ (?:it|they|that|these|those)\b
    | (?:What|Where|When|How|Why|Whose|Whom?)\ (?:it|they|he|that|these|those)\b
    | (?:Its|Their|Of|Without|Else|Likewise|With\ (?:the|its)|As\ (?!many|much|long|soon)|In\ any\ case)\b
    | All\ of\ (?:it|them)\b
    """,
    re.VERBOSE,
)


def leaning() -> dict[str, str]:
    """Where the docstrings that lean stand, and their first lines."""
    return {
        f"{file.place}:{getattr(node, 'lineno', 1)}": docstring.splitlines()[0]
        for file in FILES
        for node, docstring in file.documented()
        if LEANS.match(docstring)
    }


def test_no_docstring_leans_on_its_neighbour() -> None:
    assert leaning() == {}


@pytest.mark.parametrize(
    "docstring",
    [
        "The same at once.",
        "They were.",
        "Whether it does.",
        "That, from the person's file.",
        "Of everybody; whose they are comes from the subject.",
        "Those with these names.",
        "What it says.",
        "Its connection and handlers.",
        "As it stands in REJECTED.",
    ],
)
def test_the_worst_forms_are_recognised(docstring: str) -> None:
    assert LEANS.match(docstring)


@pytest.mark.parametrize(
    "docstring",
    [
        "These memories are forgotten.",
        "Whether a memory is live.",
        "That two texts are one memory, and how it was seen.",
        "What an event says.",
        "As many workers as there are cores.",
    ],
)
def test_what_stands_alone_is_let_through(docstring: str) -> None:
    assert not LEANS.match(docstring)
