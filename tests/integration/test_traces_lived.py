"""From what a bot sends to the answer that it gets: one trace, told to a collector on this machine, and not a word in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from prometheus_client import generate_latest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from services.ingest.app import build as build_ingest
from services.maintenance.app import build as build_maintenance
from services.retriever.app import build as build_retriever
from shared.contracts.ids import Space, User
from shared.contracts.subjects import ask_subject, encode_token
from shared.runtime import tracing
from shared.runtime.measured import measured
from shared.runtime.metrics import REGISTRY
from tests.support.installations import Bot, Installation, serving, until
from tests.support.logs import told_logs

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01", "tracestate": "said=quokka"}
PLANTED = ("quokka", "wombat", "numbat", "bilby")
"""In the text, the session's id, the message's id, the question."""


class Collector:
    """Takes traces by OTLP over HTTP, on the loopback."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                assert self.path == "/v1/traces"
                collector.bodies.append(self.rfile.read(int(self.headers["content-length"])))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def spans(self) -> list[tuple[str, str]]:
        """The names of what was told, with their traces."""
        told = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        scopes = [scope for each in told for resource in each.resource_spans for scope in resource.scope_spans]
        return [(span.name, span.trace_id.hex()) for scope in scopes for span in scope.spans]


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    thread = Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


async def test_one_trace_spans_what_is_sent_and_what_is_answered_and_holds_no_word(
    own_server: Installation, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
    settings = own_server.settings.model_copy(update={"otel_endpoint": collector.url})
    services = build_ingest(settings), build_retriever(settings), build_maintenance(settings)
    with told_logs() as logs:
        async with serving(*services), own_server.connected("bot") as client:
            bot = Bot(client, "home")
            subject = f"send.home.{encode_token('anna')}.user_message"
            said = {"text": "My quokka is called Bert", "session_id": "wombat", "message_id": "numbat"}
            await client.jetstream().publish(subject, json.dumps(said).encode(), headers=PARENT)
            outcome = await bot.outcome("anna", what="user_message", message_id="numbat")
            asked = {"query": "bilby quokka", "min_position": outcome.position}
            subject = ask_subject(Space("home"), User("anna"), "context")
            answer = json.loads((await client.request(subject, json.dumps(asked).encode(), timeout=20, headers=PARENT)).data)
            assert "quokka" in answer["markdown"]
            applied = ("apply retriever", "apply maintenance")
            await until(lambda: _flushed(collector, applied), what="the projections told")
    tracing.close_traces()

    ours = {name for name, trace in collector.spans() if trace == TRACE}
    assert ours >= {"decide user_message", "append episode_recorded", "apply retriever", "ask context"}
    told = b"".join(collector.bodies) + generate_latest(REGISTRY) + json.dumps([measured(), logs], default=str).encode()
    assert [word for word in (*PLANTED, "Bert", "anna") if word.encode() in told] == []


def _flushed(collector: Collector, names: tuple[str, ...]) -> bool:
    assert tracing._provider
    tracing._provider.force_flush()
    return {*names} <= {name for name, _ in collector.spans()}


def test_a_traceparent_that_is_none_is_not_kept_beside_an_event(collector: Collector) -> None:
    tracing.open_traces(collector.url)
    try:
        assert tracing.parent_of({"traceparent": "quokka"}) == {}
        assert tracing.parent_of(PARENT) == {"traceparent": PARENT["traceparent"]}
    finally:
        tracing.close_traces()
    assert tracing.parent_of(PARENT) == {}
