"""`memstream chat`, as it is used: through a pipe and a pseudo-terminal, with a scripted model on loopback and without one."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

import pytest
import pytest_asyncio

from services.consolidator.app import build as build_consolidator
from services.ingest.app import build as build_ingest
from services.retriever.app import build as build_retriever
from shared.runtime.service import Service
from tests.support.installations import PATIENCE_S, Installation, serving, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALL = (build_ingest, build_retriever, build_consolidator)
ROOT = Path(__file__).parents[2]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def learning(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """ingest, the retriever and the consolidator, in this process."""
    installation = await Installation.create(tmp_path_factory.mktemp("memstream"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
        services: list[Service] = [
            build(installation.settings) for build in (build_ingest, build_retriever, build_consolidator)
        ]
    async with serving(*services):
        yield installation
    await installation.server.stop()


@dataclass
class ScriptedModel:
    """A model that says the same to everything, or fails; and what it was asked."""

    url: str = ""
    says: str = "Noted."
    status: int = 200
    pause: threading.Event = field(default_factory=threading.Event)
    """It answers while this is set."""

    asked: list[list[dict[str, str]]] = field(default_factory=list)


@contextmanager
def scripted_model() -> Iterator[ScriptedModel]:
    model = ScriptedModel()
    model.pause.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            model.asked.append(asked["messages"])
            model.pause.wait(PATIENCE_S)
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": model.says}}
            answer = {"id": "1", "object": "chat.completion", "created": 0, "model": asked["model"], "choices": [choice]}
            raw = json.dumps(answer if model.status == 200 else {"error": {"message": "no"}}).encode()
            self.send_response(model.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def call(installation: Installation, space: str, *options: str) -> tuple[list[str], dict[str, str]]:
    settings = installation.settings
    command = [sys.executable, "-m", "memstream", "chat", "--data-dir", str(settings.data_dir), "--space", space, *options]
    return command, {**os.environ, "MEMSTREAM_NATS_URL": settings.nats_url or ""}


async def talked(installation: Installation, space: str, *lines: str, options: tuple[str, ...] = ()) -> str:
    """What a chat prints that is given these lines."""
    command, environment = call(installation, space, *options)
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdin=-1, stdout=-1, stderr=-1)
    out, err = await asyncio.wait_for(process.communicate("".join(f"{line}\n" for line in lines).encode()), PATIENCE_S)
    assert (process.returncode, err) == (0, b"")
    return out.decode()


def after(printed: str, line: str) -> list[str]:
    """The lines that follow on one that was said, up to the next."""
    return printed.partition(f"you> {line}\n")[2].partition("\nyou> ")[0].splitlines()


async def test_a_chat_shows_what_is_learned_superseded_and_forgotten(learning: Installation, space: str) -> None:
    printed = await talked(
        learning,
        space,
        *("I live in Leeds.", "I moved from Leeds to York.", "/new", "Where do I live?"),
        *("don't remember this: I am seeing a therapist", "forget that I moved to York", "/facts"),
    )
    assert after(printed, "I live in Leeds.")[-1] == "learned: The user lives in Leeds."
    assert after(printed, "I moved from Leeds to York.")[-2:] == [
        "learned: The user moved from Leeds to York.",
        "superseded: The user lives in Leeds. → The user moved from Leeds to York.",
    ]
    block = after(printed, "Where do I live?")
    assert "About the user: home York" in block
    assert any("The user moved from Leeds to York. [1]" in line for line in block)
    assert any(line.startswith("not kept: ") for line in after(printed, "don't remember this: I am seeing a therapist"))
    said = after(printed, "forget that I moved to York")
    assert said[0].startswith("I have forgotten")
    assert said[-1] == "forgotten: The user moved from Leeds to York."
    assert after(printed, "/facts") == ["nothing found"]
    assert "\x1b" not in printed


async def test_the_page_of_the_chat_shows_what_it_prints(learning: Installation, space: str) -> None:
    (transcript,) = re.findall(r"^```text\n(.*?)^```", (ROOT / "docs/chat.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    said = re.findall(r"^you> (.*)$", transcript, re.MULTILINE)
    printed = await talked(learning, space, *said)
    assert printed[printed.index("you> ") :] == transcript


async def test_the_commands_of_a_chat(learning: Installation, space: str) -> None:
    printed = await talked(
        learning,
        space,
        *("/why", "/block", "My cat is called Wolfram.", "/new", "What is my cat called?", "/block", "/why", "/why therapist"),
        *("/forget", "/forget nothing that anybody said", "/forget Wolfram", "n", "/forget Wolfram", "y", "/facts"),
        *("/sing", "/help", "", "/quit", "never said"),
    )
    assert after(printed, "/why") == ["say or ask something first, or give the words: /why where do I live"]
    assert after(printed, "/block") == ["a model would be given nothing"]
    later = printed.partition("you> What is my cat called?\n")[2]
    assert "The user's cat is called Wolfram. [1]" in later.partition("you> /block\n")[2].partition("you> ")[0]
    assert re.search(r"^line 1 .*Wolfram", later.partition("you> /why\n")[2], re.MULTILINE)
    assert after(later, "/forget") == ["say what: /forget WORDS, or /forget fact_1234abcd"]
    assert after(later, "/forget nothing that anybody said") == ["nothing fits that; nothing would be forgotten"]
    refused, _, agreed = later.partition("you> /forget Wolfram\n")[2].partition("you> /forget Wolfram\n")
    assert "Forget all of this? [y/N] n\nnothing was forgotten\n" in refused
    assert "Forget all of this? [y/N] y\n" in agreed
    assert "forgotten: The user's cat is called Wolfram.\n" in agreed
    assert after(agreed, "/facts") == ["nothing found"]
    assert after(agreed, "/sing") == ["there is no /sing; /help lists the commands"]
    assert {"/new", "/facts", "/block", "/why", "/forget", "/help", "/quit"} <= set(re.findall(r"^/\w+", agreed, re.MULTILINE))
    assert "never said" not in printed


async def test_a_model_is_given_the_memory_and_answers(learning: Installation, space: str) -> None:
    with scripted_model() as model:
        model.says = "York is lovely."
        options = ("--model", "m", "--base-url", model.url)
        printed = await talked(learning, space, "I live in York.", "/new", "Where do I live?", "And you?", options=options)
        assert after(printed, "Where do I live?")[0] == "York is lovely."
        assert "recalled: The user lives in York." in after(printed, "Where do I live?")
        first, second, third = model.asked
        assert first[-1] == {"role": "user", "content": "I live in York."}
        assert "The user lives in York." in second[0]["content"]
        assert [message["role"] for message in second] == ["system", "user"]  # another conversation
        assert [message["content"] for message in third[1:]] == ["Where do I live?", "York is lovely.", "And you?"]


async def test_a_model_is_given_the_turns_of_a_conversation_that_goes_on_without_what_was_forgotten(
    learning: Installation, space: str
) -> None:
    with scripted_model() as model:
        options = ("--model", "m", "--base-url", model.url, "--session", "monday")
        await talked(learning, space, "I have a cat called Wolfram.", "I collect maps of Iceland.", options=options)
        await talked(learning, space, "And now?", "Forget what I said about Wolfram.", "yes", "Well?", options=options)
        first, *_, last = model.asked[2:]
        said = [message["content"] for message in first[1:]]
        assert said == ["I have a cat called Wolfram.", "Noted.", "I collect maps of Iceland.", "Noted.", "And now?"]
        assert not any("Wolfram" in message["content"] for message in last)
        assert any("Iceland" in message["content"] for message in last[1:])


async def test_a_model_that_fails_ends_no_chat(learning: Installation, space: str) -> None:
    with scripted_model() as model:
        model.status = 404
        options = ("--model", "m", "--base-url", model.url)
        printed = await talked(learning, space, "I live in York.", "/help", options=options)
        assert after(printed, "I live in York.") == ["error: the model's endpoint knows no such model or address (HTTP 404)"]
        assert after(printed, "/help")


async def test_an_address_without_a_model_is_wrong_usage(learning: Installation, space: str) -> None:
    command, environment = call(learning, space, "--base-url", "http://127.0.0.1:1/v1")
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdin=-3, stdout=-1, stderr=-1)
    _, err = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert (process.returncode, b"--base-url needs --model" in err) == (2, True)


ON_ITS_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


class Terminal:
    """A chat on a pseudo-terminal of its own, whose keys send it signals."""

    def __init__(self, options: list[str], environment: dict[str, str]) -> None:
        self._keys, theirs = pty.openpty()
        self._shown = ""
        environment = environment | {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", ON_ITS_TERMINAL, *options],
            env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        os.set_blocking(self._keys, False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        os.close(self._keys)

    @property
    def shown(self) -> str:
        """What it has shown by now, without colours, however its lines were broken."""
        with suppress(OSError):  # nothing is there to read, or nobody is left
            while read := os.read(self._keys, 65536):
                self._shown += read.decode(errors="replace")
        return " ".join(re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self._shown).split())

    def type(self, keys: str) -> None:
        os.write(self._keys, keys.encode())

    async def ended(self) -> int:
        """Its return code."""
        await until(lambda: bool(self.shown) and self.process.poll() is not None, what="the chat ended")
        return self.process.returncode


async def test_on_a_terminal_it_shows_two_columns_and_ctrl_c_ends_it(learning: Installation, space: str) -> None:
    command, environment = call(learning, space)
    with Terminal(command[1:], environment) as terminal:
        await until(lambda: "you>" in terminal.shown, what="it asks")
        terminal.type("I live in Oslo.\r")
        await until(lambda: "The user lives in Oslo." in terminal.shown, what="it learns")
        assert "what a model would be given" in terminal.shown
        assert "memory ─" in terminal.shown
        terminal.type("\x03")
        assert await terminal.ended() == 0
        assert "Traceback" not in terminal.shown


async def test_ctrl_c_while_a_model_thinks_ends_the_chat(learning: Installation, space: str) -> None:
    with scripted_model() as model:
        model.pause.clear()
        command, environment = call(learning, space, "--model", "m", "--base-url", model.url)
        with Terminal(command[1:], environment) as terminal:
            await until(lambda: "you>" in terminal.shown, what="it asks")
            terminal.type("I live in Oslo.\r")
            await until(lambda: bool(model.asked), what="the model is asked")
            terminal.type("\x03")
            assert await terminal.ended() == 0
            assert "Traceback" not in terminal.shown
        model.pause.set()


def running_on(folder: Path) -> list[str]:
    """The processes that name this folder."""
    listed = subprocess.check_output(["ps", "-eww", "-o", "args"], text=True).splitlines()
    return [line for line in listed if str(folder) in line]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
async def test_where_nothing_runs_one_command_starts_it_all_and_ends_it(tmp_path: Path, number: signal.Signals) -> None:
    folder = tmp_path / "home"
    environment = os.environ | {"MEMSTREAM_EMBEDDER_KIND": "none"}
    with Terminal(["-m", "memstream", "chat", "--data-dir", str(folder)], environment) as terminal:
        await until(lambda: "you>" in terminal.shown, what="it asks")
        assert "started for this chat" in terminal.shown
        terminal.type("I live in Oslo.\r")
        await until(lambda: "The user lives in Oslo." in terminal.shown, what="it learns")
        assert any("nats-server" in line for line in running_on(folder))
        terminal.process.send_signal(number)
        assert await terminal.ended() == (0 if number == signal.SIGINT else 128 + number)
        assert running_on(folder) == []
