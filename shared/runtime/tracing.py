"""Traces from a message's publishing to the next answer, by OpenTelemetry; without an endpoint nothing is traced at all.

A bot whose messages and questions bear a `traceparent` finds in its own trace what memstream did with them. No span can hold
text: what is exported has a name and attributes of these here only, no events, no descriptions, and no state of a bot's.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from shared.contracts.errors import Misconfigured
from shared.domain.moments import microseconds
from shared.runtime.clock import SystemClock

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Tracer

_PARENT = "traceparent"
_PARENT_FORM = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
_PATH = "/v1/traces"
_BROAD = "*"
_NANOSECONDS = 1_000
"""In a microsecond."""

_tracer: "Tracer | None" = None
_provider: "TracerProvider | None" = None


def open_traces(endpoint: str, *, exporter: "SpanExporter | None" = None) -> None:
    """Send traces to this endpoint, from now on. Raises Misconfigured if the extra is not installed."""
    global _tracer, _provider  # noqa: PLW0603 - as the registry of metrics: one for the process
    if _tracer is not None:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - an extra
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

        from shared.runtime.plain_spans import PlainSpans  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise Misconfigured("Tracing is not installed: pip install 'memstream[otel]'") from error
    _provider = TracerProvider(resource=Resource({"service.name": "memstream"}))
    to = exporter or OTLPSpanExporter(endpoint=endpoint.rstrip("/") + _PATH)
    _provider.add_span_processor(BatchSpanProcessor(PlainSpans(to)))
    _tracer = _provider.get_tracer("memstream")


def close_traces() -> None:
    """Send what waits, and trace no more."""
    global _tracer, _provider  # noqa: PLW0603
    if _provider is not None:
        _provider.shutdown()
    _tracer = _provider = None


def is_tracing() -> bool:
    """True if anything is traced."""
    return _tracer is not None


def parent_of(headers: Mapping[str, str] | None) -> dict[str, str]:
    """What is kept beside an event so that whoever applies it finds the trace: nothing where nothing is traced.

    A `traceparent` that is none, which could be words, is left out.
    """
    given = (headers or {}).get(_PARENT, "") if _tracer is not None else ""
    return {_PARENT: given} if _PARENT_FORM.fullmatch(given) else {}


@contextmanager
def traced(name: str, headers: Mapping[str, str] | None) -> Iterator[None]:
    """A span of what is done here, under that of the sender whose headers these are."""
    if _tracer is None:
        yield
        return
    with _tracer.start_as_current_span(name, context=_sender(headers), record_exception=False):
        yield


def moment_ns() -> int:
    """The present moment, as spans have it: nanoseconds since 1970."""
    return microseconds(SystemClock().now()) * _NANOSECONDS


def note(name: str, headers: Mapping[str, str] | None, *, began_ns: int, verdict: str) -> None:
    """Record a span that began in the past and ends now."""
    if _tracer is not None:
        attributes = {"memstream.verdict": verdict}
        _tracer.start_span(name, context=_sender(headers), start_time=began_ns, attributes=attributes).end()


def query_middlewares() -> list[Any]:
    """FastStream's middleware for NATS, where anything is traced; subjects are named without whom they are about."""
    if _tracer is None:
        return []
    from faststream.nats.opentelemetry.provider import NatsTelemetrySettingsProvider  # noqa: PLC0415 - an extra
    from faststream.opentelemetry.middleware import TelemetryMiddleware  # noqa: PLC0415

    class _Patterns(NatsTelemetrySettingsProvider):
        def get_consume_attrs_from_message(self, msg: Any) -> dict[str, Any]:  # noqa: ANN401, ARG002 - FastStream's own signature
            return {"messaging.system": self.messaging_system}

        def get_consume_destination_name(self, msg: Any) -> str:  # noqa: ANN401 - FastStream's own signature
            return pattern_of(str(msg.raw_message.subject))

        def get_publish_attrs_from_cmd(self, cmd: Any) -> dict[str, Any]:  # noqa: ANN401, ARG002 - FastStream's own signature
            return {"messaging.system": self.messaging_system}

        def get_publish_destination_name(self, cmd: Any) -> str:  # noqa: ANN401, ARG002 - FastStream's own signature
            return "reply"

    return [
        TelemetryMiddleware(
            settings_provider_factory=lambda _: _Patterns(), tracer_provider=_provider, include_messages_counters=False
        )
    ]


def pattern_of(subject: str) -> str:
    """The subject of a query without whom it is about.

    >>> pattern_of("ask.home.anna.stats"), pattern_of("gate.x.ask.home.anna.stats"), pattern_of("admin.ingest.status")
    ('ask.*.*.stats', 'ask.*.*.stats', 'admin.ingest.status')
    """
    tokens = subject.split(".")
    if tokens[0] == "admin":
        return subject
    if "ask" in tokens:
        return f"ask.{_BROAD}.{_BROAD}.{tokens[-1]}"
    return f"{tokens[0]}.{_BROAD}.{tokens[-1]}"


def _sender(headers: Mapping[str, str] | None) -> "Context":
    from opentelemetry.context import Context  # noqa: PLC0415 - an extra
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

    given = (headers or {}).get(_PARENT, "")
    return TraceContextTextMapPropagator().extract({_PARENT: given}, context=Context())
