"""Traces join a bot's message with what memstream did, and hold no text whatever a bot sends."""

from collections.abc import Iterator

import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.trace.export import SpanExporter
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from memstream.client.wire import _trace
from shared.runtime import tracing

TRACE = "0af7651916cd43dd8448eb211c80319c"
SENT = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01", "tracestate": "secret=porto", "baggage": "secret=porto"}


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    made = InMemorySpanExporter()
    tracing.open_traces("http://127.0.0.1:9", exporter=made)
    yield made
    tracing.close_traces()


def spans(exporter: InMemorySpanExporter) -> list[str]:
    """What was exported, all of it as JSON."""
    assert tracing._provider
    tracing._provider.force_flush()
    return [span.to_json() for span in exporter.get_finished_spans()]


def test_without_an_endpoint_nothing_is_traced() -> None:
    assert not tracing.is_tracing()
    with tracing.traced("ask context", SENT):
        tracing.note("decide user_message", SENT, began_ns=1, verdict="recorded")
    assert tracing.query_middlewares() == []


def test_what_is_done_for_a_message_and_a_question_is_in_the_trace_of_its_bot(exporter: InMemorySpanExporter) -> None:
    tracing.note("decide user_message", SENT, began_ns=1_000, verdict="recorded")
    with tracing.traced("ask context", SENT):
        pass
    assert [span.count(TRACE) >= 1 for span in spans(exporter)] == [True, True]
    decided, asked = exporter.get_finished_spans()
    assert decided.name == "decide user_message"
    assert asked.parent is not None
    assert asked.parent.span_id == 0xB7AD6B7169203331


def test_no_words_of_a_bot_leave_with_a_span(exporter: InMemorySpanExporter) -> None:
    assert tracing._tracer

    def fail() -> None:
        with tracing.traced("ask context", SENT), tracing._tracer.start_as_current_span("within") as span:  # type: ignore[union-attr]
            span.set_attribute("messaging.destination.name", "ask.home.porto.context")
            span.add_event("porto")
            raise ValueError("porto")

    with pytest.raises(ValueError, match="porto"):
        fail()
    told = spans(exporter)
    assert len(told) == 2
    assert [span for span in told if "porto" in span] == []


@pytest.mark.parametrize("header", ["", "porto", "00-" + "x" * 300, "00-0-0-0"])
def test_a_header_that_is_no_parent_begins_a_trace_of_its_own(exporter: InMemorySpanExporter, header: str) -> None:
    with tracing.traced("ask context", {"traceparent": header}):
        pass
    (span,) = spans(exporter)
    assert "porto" not in span
    assert exporter.get_finished_spans()[0].parent is None


def test_a_client_hands_on_the_span_of_its_bot_and_nothing_else(exporter: InMemorySpanExporter) -> None:
    assert isinstance(exporter, SpanExporter)
    assert _trace() == {}
    with tracing.traced("turn", SENT):
        headers = _trace()
    assert headers.keys() == {"traceparent"}
    assert TRACE in headers["traceparent"]
