"""What is said twice is shown once, and what says nothing is not shown; in storage nothing is merged."""

from pathlib import Path

import pytest

from services.retriever.assembly import context
from services.retriever.domain.idle_turns import asks_for_all, is_command
from services.retriever.domain.repeats import ToldWording, sift, wording_key, wording_of
from services.retriever.domain.weights import Weights
from services.retriever.explanation import Explained, explain
from services.retriever.search_request import SearchRequest
from shared.contracts.commands import Pin, RememberFact
from shared.contracts.ids import RecallId
from shared.contracts.queries import ContextAnswer, Fate, Outdated, ScoredMemory
from tests.support.files import Shelved, question, shelved
from tests.support.scopes import at
from tests.unit.test_block import memory

ASKED = "Where does the key hang?"


@pytest.fixture
def file(tmp_path: Path) -> Shelved:
    return shelved(tmp_path / "anna.db")


def turn(number: int, text: str, speaker: str | None = None) -> ScoredMemory:
    return memory(number, text, fact=False, speaker=speaker)


def fact(number: int, text: str, *sources: str) -> ScoredMemory:
    return memory(number, text).model_copy(update={"source_ids": sources})


def answered(file: Shelved, asked: SearchRequest, budget_tokens: int | None = None) -> ContextAnswer:
    with file.connected() as db:
        return context(file.searched(db), asked, recall_id=RecallId("rec_1"), position=1, budget_tokens=budget_tokens)


def texts(answer: ContextAnswer) -> list[str]:
    return [item.text for item in answer.items]


def fates(file: Shelved, asked: SearchRequest) -> dict[str, Fate]:
    with file.connected() as db:
        answer = explain(file.searched(db), Explained(asked, None, most_candidates=99), position=1, at_number=file.file.number)
    return {candidate.memory.memory_id: candidate.fate for candidate in answer.candidates}


@pytest.mark.parametrize("again", ["The key hangs behind the barrel", "Well, the key really hangs behind the barrel!"])
def test_the_same_words_are_shown_once_and_counted(again: str) -> None:
    first, second, other = turn(1, "The key hangs behind the barrel."), turn(2, again), turn(3, "The key is red.")
    kept, left_out, _ = sift([first, second, other], ASKED)
    assert [each.memory_id for each in kept] == ["ep_1", "ep_3"]
    assert kept[0].said_again == ("ep_2",)
    assert left_out == {2: Fate.DUPLICATE}


@pytest.mark.parametrize(
    "other",
    [
        "The key does not hang behind the barrel.",
        "The key hangs behind the barrel?",
        "The key hangs behind the door.",
        "The key hung behind the barrel.",
    ],
)
def test_what_says_something_else_stays(other: str) -> None:
    assert len(sift([turn(1, "The key hangs behind the barrel."), turn(2, other)], ASKED).kept) == 2


def test_who_says_it_matters() -> None:
    assert len(sift([turn(1, "I am a vegan.", "Anna"), turn(2, "I am a vegan.", "Ben")], ASKED).kept) == 2


def test_a_fact_stands_for_the_turn_that_it_was_learned_from_at_the_better_place() -> None:
    ranked = [turn(1, "I live in Bergen."), turn(2, "I like the sea."), fact(3, "Anna lives in Bergen.", "ep_1")]
    kept, left_out, _ = sift(ranked, ASKED)
    assert [each.memory_id for each in kept] == ["fact_3", "ep_2"]
    assert left_out == {1: Fate.DUPLICATE}


def test_a_turn_that_says_more_than_its_fact_stands_for_it_at_the_better_place() -> None:
    ranked = [fact(3, "Anna lives in Bergen.", "ep_1"), turn(2, "I like the sea."), turn(1, "I live in Bergen with two cats.")]
    kept, left_out, said_by = sift(ranked, ASKED)
    assert [each.memory_id for each in kept] == ["ep_1", "ep_2"]
    assert (left_out, said_by) == ({3: Fate.DUPLICATE}, {"fact_3": "ep_1"})


def test_a_turn_that_does_not_hold_any_more_stands_for_no_fact() -> None:
    old = turn(1, "I live in Bergen with two cats.").model_copy(
        update={"outdated": Outdated.WHOLLY, "outdated_by": ("fact_3",)}
    )
    ranked = [old, fact(3, "Anna lives in Oslo.", "ep_1", "ep_2")]
    assert [each.memory_id for each in sift(ranked, ASKED).kept] == ["ep_1", "fact_3"]
    in_part = old.model_copy(update={"outdated": Outdated.PARTLY, "outdated_by": ("fact_7",)})
    assert len(sift([in_part, fact(3, "Anna has cats.", "ep_1")], ASKED).kept) == 2


def test_a_fact_that_holds_in_the_place_of_something_stands_for_its_turn() -> None:
    old = turn(1, "I live in Bergen.").model_copy(update={"outdated": Outdated.WHOLLY, "outdated_by": ("fact_3",)})
    ranked = [turn(2, "wait no, in Oslo, since January"), old, fact(3, "Anna lives in Oslo.", "ep_2")]
    assert [each.memory_id for each in sift(ranked, ASKED).kept] == ["fact_3", "ep_1"]


def test_a_fact_that_says_what_an_answer_answers_stands_for_it() -> None:
    ranked = [turn(1, "York, since May"), fact(3, "The user lives in York, since May.", "ep_0", "ep_1")]
    assert [each.memory_id for each in sift(ranked, ASKED).kept] == ["fact_3"]


def test_a_fact_that_was_saved_by_hand_stands_for_its_turn() -> None:
    saved = fact(3, "I am vegan", "ep_1").model_copy(update={"manually_saved": True})
    ranked = [turn(1, "Please remember for all time to come that I am vegan"), saved]
    assert [each.memory_id for each in sift(ranked, ASKED).kept] == ["fact_3"]


def test_of_two_turns_and_their_fact_nothing_is_said_twice() -> None:
    turns = [turn(1, "I live in Bergen."), turn(2, "Still in Bergen with my two cats and a parrot.")]
    kept, *_ = sift([*turns, fact(3, "Anna lives in Bergen.", "ep_1", "ep_2")], ASKED)
    assert [each.memory_id for each in kept] == ["fact_3"]
    kept, *_ = sift([turns[1], turns[0], fact(3, "Anna lives in Bergen.", "ep_1", "ep_2")], ASKED)
    assert [each.memory_id for each in kept] == ["ep_2", "ep_1"]


def test_a_fact_of_another_turn_stands_for_its_own_words_only() -> None:
    assert len(sift([turn(1, "I live in Bergen."), fact(3, "Ben lives in Bergen.", "ep_9")], ASKED).kept) == 2
    assert [each.memory_id for each in sift([turn(1, "My cat is Miso."), fact(3, "My cat is Miso")], ASKED).kept] == ["fact_3"]


@pytest.mark.parametrize("idle", [ASKED, "where does the key hang?", "Forget that.", "What do you remember about the key?"])
def test_a_turn_that_says_nothing_goes(idle: str) -> None:
    kept, left_out, _ = sift([turn(1, idle), turn(2, "Behind the barrel.")], ASKED)
    assert [each.number for each in kept] == [2]
    assert left_out == {1: Fate.IDLE}


@pytest.mark.parametrize(
    "stating", ["Where do you think? I hang the key behind the barrel.", "Remember that the key is red.", "Does the key rust?"]
)
def test_what_states_something_or_asks_something_else_stays(stating: str) -> None:
    assert sift([turn(1, stating)], ASKED).left_out == {}


SILENT = ("Forget what I said about the key.", "thanks!", "What do you remember about me?", "yes")
TOLD = ("I lost the key.", "Remember that the key is red.", "Where does the key hang?", "Danke, aber der Schlüssel fehlt.")


def test_the_wording_of_a_memory_says_whether_it_says_anything() -> None:
    turns = [turn(place, text) for place, text in enumerate((*SILENT, *TOLD), start=1)]
    known = {each.number: wording_of(each) for each in turns}
    assert {number for number, wording in known.items() if wording.says_nothing} == {*range(1, len(SILENT) + 1)}
    assert {number: wording.key for number, wording in known.items()} == {each.number: wording_key(each.text) for each in turns}


def test_what_is_said_to_say_nothing_is_not_read_again() -> None:
    told, silent = turn(1, "I lost the key."), turn(2, "Forget that.")
    known = {1: ToldWording(1, says_nothing=True), 2: ToldWording(2, says_nothing=False), 3: ToldWording(3, says_nothing=False)}
    assert sift([told, silent], ASKED, wordings=known).left_out == {1: Fate.IDLE}
    assert sift([turn(3, "Olvida eso.")], ASKED, ("es", "en", "de"), wordings=known).left_out == {3: Fate.IDLE}


def test_turns_whose_keys_differ_are_not_compared() -> None:
    turns = [turn(1, "I lost the key."), turn(2, "I lost the key!"), turn(3, ASKED)]
    known = {
        1: ToldWording(1, says_nothing=False),
        2: ToldWording(2, says_nothing=False),
        3: ToldWording(3, says_nothing=False),
    }
    assert len(sift(turns, ASKED, wordings=known).kept) == 3
    alike = known | {2: ToldWording(1, says_nothing=False), 3: ToldWording(wording_key(ASKED), says_nothing=False)}
    assert sift(turns, ASKED, wordings=alike).left_out == {2: Fate.DUPLICATE, 3: Fate.IDLE}


def test_repeats_leave_their_places_to_others(file: Shelved) -> None:
    for index in range(30):
        file.say("The key hangs behind the barrel.", session=f"s{index}", now=at(index))
    file.say("The key is red.", session="red")
    asked = question(ASKED, most=2)
    assert set(texts(answered(file, asked))) == {"The key hangs behind the barrel.", "The key is red."}
    assert "said 30 times" in answered(file, asked).markdown
    found = list(fates(file, asked).values())
    assert (found.count(Fate.GIVEN), found.count(Fate.DUPLICATE)) == (2, 29)


def test_everything_that_is_known_gives_the_best_known_first(file: Shelved) -> None:
    file.say("What do you remember about me?", session="s1")
    file.say("What do you know about me?", session="s2")
    file.say("I saw a heron today.", session="s3")
    file.say("Where do herons sleep?", session="s4")
    weak = file.tell(RememberFact(text="Anna has a bicycle"))
    pinned = file.tell(RememberFact(text="Anna is allergic to nuts"))
    file.tell(Pin(memory_id=pinned))
    asked = question("What do you remember about me?")._replace(is_broad=True)
    assert texts(answered(file, asked)) == ["Anna is allergic to nuts", "Anna has a bicycle", "I saw a heron today."]
    assert fates(file, asked)[weak] is Fate.GIVEN
    assert fates(file, asked)[pinned] is Fate.GIVEN


def test_what_is_known_leaves_out_the_session_that_asks_and_keeps_to_the_kinds(file: Shelved) -> None:
    file.say("I saw a heron today.", session="now")
    file.say("I saw an eel today.", session="then")
    file.know("Anna has a bicycle")
    asked = question("What do you know about me?", kinds=["episode"], session="now")._replace(is_broad=True)
    assert texts(answered(file, asked)) == ["I saw an eel today."]


@pytest.mark.parametrize(
    "text",
    [
        *("What do you remember about me?", "what do you know about me", "Tell me everything you know about me."),
        *("Hi there! What do you know about me?", "Was weißt du über mich?"),
    ],
)
def test_who_asks_for_all_is_understood(text: str) -> None:
    assert asks_for_all(text)
    assert is_command(text)


@pytest.mark.parametrize(
    "text",
    [
        *("no", "Yes please", "forget i said that", "private mode please", "scratch that", "forget about Frank"),
        *("u can forget about rufus", "off the record", "delete the last thing I said", "erase me", "never mind"),
        *("undo that", "bring it back", "keep it after all", "bring back what you forgot"),
    ],
)
def test_a_command_a_doubtful_one_and_a_confirmation_are_nothing_to_be_recalled(text: str) -> None:
    assert is_command(text)


@pytest.mark.parametrize(
    "text",
    [
        "No, I live in Leeds",
        "no wait, York",
        "no, tuesday",
        "Forget Paris is the movie that I watched with Paris, my daughter",
        "I never forget a face",
        "I want my bike back",
    ],
)
def test_what_tells_something_is_no_command(text: str) -> None:
    assert not is_command(text)


@pytest.mark.parametrize(
    "text",
    [
        *("What do you remember about my sister?", "I am moving to Oslo on Friday. What do you know about me?"),
        *("What does Anna know about me?", "heron", ""),
    ],
)
def test_who_asks_for_something_is_searched_for(text: str) -> None:
    assert not asks_for_all(text)


def test_the_newer_of_two_nearly_equal_statements_comes_first(file: Shelved) -> None:
    old = "My class is on Monday evenings."
    new = "My class has moved to Wednesday evenings."
    file.embed(file.say(old, session="spring"), (1, 0, 0))
    file.embed(file.say(new, session="now", now=at(58 * 24 * 60)), (1, 0.5, 0))
    asked = question("On which evening is my class?", vector=(1, 0.1, 0), now=at(60 * 24 * 60))
    assert texts(answered(file, asked)) == [new, old]
    unlike = asked._replace(weights=Weights(beta=0.0))
    assert texts(answered(file, unlike)) == [new, old]


def test_a_newer_question_does_not_come_before_the_answer(file: Shelved) -> None:
    file.embed(file.say("My class is on Monday evenings.", session="spring"), (1, 0, 0))
    file.embed(file.say("Is my class on Monday evenings still fine?", session="now", now=at(58 * 24 * 60)), (1, 0.3, 0))
    asked = question("On which evening is my class?", vector=(1, 0, 0), now=at(60 * 24 * 60))
    assert texts(answered(file, asked))[0] == "My class is on Monday evenings."
