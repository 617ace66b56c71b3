"""A small endpoint that speaks OpenAI's embeddings API on loopback; its vectors are hashed, its mishaps are scripted."""

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from shared.runtime.embedders.hashing import Hashing
from shared.runtime.embedders.port import unit_rows

Answer = dict[str, Any]


@dataclass
class Mishap:
    """What the next request gets instead of its vectors; `retry-after-ms` keeps the SDK's waits short."""

    status: int = 200
    body: str = '{"error": {"message": "no: <the text>", "code": "scripted"}}'
    content_type: str = "application/json"
    pause_s: float = 0.0


@dataclass
class Endpoint:
    """A running endpoint and what it was asked."""

    url: str = ""
    asked: list[Answer] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    mishaps: list[Mishap] = field(default_factory=list)
    dimensions: int | None = None  # what it gives, whatever was asked
    refuses: Callable[[list[str]], int | None] | None = None  # the status for these texts, if they are refused
    rewrite: Callable[[Answer], object] | None = None

    def answer(self, asked: Answer) -> Answer:
        texts: list[str] = asked["input"]
        assert 0 < len(texts) <= 128
        assert all(texts), "OpenAI rejects an empty text"
        width = self.dimensions or asked["dimensions"]
        rows = 3 * unit_rows(Hashing(dimensions=width).encode(texts))  # not of unit length, as many models' are
        data = [{"object": "embedding", "index": i, "embedding": row.tolist()} for i, row in enumerate(rows)]
        answer = {"object": "list", "model": asked["model"], "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        if self.rewrite:
            self.rewrite(answer)
        return answer


class Server(ThreadingHTTPServer):
    """Silent about clients that stopped waiting."""

    daemon_threads = True

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def embeddings_endpoint() -> Iterator[Endpoint]:
    """An endpoint on a free port of loopback, until the block ends."""
    endpoint = Endpoint()
    server = Server(("127.0.0.1", 0), _handler(endpoint))
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            assert self.path == "/v1/embeddings"
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            endpoint.asked.append(asked)
            endpoint.headers.append({name.lower(): value for name, value in self.headers.items()})
            status = endpoint.refuses(asked["input"]) if endpoint.refuses else None
            if status or endpoint.mishaps:
                mishap = Mishap(status) if status else endpoint.mishaps.pop(0)
                time.sleep(mishap.pause_s)
                self.reply(mishap.status, mishap.content_type, mishap.body)
            else:
                self.reply(200, "application/json", json.dumps(endpoint.answer(asked)))

        def reply(self, status: int, content_type: str, body: str) -> None:
            raw = body.encode()
            self.send_response(status)
            self.send_header("content-type", content_type)
            self.send_header("content-length", str(len(raw)))
            self.send_header("retry-after-ms", "5")
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
            pass

    return Handler
