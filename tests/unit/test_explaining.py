"""What became of each candidate, and why."""

from collections import Counter
from pathlib import Path

import pytest

from services.retriever.as_of import without_forgotten
from services.retriever.domain.weights import Weights
from services.retriever.explanation import Explained, explain
from services.retriever.search_request import SearchRequest
from services.retriever.store.narrowing import among
from shared.contracts.event import EventData
from shared.contracts.events import FactSuperseded, MemoryRetired
from shared.contracts.ids import EventNumber, MemoryId, Position
from shared.contracts.preferences import Fusion
from shared.contracts.queries import ExplainAnswer, Fate, SearchQuery
from tests.support.files import Shelved, question, shelved


@pytest.fixture
def file(tmp_path: Path) -> Shelved:
    return shelved(tmp_path / "anna.db")


def happened(file: Shelved, data: EventData) -> None:
    """Append an event that says this, whatever ingest would decide."""
    last = file.log.records[-1]
    number = EventNumber(last.event.number + 1)
    event = last.event.model_copy(update={"type": data.event_type, "number": number, "data": data})
    file.log.records.append(last._replace(position=Position(last.position + 1), event=event))
    file.file.apply(file.log.records)


def explained(file: Shelved, asked: SearchRequest, budget_tokens: int | None = None) -> ExplainAnswer:
    with file.connected() as db:
        asked_for = Explained(asked, budget_tokens, most_candidates=50)
        return explain(file.searched(db), asked_for, position=1, at_number=file.file.number)


def fates(answer: ExplainAnswer) -> dict[str, Fate]:
    return {candidate.memory.text: candidate.fate for candidate in answer.candidates}


def test_what_has_ended_says_so_and_has_no_place(file: Shelved) -> None:
    old, new = file.know("The heron nests by the lake"), file.know("The heron nests by the canal")
    decayed = file.know("A heron needs fish")
    happened(file, FactSuperseded(memory_id=old, superseded_by=new, reason="corrected", confidence=0.3, confidence_before=1))
    happened(file, MemoryRetired(memory_id=decayed, reason="decayed"))
    answer = explained(file, question("heron"))
    assert fates(answer) == {
        "The heron nests by the canal": Fate.GIVEN,
        "The heron nests by the lake": Fate.SUPERSEDED,
        "A heron needs fish": Fate.RETIRED,
    }
    assert [candidate.place for candidate in answer.candidates] == [1, None, None]


def test_the_current_session_is_named(file: Shelved) -> None:
    file.say("A heron by the lake", session="now")
    file.say("A heron by the canal", session="then")
    assert fates(explained(file, question("heron", session="now"))) == {
        "A heron by the canal": Fate.GIVEN,
        "A heron by the lake": Fate.CURRENT_SESSION,
    }


def test_limit_and_budget_are_told_apart(file: Shelved) -> None:
    for index in range(4):
        file.say(f"heron {index} " + "was seen there " * 9, session=f"s{index}")
    limited = Counter(fates(explained(file, question("heron", most=2))).values())
    assert limited == {Fate.GIVEN: 2, Fate.OVER_LIMIT: 2}
    tight = Counter(fates(explained(file, question("heron", most=2), budget_tokens=100)).values())
    assert tight == {Fate.GIVEN: 1, Fate.OVER_BUDGET: 1, Fate.OVER_LIMIT: 2}


def test_a_copy_that_gave_way_is_a_duplicate(file: Shelved) -> None:
    vectors = {"The heron by the lake": (1, 0, 0), "The heron at the lake": (1, 0.05, 0), "The heron of Anna": (0.6, 0.8, 0)}
    for text, vector in vectors.items():
        file.embed(file.say(text, session=text), vector)
    asked = question("heron", vector=(1, 0, 0), most=2, weights=Weights(mmr_lambda=0.4))
    answer = explained(file, asked)
    assert Counter(fates(answer).values()) == {Fate.GIVEN: 2, Fate.DUPLICATE: 1}
    assert fates(answer)["The heron of Anna"] is Fate.GIVEN
    [copy] = [candidate for candidate in answer.candidates if candidate.fate is Fate.DUPLICATE]
    assert copy.mmr_penalty > 0.5


def test_every_leg_shows_its_score_and_rank(file: Shelved) -> None:
    lake: MemoryId = file.say("A heron by the lake", speaker="Anna")
    file.embed(lake, (1, 0, 0))
    [candidate] = explained(
        file, question("When did Anna see the heron today?", vector=(1, 1, 0), speakers=["Anna"])
    ).candidates
    assert set(candidate.legs) == {"lexical", "vector", "time", "speaker"}
    assert candidate.legs["vector"].rank == 1
    assert candidate.legs["speaker"].rank is None
    assert candidate.cosine == pytest.approx(0.707, abs=0.001)
    total = candidate.relevance + 0.1 * candidate.recency + 0.1 * candidate.importance
    assert candidate.total == pytest.approx(total)


def test_relevance_is_the_sum_of_its_parts(file: Shelved) -> None:
    for text in ("A heron by the lake.", "A heron and a coot by the lake?"):
        file.say(text)
    file.say("Nothing but a coot.", session="s2")
    answer = explained(file, question("heron coot lake"))
    for candidate in answer.candidates:
        assert candidate.relevance == pytest.approx(sum(candidate.relevance_parts.values()))
    parts = {candidate.memory.text: set(candidate.relevance_parts) for candidate in answer.candidates}
    assert parts == {
        "A heron by the lake.": {"fused", "session", "manner"},
        "A heron and a coot by the lake?": {"fused", "session", "question", "manner"},
        "Nothing but a coot.": {"fused", "session", "manner"},
    }
    [plain] = explained(file, question("Nothing", weights=Weights(fusion=Fusion.RRF))).candidates
    assert plain.relevance_parts == {"fused": plain.relevance}


def test_the_past_is_replayed_without_what_was_forgotten_since(file: Shelved) -> None:
    for index in range(3):
        file.know(f"There are herons by pond {index}")
    kept = without_forgotten(file.log.records, [(2, 2), (9, 12)])
    assert [int(recorded.event.number) for recorded in kept] == [1, 3]


def test_what_is_not_asked_for_is_not_explained(file: Shelved) -> None:
    old, new = file.know("The heron nests by the lake"), file.know("The heron nests by the canal", "birds")
    happened(file, FactSuperseded(memory_id=old, superseded_by=new, reason="corrected", confidence=0.3, confidence_before=1))
    with file.connected() as db:
        numbers = among(db, SearchQuery(query="heron", tags=("birds",)))
    assert list(fates(explained(file, question("heron").limited_to(numbers)))) == ["The heron nests by the canal"]


def test_what_is_shortened_is_shown_as_the_block_has_it(file: Shelved) -> None:
    file.say("A heron by the lake. " + "Then we walked on and on. " * 40)
    [told] = explained(file, question("heron"), budget_tokens=100).candidates
    assert told.excerpt is not None
    assert told.excerpt.startswith("A heron by the lake")
    assert len(told.excerpt) < len(told.memory.text)
