"""A chat endpoint on loopback that answers with all that stands before the question: so a test sees what reached the model."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class _Repeating(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told = "\n".join(message["content"] for message in asked["messages"][:-1])
        message = {"role": "assistant", "content": f"I know this: {told}"}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        body = json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": asked["model"], "choices": [choice]})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def repeating_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let OpenAI's client find it, as its variables say."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Repeating)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("MODEL", "m")
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
