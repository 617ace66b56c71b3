"""Memory that a person switched off in a chat is switched on by words that mean it, and by no others."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from services.ingest.domain.policy import Policy
from shared.contracts.envelope import Envelope
from shared.contracts.privacy import ChatCommandRead
from tests.support.commands import user_says
from tests.support.paper import PaperLog

LANGUAGES = ("en", "de", "es", "fr")
MEANT = [
    "you can switch it on again",
    "turn it back on",
    "Turn it on again please.",
    "ok switch it back on",
    "can you turn it back on?",
    "du kannst es wieder einschalten",
    "puedes activarla de nuevo",
    "tu peux la réactiver",
]
OTHERS = ["the lamp went out, so I switched it on again", "I turned it back on", "my sister put it on"]


def read(events: Sequence[Envelope]) -> list[tuple[str, str]]:
    return [(event.data.command, event.data.outcome) for event in events if isinstance(event.data, ChatCommandRead)]


@pytest.fixture
def log() -> PaperLog:
    log = PaperLog(policy=Policy(languages=LANGUAGES))
    log.tell(user_says("turn memory off"))
    return log


@pytest.mark.parametrize("words", MEANT)
def test_words_that_may_mean_the_memory_that_is_off_are_asked_back_and_obeyed_after_a_yes(log: PaperLog, words: str) -> None:
    assert read(log.tell(user_says(words))) == [("memory_on", "asked_back")]
    assert read(log.tell(user_says("yes"))) == [("memory_on", "done")]
    assert log.state.settings.memory_enabled is True


def test_the_order_itself_is_an_answer_too(log: PaperLog) -> None:
    log.tell(user_says("turn it back on"))
    assert read(log.tell(user_says("Yes, turn it on"))) == [("memory_on", "done")]


def test_after_a_no_memory_stays_off(log: PaperLog) -> None:
    log.tell(user_says("turn it back on"))
    assert read(log.tell(user_says("no"))) == [("memory_on", "declined")]
    assert log.state.settings.memory_enabled is False


@pytest.mark.parametrize("words", MEANT)
def test_the_same_words_are_talk_where_memory_is_on(words: str) -> None:
    assert read(PaperLog(policy=Policy(languages=LANGUAGES)).tell(user_says(words))) == []
