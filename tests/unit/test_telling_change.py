"""Which of two statements holds, where no fact tells: the newer one, if it says that something changed."""

from dataclasses import replace
from pathlib import Path

import pytest

from services.retriever.domain.diversity import RankedText
from services.retriever.domain.telling_change import tells_change, tells_end
from tests.support.files import question, shelved
from tests.support.scopes import at


@pytest.mark.parametrize(
    "text",
    [
        *("I take my coffee black now", "no more night shifts", "I don't do that anymore", "the cast is off!", "We moved it."),
        *(
            "Ich arbeite nicht mehr dort",
            "jetzt trinke ich Tee",
            "Ya no fumo",
            "Je ne fume plus",
            "J'habite à Rennes maintenant",
        ),
    ],
)
def test_a_statement_says_that_something_changed(text: str) -> None:
    assert tells_change(text)


@pytest.mark.parametrize(
    "text",
    [
        *("I know a nowhere man", "I take my coffee with sugar", "My boss said that he works in Rome now"),
        *("If I moved I would miss the sea", "I live in the office now, just kidding", 'Ann: "I no longer eat fish"'),
    ],
)
def test_what_says_nothing_of_a_change_or_is_not_meant_does_not(text: str) -> None:
    assert not tells_change(text)


SKIFF, CHANGED, UNCHANGED = "Winds carry my skiff", "Tides carry my skiff now", "Tides carry her skiff"


@pytest.mark.parametrize(
    ("asks", "later", "first"),
    [
        ("What carries my skiff?", CHANGED, CHANGED),
        ("What carries my skiff?", UNCHANGED, UNCHANGED),
        ("What carried my skiff before?", UNCHANGED, SKIFF),
    ],
)
def test_the_newer_of_two_like_statements_comes_first_where_it_is_asked_what_holds_now(
    tmp_path: Path, asks: str, later: str, first: str
) -> None:
    file = shelved(tmp_path / "anna.db")
    file.embed(file.say(SKIFF, session="s1", now=at(1)), (1, 0, 0))
    file.embed(file.say(later, session="s2", now=at(90)), (0.8, 0.6, 0))
    asked = question(asks, vector=(0.97, 0.2, 0), now=at(99))
    assert file.texts(asked)[0] == first


ENDED = [
    ("The user's boss is called Petra.", "boss", "petra", "Petra left, so the user reports to Giles.", True),
    ("The user's gym is PureGym.", "gym", "puregym", "The user cancelled PureGym.", True),
    ("The user has three chickens.", "chickens", "three", "A fox came, the user is down to two chickens.", True),
    ("The user's boss is called Petra.", "boss", "petra", "Petra likes the sea.", False),
    ("The user's boss is called Petra.", "boss", "petra", "The user left the choir.", False),
]


@pytest.mark.parametrize(("older", "attribute", "value", "newer", "is_newer"), ENDED, ids=[each[3] for each in ENDED])
def test_what_names_the_same_and_says_that_it_changed_or_is_over_is_newer_however_it_is_worded(
    older: str, attribute: str, value: str, newer: str, *, is_newer: bool
) -> None:
    before = RankedText(1.0, 60.0, "s1", older, values=(value,), attributes=(attribute,))
    after = RankedText(0.6, 5.0, "s2", newer, tells_change=tells_change(newer), tells_end=tells_end(newer))
    assert after.is_newer_of(before, likeness=0.1) is is_newer
    assert not replace(after, session="s1").is_newer_of(before, likeness=0.1)
