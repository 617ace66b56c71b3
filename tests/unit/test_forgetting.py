"""What a forgetting takes, what stays blocked after it, and what brings it back."""

from __future__ import annotations

from datetime import timedelta

import pytest

from services.ingest.domain.cascade import going
from shared.contracts.command import Command
from shared.contracts.commands import SaveFacts
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Forgotten, UnknownMemory, UnknownSession
from shared.contracts.ids import MemoryId, MessageId, SessionId, User
from shared.contracts.privacy import Forget, ForgetUser, MemoryForgotten, TombstoneLifted, UserForgotten
from tests.support.commands import (
    ORIGIN,
    agent_says,
    correct,
    extracted,
    import_of,
    recall_of,
    remember,
    restore,
    user_says,
)
from tests.support.paper import PaperLog
from tests.support.scopes import BEN, KEYS, T0

SAYS = "My sister Quixeldra lives in Bramblethwick."
FACT = "The user's sister Quixeldra lives in Bramblethwick"
SOON = T0 + timedelta(hours=1)
LATER = T0 + timedelta(hours=25)


def ids(events: list[Envelope], kind: str = "ep") -> list[MemoryId]:
    made = (getattr(event.data, "memory_id", None) for event in events)
    return [memory_id for memory_id in made if memory_id and memory_id.startswith(kind)]


def forgotten(events: list[Envelope]) -> list[MemoryId]:
    return [each for e in events if isinstance(e.data, MemoryForgotten) for each in e.data.memory_ids]


def facts(source: MemoryId, *texts: str, run: str = "run/0") -> SaveFacts:
    return SaveFacts(
        message_id=MessageId(run),
        session_id=SessionId("s1"),
        page=0,
        is_last=False,
        through_number=1,
        origin=ORIGIN,
        facts=tuple(extracted(text, source=source) for text in texts),
    )


def forget(*memory_ids: MemoryId, only: bool = False) -> Forget:
    return Forget(memory_ids=memory_ids, only=only)


class ToldMemory:
    """A log in which Anna told of her sister, was answered, and a fact was learned."""

    def __init__(self) -> None:
        self.log = PaperLog()
        [self.other] = ids(self.log.tell(user_says("I work as a pastry chef in Leeds.", message_id="m0")))
        [self.turn] = ids(self.log.tell(user_says(SAYS, message_id="m1")))
        [self.reply] = ids(self.log.tell(agent_says("How lovely that Quixeldra has a house there.", message_id="m2")))
        [self.fact] = ids(self.log.tell(facts(self.turn, FACT)), "fact")


@pytest.fixture
def told() -> ToldMemory:
    return ToldMemory()


def test_a_fact_goes_with_the_turn_that_states_it_and_the_reply_that_repeats_it(told: ToldMemory) -> None:
    assert set(forgotten(told.log.tell(forget(told.fact)))) == {told.fact, told.turn, told.reply}
    assert set(told.log.words().told) == {told.other}


def test_only_takes_what_is_named(told: ToldMemory) -> None:
    assert forgotten(told.log.tell(forget(told.fact, only=True))) == [told.fact]


def test_a_fact_goes_with_its_only_source(told: ToldMemory) -> None:
    assert told.fact in forgotten(told.log.tell(Forget(deleted_message_id=MessageId("m1"))))


def test_a_fact_with_another_source_stays_and_loses_one(told: ToldMemory) -> None:
    [second] = ids(told.log.tell(user_says("Well, you know where she is, my sister.", "s2")))
    told.log.tell(facts(second, FACT, run="run/1"))
    taken = going([told.turn], told.log.words(), KEYS.digester, only=False)
    assert told.fact not in taken.why
    assert taken.losing_a_source == (told.fact,)
    told.log.tell(forget(told.turn))
    assert told.log.words().told[told.fact].sources == {second}


def test_a_dry_run_shows_what_is_done(told: ToldMemory) -> None:
    shown = going([told.fact], told.log.words(), KEYS.digester, only=False)
    assert list(shown.why) == forgotten(told.log.tell(forget(told.fact)))


def test_every_turn_that_says_it_goes_whoever_said_it_and_wherever(told: ToldMemory) -> None:
    [again] = ids(told.log.tell(agent_says("So your sister Quixeldra lives in Bramblethwick now?", "s9")))
    assert again in forgotten(told.log.tell(forget(told.fact)))


def test_a_query_takes_every_memory_with_all_its_words(told: ToldMemory) -> None:
    taken = forgotten(told.log.tell(Forget(query="quixeldra")))
    assert {told.fact, told.turn, told.reply} <= set(taken)
    assert told.other not in taken
    assert told.log.tell(Forget(query="nothing-like-it")) == []


def test_a_session_goes_whole(told: ToldMemory) -> None:
    [elsewhere] = ids(told.log.tell(user_says("I have a red bicycle.", "s2")))
    told.log.tell(Forget(session_id=SessionId("s1")))
    assert set(told.log.words().told) == {elsewhere}
    with pytest.raises(UnknownSession):
        told.log.tell(Forget(session_id=SessionId("never")))


def test_forgetting_twice_is_refused_like_what_never_was(told: ToldMemory) -> None:
    told.log.tell(forget(told.fact))
    refusals = []
    for memory_id in (told.fact, MemoryId("fact_0123456789abcdef01234567")):
        with pytest.raises(UnknownMemory) as caught:
            told.log.tell(forget(memory_id))
        refusals.append((caught.value.code, caught.value.message))
    assert refusals[0] == refusals[1]


def test_resending_the_same_forget_does_nothing(told: ToldMemory) -> None:
    command = Forget(memory_ids=(told.fact,), message_id=MessageId("f1"))
    told.log.tell(command)
    told.log.erase()
    assert told.log.tell(command) == []


def test_the_events_of_a_forgetting_hold_no_word(told: ToldMemory) -> None:
    for event in told.log.tell(forget(told.fact)):
        for word in ("Quixeldra", "Bramblethwick", "sister"):
            assert word.lower() not in event.encode().decode().lower()


def test_what_its_platform_deleted_before_it_came_is_not_taken(told: ToldMemory) -> None:
    told.log.tell(Forget(deleted_message_id=MessageId("m9")))
    told.log.erase()
    with pytest.raises(Forgotten):
        told.log.tell(user_says("hello again", message_id="m9"), now=LATER)


def test_a_forgotten_message_never_comes_back(told: ToldMemory) -> None:
    told.log.tell(forget(told.fact))
    for _ in range(2):
        for now in (SOON, LATER):
            with pytest.raises(Forgotten):
                told.log.tell(user_says(SAYS, message_id="m1"), now=now)
            with pytest.raises(Forgotten):
                told.log.tell(import_of([user_says(SAYS, message_id="m1")]), now=now)
        told.log.erase()


def test_an_import_never_brings_the_words_back(told: ToldMemory) -> None:
    told.log.tell(forget(told.fact))
    told.log.erase()
    told.log.tell(import_of([user_says("I like rye bread."), user_says(SAYS)]), now=LATER)
    assert not [t for t in told.log.words().told.values() if any("Quixeldra" in text for text in t.texts)]


def test_a_forgotten_turn_does_not_spoil_the_import_that_holds_it_with_other_words(told: ToldMemory) -> None:
    told.log.tell(forget(told.fact))
    for _ in range(2):
        made = told.log.tell(import_of([user_says("Changed words.", message_id="m1"), user_says("I like rye.")]))
        assert "Changed" not in "".join(event.encode().decode() for event in made)
        told.log.erase()


@pytest.mark.parametrize("erased", [False, True])
def test_within_the_time_only_a_save_by_hand_brings_it_back(told: ToldMemory, *, erased: bool) -> None:
    told.log.tell(forget(told.fact))
    if erased:
        told.log.erase()
    [again] = ids(told.log.tell(user_says(SAYS), now=SOON))
    [new] = ids(told.log.tell(user_says("Something else altogether, dear."), now=SOON))
    for source in (again, new):
        assert not ids(told.log.tell(facts(source, FACT, run=f"run/{source}"), now=SOON), "fact")
    events = told.log.tell(remember(FACT), now=SOON)
    assert {e.data.by for e in events if isinstance(e.data, TombstoneLifted)} == {"saved_by_hand"}
    assert ids(events, "fact")


SEA = "I like the sea and that is why I live in Leeds"
SEA_TOO = "I like the sea that is why I live in Leeds"


@pytest.fixture
def twice() -> PaperLog:
    """A fact that was told in two wordings is forgotten: each has its tombstone."""
    log = PaperLog()
    [fact, *_] = ids(log.tell(remember(SEA)), "fact")
    log.tell(remember(SEA_TOO))
    log.tell(forget(fact))
    log.erase()
    assert len(log.state.privacy.tombstones) == 2
    return log


@pytest.mark.parametrize("save", [remember(SEA), remember(SEA_TOO), user_says(f"Please remember that {SEA}.")])
def test_a_save_by_hand_lifts_every_tombstone_that_would_stop_it(twice: PaperLog, save: Command) -> None:
    twice.tell(save, now=SOON)
    assert not twice.state.privacy.tombstones
    assert ids(twice.tell(user_says(SEA), now=SOON))


def test_a_new_mention_after_the_time_lifts_every_tombstone_that_would_stop_it(twice: PaperLog) -> None:
    twice.tell(user_says(SEA), now=SOON)
    assert twice.state.privacy.tombstones
    [turn] = ids(twice.tell(user_says(SEA), now=LATER))
    assert not twice.state.privacy.tombstones
    assert ids(twice.tell(facts(turn, SEA_TOO, run="run/9"), now=LATER), "fact")


@pytest.mark.parametrize("erased", [False, True])
def test_after_the_time_a_new_mention_by_the_user_lifts_it(told: ToldMemory, *, erased: bool) -> None:
    told.log.tell(forget(told.fact))
    if erased:
        told.log.erase()
    with pytest.raises(Forgotten):
        told.log.tell(agent_says(SAYS), now=LATER)
    events = told.log.tell(user_says(SAYS), now=LATER)
    assert {e.data.by for e in events if isinstance(e.data, TombstoneLifted)} == {"said_again"}
    [new] = ids(events)
    assert ids(told.log.tell(facts(new, FACT, run="run/2"), now=LATER), "fact")


def test_a_fact_with_older_sources_stays_blocked_for_ever(told: ToldMemory) -> None:
    told.log.tell(forget(told.fact))
    told.log.erase()
    assert not ids(told.log.tell(facts(told.other, FACT, run="run/3"), now=LATER + timedelta(days=400)), "fact")


def test_a_user_is_forgotten_without_a_name_and_begins_anew(told: ToldMemory) -> None:
    told.log.tell(user_says("I am Ben."), user=BEN)
    events = told.log.tell(ForgetUser())
    assert [(type(e.data), e.user) for e in events] == [(UserForgotten, User(""))]
    told.log.erase()
    assert not told.log.words().told
    assert "Quixeldra" not in "".join(e.encode().decode() for e in told.log.events)
    assert ids(told.log.tell(user_says("I am back, and have a dog.")))
    with pytest.raises(Forgotten):
        told.log.tell(import_of([user_says(SAYS)]), now=LATER)


def test_forgetting_a_user_again_lifts_no_block_of_before(told: ToldMemory) -> None:
    told.log.tell(forget(told.fact))
    told.log.erase()
    for _ in range(2):
        told.log.tell(ForgetUser())
        told.log.erase()
        for with_id in ("m0", "m1"):
            with pytest.raises(Forgotten):
                told.log.tell(user_says("Anything.", message_id=with_id), now=LATER)
        with pytest.raises(Forgotten):
            told.log.tell(import_of([user_says(SAYS)]), now=LATER)


def test_a_recall_that_names_what_is_forgotten_does_not_bring_it_back(told: ToldMemory) -> None:
    told.log.tell(forget(told.fact))
    with pytest.raises(Forgotten):
        told.log.tell(recall_of({told.fact: 0.9}))
    told.log.erase()
    assert told.fact not in told.log.state.memories
    assert told.fact not in told.log.words().told


class Corrected:
    """A fact that was corrected twice; the first version was learned from a turn, and restated in another session."""

    def __init__(self) -> None:
        self.log = PaperLog()
        [self.turn] = ids(self.log.tell(user_says("I live in Bramblethwick.", message_id="m1")))
        [self.first] = ids(self.log.tell(facts(self.turn, "The user lives in Bramblethwick")), "fact")
        [self.second, *_] = ids(self.log.tell(correct(self.first, "The user lives in Oxenholme")), "fact")
        [self.third, *_] = ids(self.log.tell(correct(self.second, "The user lives in Quernmore")), "fact")


def test_a_corrected_fact_takes_what_it_said_before_and_the_turns_that_state_that() -> None:
    told = Corrected()
    shown = going([told.third], told.log.words(), KEYS.digester, only=False)
    assert shown.why == {
        told.third: "named",
        told.second: "earlier_version",
        told.first: "earlier_version",
        told.turn: "states_it",
    }
    assert set(forgotten(told.log.tell(forget(told.third)))) == shown.why.keys()
    told.log.erase()
    assert "Bramblethwick" not in "".join(event.encode().decode() for event in told.log.events)
    with pytest.raises(Forgotten):
        told.log.tell(agent_says("The user lives in Bramblethwick"), now=SOON)


def test_only_leaves_what_a_corrected_fact_said_before_and_it_still_goes_with_a_later_version() -> None:
    told = Corrected()
    assert forgotten(told.log.tell(forget(told.second, only=True))) == [told.second]
    told.log.erase()
    assert set(told.log.words().told) == {told.turn, told.first, told.third}
    assert set(forgotten(told.log.tell(forget(told.third)))) == {told.third, told.first, told.turn}


def test_forgetting_an_outdated_version_keeps_the_newer_ones() -> None:
    told = Corrected()
    assert set(forgotten(told.log.tell(forget(told.second)))) == {told.second, told.first, told.turn}
    assert set(told.log.words().told) == {told.third}


def test_a_restored_version_stands_by_itself() -> None:
    told = Corrected()
    told.log.tell(restore(told.first))
    assert set(forgotten(told.log.tell(forget(told.third)))) == {told.third, told.second}


def test_a_deleted_message_takes_no_earlier_version_that_others_told() -> None:
    told = Corrected()
    [turn] = ids(told.log.tell(user_says("Heysham is where my boat lies.", "s2", message_id="m2")))
    [boat] = ids(told.log.tell(facts(turn, "The user's boat lies in Heysham", run="run/1")), "fact")
    told.log.tell(correct(told.third, "The user's boat lies in Heysham"))
    taken = forgotten(told.log.tell(Forget(deleted_message_id=MessageId("m2"))))
    assert boat in taken
    assert told.first not in taken


def test_what_the_person_said_twice_is_forgotten_twice_but_not_with_a_session_or_a_deleted_message() -> None:
    def left(command: Command) -> list[str]:
        log = PaperLog()
        log.tell(user_says("I drive a tractor.", "s1"))
        log.tell(user_says("Okay, thanks!", "s1"))
        log.tell(user_says("Okay, thanks!", "s2"))
        log.tell(user_says("i drive a tractor", "s2", message_id="m1"))
        log.tell(command)
        return [text for told in log.words().told.values() for text in told.texts]

    assert left(user_says("Forget that.", "s2")) == ["Okay, thanks!", "Okay, thanks!"]
    assert left(Forget(query="tractor")) == ["Okay, thanks!", "Okay, thanks!"]
    assert "I drive a tractor." in left(Forget(deleted_message_id=MessageId("m1")))
    assert left(Forget(session_id=SessionId("s2"))) == ["I drive a tractor.", "Okay, thanks!"]
