"""What was forgotten does not come back in other words: who says it again decides, and what says something else is ordinary."""

from __future__ import annotations

from datetime import timedelta

import pytest

from shared.contracts.command import Command
from shared.contracts.commands import Turn
from shared.contracts.consolidating import SaveFactsBatch
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Forgotten, NoEvidence
from shared.contracts.events import EpisodeRecorded
from shared.contracts.ids import MessageId, SessionId
from shared.contracts.privacy import Forget, MemoryForgotten, TombstoneLifted
from tests.support.commands import agent_says, import_of, remember, system_says, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import T0

SOON = T0 + timedelta(seconds=30)
LATER = T0 + timedelta(hours=25)
YEARS = T0 + timedelta(days=1_000)
OLD = T0 - timedelta(days=400)

STAYING = ("I work as a pastry chef in Leeds.", "My brother Tom likes chess.", "Anna moved to Oslo in 2021.", "I have a dog.")
BY_WORDS = {
    "Zorvanda": "My sister Zorvanda is allergic to walnuts.",
    "wolfram": "My cat is called Wolfram, he is 3.",
    "Kestrelby": "I grew up in Kestrelby before the flood.",
    "salary at Brontec": "My salary at Brontec is 73000 a year.",
}


class Bereft:
    """A log in which one statement of several was forgotten."""

    def __init__(self, statement: str, query: str | None, *, erased: bool = True) -> None:
        self.log = PaperLog()
        for text in STAYING:
            self.log.tell(user_says(text))
        [turn] = _turns(self.log.tell(user_says(statement)))
        self.log.tell(Forget(query=query) if query else Forget(memory_ids=(turn.memory_id,)))
        if erased:
            self.log.erase()

    def comes_back(self, command: Command, *, later: bool = False) -> bool:
        """Whether a command leaves anything that may be recalled."""
        try:
            events = self.log.tell(command, now=YEARS if later else SOON)
        except (Forgotten, NoEvidence):
            return False
        return any(not getattr(each.data, "held_back", False) for each in events if each.data.makes)


def _turns(events: list[Envelope]) -> list[EpisodeRecorded]:
    return [event.data for event in events if isinstance(event.data, EpisodeRecorded)]


ZORVANDA = BY_WORDS["Zorvanda"]
SAID = [
    "Your sister Zorvanda is allergic to walnuts.",
    "Since walnuts are dangerous for Zorvanda, I left them out.",
    "Noted! I will keep Zorvanda's allergy in mind.",
    "YOUR SISTER ZORVANDA MUST NOT EAT WALNUTS",
    "your sister zorvanda: no walnuts",
    "your sister Zor\u200bvanda is aller\u00adgic to wal\u200dnuts",
    "Übrigens: deine Schwester Zorvanda verträgt keine Walnüsse.",
    "Zorvandas Allergie habe ich notiert.",
    "Ta sœur Zorvanda est allergique aux noix.",
    "Your sister is allergic to walnuts.",
    "Zörvanda can't have walnuts.",
    "Ask @zorvanda about walnuts",
]


@pytest.mark.parametrize("query", ["Zorvanda", None])
@pytest.mark.parametrize("text", SAID)
def test_what_others_say_of_it_is_never_recorded(text: str, query: str | None) -> None:
    told = Bereft(ZORVANDA, query)
    for turn in (agent_says(text), system_says(text)):
        assert not told.comes_back(turn)
        assert not told.comes_back(turn, later=True)
    for turn in (user_says(text, occurred_at=OLD), user_says(text, occurred_at=SOON), agent_says(text, occurred_at=OLD)):
        assert not told.comes_back(import_of([turn]))
        assert not told.comes_back(import_of([turn]), later=True)
    assert not told.comes_back(user_says(text, occurred_at=OLD), later=True)
    assert not told.comes_back(user_says(text))


BESIDE: list[Turn] = [
    agent_says("She is fine.", speaker="Zorvanda"),
    agent_says("She is fine.", metadata={"about": {"who": ["Zorvanda is allergic to walnuts"]}}),
    agent_says("She is fine.", metadata={"Zorvanda": True}),
    user_says("She is fine.", speaker="Zorvanda"),
]


@pytest.mark.parametrize("turn", BESIDE)
def test_nor_does_it_come_back_beside_the_words(turn: Turn) -> None:
    assert not Bereft(ZORVANDA, "Zorvanda").comes_back(turn)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("wolfram", "My cat is called Wolfram, he is 3."),
        ("wolfram", "How is Wolfram doing today?"),
        ("Kestrelby", "You told me that you come from Kestrelby."),
        ("salary at Brontec", "Your salary at Brontec is a good one."),
        ("salary at Brontec", "With 73000 a year you can afford it."),
    ],
)
def test_the_words_of_the_query_are_enough(query: str, text: str) -> None:
    told = Bereft(BY_WORDS[query], query, erased=False)
    assert not told.comes_back(agent_says(text))
    assert not told.comes_back(user_says(text))


def test_what_nobody_names_is_recognised_by_most_of_its_words() -> None:
    for statement, again in {
        "I am allergic to walnuts.": "Because of your walnut allergy I chose almonds.",
        "I like tea.": "You like tea, I remember.",
        "Ich bin allergisch gegen Nüsse": "Du bist ja gegen Nüsse allergisch!",
        "My password hint is the old lighthouse keeper.": "Your hint was: the old lighthouse keeper (password).",
        "Call me on 0171 555-1234.": "I'll ring 01715551234.",
        "我的猫叫沃尔夫": "你的猫叫沃尔夫吧",
    }.items():
        assert not Bereft(statement, None).comes_back(agent_says(again)), again


ORDINARY = [
    "Anna likes walnuts.",
    "Anna is allergic to walnuts.",
    "Your brother Tom is allergic to pollen.",
    "Walnuts are rich in omega-3.",
    "Your sister called.",
    "Many people are allergic to nuts.",
    "Zora is your cousin.",
    "Vanda Zorn wrote the book.",
    "The recipe needs 200 g of walnuts and some flour.",
    "You are allergic to cats.",
    "Which walnuts do you mean?",
    "My sister is a nurse.",
    "Here is a poem about autumn.",
    "Allergic reactions can be treated.",
    "I see: you work as a pastry chef in Leeds.",
    "Tom plays chess with your sister.",
    "She is allergic to bad jokes.",
    "ok",
    "王小明喜欢茶",
    "Meine Schwester heißt Berta.",
]


@pytest.mark.parametrize("query", ["Zorvanda", None])
@pytest.mark.parametrize("text", ORDINARY)
def test_what_says_something_else_is_ordinary(text: str, query: str | None) -> None:
    told = Bereft(ZORVANDA, query)
    for turn in (agent_says(text), system_says(text), user_says(text), import_of([user_says(text, occurred_at=OLD)])):
        assert told.comes_back(turn)


SAID_BY_OTHERS = [
    ("our dog Rumpel bit the postman last week", "Your dog bit the postman."),
    ("I got fired from Hallberg & Finch on Tuesday.", "You got fired on Tuesday, take it easy."),
    ("I got fired on Tuesday.", "Sorry to hear that you were fired!"),
    ("I owe my uncle Leopold 8400 pounds.", "How about paying your uncle back the 8,400 pounds?"),
    ("I earn 64500 a year at Quillfeather Publishing.", "Your salary is 64500."),
    ("I'm bisexual and only my best friend Marlowe knows.", "You're bisexual."),
    ("I'm bisexual and only my best friend Marlowe knows.", "As a bisexual person you may like this club."),
    ("I grew up in Kirkintilloch but we left when my dad went to prison.", "Your father went to prison."),
    ("My sister-in-law Ottoline has multiple sclerosis.", "Somebody in your family has multiple sclerosis."),
    ("Since the operation I take Levetiracetam twice a day.", "After your operation you take a medicine twice a day."),
    ("My phone number is +44 7700 900461.", "Is 07700 900461 still right?"),
    ("My account at Norrbank is 55 8821 9034.", "Transfer it to 55-8821-9034?"),
    ("I hate my boss Mr. Thornquist.", "You hate your boss."),
    ("Mein Chef Dr. Brunnhuber hat mich gekündigt.", "Hat Dr. Brunnhuber sich gemeldet?"),
    ("Unser Papagei Quibbel frisst nur Mangos.", "Wie geht es Quibbel?"),
    ("Ottoline stole money from work.", "How is Ottoline?"),
    ("Estoy saliendo con Fulgencio, el marido de mi jefa.", "Estás saliendo con el marido de tu jefa."),
]


@pytest.mark.parametrize(("statement", "again"), SAID_BY_OTHERS)
def test_what_others_say_in_part_or_without_its_name_is_never_recorded(statement: str, again: str) -> None:
    told = Bereft(statement, None)
    for turn in (agent_says(again), system_says(f"[context] {again}"), import_of([agent_says(again, occurred_at=OLD)])):
        assert not told.comes_back(turn), again


def test_a_label_is_about_the_person_without_saying_so() -> None:
    told = Bereft("I'm bisexual and only my best friend Marlowe knows.", None)
    assert not told.comes_back(agent_says("Hello.", metadata={"orientation": "bisexual"}))
    assert told.comes_back(agent_says("The word bisexual has four syllables."))


def test_a_tag_does_not_bring_it_back_unless_the_saved_words_do() -> None:
    told = Bereft(ZORVANDA, "Zorvanda")
    [fact] = [e.data for e in told.log.tell(remember("She likes tea.", tags=("zorvanda", "tea")), now=SOON) if e.data.makes]
    assert "zorvanda" not in getattr(fact, "tags")  # noqa: B009 - of two kinds of events
    [fact] = [e.data for e in told.log.tell(remember("Zorvanda is here.", tags=("zorvanda",)), now=SOON) if e.data.makes]
    assert "zorvanda" in getattr(fact, "tags")  # noqa: B009 - as above


STILL_ORDINARY = [
    ("our dog Rumpel bit the postman last week", ["Our dog is asleep.", "I was in Leeds last week.", "The postman came."]),
    ("I owe my uncle Leopold 8400 pounds.", ["My uncle lives in Wales.", "It costs 20 pounds.", "Tom owes me 50 pounds."]),
    ("I'm allergic to penicillin.", ["I'm allergic to cats.", "Are you allergic to anything?"]),
    ("My sister Zorvanda lives in Kestrelby with her husband.", ["My brother lives in Kent.", "My husband likes tea."]),
    ("I earn 64500 a year at Quillfeather Publishing.", ["Publishing is a hard business.", "It takes a year."]),
    ("Mein Chef Dr. Brunnhuber hat mich gekündigt.", ["Mein Chef ist nett.", "Ich habe den Vertrag gekündigt."]),
    ("Estoy saliendo con Fulgencio, el marido de mi jefa.", ["Estoy cansada.", "Mi jefa es simpática."]),
]


@pytest.mark.parametrize(("statement", "others"), STILL_ORDINARY)
def test_what_shares_a_common_word_is_ordinary(statement: str, others: list[str]) -> None:
    told = Bereft(statement, None)
    for text in others:
        for turn in (agent_says(text), user_says(text), import_of([user_says(text, occurred_at=OLD)])):
            assert told.comes_back(turn), text


def test_a_frequent_word_of_the_query_tells_only_where_people_talk_of_themselves() -> None:
    told = Bereft("the key is under the gnome", "the key")
    assert not told.comes_back(agent_says("Is your key still there?"))
    assert told.comes_back(agent_says("The key to success is practice."))


def test_a_name_that_everybody_knows_is_the_persons_own_to_say_unless_the_query_named_it() -> None:
    for query in ("Ottokar", None):
        told = Bereft("My father in law Ottokar had a stroke in Trieste.", query)
        assert told.comes_back(user_says("We are going to Trieste in September."))
        assert told.comes_back(agent_says("Trieste is lovely in September."))
        assert not told.comes_back(agent_says("He had a stroke in Trieste."))
        assert not told.comes_back(user_says("Ottokar called."))
    cheated = "Bob cheated on Carol with Denise."
    assert Bereft(cheated, None).comes_back(user_says("Denise called."))
    assert not Bereft(cheated, None).comes_back(agent_says("How is Denise?"))
    assert not Bereft(cheated, "Denise").comes_back(user_says("Denise called."))


def test_what_other_memories_still_name_is_no_sign_of_what_was_forgotten() -> None:
    told = Bereft("Anna is allergic to walnuts.", None)
    assert told.comes_back(agent_says("How does Anna like Oslo?"))
    assert not told.comes_back(agent_says("Anna should avoid walnuts."))


def test_of_a_whole_session_no_name_alone_is_barred() -> None:
    log = PaperLog()
    for number in range(30):
        log.tell(user_says(f"In Paris we saw painting {number} by Vermeersen.", "s9"))
    log.tell(Forget(session_id=SessionId("s9")))
    log.erase()
    assert _turns(log.tell(agent_says("Paris has fine weather."), now=SOON))
    with pytest.raises(Forgotten):
        log.tell(agent_says("In Paris you saw painting 7 by Vermeersen."), now=SOON)


def batch(source: str, text: str, *tags: str) -> SaveFactsBatch:
    return SaveFactsBatch.model_validate(
        {"session_id": "s1", "facts": [{"text": text, "source_ids": [source], "tags": list(tags)}]}
    )


def test_an_agent_learns_nothing_of_it_however_it_puts_it() -> None:
    told = Bereft(ZORVANDA, "Zorvanda")
    [held] = _turns(told.log.tell(user_says("My sister Zorvanda avoids walnuts."), now=SOON))
    [other] = _turns(told.log.tell(user_says("I have a sister who avoids nuts."), now=SOON))
    for source in (held.memory_id, other.memory_id):
        for fact in (("The user's sister Zorvanda avoids walnuts",), ("The user has a sister", "zorvanda")):
            assert not told.comes_back(batch(source, *fact))
            assert not told.comes_back(batch(source, *fact), later=True)
    assert not told.comes_back(batch(held.memory_id, "The user has a sister"), later=True)


def test_an_agent_tags_nothing_that_stayed_with_it() -> None:
    told = Bereft(ZORVANDA, "Zorvanda")
    bread = _turns(told.log.events)[0].memory_id
    assert not told.comes_back(batch(bread, "The user works as a pastry chef in Leeds", "zorvanda"))
    assert told.comes_back(batch(bread, "The user works as a pastry chef in Leeds", "work"))


def test_a_session_that_is_named_after_it_is_held_back_too_but_not_one_that_began_before() -> None:
    told = Bereft(ZORVANDA, "Zorvanda")
    title = "zorvanda-birthday_2026"
    assert not told.comes_back(agent_says("It is noon.", title))
    assert not told.comes_back(import_of([user_says("What time is it?", title, occurred_at=OLD)]))
    for _ in range(2):
        assert not told.comes_back(user_says("What time is it?", title))
    lifted = told.log.tell(user_says("What time is it?", title), now=LATER)
    assert not any(isinstance(event.data, TombstoneLifted) for event in lifted)

    log = PaperLog()
    log.tell(user_says(ZORVANDA, title))
    log.tell(Forget(query="Zorvanda"))
    [turn] = _turns(log.tell(user_says("What time is it?", title), now=SOON))
    assert not turn.held_back
    assert _turns(log.tell(agent_says("It is noon.", title), now=SOON))


def test_an_id_of_a_message_that_tells_it_is_keyed_and_still_names_the_message_once() -> None:
    told = Bereft(ZORVANDA, "Zorvanda")
    asked = user_says("What time is it?").model_copy(update={"message_id": MessageId("zorvanda-2026-1")})
    answered = agent_says("It is noon.").model_copy(update={"message_id": MessageId("noon-1")})
    events = told.log.tell(asked, now=SOON)
    [turn] = _turns(events)
    assert str(turn.message_id) == str(events[0].causation_id)
    assert not told.log.tell(asked, now=SOON)
    assert "zorvanda" not in "".join(event.model_dump_json().lower() for event in events)
    [turn] = _turns(told.log.tell(answered, now=SOON))
    assert turn.message_id == "noon-1"


def test_its_person_is_recorded_word_for_word_but_held_back_until_the_time_is_over() -> None:
    told = Bereft(ZORVANDA, "Zorvanda")
    [turn] = _turns(told.log.tell(user_says("Zorvanda called again."), now=SOON))
    assert (turn.text, turn.held_back) == ("Zorvanda called again.", True)
    events = told.log.tell(user_says("Zorvanda called once more."), now=LATER)
    assert not any(turn.held_back for turn in _turns(events))
    assert {e.data.by for e in events if isinstance(e.data, TombstoneLifted)} == {"said_again"}
    assert _turns(told.log.tell(agent_says("Greet Zorvanda!"), now=LATER))


def test_a_save_by_hand_brings_it_back_at_once_and_says_so() -> None:
    told = Bereft(ZORVANDA, "Zorvanda")
    events = told.log.tell(remember("Zorvanda must not eat walnuts"), now=SOON)
    assert {e.data.by for e in events if isinstance(e.data, TombstoneLifted)} == {"saved_by_hand"}
    [turn] = _turns(told.log.tell(user_says("Zorvanda is here."), now=SOON))
    assert not turn.held_back


def test_a_save_by_hand_in_chat_does_not_hold_back_its_own_turn() -> None:
    told = Bereft(ZORVANDA, "Zorvanda")
    events = told.log.tell(user_says("Remember that my sister Zorvanda likes tea."), now=SOON)
    assert any(isinstance(event.data, TombstoneLifted) for event in events)
    assert not any(turn.held_back for turn in _turns(events))


@pytest.mark.parametrize("name", ["zorvanda", "Zorvanda"])
def test_what_was_asked_back_is_known_by_its_topic_too(name: str) -> None:
    log = PaperLog()
    for text in ("my sister zorvanda is allergic to walnuts", "zorvanda moved to the sea"):
        log.tell(user_says(text))
    assert not any(
        isinstance(event.data, MemoryForgotten) for event in log.tell(user_says(f"Forget what I said about {name}."))
    )
    assert any(isinstance(event.data, MemoryForgotten) for event in log.tell(user_says("yes")))
    log.erase()
    with pytest.raises(Forgotten):
        log.tell(agent_says("How is zorvanda?"), now=SOON)


@pytest.mark.parametrize(
    ("told", "command", "old", "new"),
    [
        (
            "The budget is 400.",
            "Forget what I said about the budget, it's 500 now.",
            "Your budget is 400.",
            "Your budget is 500.",
        ),
        (
            "My cat is called Wolfram, he is 3.",
            "Forget what I said about Wolfram, he is 4 now.",
            "Your cat Wolfram is 3.",
            "Your cat Wolfram is 4.",
        ),
        (
            "My salary at Brontec is 73000.",
            "forget what i told you about my salary, it's 80000 now",
            "Your salary is 73000.",
            "Your salary at Brontec is 80000.",
        ),
        (
            "I live at 12 Fennimore Lane in Derby.",
            "Forget what I said about Fennimore Lane, I live in York now.",
            "You live in Derby, on Fennimore Lane.",
            "You live in York.",
        ),
    ],
)
def test_a_new_value_in_the_same_sentence_does_not_bring_back_the_old_one(told: str, command: str, old: str, new: str) -> None:
    log = PaperLog()
    log.tell(user_says(told))
    events = log.tell(user_says(command))
    assert any(isinstance(event.data, MemoryForgotten) for event in events)
    assert not any(isinstance(event.data, TombstoneLifted) for event in events)
    log.erase()
    assert _turns(log.tell(agent_says(new), now=SOON))
    assert not any(turn.held_back for turn in _turns(log.tell(user_says(new.replace("Your", "My")), now=SOON)))
    with pytest.raises(Forgotten):
        log.tell(agent_says(old), now=SOON)


def test_a_rebuilt_state_knows_the_same_of_what_was_forgotten() -> None:
    told = Bereft(ZORVANDA, "Zorvanda", erased=False)
    told.log.tell(user_says("Zorvanda called again."), now=SOON)
    assert told.log.rebuilt().privacy == told.log.state.privacy
    assert told.log.rebuilt().memories == told.log.state.memories
