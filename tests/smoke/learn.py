"""Lets a small real model on loopback teach a memory, through every service, and says what came of it: `make smoke-llm`.

It shows that the protocol works with a real server: structured output, answers that are cut off, tokens, evidence, attempts. It
says nothing of how good facts are: a model of 135 million parameters rambles, and invents most of what it writes. So the run is
good if the session ends, learned from or set aside for what the model wrote, and if no fact comes of what nobody said.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.acceptance.processes import Installation

SAID = ("My name is Anna and I live in Oslo.", "I work as a nurse.", "My cat is called Sill.")
OF_THE_MODEL = {"answer_truncated", "answer_invalid"}
SAID_WORDS = {"anna", "oslo", "nurse", "cat", "sill"}
PATIENCE_S = 900
SERVER = Path(__file__).with_name("small_model.py")


@contextmanager
def small_model(python: str) -> Iterator[str]:
    """The address of the model's endpoint, until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([python, str(SERVER), str(port)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            sys.exit("the model's server did not start")
        yield f"{address}/v1"
    finally:
        process.kill()
        process.wait()


async def learned(installation: Installation) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the consolidator says when it is done with the session, and the facts."""
    async with installation.bot() as bot:
        for number, text in enumerate(SAID):
            await bot.send("send.home.anna.user_message", {"session_id": "s1", "text": text, "message_id": f"m{number}"})
        sequence = await bot.send("send.home.anna.end_session", {"session_id": "s1"})
        await bot.ask("ask.home.anna.outcome", {"sequence": sequence})
        async with asyncio.timeout(PATIENCE_S):
            while (status := await installation.admin("admin.consolidator.status"))["pending"]:
                await asyncio.sleep(1)
        await installation.learned()
        return status, (await bot.ask("ask.home.anna.list", {"kinds": ["fact"]}))["items"]


async def run(python: str) -> bool:
    """True if the session came to its end through the model's own words, and its tokens were counted."""
    with small_model(python) as url, tempfile.TemporaryDirectory() as folder:
        environment = {
            "MEMSTREAM_LLM_MODEL": "smollm2",
            "MEMSTREAM_LLM_BASE_URL": url,
            "MEMSTREAM_LLM_TIMEOUT_S": "600",
            "MEMSTREAM_LLM_ASKS_SLOTS": "false",
            "MEMSTREAM_LLM_MAX_RETRIES": "0",
            "MEMSTREAM_LLM_PARAMETERS": '{"max_tokens": 300, "repeat_penalty": 1.2}',
            "MEMSTREAM_CONSOLIDATOR_MOST_ATTEMPTS": "2",
            "MEMSTREAM_CONSOLIDATOR_RETRY_S": "1",
        }
        installation = Installation(Path(folder) / "data", environment=environment)
        await installation.start()
        try:
            status, facts = await learned(installation)
            refused = [line for line in installation.log_of("consolidator").splitlines() if "refuse" in line]
        finally:
            await installation.stop()
    print("\n".join([f"tokens: {status['tokens_today']}", f"set aside: {status['set_aside_for']}", *refused]))
    print("\n".join(f"fact: {fact['text']}" for fact in facts) or "no fact rested on what was said")
    rests = all(SAID_WORDS & set(fact["text"].lower().replace(".", "").split()) for fact in facts)
    return bool(status["tokens_today"]) and status["set_aside_for"].keys() <= OF_THE_MODEL and rests


if __name__ == "__main__":
    if not asyncio.run(run(sys.argv[1])):
        sys.exit("the session did not end as it should")
    print("done")
