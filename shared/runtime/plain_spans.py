"""Lets nothing out with a span that could hold text: names and numbers of our own, no events, no state of a bot's."""

from collections.abc import Sequence

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import SpanContext, Status

_KEPT = frozenset({"memstream.verdict", "messaging.system", "messaging.operation"})


class PlainSpans(SpanExporter):
    """Exports spans without what they must not tell."""

    def __init__(self, to: SpanExporter) -> None:
        self._to = to

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export copies with the attributes that are ours."""
        return self._to.export([plain(span) for span in spans])

    def shutdown(self) -> None:
        """Close what exports."""
        self._to.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Send what waits."""
        return self._to.force_flush(timeout_millis)


def plain(span: ReadableSpan) -> ReadableSpan:
    """A copy of a span with nothing but its name, its times, and what is ours."""
    context = span.get_span_context()
    return ReadableSpan(
        name=span.name,
        context=_stateless(context) if context else None,
        parent=_stateless(span.parent) if span.parent else None,
        resource=span.resource,
        attributes={key: value for key, value in (span.attributes or {}).items() if key in _KEPT},
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _stateless(context: SpanContext) -> SpanContext:
    return SpanContext(context.trace_id, context.span_id, context.is_remote, context.trace_flags)
