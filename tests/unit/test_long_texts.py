"""A text that nobody types is recorded word for word, but nothing is concluded from it."""

import pytest

from services.consolidator.domain.evidence import said
from services.ingest.domain.likeness import likeness, match
from services.ingest.domain.metadata import describe
from services.retriever.domain.excerpt import asked_words, excerpt
from shared.contracts.events import EpisodeRecorded, FactRemembered
from shared.language.commands.command import ChatCommandName
from shared.language.commands.reading import read_chat_command
from shared.language.text.length import LONGEST_ASKED, LONGEST_READ, asked
from tests.support.commands import remember, user_says
from tests.support.paper import PaperLog
from tests.support.rules import given
from tests.support.scopes import KEYS

LINE = "My sister Anna lives in York. "
TYPED = LINE * (LONGEST_READ // len(LINE))
LONG = LINE * (65_536 // len(LINE))


def test_a_long_turn_is_recorded_as_it_came_without_names() -> None:
    events = given().when(user_says(LONG)).events()
    [turn] = [event.data for event in events if isinstance(event.data, EpisodeRecorded)]
    assert turn.text == LONG
    assert not turn.entities


def test_a_long_fact_is_recorded_without_topics_and_states_nothing() -> None:
    [event] = given().when(remember(LONG)).events()
    assert isinstance(event.data, FactRemembered)
    assert (event.data.text, event.data.tags, event.data.slots) == (LONG, (), ())


def test_a_long_fact_that_is_told_again_is_known() -> None:
    log = PaperLog()
    log.tell(remember(LONG))
    assert not any(isinstance(event.data, FactRemembered) for event in log.tell(remember(LONG)))


def test_long_texts_are_alike_only_if_they_are_the_same() -> None:
    one, same, other = (likeness(text, KEYS.digester) for text in (LONG, LONG, f"{LONG}!"))
    assert match(one, same)
    assert match(one, other) is None


def test_nothing_is_learned_from_a_long_turn() -> None:
    log = PaperLog()
    turns = [event for text in (TYPED, LONG) for event in log.tell(user_says(text)) if isinstance(event.data, EpisodeRecorded)]
    assert [turn.text for turn in said(turns)] == [TYPED.strip()]


def test_what_is_as_long_as_can_be_typed_is_described() -> None:
    assert describe(TYPED).found_any
    assert not describe(LONG).found_any


@pytest.mark.parametrize("text", [f"Forget what I said about Bob. {LONG}", f"{LONG} Forget what I said about Bob."])
def test_a_wish_to_the_memory_at_either_end_of_a_long_text_is_heard(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert (command.name, command.topic) == (ChatCommandName.FORGET_ABOUT, "Bob")


def test_of_a_long_text_the_part_about_what_is_asked_is_shown() -> None:
    assert "A grey heron." in excerpt(f"{LONG} A grey heron. {LONG}", asked_words("What about the heron?"), most=200)


def test_of_a_long_question_the_beginning_and_the_end_are_read() -> None:
    read = asked(f"About my sister. {LONG} Where does she live?")
    assert len(read) <= LONGEST_ASKED + 1
    assert read.startswith("About my sister.")
    assert read.endswith("Where does she live?")
