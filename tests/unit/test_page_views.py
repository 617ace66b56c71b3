"""What templates are given, from answers."""

from datetime import UTC, datetime, timedelta
from typing import Any

from services.gateway.page.views.conversations import incognito_sessions
from services.gateway.page.views.details import detail_view
from services.gateway.page.views.forgetting import forgettings, preview_view, receipt_view
from services.gateway.page.views.lists import months
from services.gateway.page.views.memories import memory_view
from services.gateway.page.views.told import why_view
from services.gateway.page.views.trail import trail_lines
from shared.contracts.envelope import Actor
from shared.contracts.memories import Memory, MemoryDetail, Outdated
from shared.contracts.parts import Kind, Origin, Role, Standing
from shared.contracts.preferences import RankingOptions
from shared.contracts.queries import (
    AuditEntry,
    Considered,
    ExplainAnswer,
    Fate,
    ForgetPreviewAnswer,
    LegScore,
    ReceiptAnswer,
    WouldForget,
)

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)


def memory(**more: Any) -> Memory:  # noqa: ANN401 - each of its own type
    fields = {"memory_id": "fact_1", "kind": Kind.FACT, "text": "x", "number": 1, "occurred_at": NOW, "recorded_at": NOW}
    return Memory.model_validate(fields | more)


def detail(**more: Any) -> MemoryDetail:  # noqa: ANN401 - each of its own type
    return MemoryDetail.model_validate(memory().model_dump() | more)


def entry(number: int, kind: str, **more: Any) -> AuditEntry:  # noqa: ANN401 - each of its own type
    fields = {"number": number, "at": NOW, "type": kind, "actor": Actor(channel="send", name="bot"), "result": "recorded"}
    return AuditEntry.model_validate(fields | more)


def test_a_turn_is_said_and_never_sure_or_unsure() -> None:
    shown = memory_view(memory(kind=Kind.EPISODE, role=Role.ASSISTANT))
    assert (shown.is_said, shown.kind, shown.sure) == (True, "said_by_bot", None)


def test_what_holds_in_part_is_not_past() -> None:
    partly, wholly = (memory_view(memory(outdated=each)) for each in (Outdated.PARTLY, Outdated.WHOLLY))
    assert (partly.past, partly.is_past) == ("partly", False)
    assert (wholly.past, wholly.is_past) == ("outdated", True)
    assert memory_view(memory(status=Standing.SUPERSEDED)).past == "superseded"


def test_a_long_text_is_shortened_in_lists_only() -> None:
    long = memory(text="word " * 500)
    assert len(memory_view(long).words) < 330
    assert memory_view(long, shortened=False).words == long.text


def test_a_list_is_parted_by_the_month_in_which_it_was_learned() -> None:
    listed = [memory_view(memory(recorded_at=NOW - timedelta(days=days), occurred_at=NOW)) for days in (0, 1, 5, 40)]
    assert [len(part) for _, part in months(listed)] == [2, 1, 1]


def test_how_a_fact_came_to_be_known_is_named() -> None:
    origin = Origin(extractor="rules/7", run_id="run_1")
    model = Origin(extractor="llm", model="m", run_id="run_1")
    assert detail_view(detail(manually_saved=True), []).origin == "saved"
    assert detail_view(detail(origin=origin), []).origin == "rules"
    assert (detail_view(detail(origin=model), []).origin, detail_view(detail(origin=model), []).model) == ("model", "m")
    assert detail_view(detail(kind=Kind.EPISODE), []).origin is None


def test_what_is_past_can_be_brought_back_and_not_confirmed() -> None:
    past = detail_view(detail(status=Standing.RETIRED, ended_because="decayed"), [])
    assert (past.can_restore, past.can_confirm, past.ended_because) == (True, False, "decayed")
    assert detail_view(detail(pinned=True, decay_rate=0.1), []).fading == "pinned"


def test_what_happens_several_times_at_once_is_one_line() -> None:
    lines = trail_lines([entry(3, "fact_remembered", memory_ids=("b",)), entry(2, "fact_remembered", memory_ids=("a",))])
    assert [(line.count, line.memory_id) for line in lines] == [(2, None)]
    later = entry(4, "fact_remembered", at=NOW + timedelta(minutes=2), memory_ids=("c",))
    assert [line.count for line in trail_lines([later, entry(3, "fact_remembered")])] == [1, 1]


def test_who_did_it_is_told_apart() -> None:
    actors = {
        ("send", "http/person"): ("you", ""),
        ("send", "http/till"): ("program", "till"),
        ("send", "bot"): ("bot", "bot"),
        ("send", None): ("somebody", ""),
        ("work", "consolidator"): ("memstream", "consolidator"),
    }
    for (channel, name), told in actors.items():
        [line] = trail_lines([entry(1, "memory_pinned", actor=Actor(channel=channel, name=name))])
        assert (line.who, line.name) == told


def test_a_refusal_is_told_with_its_code() -> None:
    [line] = trail_lines([entry(1, "command_rejected", result="rejected", code="secret")])
    assert line.refused == "secret"


def test_a_large_forgetting_is_one_with_one_receipt() -> None:
    parts = [entry(n, "memory_forgotten", details={"forget_id": "f"}, memory_ids=("a", "b")) for n in (9, 8)]
    assert forgettings([*parts, entry(3, "user_forgotten")]) == [(9, NOW, 4), (3, NOW, 0)]
    assert [line.count for line in trail_lines(parts)] == [4]


def test_what_would_go_is_counted_also_where_its_words_are_not_shown() -> None:
    would = tuple(WouldForget(memory_id=f"fact_{n}", kind=Kind.FACT, why="named") for n in range(3))
    preview = ForgetPreviewAnswer(position=1, memories=would, events=3, losing_a_source=("x",))
    seen = preview_view(preview, {"fact_1": memory(memory_id="fact_1")})
    assert (seen.count, seen.others, seen.keeping) == (3, 2, 1)


def test_a_receipt_goes_on_until_it_is_done_or_taken_back() -> None:
    states = ("waiting", "erasing", "done", "taken_back")
    receipts = [ReceiptAnswer(state=s, scope="s", forgotten_at=NOW, memories=1, events=2, erased=0) for s in states]  # type: ignore[arg-type]
    assert [receipt_view(each).goes_on for each in receipts] == [True, True, False, False]


def test_the_newest_switch_says_whether_a_conversation_is_incognito() -> None:
    trail = [
        entry(5, "incognito_ended", details={"session_id": "a"}),
        entry(4, "incognito_started", details={"session_id": "b"}),
        entry(3, "incognito_started", details={"session_id": "a"}),
    ]
    assert incognito_sessions(trail) == {"b"}


def test_what_is_told_and_what_is_left_out_are_parted() -> None:
    def considered(fate: Fate) -> Considered:
        legs = {"lexical": LegScore(score=0.9, rank=1), "vector": LegScore(score=0.01, rank=7), "entity": LegScore()}
        scores = {"relevance": 1.2, "recency": 0.0, "importance": 0.0, "confidence": 1.0, "total": 1.0}
        return Considered(memory=memory(), fate=fate, legs=legs, **scores)  # type: ignore[arg-type]

    answer = ExplainAnswer(
        position=1,
        query="q",
        at_number=1,
        computed_at=NOW,
        ranking="r",
        options=RankingOptions(),
        evidence=0.5,
        candidates=(considered(Fate.GIVEN), considered(Fate.DUPLICATE)),
    )
    seen = why_view(answer)
    assert [each.fate for each in (*seen.told, *seen.left_out)] == ["given", "duplicate"]
    assert (seen.told[0].signs, seen.told[0].relevance) == (["lexical"], 100)
