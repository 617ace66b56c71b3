"""Who was named by kin and name stays forgotten by the name, whatever else is said of them; others of other names do not."""

from __future__ import annotations

from itertools import islice, product

import pytest

from shared.contracts.events import EpisodeRecorded
from tests.support.commands import user_says
from tests.support.paper import PaperLog

VERBS = ("sings", "paints", "runs", "cooks", "bakes")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


def forgotten(query: str, *, memories: int) -> PaperLog:
    log = PaperLog()
    for verb, day in islice(product(VERBS, DAYS), memories):
        log.tell(user_says(f"My wife Ingrid {verb} on {day}."))
    log.tell(user_says("My colleague Tom likes chess."))
    log.tell(user_says(query))
    log.tell(user_says("yes"))
    return log


def is_held_back(log: PaperLog, words: str) -> bool:
    [turn] = [event.data for event in log.tell(user_says(words)) if isinstance(event.data, EpisodeRecorded)]
    return turn.held_back


@pytest.mark.parametrize("query", ["forget my wife Ingrid", "forget my wife ingrid", "forget everything about my wife Ingrid"])
@pytest.mark.parametrize("memories", [3, 25])
def test_a_name_that_was_forgotten_with_its_kin_is_recognised_beside_other_kin(query: str, memories: int) -> None:
    log = forgotten(query, memories=memories)
    assert is_held_back(log, "my ex Ingrid and I talked")
    assert is_held_back(log, "Ingrid called")


@pytest.mark.parametrize("words", ["my colleague Tom sings, too", "my wife is nice", "my colleague Anna talked"])
def test_what_names_somebody_else_or_nobody_is_not_held_back(words: str) -> None:
    assert not is_held_back(forgotten("forget my wife Ingrid", memories=25), words)


def test_a_name_that_another_memory_still_has_is_not_enough() -> None:
    log = PaperLog()
    log.tell(user_says("My son Tom is allergic to nuts."))
    log.tell(user_says("My colleague Tom likes chess."))
    log.tell(user_says("forget my son Tom"))
    log.tell(user_says("yes"))
    assert not is_held_back(log, "my colleague Tom won")
