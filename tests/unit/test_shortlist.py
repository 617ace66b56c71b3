"""A context of the candidates that are listed is the one that all of them would give."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.retriever import assembly, retrieval
from services.retriever.domain import shortlist as listing
from services.retriever.domain.candidate import Candidate, Placed
from services.retriever.domain.candidate_columns import CandidateColumns
from services.retriever.domain.manner import PLAIN
from services.retriever.domain.ranking import RankedRows, ranked_rows
from services.retriever.domain.shortlist import Looked, Shortlist, shortlist
from services.retriever.domain.weights import Weights
from services.retriever.domain.worth import in_turn
from services.retriever.store.memory_file import MemoryFile
from shared.contracts.event import EventData
from shared.contracts.events import FactOutdated
from shared.contracts.ids import MemoryId, RecallId, SessionId
from shared.contracts.parts import FactSlot
from shared.contracts.queries import ContextAnswer, SearchAnswer
from tests.support.files import question
from tests.support.history import doubted, fact, history, said, superseded
from tests.support.scopes import at


def candidates(chance: random.Random) -> list[Candidate]:
    """Some dozens, a few of them as good as each other."""
    return [
        Candidate(
            number,
            chance.choice(("fact", "episode")),
            age_s=chance.random() * 1e7,
            importance=chance.random(),
            confidence=chance.choice((chance.random(), 1.0)),
            session=chance.choice((None, 1, 2)),
            legs={leg: chance.choice((chance.random(), 0.5)) for leg in ("lexical", "vector") if chance.random() < 0.7},
            cosine=chance.choice((None, chance.random())),
            is_superseded=chance.random() < 0.2,
        )
        for number in chance.sample(range(1, 300), chance.randint(20, 60))
    ]


@given(seed=st.integers(0), first=st.integers(1, 12), relevant=st.integers(1, 30), superseded=st.booleans())
@settings(max_examples=300)
def test_who_is_listed_is_placed_as_among_all_and_has_the_same_turn(
    *, seed: int, first: int, relevant: int, superseded: bool
) -> None:
    found, weights = candidates(random.Random(seed)), Weights()
    columns = CandidateColumns.of(found)
    numbers = {each.number for each in found[:4]}
    rows = ranked_rows(columns, weights)
    every = [place for place in rows.all_places(found) if superseded or not place.candidate.is_superseded]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(listing, "_WORTH_LEAVING_OUT", 1)
        listed = shortlist(rows, Looked(first, relevant, weights.cut_below, superseded=superseded, numbers=numbers))
    assert listed is not None or len(every) <= first + relevant + len(numbers)
    if listed is None:
        return
    places = rows.places(listed.rows, columns.at(listed.rows).candidates({} for _ in listed.rows))
    counted = [place for place in places if superseded or not place.candidate.is_superseded]
    those = {place.candidate.number for place in counted}
    assert numbers <= {place.candidate.number for place in places}
    assert list(map(bare, counted)) == [bare(place) for place in every if place.candidate.number in those]
    assert len(counted) + len(listed.unlisted.totals) == len(every)
    assert listed.unlisted.leave(counted, first)
    best = max(place.total for place in every if place.candidate.number not in those)
    assert [listed.unlisted.leave(counted, place) for place in range(1, len(counted) + 1)] == [
        place.total > best for place in counted
    ]
    few, all_of_them = in_turn(counted, weights, listed.unlisted), in_turn(every, weights)
    assert few.how_many == all_of_them.how_many
    assert few.worthy == all_of_them.worthy & those
    assert list(map(bare, few.places)) == list(map(bare, all_of_them.places[: len(few.places)]))
    if max(rows.relevance) == max(place.relevance for place in every):  # else what is superseded is the most relevant of all
        assert len(few.places) >= min(relevant, few.how_many)


def bare(place: Placed) -> Placed:
    """What a place says of its candidate, however it was made."""
    candidate = place.candidate
    return place._replace(candidate=candidate._replace(legs=dict(candidate.legs), ranks={}, manner=PLAIN))


TOPICS = ("the cabin by the lake", "the bakery in York", "my sister's piano", "the red bicycle", "our garden", "a night train")
DEEDS = ("We talked about", "I like", "I went to see", "Yesterday I painted", "I am thinking of", "Remember", "I sold")
QUESTIONS = (
    "Where do I live?",
    "What do I like about the cabin by the lake?",
    "Which things did I paint?",
    "What about my sister's piano and the red bicycle?",
    "Where is the bakery?",
    "What do I like?",
    "What does Ben like?",
)


def life(seed: int) -> list[EventData]:
    """What somebody told, again and again, of few things, and what was learned of it; some of it does not hold any more."""
    told, facts, chance = list[EventData](), list[str](), random.Random(seed)
    for number in range(90):
        text = f"{chance.choice(DEEDS)} {chance.choice(TOPICS)}{chance.choice(('.', '!', ', and it rained.', ' with Ben.'))}"
        told.append(said(f"ep_{number}", text, session_id=SessionId(f"s{number // 6}")))
        if chance.random() < 0.4:
            place, who = chance.choice(("leeds", "york", "hull")), chance.choice(("The user", "Ben"))
            slot = chance.choice(
                (
                    FactSlot(subject="user", attribute="home", value=place),
                    FactSlot(subject="ben" if who == "Ben" else "user", attribute="likes", value=chance.choice(TOPICS)),
                )
            )
            text = f"The user lives in {place.title()}." if slot.attribute == "home" else f"{who} likes {slot.value}."
            facts.append(f"fact_{number}")
            told.append(fact(facts[-1], text, source_ids=(f"ep_{number}",), slots=(slot,)))
    olds = chance.sample(facts[:-1], len(facts) // 3)
    for old in olds:
        new = chance.choice([each for each in facts[facts.index(old) + 1 :] if each not in olds] or facts[-1:])
        how = chance.choice(("whole", "part", "doubt"))
        if how == "whole":
            told.append(superseded(old, new))
        elif how == "part":
            told.append(FactOutdated(memory_id=MemoryId(old), outdated_by=MemoryId(new), slots=(0,), valid_until=at(300)))
        else:
            told.append(doubted(old, new))
    return told


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """So few are looked at that the list is often too short; and for each question whether some were left out at first."""
    seen = list[bool]()
    monkeypatch.setattr(listing, "_WORTH_LEAVING_OUT", 1)
    monkeypatch.setattr(retrieval, "_POOL", 4)
    monkeypatch.setattr(retrieval, "_MAY_SINK", 0)
    monkeypatch.setattr(retrieval, "REPEATS", 6)
    monkeypatch.setattr(assembly, "REPEATS", 6)
    monkeypatch.setattr(assembly, "FEW", 3)

    def watched(ranked: RankedRows, looked: Looked) -> Shortlist | None:
        found = shortlist(ranked, looked)
        seen.append(found is not None)
        return found

    monkeypatch.setattr(retrieval, "shortlist", watched)
    return seen


def answers(file: MemoryFile, asked: str, most: int) -> tuple[ContextAnswer, SearchAnswer]:
    request = question(asked, most=most, now=at(400))
    with file.connect() as db:
        searched = file.searched(db)
        told = assembly.context(searched, request, recall_id=RecallId("rec_1"), position=1, budget_tokens=None)
        return told, assembly.search(file.searched(db), request, position=1)


@pytest.mark.parametrize("seed", range(8))
def test_an_answer_is_the_same_whether_all_candidates_are_made_or_those_that_are_looked_at(
    seed: int, tmp_path: Path, small: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assembly, "FEW", 3 + 7 * (seed % 2))  # more than are listed, in every other life
    file = MemoryFile(tmp_path / "anna.db")
    file.apply(history(life(seed)))
    listed = {(asked, most): answers(file, asked, most) for asked in QUESTIONS for most in (2, 5, 12)}
    assert any(small), "there was something to leave out"
    with monkeypatch.context() as patched:
        patched.setattr(listing.Unlisted, "leave", lambda *_: False)
        after_all = {each: answers(file, *each) for each in listed}
    monkeypatch.setattr(retrieval, "shortlist", lambda *_: None)
    for (asked, most), told in listed.items():
        assert told == after_all[asked, most] == answers(file, asked, most), (asked, most)


def test_values_are_gathered_of_facts_that_are_not_listed_too(
    tmp_path: Path, small: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    liked = [f"{one} {other}" for one in ("green", "cold", "old", "sweet", "plain") for other in ("tea", "rye", "figs", "mint")]
    slots = [FactSlot(subject="ben", attribute="likes", value=each) for each in liked]
    file = MemoryFile(tmp_path / "anna.db")
    file.apply(history([fact(f"fact_{slot.value}", f"Ben likes {slot.value}.", slots=(slot,)) for slot in slots]))
    told = answers(file, "What does Ben like?", 2)
    assert any(small)
    assert len(told[0].items[0].gathers) > 2 + 6, "of more than are listed"
    monkeypatch.setattr(retrieval, "shortlist", lambda *_: None)
    assert told == answers(file, "What does Ben like?", 2)
