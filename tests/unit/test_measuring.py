"""What is measured when events are appended: in bounded labels, without a word."""

from datetime import UTC, datetime, timedelta

import pytest

from services.ingest.command_group import EventToAppend
from services.ingest.measuring import Measuring
from services.ingest.said_words import hashes_of
from services.maintenance.domain.timetable import Timetable
from services.maintenance.job_measures import JobMeasures
from shared.contracts.command import Command
from shared.contracts.feedback import RecordFeedback
from shared.contracts.ids import MemoryId, Scope
from shared.contracts.jobs import JobEnd, JobRun
from shared.contracts.preferences import PersonSettings
from shared.domain.moments import microseconds
from shared.runtime.bounded_labels import BoundedLabels, SpaceLabels
from shared.runtime.measured import measured as measured_here
from shared.runtime.metrics import MODEL_TOKENS, REGISTRY
from shared.runtime.spending import ModelPrice, know_prices, spent
from tests.support.commands import agent_says, change, extracted, import_of, page, pin, recall_of, remember, user_says
from tests.support.paper import PaperLog
from tests.support.sent import sent


class Words:
    """The words of memories, as quotations know them."""

    def __init__(self) -> None:
        self.known: dict[MemoryId, frozenset[int]] = {}

    def words_of(self, _: Scope, memory_ids: list[MemoryId]) -> list[frozenset[int]]:
        return [self.known[memory_id] for memory_id in memory_ids if memory_id in self.known]


class Measured:
    """A log whose events are measured."""

    def __init__(self) -> None:
        self.words = Words()
        self.log = PaperLog()
        self._measuring = Measuring(self.words)  # type: ignore[arg-type] # all that it asks for

    def tell(self, command: Command) -> list[EventToAppend]:
        message = sent(command)
        batch = [EventToAppend(message, event, is_last=True) for event in self.log.tell(command)]
        self._measuring.add(batch, {message.scope: self.log.state})
        return batch

    def learned(self, text: str) -> MemoryId:
        [(_, event, _)] = self.tell(remember(text))
        assert event.data.subject
        self.words.known[event.data.subject] = hashes_of(text)
        return event.data.subject


def value(metric: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(metric, labels) or 0.0


@pytest.fixture
def measured() -> Measured:
    return Measured()


def reply(measured: Measured, question: str, memory: str, answer: str, *, recalled: bool = True) -> str:
    """How a reply is counted."""
    kinds = ("quoted", "used", "unused", "unrecalled")
    before = {kind: value("memstream_replies_total", influence=kind) for kind in kinds}
    memory_id = measured.learned(memory)
    measured.tell(user_says(question))
    if recalled:
        measured.tell(recall_of({memory_id: 0.5}))
    measured.tell(agent_says(answer))
    (counted,) = [kind for kind in kinds if value("memstream_replies_total", influence=kind) > before[kind]]
    return counted


@pytest.mark.parametrize(
    ("question", "answer", "influence"),
    [
        ("Where does my sister live?", "Your sister lives in Porto, I think.", "used"),
        ("Where does my sister live?", "I do not know where your sister lives.", "unused"),
        ("What about Porto and my sister who lives there?", "Your sister lives in Porto.", "unused"),
        ("What shall I cook?", "How about a soup with leeks?", "unused"),
    ],
)
def test_a_reply_rests_on_a_memory_where_it_has_words_that_nobody_had_just_said(
    measured: Measured, question: str, answer: str, influence: str
) -> None:
    assert reply(measured, question, "My sister lives in Porto", answer) == influence


def test_without_a_context_a_reply_owes_nothing_to_memory(measured: Measured) -> None:
    assert reply(measured, "Where?", "My sister lives in Porto", "In Porto.", recalled=False) == "unrecalled"


def test_a_recall_counts_for_the_next_reply_only(measured: Measured) -> None:
    assert reply(measured, "Where?", "My sister lives in Porto", "In Porto.") == "used"
    before = value("memstream_replies_total", influence="unrecalled")
    measured.tell(agent_says("Porto is in Portugal."))
    assert value("memstream_replies_total", influence="unrecalled") == before + 1


def test_an_import_is_no_reply(measured: Measured) -> None:
    before = value("memstream_replies_total", influence="unrecalled")
    measured.tell(import_of([user_says("hi"), agent_says("hello")]))
    assert value("memstream_replies_total", influence="unrecalled") == before


def test_what_a_person_does_is_counted_once(measured: Measured) -> None:
    actions = ("remember", "pin", "memory_off", "memory_on", "feedback")
    before = {action: value("memstream_user_actions_total", action=action) for action in actions}
    helped = value("memstream_feedback_total", verdict="useless")
    memory_id = measured.learned("My sister lives in Porto")
    for command in (
        pin(memory_id),
        RecordFeedback(memory_id=memory_id, helped=False),
        change(PersonSettings(memory_enabled=False)),
        change(PersonSettings(memory_enabled=True)),
    ):
        measured.tell(command)
    assert {
        action: value("memstream_user_actions_total", action=action) - before[action] for action in actions
    } == dict.fromkeys(actions, 1.0)
    assert value("memstream_feedback_total", verdict="useless") == helped + 1


def test_a_repeat_is_a_saved_fact_and_a_trim_is_of_its_space(measured: Measured) -> None:
    saves = value("memstream_dedupe_saves_total", match="exact")
    trims = value("memstream_facts_trimmed_total", space="home")
    measured.learned("Anna likes tea")
    measured.tell(remember("Anna likes tea!"))
    assert value("memstream_dedupe_saves_total", match="exact") == saves + 1
    measured.tell(user_says("hi", "s1"))
    measured.tell(page(extracted("Ben rows boats", importance=0.1), number=measured.log.state.number))
    measured.tell(change(PersonSettings(soft_cap=1)))
    assert value("memstream_facts_trimmed_total", space="home") == trims + 1
    assert value("memstream_pinned_trimmed_total", space="home") == 0


def test_what_is_superseded_and_what_is_asked_about_is_counted_by_the_reason(measured: Measured) -> None:
    ended = value("memstream_facts_superseded_total", reason="conflict")
    asked = value("memstream_facts_questioned_total", reason="opposite")
    for text in ("I live in Leeds", "I moved to York", "I took sailing lessons"):
        measured.tell(remember(text))
    measured.tell(remember("I have never taken sailing lessons"))
    assert value("memstream_facts_superseded_total", reason="conflict") == ended + 1
    assert value("memstream_facts_questioned_total", reason="opposite") == asked + 1


def test_values_beyond_the_bound_share_a_label() -> None:
    label = BoundedLabels(2)
    assert [label(value) for value in ("a", "b", "c", "a", "d")] == ["a", "b", "other", "a", "other"]


def test_a_space_has_a_series_only_where_its_name_is_plain() -> None:
    label = SpaceLabels(2)
    names = ("shop", "anna@example.org", "Anna Weber's diary", "x" * 33, "team-2", "third")
    assert [label(name) for name in names] == ["shop", "other", "other", "other", "team-2", "other"]
    assert SpaceLabels(0)("shop") == "other"


def test_each_event_counts_for_its_space(measured: Measured) -> None:
    before = value("memstream_space_events_total", space="home")
    measured.learned("Anna likes tea")
    assert value("memstream_space_events_total", space="home") == before + 1


def test_what_is_told_on_the_bus_names_no_bot_and_no_person(measured: Measured) -> None:
    measured.learned("Anna likes tea")
    for person in ("0123", "4567"):
        MODEL_TOKENS.labels("learning", "read", person).inc(2)
    told = measured_here()
    assert told["memstream_space_events_total{space=home}"] >= 1
    assert told["memstream_model_tokens_total{direction=read,purpose=learning}"] >= 4
    assert [key for key in told if "person=" in key or "bot=" in key or "_created" in key] == []


def test_a_job_that_failed_is_counted_and_stays_due() -> None:
    measures = JobMeasures(Timetable({"decay": "0 4 * * *", "ageing": "0 5 * * 0"}, "UTC"))
    first = datetime(2026, 3, 2, 4, tzinfo=UTC)
    measures.begin({"decay": microseconds(first)}, now=first)
    failures = value("memstream_job_runs_total", job="decay", ended="failed")
    measures.ended(run_of("decay", began_at=first + timedelta(days=1), ended="failed"))
    assert value("memstream_job_runs_total", job="decay", ended="failed") == failures + 1
    assert value("memstream_job_seconds", job="decay") == 1.5
    assert value("memstream_job_success_timestamp_seconds", job="decay") == first.timestamp()
    assert value("memstream_job_due_timestamp_seconds", job="decay") == (first + timedelta(days=1)).timestamp()
    assert value("memstream_job_due_timestamp_seconds", job="ageing") == datetime(2026, 3, 8, 5, tzinfo=UTC).timestamp()
    measures.ended(run_of("decay", began_at=first + timedelta(days=2), ended="limit"))
    assert value("memstream_job_due_timestamp_seconds", job="decay") == (first + timedelta(days=3)).timestamp()


def run_of(job: str, *, began_at: datetime, ended: JobEnd) -> JobRun:
    return JobRun(
        run=f"{job}/1", job=job, asked_by="schedule", due_at=began_at, began_at=began_at, duration_ms=1_500, ended=ended
    )


def test_what_a_model_costs_is_counted_where_its_price_is_known() -> None:
    know_prices({"small": ModelPrice(0.15, 0.6)})
    before = value("memstream_model_cost_total", purpose="learning", model="small")
    spent("learning", "small", read=2_000, written=500)
    spent("learning", "unpriced", read=2_000, written=500)
    know_prices({})
    spent("learning", "small", read=2_000, written=500)
    assert value("memstream_model_cost_total", purpose="learning", model="small") - before == pytest.approx(0.0006)
    assert value("memstream_model_cost_total", purpose="learning", model="unpriced") == 0
