"""A yes or no to the bot's question which of two facts holds answers it; talk does not."""

from dataclasses import replace

import pytest

from services.ingest.domain.lacks import Aspect, Lacks, Needs
from services.ingest.domain.memories import Status
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from services.ingest.domain.turns import user_message
from shared.contracts.commands import UserMessage
from shared.contracts.conflicts import ConflictAnswered, Holds
from shared.contracts.consolidating import ResolveConflict
from shared.contracts.events import EpisodeRecorded
from shared.contracts.ids import MemoryId
from shared.language.commands.settling import Aim, Alternatives, aim_of, read_holds
from shared.language.text.stating import content_words
from tests.support.commands import agent_says, remember, user_says
from tests.support.paper import PaperLog
from tests.support.sent import sent

DAYS = Alternatives(content_words("Thursday"), content_words("Tuesday"))
TOWNS = Alternatives(content_words("Köln"), content_words("Bonn"))

ANSWERS: list[tuple[str, Aim, Alternatives, Holds | None]] = [
    ("yes", "newer", DAYS, "newer"),
    ("Yep!", "newer", DAYS, "newer"),
    ("yep, Thursday", "newer", DAYS, "newer"),
    ("hmm yes", "newer", DAYS, "newer"),
    ("yeah Thursday is right", "newer", DAYS, "newer"),
    ("yes, Thursday instead of Tuesday", "newer", DAYS, "newer"),
    ("yes please", "newer", DAYS, "newer"),
    ("no, still Tuesday", "newer", DAYS, "older"),
    ("no still tuesday", "newer", DAYS, "older"),
    ("no tuesday", "newer", DAYS, "older"),
    ("nope", "newer", DAYS, "older"),
    ("no, Friday", "newer", DAYS, "older"),
    ("no", "older", DAYS, "newer"),
    ("yes", "older", DAYS, "older"),
    ("Tuesday, not Thursday", "newer", DAYS, "older"),
    ("it's not Thursday", "newer", DAYS, "older"),
    ("No, it is not Thursday, it is still Tuesday", "newer", DAYS, "older"),
    ("no longer Tuesday", "newer", DAYS, "newer"),
    ("Thursday", "either", DAYS, "newer"),
    ("It's Thursday now", "either", DAYS, "newer"),
    ("still the same", "newer", DAYS, "older"),
    ("both", "either", DAYS, "both"),
    ("Both are true actually", "newer", DAYS, "both"),
    ("neither", "newer", DAYS, "neither"),
    ("ja", "newer", TOWNS, "newer"),
    ("Genau, Köln.", "newer", TOWNS, "newer"),
    ("Nein, noch in Bonn", "newer", TOWNS, "older"),
    ("nein, ich wohne nicht in Köln", "newer", TOWNS, "older"),
    ("sí", "newer", TOWNS, "newer"),
    ("no, todavía en Bonn", "newer", TOWNS, "older"),
    ("no vivo en Köln", "newer", TOWNS, "older"),
    ("oui", "newer", TOWNS, "newer"),
    ("non, toujours Bonn", "newer", TOWNS, "older"),
    ("les deux", "newer", TOWNS, "both"),
    ("yes", "either", DAYS, None),
    ("the weather is nice", "newer", DAYS, None),
    ("I'm not sure", "newer", DAYS, None),
    ("no idea", "newer", DAYS, None),
    ("I don't know", "newer", DAYS, None),
    ("ich weiß nicht", "newer", DAYS, None),
    ("What do you mean?", "newer", DAYS, None),
    ("Can you book the train for Thursday please and also tell my wife that I am late", "newer", DAYS, None),
]


@pytest.mark.parametrize(("text", "aim", "between", "holds"), ANSWERS, ids=[f"{each[0]} ({each[1]})" for each in ANSWERS])
def test_an_answer_is_read_as_a_person_would(text: str, aim: Aim, between: Alternatives, holds: Holds | None) -> None:
    assert read_holds(text, aim, between) == holds


@pytest.mark.parametrize(
    ("question", "aim"),
    [
        ("Is your meeting now on Thursday?", "newer"),
        ("Do you still have your meeting on Tuesday?", "older"),
        ("Is it Tuesday or Thursday?", "either"),
        ("You said Tuesday before; is the meeting on Thursday now?", "newer"),
        ("Shall I go on?", None),
    ],
)
def test_a_question_may_be_put_in_other_words(question: str, aim: Aim | None) -> None:
    assert aim_of(question, DAYS) == aim


class Asked:
    """Somebody said that two facts contradict each other, and the bot asks about them: a sailing lesson may have moved."""

    def __init__(
        self,
        question: str = "By the way, is your sailing lesson now on Thursday?",
        older: str = "My sailing lesson is on Tuesday.",
        newer: str = "I think my sailing lesson is on Thursday now.",
    ) -> None:
        self.log = PaperLog()
        self.log.tell(user_says("hello", "s1", message_id="m0"))
        self.older, self.newer = self._remembered(older), self._remembered(newer)
        self.log.tell(ResolveConflict(memory_id=self.older, superseded_by=self.newer, is_certain=False))
        self.log.tell(agent_says(question, "s1", message_id="a1"))

    def _remembered(self, text: str) -> MemoryId:
        memory_id = self.log.tell(remember(text))[0].data.subject
        assert memory_id
        return memory_id

    def says(self, text: str, session: str = "s1") -> list[ConflictAnswered]:
        events = [event.data for event in self.log.tell(user_says(text, session, message_id="m1"))]
        assert any(isinstance(data, EpisodeRecorded) and data.text == text for data in events)
        return [data for data in events if isinstance(data, ConflictAnswered)]

    @property
    def live(self) -> set[MemoryId]:
        return {each for each in (self.older, self.newer) if self.log.state.memories[each].status is Status.LIVE}


@pytest.mark.parametrize(("text", "holds"), [("yep, Thursday", "newer"), ("no, still Tuesday", "older"), ("both", "both")])
def test_an_answer_in_chat_ends_what_does_not_hold_and_the_turn_is_recorded(text: str, holds: Holds) -> None:
    asked = Asked()
    [answered] = asked.says(text)
    assert (answered.holds, answered.how) == (holds, "chat")
    assert asked.live == {"newer": {asked.newer}, "older": {asked.older}}.get(holds, {asked.older, asked.newer})


def test_a_question_may_be_asked_and_answered_in_another_language() -> None:
    asked = Asked("Übrigens: wohnst du jetzt in Köln?", "Ich wohne in Bonn.", "Ich glaube, ich wohne jetzt in Köln.")
    assert [each.holds for each in asked.says("Nein, noch in Bonn")] == ["older"]


def test_a_date_is_known_by_its_day() -> None:
    asked = Asked(
        "Is the sailing lesson on Thursday?",
        "My sailing lesson is on Tuesday (2026-11-24).",
        "I think my sailing lesson is on Thursday (2026-11-26) now.",
    )
    assert [each.holds for each in asked.says("no, still Tuesday")] == ["older"]


@pytest.mark.parametrize(
    "question", ["So Thursday, right?", "Do you sail Tuesday or Thursday?", "Is the lesson still Tuesday?"]
)
def test_the_bot_may_ask_in_its_own_words(question: str) -> None:
    asked = Asked(question)
    [answered] = asked.says("it's Thursday")
    assert (answered.holds, asked.live) == ("newer", {asked.newer})


@pytest.mark.parametrize(
    "question",
    ["Shall I book the restaurant in town for Thursday evening?", "Your sailing lesson is now on Thursday.", "How are you?"],
)
def test_a_yes_to_something_else_answers_nothing(question: str) -> None:
    asked = Asked(question)
    assert asked.says("yes") == []
    assert asked.live == {asked.older, asked.newer}


def test_a_yes_in_another_session_or_later_answers_nothing() -> None:
    asked = Asked()
    assert asked.says("yes", "s2") == []
    asked = Asked()
    asked.log.tell(user_says("Tell me a joke first.", "s1", message_id="m2"))
    assert asked.says("yes") == []


def test_words_are_looked_up_only_where_a_question_is_pending() -> None:
    asked = Asked()

    def needs(text: str, state: ScopeState) -> bool:
        command = user_says(text, "s1")
        assert isinstance(command, UserMessage)
        known = replace(state, recollection=None, known=Needs())
        try:
            user_message(command, Ruling(known, sent(command).circumstances(command)))
        except Lacks as lacks:
            return Aspect.WORDS in lacks.needs.aspects
        return False

    assert needs("yes", asked.log.state)
    assert not needs("yes", Asked("Your sailing lesson is on Thursday.").log.state)
    assert not needs("What time is it?", asked.log.state)
    asked.says("yes")
    assert not needs("yes", asked.log.state)
