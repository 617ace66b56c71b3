"""A correction beside a command to forget a statement: the new value is quoted, and the old one is nowhere."""

from __future__ import annotations

import pytest

from services.ingest.domain.renewing import new_values
from shared.contracts.privacy import ChatCommandRead
from shared.language.commands.reading import read_chat_command
from tests.support.commands import put_right, user_says
from tests.support.paper import AT_ONCE, PaperLog

# what was said, the command, what is kept of it
STATED = [
    (
        "My rent is 780.",
        "Forget that my rent is 780, it's 850 now",
        put_right("my rent …", "it's 850 now"),
    ),
    (
        "My boss is Anke.",
        "Forget that my boss is Anke, it's Birte now",
        put_right("my boss …", "it's Birte now"),
    ),
    (
        "I live in Gouda.",
        "Forget that I live in Gouda, it's Zwolle now",
        put_right("I live …", "it's Zwolle now"),
    ),
    (
        "My doctor is Dr. Anke Sund.",
        "Forget that my doctor is Dr. Anke Sund, it's Dr. Kvist now",
        put_right("my doctor …", "it's Dr. Kvist now"),
    ),
    (
        "My wedding is on the 4th of June.",
        "Forget that my wedding is on the 4th of June, it's the 11th now",
        put_right("my wedding …", "it's the 11th now"),
    ),
    (
        "My class is on tuesdays.",
        "forget that my class is on tuesdays, it moved to thursdays",
        put_right("my class …", "it moved to thursdays"),
    ),
    (
        "My flight leaves at 6:40.",
        "Forget that my flight leaves at 6:40, it's been moved to 9:15.",
        put_right("my flight leaves …", "it's been moved to 9:15"),
    ),
    (
        "My flight leaves at 6:40.",
        "Forget that my flight leaves at 6:40, it's cancelled now",
        put_right("my flight leaves …", "it's cancelled now"),
    ),
    (
        "My physio is called Marloes.",
        "Forget that my physio is called Marloes, her name is Marleen",
        put_right("my physio …", "her name is Marleen"),
    ),
    (
        "My mate's name is Teun.",
        "forget that my mate's name is Teun, his name's Timo",
        put_right("my mate …", "his name's Timo"),
    ),
    (
        "I'm allergic to nuts.",
        "forget that I'm allergic to nuts, it's shellfish actually",
        put_right("I'm allergic …", "it's shellfish actually"),
    ),
    (
        "I have two cats.",
        "Forget that I have two cats, it's three now",
        put_right("I have … cats", "it's three now"),
    ),
    (
        "I take the bus at 8:05.",
        "forget that I take the bus at 8:05, it's 8:25 now",
        put_right("I take the bus …", "it's 8:25 now"),
    ),
    (
        "I take 20 mg of Prozac.",
        "Forget that I take 20 mg of Prozac, it's 40 mg now",
        put_right("I take … mg", "it's 40 mg now"),
    ),
    (
        "I have a meeting on Monday at 10.",
        "Forget that I have a meeting on Monday at 10, it's on Tuesday now",
        put_right("I have a meeting …", "it's on Tuesday now"),
    ),
    (
        "My sister lives in Lyon with her husband.",
        "Forget that my sister lives in Lyon with her husband, it's Nantes now",
        put_right("my sister lives …", "it's Nantes now"),
    ),
    ("I live in Gouda.", "Forget that I live in Gouda, I moved from Gouda to Zwolle", 'The user said: "I moved … to Zwolle"'),
    (
        "My interview is on Friday.",
        "Forget that my interview is on Friday, they moved it to Monday",
        put_right("my interview …", "they moved it to Monday"),
    ),
    (
        "My rent is 780.",
        "Forget that my rent is 780, it went from 780 to 850",
        put_right("my rent …", "it went … to 850"),
    ),
    (
        "My boss is Petra.",
        "Forget that my boss is Petra, it's Eva instead of Petra now",
        put_right("my boss …", "it's Eva"),
    ),
    (
        "My boss is Petra.",
        "Forget that my boss is Petra, it's Eva now, Petra left",
        put_right("my boss …", "it's Eva now"),
    ),
    (
        "My rent is 780.",
        "Forget that I told you my rent is 780, it's 850 now",
        put_right("my rent …", "it's 850 now"),
    ),
    (
        "My rent is 780.",
        "forget that my rent is 780, now it's 850",
        put_right("my rent …", "it's 850"),
    ),
    (
        "My number is 0612345.",
        "Forget that my number is 0612345, the new one is 0698765",
        put_right("my number …", "the new one is 0698765"),
    ),
    (
        "The deposit was 1200.",
        "forget that the deposit was 1200, turns out its 1500",
        put_right("the deposit …", "its 1500"),
    ),
    (
        "The deposit was 1200.",
        "forget the deposit being 1200, turns out its 1500",
        put_right("the deposit …", "its 1500"),
    ),
    (
        "The wifi costs 20 a month.",
        "forget the wifi costing 20 a month, it's 25 now",
        put_right("the wifi costing …", "it's 25 now"),
    ),
    (
        "My dog weighs 12 kilos.",
        "forget my dog weighing 12 kilos, he's 14 now",
        put_right("my dog weighing … kilos", "he's 14 now"),
    ),
    (
        "My lease ends in March.",
        "Forget that my lease ends in March, it was extended to April 30",
        put_right("my lease ends …", "it was extended to April 30"),
    ),
    (
        "My dentist is Dr. Chen.",
        "Forget what I said about my dentist, his name is Bremer",
        put_right("my dentist …", "his name is Bremer"),
    ),
]
ASKED_ABOUT = [
    (
        "My dentist is called Amsel and her office is in Kent.",
        "Forget that my dentist is called Amsel, her name is Bremer",
        "Bremer",
    ),
    ("My son is called Ole, and my wife loves chess.", "forget that my son is called Ole, his name is Olav", "Olav"),
    ("The deposit was 1200 and the lease was short.", "forget that the deposit was 1200, turns out its 1500", "1500"),
]
UNCLEAR = "Forget that I love chess, it's bridge now"


@pytest.fixture
def log() -> PaperLog:
    return PaperLog(AT_ONCE)


def told(log: PaperLog) -> list[str]:
    log.erase()
    return [each.texts[0] for each in log.words().told.values()]


def outcome(log: PaperLog, text: str) -> str:
    [read] = [event.data for event in log.tell(user_says(text)) if isinstance(event.data, ChatCommandRead)]
    return read.outcome


@pytest.mark.parametrize(("old", "command", "new"), STATED)
def test_the_new_value_is_quoted_without_the_old_one(log: PaperLog, old: str, command: str, new: str) -> None:
    log.tell(user_says(old))
    if outcome(log, command) == "asked_back":
        log.tell(user_says("yes"))
    assert told(log) == [new]


@pytest.mark.parametrize(("old", "command", "value"), ASKED_ABOUT)
def test_after_a_question_and_a_yes_the_new_value_is_kept_too(log: PaperLog, old: str, command: str, value: str) -> None:
    log.tell(user_says(old))
    assert outcome(log, command) == "asked_back"
    log.tell(user_says("yes"))
    [kept] = told(log)
    assert value in kept


def test_where_the_old_value_cannot_be_told_from_the_rest_the_person_is_asked(log: PaperLog) -> None:
    log.tell(user_says("I love chess."))
    assert outcome(log, UNCLEAR) == "asked_back"
    assert "I love chess." in told(log)
    found = read_chat_command(UNCLEAR)
    assert found is not None
    assert new_values(UNCLEAR, found) == ()


@pytest.mark.parametrize(
    "told",
    ["forget my rent is 780 turns out its 850", "forget that my rent is 780 its 850", "forget my rent is 780 it's now 850"],
)
def test_where_a_new_value_runs_on_the_person_is_asked_and_nothing_is_lost(told: str) -> None:
    log = PaperLog(AT_ONCE)
    log.tell(user_says("My rent is 780."))
    [read] = [event.data for event in log.tell(user_says(told)) if isinstance(event.data, ChatCommandRead)]
    assert read.outcome == "asked_back"
