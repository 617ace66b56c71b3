"""What counts as covered by a context: the turns that its lines rest on, at their places in the block."""

from memstream.evaluation.coverage import GivenEvidence, covered_summary, given_evidence
from memstream.evaluation.scoring import Retrieved, summary
from shared.contracts.ids import RecallId
from shared.contracts.queries import ContextAnswer, ScoredMemory
from tests.unit.test_block import memory

IDS = {f"ep_{number}": f"D1:{number}" for number in range(1, 10)}


def given(*items: ScoredMemory) -> ContextAnswer:
    numbered = (item.model_copy(update={"line": item.line or line}) for line, item in enumerate(items, start=1))
    return ContextAnswer(position=1, recall_id=RecallId("rec_1"), markdown="", items=tuple(numbered), tokens=7)


def test_a_fact_counts_for_the_turns_that_it_came_from_and_a_turn_for_those_in_its_words() -> None:
    fact = memory(8, "Ann has two cats.").model_copy(update={"source_ids": ("ep_1", "ep_2", "elsewhere")})
    turn = memory(3, "I like tea", fact=False).model_copy(update={"said_again": ("ep_4",)})
    answer = given(turn, fact)
    found = given_evidence(answer, IDS, category=1, evidence=["D1:1", "D1:4", "D1:5"])
    assert [set(line) for line in found.lines] == [{"D1:3", "D1:4"}, {"D1:1", "D1:2"}]
    assert (found.covered, found.place, found.facts, found.tokens) == (2 / 3, 1, 1, 7)


def test_items_of_one_line_count_as_one() -> None:
    one, same = (memory(n, f"likes {n}").model_copy(update={"line": 1, "source_ids": (f"ep_{n}",)}) for n in (1, 2))
    last = memory(3, "the answer", fact=False).model_copy(update={"line": 2})
    assert given_evidence(given(one, same, last), IDS, category=1, evidence=["D1:3"]).place == 2


def test_the_means_are_over_questions_and_by_the_number_of_turns_needed() -> None:
    one = GivenEvidence(4, frozenset({"a"}), (frozenset({"x"}), frozenset({"a"})), facts=0, tokens=10)
    none = GivenEvidence(1, frozenset({"a", "b"}), (), facts=0, tokens=0)
    found = covered_summary([one, none])
    assert (found["covered"], found["in_first_1"], found["in_first_3"], found["tokens"]) == (0.5, 0.0, 0.5, 5.0)
    assert (found["lines"], found["empty"]) == (1.0, 1)
    assert {name: of["covered"] for name, of in found["by_evidence"].items()} == {"1": 1.0, "2-3": 0.0}
    assert {name: of["questions"] for name, of in found["by_category"].items()} == {"1": 1, "4": 1}


def test_sessions_count_only_where_the_conversation_has_the_turns() -> None:
    found = Retrieved(1, frozenset({"a"}), ("a",), frozenset({"s1"}), ("s1",))
    unknown = Retrieved(1, frozenset({"z"}), ("a",), frozenset(), ("s1",))
    scores = summary([found, unknown], ks=(5, 10))
    assert (scores["session_recall_at_10"], scores["recall_at_10"]) == (1.0, 0.5)
    assert scores["by_evidence"] == {"1": {"questions": 2, "recall_at_10": 0.5}}
