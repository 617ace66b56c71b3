"""No extractor reads what memstream had handed out."""

import pytest

from services.consolidator.domain.evidence import marked, said, turns_learned_from
from services.consolidator.domain.rules import facts
from services.consolidator.prompts import extract_v2
from services.retriever.domain.block import HEADING, PREAMBLE
from shared.contracts.errors import NotFound
from shared.contracts.events import EpisodeRecorded
from shared.contracts.ids import MemoryId, SessionId
from shared.contracts.parts import Echo, Origin
from shared.contracts.privacy import Forget, ForgetUser
from shared.language.text.without_echoes import MARK, without_echoes
from tests.support.commands import agent_says, end, page, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import at
from tests.unit.test_echoes import passages, recall

MEMORY = MemoryId("fact_" + "7" * 24)
HANDED_OUT = "I am allergic to hazelnuts and to walnuts."


def handed_out_log() -> PaperLog:
    log = PaperLog()
    log.passages |= passages({MEMORY: HANDED_OUT})
    log.tell(recall("rec_1", MEMORY))
    return log


def turns_of(log: PaperLog) -> list[str]:
    return [turn.text for turn in said(event for event in log.events if isinstance(event.data, EpisodeRecorded))]


def learned(log: PaperLog) -> list[str]:
    events = [event for event in log.events if isinstance(event.data, EpisodeRecorded)]
    return [fact.text for fact in facts(said(events))]


def test_a_users_own_repetition_is_learned() -> None:
    log = handed_out_log()
    log.tell(user_says(HANDED_OUT, speaker="Anna"), now=at(1))
    assert learned(log) == ['Anna said: "I am allergic to hazelnuts and to walnuts"']


PASTED = {
    "whole": (f"- (2026-05-03, Anna) {HANDED_OUT} [{MEMORY}]", [], []),
    "with a question": (
        f"{HEADING}\n{PREAMBLE}\n- (2026-05-03, Anna) {HANDED_OUT} [{MEMORY}]\n\nI moved to Bergen.",
        [f"{MARK}.\n\nI moved to Bergen."],
        ["Anna moved to Bergen."],
    ),
    "in part": (
        f"You said that I am allergic to hazelnuts and to peanuts [{MEMORY}]. I moved to Bergen.",
        [f"You said that {MARK} peanuts [{MEMORY}]. I moved to Bergen."],
        ["Anna moved to Bergen."],
    ),
    "in the middle of a sentence": (
        f"I work as a pastry chef and {HANDED_OUT} [{MEMORY}]",
        [f"I work as a pastry chef and {MARK}."],
        [],
    ),
    "leaning on it": (f"{HANDED_OUT} [{MEMORY}] It is a Norwegian allergy.", [f"{MARK}. It is a Norwegian allergy."], []),
    "asked to be kept": (f"Remember this: {HANDED_OUT} [{MEMORY}]", [f"Remember this: {MARK}."], []),
}


@pytest.mark.parametrize(("text", "read", "taught"), PASTED.values(), ids=PASTED)
def test_what_is_pasted_from_a_context_teaches_nothing(text: str, read: list[str], taught: list[str]) -> None:
    log = handed_out_log()
    log.tell(user_says(text, speaker="Anna"), now=at(1))
    assert turns_of(log) == read
    assert learned(log) == taught


def test_a_model_is_shown_no_echo() -> None:
    log = handed_out_log()
    log.tell(user_says("What do you know about me?"), now=at(1))
    log.tell(agent_says(f"You told me: {HANDED_OUT} Shall I find a bakery?"), now=at(2))
    log.tell(agent_says(HANDED_OUT), now=at(3))
    turns = said(event for event in log.events if isinstance(event.data, EpisodeRecorded))
    asked = extract_v2.user_message(turns)
    assert [turn.text for turn in turns] == ["What do you know about me?", f"You told me: {MARK}. Shall I find a bakery?"]
    assert "hazelnuts" not in asked


def test_provenance_says_how_many_echoes_were_cut() -> None:
    log = handed_out_log()
    origin = Origin(extractor="rules/1", run_id="r", parameters={"temperature": 0})
    log.tell(user_says("Hello"), now=at(1))
    turns = [event for event in log.events if isinstance(event.data, EpisodeRecorded)]
    assert marked(origin, turns) == origin
    log.tell(agent_says(HANDED_OUT), now=at(2))
    turns = [event for event in log.events if isinstance(event.data, EpisodeRecorded)]
    assert marked(origin, turns).parameters == {"temperature": 0, "echoes_cut": 1}


@pytest.mark.parametrize(
    ("text", "spans", "left"),
    [
        ("one two", [], "one two"),
        ("one two", [(0, 7)], ""),
        ("one, two.", [(0, 3), (5, 9)], ""),
        ("one two three", [(4, 7)], f"one {MARK} three"),
        ("one. two three", [(0, 4)], f"{MARK}. two three"),
        ("🙂 one two", [(2, 5)], f"🙂 {MARK} two"),
        ("one two three", [(0, 7), (4, 13)], ""),
    ],
)
def test_echoes_are_cut_out(text: str, spans: list[tuple[int, int]], left: str) -> None:
    assert without_echoes(text, [Echo(memory_id=MEMORY, start=start, end=end) for start, end in spans]) == left


def consolidated(log: PaperLog, extractor: str = "rules/1", session: str = "s1") -> None:
    """What was said in a session since it was completed last is learned from."""
    log.tell(end(session))
    origin = Origin(extractor=extractor, run_id=f"run-{len(log.events)}")
    through = {"origin": origin, "through_number": log.events[-1].number, "message_id": f"m{len(log.events)}"}
    log.tell(page(session=session, is_last=True).model_copy(update=through))


def read_again(log: PaperLog, session: str = "s1") -> list[list[str]]:
    parts, _ = turns_learned_from(SessionId(session), [record.event for record in log.settled()])
    return [[turn.text for turn in said(part)] for part in parts.values()]


def test_the_turns_that_rules_have_learned_from_are_read_again_by_completion_in_the_order_of_their_times() -> None:
    log = PaperLog()
    log.tell(user_says("I row.", occurred_at=at(2)), now=at(3))
    log.tell(user_says("I bake.", occurred_at=at(1)), now=at(3))
    consolidated(log)
    log.tell(user_says("I sing."))
    log.tell(user_says("I climb.", "s2"))
    consolidated(log, extractor="llm")
    log.tell(user_says("I sail."))
    consolidated(log)
    log.tell(user_says("I swim."))
    log.tell(end())
    assert read_again(log) == [["I bake.", "I row."], ["I sail."]]


def test_what_is_forgotten_is_not_read_again() -> None:
    log = PaperLog()
    for text in ("I row boats.", "I bake bread."):
        log.tell(user_says(text))
    consolidated(log)
    log.tell(Forget(query="boats"))
    assert read_again(log) == [["I bake bread."]]
    log.tell(ForgetUser())
    with pytest.raises(NotFound):
        read_again(log)


def test_a_session_that_no_rules_have_learned_from_is_not_read_again() -> None:
    log = PaperLog()
    log.tell(user_says("I row."))
    with pytest.raises(NotFound):
        read_again(log)
    consolidated(log, extractor="agent")
    with pytest.raises(NotFound):
        read_again(log)
