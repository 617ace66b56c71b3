"""Nobody outside makes series: the values of labels are known ones, and a metric has no more series than a bound."""

from __future__ import annotations

from collections.abc import Mapping

import prometheus_client
import pytest
from starlette.types import Message, Scope

from services.gateway.web import make_app
from shared.runtime import metrics
from shared.runtime.bounded_labels import OTHER
from shared.runtime.metrics import GATEWAY_SECONDS

_METHODS = ["GET", "get", "M0001", "M0002", "Q" * 3_000, "TRACE", "CONNECT", "é"]


async def _request(method: str, path: str, headers: Mapping[str, str]) -> int:
    status = 0

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status
        status = message.get("status", status)

    scope: Scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    await make_app(None, version="1")(scope, receive, send)
    return status


@pytest.mark.parametrize("host", ["evil", "127.0.0.1:1"])
@pytest.mark.parametrize("path", ["/nowhere", "/v1/memory/nowhere"])
async def test_methods_that_are_none_share_one_series(host: str, path: str) -> None:
    for method in _METHODS:
        status = await _request(method, path, {"host": host, "user-agent": f"agent of {method[:9]}"})
        assert 400 <= status < 500
    known = {labels[1] for labels in GATEWAY_SECONDS._metrics}
    assert {"GET", OTHER} <= known
    assert not known & {*_METHODS[1:]}
    assert {labels[0] for labels in GATEWAY_SECONDS._metrics} >= {"none"}


@pytest.mark.parametrize("kind", [metrics.Counter, metrics.Gauge, metrics.Histogram])
def test_what_comes_when_a_metric_has_most_series_shares_one(
    kind: type[prometheus_client.Counter], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "_MOST_SERIES", 3)
    made = kind("memstream_bounded", "A test.", ["one", "two"], registry=None)
    children = [made.labels(number, "x") for number in range(9)]
    assert len(set(map(id, children))) == 4
    assert made.labels(0, "x") is children[0]
    assert (OTHER, OTHER) in made._metrics
