from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.consolidator.domain.dates import resolved
from services.consolidator.domain.extraction import MOST_FACTS, SaidTurn
from services.consolidator.domain.kinds import FactTag
from services.consolidator.domain.rules import facts
from shared.contracts.commands import ExtractedFact
from shared.contracts.ids import MemoryId
from shared.contracts.parts import MAX_TEXT_CHARACTERS, Role
from shared.domain.importance import judge
from shared.language.text.voice import third_person
from tests.support.annotated_talks import what_holds
from tests.support.examples import examples

MONDAY = datetime(2026, 3, 9, 12, tzinfo=UTC)


def turns(*texts: str, speaker: str | None = "Anna", role: Role = Role.USER) -> list[SaidTurn]:
    return [
        SaidTurn(MemoryId(f"ep_{number}"), number=number, role=role, speaker=speaker, text=text, occurred_at=MONDAY)
        for number, text in enumerate(texts, start=1)
    ]


def learned(*texts: str, speaker: str | None = "Anna") -> list[str]:
    return [fact.text for fact in facts(turns(*texts, speaker=speaker))]


@pytest.mark.parametrize(
    "text",
    [
        "my son is allergic to nuts. what can I cook?",
        "my son is allergic to nuts, what can I cook?",
        "my son is allergic to nuts so what can I cook?",
        "my son is allergic to nuts, so what can I cook?",
        "my son is allergic to nuts (what can I cook?)",
        "what can I cook? my son is allergic to nuts",
    ],
)
def test_what_is_said_of_a_relative_beside_a_question_is_a_fact(text: str) -> None:
    assert learned(text) == ["Anna's son is allergic to nuts."]


def learned_one(*texts: str) -> ExtractedFact:
    [fact] = facts(turns(*texts))
    return fact


FACTS = [
    # who one is
    ("I'm a marine biologist in Gothenburg.", "Anna is a marine biologist in Gothenburg."),
    ("I am allergic to shrimp", "Anna is allergic to shrimp."),
    ("i'm allergic to peanuts lol", "Anna is allergic to peanuts."),
    ("Yeah, I’m from Norway!", "Anna is from Norway."),
    ("I work as a nurse and live in Leeds.", "Anna works as a nurse and lives in Leeds."),
    ("I don't eat meat.", "Anna doesn't eat meat."),
    ("I've lived in Oslo since 2019.", "Anna has lived in Oslo since 2019."),
    ("I've been playing the cello for ten years", 'Anna said: "I\'ve been playing the cello for ten years"'),
    ("I used to play chess.", 'Anna said: "I used to play chess"'),
    ("I have two kids.", "Anna has two kids."),
    ("I've got a cat.", 'Anna said: "I\'ve got a cat"'),
    ("I was born in Accra.", "Anna was born in Accra."),
    ("I speak Portuguese and French", "Anna speaks Portuguese and French."),
    ("I teach maths at a school in York.", 'Anna said: "I teach maths at a school in York"'),
    ("I study law.", "Anna studies law."),
    ("I'm 34 years old.", "Anna is 34 years old."),
    ("I'm vegan.", "Anna is vegan."),
    ("I have type 1 diabetes.", "Anna has type 1 diabetes."),
    ("My birthday is on 3 May.", "Anna's birthday is on 3 May."),
    ("My email is anna@example.org", "Anna's email is anna@example.org."),
    ("My shift starts at 4 every morning.", 'Anna said: "My shift starts at 4 every morning"'),
    ("Anna here, pastry chef at the Copper Whisk", 'Anna said: "Anna here, pastry chef at the Copper Whisk"'),
    # preferences
    ("I really love Nordic folk music!", "Anna really loves Nordic folk music."),
    ("I can't stand surprise parties.", "Anna can't stand surprise parties."),
    ("My favourite colour is green.", "Anna's favourite colour is green."),
    ("I'm a huge fan of jazz", "Anna is a huge fan of jazz."),
    ("I only run to Afrobeat.", 'Anna said: "I only run to Afrobeat"'),
    ("Honestly, I hate flying.", "Anna hates flying."),
    # whom one knows
    ("My sister Elin lives in Malmö with her husband.", 'Anna said: "My sister Elin lives in Malmö with her husband"'),
    (
        "My cat Sill hides under the sofa every time I practise.",
        'Anna said: "My cat Sill hides under the sofa every time I practise"',
    ),
    ("Biscuit is my dog.", 'Anna said: "Biscuit is my dog"'),
    ("My girlfriend Dee knows I limp like a pirate.", 'Anna said: "My girlfriend Dee knows I limp like a pirate"'),
    ("My wife and I have a house in Wales.", 'Anna said: "My wife and I have a house in Wales"'),
    ("Our dog is called Biscuit.", "Anna's dog is called Biscuit."),
    # plans, goals, commitments
    ("I'm going to move to Bergen in August.", 'Anna said: "I\'m going to move to Bergen in August"'),
    ("I'm gonna quit my job", 'Anna said: "I\'m gonna quit my job"'),
    ("I've signed up for the half marathon.", 'Anna said: "I\'ve signed up for the half marathon"'),
    ("I'm not moving to Bergen.", 'Anna said: "I\'m not moving to Bergen"'),
    ("I want to run a marathon.", 'Anna said: "I want to run a marathon"'),
    ("My goal is to finish under two hours.", 'Anna said: "My goal is to finish under two hours"'),
    ("I'll tell Birgitta on Tuesday.", 'Anna said: "I\'ll tell Birgitta on Tuesday (2026-03-10)"'),
    ("I promised my mother a visit.", 'Anna said: "I promised my mother a visit"'),
    ("We're getting married on Saturday 13 June", 'Anna said: "We\'re getting married on Saturday 13 June (2026-06-13)"'),
    ("I wanna buy a boat", 'Anna said: "I wanna buy a boat"'),
    ("I need to renew my passport.", 'Anna said: "I need to renew my passport"'),
    # what happened
    ("I went to Oslo yesterday.", 'Anna said: "I went to Oslo yesterday (2026-03-08)"'),
    ("Just moved to Lisbon!", 'Anna said: "Just moved to Lisbon"'),
    (
        "Lost my job as a banker yesterday, so I'm starting a business.",
        'Anna said: "Lost my job as a banker yesterday (2026-03-08), so I\'m starting a business"',
    ),
    ("I finished my thesis two weeks ago", 'Anna said: "I finished my thesis two weeks ago (about 2026-02-23)"'),
    (
        "We went out for dinner on Saturday and they put shrimp in my soup.",
        'Anna said: "We went out for dinner on Saturday (2026-03-07) and they put shrimp in my soup"',
    ),
    ("I adopted a puppy last month.", 'Anna said: "I adopted a puppy last month (2026-02)"'),
    # asked to be remembered
    ("Please remember that my car is in lot B.", 'Anna said: "Please remember that my car is in lot B"'),
    ("Can you remember that I hate coriander?", "Anna hates coriander."),
    ("Remember: the door code is 4711.", 'Anna said: "Remember: the door code is 4711"'),
    (
        "Can you note Grace's address? It's grace@example.org",
        "Anna said: \"Can you note Grace's address? It's grace@example.org\"",
    ),
    # what is said to the listener is cut off
    ("I moved to Leeds, as you know.", 'Anna said: "I moved to Leeds, as you know"'),
    ("I ran a marathon in Oslo, like you said I should.", 'Anna said: "I ran a marathon in Oslo, like you said I should"'),
]

NOTHING = [
    # questions
    "Do I have a dog?",
    "What would I do without you?",
    "I live in Oslo, right?",
    "What have I got to bake again",
    # greetings, small talk, moods
    "Hi there!",
    "Good morning! How are you?",
    "Thanks, I love it!",
    "I love that.",
    "I'm so glad to hear that.",
    "I'm fine, thanks.",
    "I'm a bit tired.",
    "I have a question.",
    "I have no idea.",
    "I agree.",
    "I think so too.",
    "I'll be right back.",
    "I want to know more about Rome.",
    "I love you.",
    "Friday works for me.",
    # hypotheticals and wishes
    "If I lived in Oslo I would own a boat.",
    "I would move to Bergen.",
    "I wish I had a dog.",
    "Imagine I am a pirate with a parrot.",
    "I could have been a doctor.",
    "It is as if I have two jobs.",
    # orders to the listener
    "Write a poem in which I am a king.",
    "Pretend I'm a doctor in Leeds.",
    "Translate: I love my wife.",
    "Forget that I live in Oslo.",
    "Don't tell my cat.",
    "Let's say I work at a bank.",
    "Tell me about my sister Elin, who lives in Malmö.",
    # other people's words
    '"I am a doctor and I live in Rome", said the man.',
    "> I live in Oslo",
    "My mum says I'm a lazy cook.",
    "```\nI am a string = 5\n```",
    # cannot stand alone
    "Last night was amazing!",
    "I'm planning a few.",
    "Here's one I made last week.",
    "Love and acceptance are everywhere.",
    "I love him.",
    "I'll test it tomorrow.",
    "He is a doctor.",
    "It was great.",
    # about the listener
    "You are a good listener.",
    "Your idea made me famous.",
    # nothing at all
    "🎉🎉🎉",
    "   \n\t ",
]


@pytest.mark.parametrize(("said", "fact"), FACTS)
def test_a_statement_becomes_one_fact_in_the_third_person_if_it_is_plain_and_else_a_quotation(said: str, fact: str) -> None:
    assert learned(said) == [fact]


@pytest.mark.parametrize("said", NOTHING)
def test_what_states_nothing_of_the_user_teaches_nothing(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Jag bor i Göteborg och har en katt.",
        "私は東京に住んでいます。",
        "Ik woon in Utrecht, met mijn broer.",
        "Dziś mam urodziny.",
    ],
)
def test_a_text_in_a_language_without_a_file_is_quoted_and_read_by_no_others_rules(said: str) -> None:
    [fact] = facts(turns(said))
    assert fact.text == f'Anna said: "{said.rstrip(".。")}"'
    assert fact.slots == ()


@pytest.mark.parametrize(
    "said", ["I might buy a house.", "Maybe I'll move to Bergen in May.", "I think my sister lives in Rome."]
)
def test_what_is_not_sure_is_quoted_with_less_confidence_and_asserts_nothing(said: str) -> None:
    [fact] = facts(turns(said))
    assert fact.text == f'Anna said: "{said.rstrip(".")}"'
    assert fact.slots == ()
    assert fact.confidence < learned_one("I bought a house in Bergen.").confidence


def test_without_a_name_it_is_the_user() -> None:
    assert learned("I'm allergic to nuts. My cat hates me since March.", speaker=None) == [
        "The user is allergic to nuts.",
        'The user said: "My cat hates me since March"',
    ]


def test_the_full_name_stands_once_then_the_first_name() -> None:
    assert learned("I live in Leeds and work in York as a nurse.", speaker="Marcus Oduya") == [
        'Marcus Oduya said: "I live in Leeds and work in York as a nurse"'
    ]


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.SYSTEM])
def test_only_the_user_states_facts(role: Role) -> None:
    assert facts(turns("I live in Oslo.", role=role)) == []


def test_a_known_name_is_no_news() -> None:
    assert learned("Hi, I'm Anna.", speaker="Anna Lindqvist") == []
    assert learned("Hi, my name is Anna.", speaker=None) == ["The user's name is Anna."]


def test_a_sentence_that_leans_on_the_one_before_is_kept_with_it() -> None:
    assert learned("My dog's name is Rex. He's a labrador.") == ["Anna said: \"My dog's name is Rex. He's a labrador\""]


@pytest.mark.parametrize(
    ("said", "corrected"),
    [
        ("I'll tell Birgitta on Tuesday.", "Oh wait, no, it's Thursday not Tuesday."),
        ("I live in Leeds.", "I meant London, not Leeds."),
        ("Remember that my car is in lot B.", "Sorry, lot C not lot B."),
        ("My flight is at 9 on Friday.", "Sorry, I meant Saturday."),
        ("I am allergic to lactose.", "Sorry, not lactose, it's gluten."),
    ],
)
def test_a_correction_is_quoted_with_what_it_puts_right_and_cites_both_turns(said: str, corrected: str) -> None:
    learned = learned_one(said, corrected)
    assert what_holds(learned) == f'"{corrected.rstrip(".")}"'
    assert resolved(said.rstrip("."), MONDAY.date()) in learned.text
    assert learned.source_ids == ("ep_1", "ep_2")
    assert FactTag.CORRECTION in learned.tags


def test_a_correction_of_the_value_of_a_slot_changes_the_slot() -> None:
    [slot] = learned_one("I am allergic to lactose.", "Sorry, not lactose, it's gluten.").slots
    assert (slot.attribute, slot.value, slot.replaces) == ("allergy", "gluten", "lactose")


def test_a_correction_of_nothing_that_was_said_changes_nothing() -> None:
    assert learned("I live in Leeds.", "It's Thursday not Tuesday.") == ["Anna lives in Leeds."]


def test_the_same_said_twice_is_one_fact_with_both_sources() -> None:
    fact = learned_one("I live in Oslo.", "I live in OSLO!")
    assert fact.text == "Anna lives in Oslo."
    assert fact.source_ids == ("ep_1", "ep_2")


@pytest.mark.parametrize(
    ("said", "importance"),
    [
        ("Please remember that I love jazz.", 1.0),  # 0.3 + 0.5 asked + 0.3 lasting, at most 1
        ("Remember: the door code is 4711.", 0.8),
        ("I love jazz.", 0.6),
        ("I went to Oslo yesterday.", 0.3),
    ],
)
def test_importance_follows_the_specification(said: str, importance: float) -> None:
    fact = learned_one(said)
    assert fact.importance is None  # ingest judges
    assert judge(fact.text, tags=fact.tags).value == importance


def test_a_hedge_costs_confidence() -> None:
    assert learned_one("I think I moved to Bergen").confidence < learned_one("I moved to Bergen").confidence


@pytest.mark.parametrize(
    ("said", "tag"),
    [
        ("I love jazz", FactTag.PREFERENCE),
        ("I'm a nurse", FactTag.ATTRIBUTE),
        ("My sister lives in Rome", FactTag.RELATIONSHIP),
        ("I'm going to move to Rome", FactTag.PLAN),
        ("I moved to Rome", FactTag.EVENT),
        ("My goal is a marathon under two hours, and it is far away", FactTag.GOAL),
        ("I promised to pay her rent", FactTag.COMMITMENT),
        ("Please remember that I love jazz", FactTag.ASKED),
    ],
)
def test_the_kind_is_a_tag(said: str, tag: FactTag) -> None:
    assert tag in learned_one(said).tags


@pytest.mark.parametrize(
    ("said", "meant"),
    [  # on Monday 9 March 2026
        ("She left yesterday", "She left yesterday (2026-03-08)"),
        ("She leaves tomorrow", "She leaves tomorrow (2026-03-10)"),
        ("She came last night", "She came last night (2026-03-08)"),
        ("the day before yesterday", "the day before yesterday (2026-03-07)"),
        ("She came last Friday", "She came last Friday (2026-03-06)"),
        ("She comes next Friday", "She comes next Friday (2026-03-20)"),
        ("She comes this Friday", "She comes this Friday (2026-03-13)"),
        ("She came on Friday", "She came on Friday (2026-03-06)"),
        ("She will come on Friday", "She will come on Friday (2026-03-13)"),
        ("She came last week", "She came last week (week of 2026-03-02)"),
        ("She comes next month", "She comes next month (2026-04)"),
        ("She came last year", "She came last year (2025)"),
        ("She came three weeks ago", "She came three weeks ago (about 2026-02-16)"),
        ("She will come in 3 days", "She will come in 3 days (2026-03-12)"),
        ("It is on Thursday 30 April", "It is on Thursday 30 April (2026-04-30)"),
        ("It was on 28 December", "It was on 28 December (2025-12-28)"),
        # a day that is over, or over half a year away, where the words fit only the other one: in doubt
        ("It is on the 2nd of March", "It is on the 2nd of March (2027-03-02)"),
        ("I booked a table for 2 March", "I booked a table for 2 March (2027-03-02)"),
        ("She has scheduled the visit on March 23", "She has scheduled the visit on March 23 (2026-03-23)"),
        ("I got an appointment at the dentist on 24 March", "I got an appointment at the dentist on 24 March (2026-03-24)"),
        ("I am behind with the March 5 deadline", "I am behind with the March 5 (2026-03-05) deadline"),
        ("They confirmed on March 7 that I must sign", "They confirmed on March 7 (2026-03-07) that I must sign"),
        ("They moved the wedding to 20 February", "They moved the wedding to 20 February (2027-02-20)"),
        ("My taxes are due 1 March", "My taxes are due 1 March (2027-03-01)"),
        ("She came on 20 April", "She came on 20 April"),
        # what is got, booked or planned is to come
        ("I got an appointment on 24 March", "I got an appointment on 24 March (2026-03-24)"),
        ("We have scheduled the review on March 23", "We have scheduled the review on March 23 (2026-03-23)"),
        ("I signed up for the race on 2 May", "I signed up for the race on 2 May (2026-05-02)"),
        # already clear, recurring, or either of two days: left as it is
        ("It was on 3 May 2021", "It was on 3 May 2021"),
        ("She comes every Friday", "She comes every Friday"),
        ("She comes on Friday mornings", "She comes on Friday mornings"),
        ("She comes on Mondays", "She comes on Mondays"),
        ("She came on Monday", "She came on Monday"),
        ("She decided to come on Friday", "She decided to come on Friday"),
        ("She read it in two days", "She read it in two days"),
        ("Her birthday is on 3 May", "Her birthday is on 3 May"),
        ("It is on Monday 30 April", "It is on Monday 30 April"),
        ("It is on 31 February", "It is on 31 February"),
        ("in 999 years, 999 years ago", "in 999 years (3025), 999 years ago (1027)"),
    ],
)
def test_dates_that_lean_on_the_day_are_written_out(said: str, meant: str) -> None:
    assert resolved(said, MONDAY.date()) == meant


@pytest.mark.parametrize("day", [date.min, date.max])
def test_days_outside_the_calendar_are_left_as_they_are(day: date) -> None:
    for words in (
        "yesterday, tomorrow",
        "last week and next week",
        "last month and next month",
        "999 years ago",
        "in 999 days",
    ):
        resolved(words, day)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I watch birds and I try", "Anna watches birds and Anna tries."),
        ("I never go", "Anna never goes."),
        ("I have gone and I had been", "Anna has gone and Anna had been."),
        ("I will go with my son", "Anna will go with Anna's son."),
        ("I was ill, you gave me soup", "Anna was ill, you gave Anna soup."),
        ("I taught myself", "Anna taught themselves."),
        ("We sold our car and they paid us", "Anna and others sold Anna's car and they paid them."),
        ('I said "I am here"', 'Anna said "I am here".'),
        ("Biscuit and I run", "Biscuit and Anna run."),
    ],
)
def test_the_rewrite_is_right_in_person_and_number(said: str, told: str) -> None:
    assert third_person([said], "Anna") == told


HOSTILE = [
    "a" * MAX_TEXT_CHARACTERS,
    "!" * (MAX_TEXT_CHARACTERS - 1) + "x",
    " " * (MAX_TEXT_CHARACTERS - 1) + "x",
    "\n" * MAX_TEXT_CHARACTERS,
    "`" * MAX_TEXT_CHARACTERS,
    ".'" * (MAX_TEXT_CHARACTERS // 2),
    "😄" * MAX_TEXT_CHARACTERS,
    "I really " * (MAX_TEXT_CHARACTERS // 9),
    "my dear sister and I " * (MAX_TEXT_CHARACTERS // 21),
    ("my " + "dear " * 70 + "sister. ") * (MAX_TEXT_CHARACTERS // 361),
    ("oh, no, well, " * 28 + "I. ") * (MAX_TEXT_CHARACTERS // 395),
    ("I am " + "really " * 50 + "it. ") * (MAX_TEXT_CHARACTERS // 359),
    ("Is " * 120 + "on Friday. ") * (MAX_TEXT_CHARACTERS // 371),
    "it's Thursday not Tuesday. " * (MAX_TEXT_CHARACTERS // 27),
    "I love cats. He is a cat. " * (MAX_TEXT_CHARACTERS // 26),
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_takes_long(text: str) -> None:
    started = time.process_time()
    facts(turns(text))
    assert time.process_time() - started < 5


def test_more_facts_than_can_be_sent_are_cut_to_the_surest() -> None:
    many = " ".join(f"I bought car number {index} on Friday." for index in range(500))
    assert len(facts(turns(many))) == MOST_FACTS


WORDS = st.sampled_from(
    """I I'm I've I'll we my me our am is not don't really love live work moved going to and but because you it he she Elin
    sister cat allergic shrimp Oslo yesterday on Friday 30 April next week remember that if would? no, Thursday not Tuesday. !
    " ( 😄 #x hi, ; - 3 every""".split()  # noqa: SIM905
)
SENTENCES = st.lists(WORDS, max_size=40).map(" ".join)
SPEAKERS = st.none() | st.just("Anna Lind") | st.text(max_size=20)


@settings(max_examples=examples(300))
@given(texts=st.lists(SENTENCES | st.text(max_size=200), max_size=6), speaker=SPEAKERS)
def test_any_text_is_read_the_same_way_twice_and_every_fact_has_its_sources(texts: list[str], speaker: str | None) -> None:
    said = turns(*texts, speaker=speaker)
    found = facts(said)
    assert facts(said) == found
    assert all(fact.source_ids and set(fact.source_ids) <= {turn.memory_id for turn in said} for fact in found)
    assert len({fact.text.casefold() for fact in found}) == len(found)


_REFUSING = """
import asyncio, sys
from services.consolidator.domain.rules import RuleExtractor

async def refuse(*_):
    raise TimeoutError

try:
    asyncio.run(RuleExtractor.run_by(refuse).extract([]))
except TimeoutError:
    print([name for name in ("reading", "outdating") if f"services.consolidator.domain.{name}" in sys.modules])
"""


def test_what_the_rules_need_is_loaded_where_their_work_is_done() -> None:
    """It takes half a second, in which nobody would be answered."""
    ran = subprocess.run([sys.executable, "-c", _REFUSING], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
