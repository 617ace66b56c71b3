"""A fact ends, and a profile says something, only by a whole clause of a plain shape with a value of its attribute's type."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.consolidator.domain.extraction import SaidTurn
from services.consolidator.domain.rules import facts
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Role
from shared.language.statements.handed_over import own_words
from shared.language.statements.reading import read_slots
from shared.language.statements.whole import recorded
from tests.support.commands import remember
from tests.support.examples import examples
from tests.support.paper import PaperLog

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)
CHANGES = {"fact_superseded", "fact_outdated", "conflict_detected"}


def learned(*said: str, speakers: tuple[str, ...] = ()) -> list[str]:
    return [fact.text for fact in _facts(*said, speakers=speakers)]


def _facts(*said: str, speakers: tuple[str, ...] = ()) -> list:  # type: ignore[type-arg]
    who = speakers or (None,) * len(said)
    turns = zip(said, who, strict=True)
    return facts(
        [SaidTurn(MemoryId(f"ep_{n}"), n, Role.USER, name, text, NOON) for n, (text, name) in enumerate(turns, start=1)]
    )


def told(*texts: str) -> set[str]:
    """The kinds of events to which the last of these statements leads."""
    log = PaperLog()
    *_, last = [log.tell(remember(text)) for text in texts]
    return {event.type for event in last}


def plain(text: str) -> dict[str, str | None]:
    return {slot.attribute: slot.value for slot in recorded(read_slots(text))[0] if not (slot.is_implied or slot.negated)}


KNOWN = (
    *(
        "I live in Bergen.",
        "I am from Porto.",
        "I'm 52.",
        "I work as a baker.",
        "I work at Lindholm Partners.",
        "I am married.",
    ),
    *(
        "I have three children.",
        "My name is Carla Stone.",
        "I'm vegetarian.",
        "My cat is called Miso.",
        "My rent is 900 euros.",
    ),
    *("My partner is called Luca.", "I drive a Golf.", "The launch is on 12 September.", "I'm studying physics."),
)
LEADS = (
    *("Based on", "From", "As", "At", "Since", "In terms of", "With", "On top of", "Starting from", "In line with", "Out of"),
    *("After", "For", "In light of", "In spite of", "Because of", "Away from", "Moving on from", "Coming from"),
)
THINGS = (
    *(
        "my observations",
        "a practical perspective",
        "an editor",
        "the last two weeks",
        "June 2",
        "physical health",
        "a project",
    ),
    *(
        "the second chapter",
        "what I read",
        "my breaks",
        "the idea of retirement",
        "a hard bargain",
        "London fashion",
        "3 drafts",
    ),
)
RESTS = (
    *("I want to change the order of our meetings.", "it feels like a choice that fits.", "I am Slightly Overweight."),
    *("I am trying to shorten my portfolio.", "I'd like to learn more.", "it helps.", "I am single-minded about it."),
    *("I will start with short walks.", "I'm engaged in the discussion.", "I think of asking Mia, my new assistant."),
)
ALONE = (
    *(
        "I will move on to the second chapter.",
        "I'm struggling with a bug.",
        "I am engaged in a project.",
        "I started with it.",
    ),
    *(
        "I live in hope.",
        "I'm married to my work.",
        "I drive a hard bargain.",
        "I work as fast as I can.",
        "I work on weekends.",
    ),
    *("I'm working at a solution.", "My home is my castle.", "My rent is due on 3 May.", "My name is on the list."),
    *("I am with you on that.", "I'm based on nothing but guesses.", "I'm 30 minutes late.", "I turned 180 degrees."),
    *("My cat is called to the vet.", "I'm divorced from reality.", "My partner is a nurse."),
)
UNRELATED = st.builds(lambda lead, thing, rest: f"{lead} {thing}, {rest}", *map(st.sampled_from, (LEADS, THINGS, RESTS)))


@settings(max_examples=examples(400), deadline=None)
@given(st.sampled_from(KNOWN), UNRELATED | st.sampled_from(ALONE))
def test_no_unrelated_sentence_ends_a_fact_or_raises_a_question(known: str, said: str) -> None:
    assert not told(known, said) & CHANGES


@settings(max_examples=examples(400), deadline=None)
@given(UNRELATED)
def test_no_half_sentence_gives_somebody_a_home_job_name_age_or_partner(said: str) -> None:
    assert not plain(said).keys() & {"home", "hometown", "job", "employer", "name", "age", "partner", "relationship", "diet"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I'm vegetarian and allergic to nuts.", "I'm eating meat again."),
        ("I live in Leeds because the park is near.", "I live in York now."),
    ],
)
def test_only_the_value_that_changed_ends_and_the_unread_words_stay(old: str, new: str) -> None:
    assert told(old, new) >= {"fact_outdated"}
    assert "fact_superseded" not in told(old, new)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I work at a bakery in the mornings.", "I work at a bar at night."),
        ("I work as a nurse on weekdays.", "I work as a DJ at weekends."),
        ("I drive a Golf for work.", "I drive a Mini for fun."),
        ("Benchmark run 14 took 31.2 s", "Benchmark run 15 took 31.2 s"),
        ("The app uses Python 3.1", "The app uses Python 3.10"),
        ("The rule is in section 4.2", "The rule is in section 4.20"),
        ("My meeting with Tom is on Monday.", "My meeting is on Friday."),
    ],
)
def test_what_holds_at_another_time_or_of_another_thing_stands_beside(one: str, other: str) -> None:
    assert told(one, other) == {"fact_remembered"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna may eat peanuts", "Anna may not eat peanuts"),
        ("The door code works on Sundays", "The door code doesn't work on Sundays"),
    ],
)
def test_the_same_words_but_for_a_negation_are_asked_about_where_they_are_no_slot(one: str, other: str) -> None:
    assert told(one, other) == {"fact_remembered", "conflict_detected"}
    assert told(other, one) == {"fact_remembered", "conflict_detected"}


def test_what_is_disliked_ends_that_it_is_not() -> None:
    assert told("The user does not dislike Svelte", "The user dislikes Svelte") == {"fact_remembered", "fact_superseded"}


@pytest.mark.parametrize(
    ("one", "other"), [("I feel well", "I don't feel well"), ("My knee hurts today", "My knee doesn't hurt today")]
)
def test_a_mood_is_no_contradiction(one: str, other: str) -> None:
    assert told(one, other) == {"fact_remembered"}


@pytest.mark.parametrize(
    ("said", "home"),
    [
        ("I live in Ghent in a small flat.", "ghent"),
        ("I live in Ghent with my wife.", "ghent"),
        ("I live near Leeds in a village called Otley.", None),
        ("I moved to New York.", "new york"),
        ("I live right now in Ghent.", "ghent"),
    ],
)
def test_a_home_is_a_place_that_the_whole_clause_says(said: str, home: str | None) -> None:
    assert plain(said).get("home") == home


@pytest.mark.parametrize("said", ["I'm allergic to nuts.", "I am married.", "I'm on metformin.", "Je suis végétarien."])
def test_a_denial_is_learned_in_the_persons_own_words(said: str) -> None:
    denial = said.replace("I'm ", "I'm not ").replace("am m", "am not m").replace("Je suis", "Je ne suis pas")
    assert learned(said, denial) == [*learned(said), *learned(denial)]
    assert len(learned(denial)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "Unless my visa is refused, I move to Canada in June.",
        "Should the offer fall through, I stay in Leeds.",
        "Had I known, I live in Leeds.",
        "If I win, I live in Leeds.",
    ],
)
def test_what_holds_under_a_condition_is_no_fact_without_it(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Forwarded from Ben: I'm allergic to penicillin and I live in Turin.",
        "Forwarded message from Mum:\nI moved to York. My knee hurts.",
        "Momo: I don't even have a partner yet\nMe: that's not the point",
        "User[eve]: I like JavaScript",
        "[12:03] Ben: I live in York",
        "My professor's bio: I am a physicist and I live in Bern.",
        "Reply to this mail for me:\nHi, I'm Sandra from Acme. I have moved to Munich. Best, Sandra",
        "Can you proofread my friend's dating profile?\nI'm Tom and I'm allergic to cats.",
        "Please answer this email:\n\nDear Sir, I am a widow from Lyon. Regards, Marie",
        "Write a diary entry: Dear diary, I am 14 and I hate my school. My dog died.",
        "Fix the grammar: i has two dog",
    ],
)
def test_what_is_handed_over_is_nobodys_fact(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(
    "said",
    ["I am a nurse in Graz. Please write me a short CV.", "Fun fact: I live in Porto.", "My plan: I move to Leeds in May."],
)
def test_ones_own_words_before_a_task_or_behind_a_label_stay(said: str) -> None:
    assert own_words(said).startswith(said[:20])
    assert learned(said)


def test_of_several_speakers_each_is_a_subject_of_their_own() -> None:
    subjects = {
        slot.subject for fact in _facts("I'm vegan.", "I live in Porto.", speakers=("Bob", "Cleo")) for slot in fact.slots
    }
    assert subjects == {"bob", "cleo"}
    alone = {slot.subject for fact in _facts("I'm vegan.", "I live in Porto.", speakers=("Bob", "Bob")) for slot in fact.slots}
    assert alone == {"user"}


def test_a_sentence_in_two_languages_is_quoted() -> None:
    assert learned("Ich wohne in Köln but I work in Düsseldorf.") == [
        'The user said: "Ich wohne in Köln but I work in Düsseldorf"'
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Colin and Sandra have twins, Poppy and Rose.",
        "My neighbours have twins.",
        "No, no tengo hijos.",
        "no no, no tengo diabetes",
        "No, no estoy casada.",
    ],
)
def test_what_others_have_or_what_is_denied_twice_is_no_value_of_the_user(text: str) -> None:
    read = read_slots(text, said_on=date(2026, 3, 1))
    assert [slot for slot in read if slot.subject == "user" and not slot.negated] == []
