"""Runs one contender in a process of its own; does what its standard input says, a line of JSON for each request and answer."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peers.contender import Ask, Contender, Given, Memory
from bench.peers.corpus import read

_REQUESTS = ("load", "open", "ask", "find", "close", "answer", "add", "delete", "known")


class Worker:
    """Answers requests about one contender."""

    def __init__(self, contender: Contender) -> None:
        self._contender = contender
        self._clients: list[Ask] = []
        self._open = ExitStack()

    def load(self, texts: str, vectors: str) -> int:
        """Fill the contender from these files; return how much it was given."""
        memories, rows = read(Path(texts), Path(vectors))
        self._contender.load(memories, rows)
        return len(memories)

    def open(self, clients: int, questions: Sequence[str]) -> None:
        """Let so many clients come, and each ask these questions once, so that everything is loaded."""
        self._clients = [self._open.enter_context(self._contender.client()) for _ in range(clients)]
        for ask in self._clients:
            for question in questions:
                ask(question)

    def ask(self, questions: Sequence[str], clients: int, turn_s: float) -> dict[str, Any]:
        """Ask them from so many clients at once, the next question as soon as one is free, until all are asked or time is up.

        Returns the seconds of each answer, how long it all took, and how many answers had no memory.
        """
        turn = _Turn(questions, clients, turn_s)
        with ThreadPoolExecutor(clients) as threads:
            list(threads.map(turn.ask, self._clients[:clients]))
        return {"seconds": turn.seconds, "took_s": turn.ended - turn.began, "empty": turn.empty}

    def find(self, texts: Mapping[str, str]) -> list[str]:
        """The ids of those memories that are not found by their own words."""
        with self._contender.client() as ask:
            return [memory for memory, text in texts.items() if memory not in ask(text)]

    def close(self) -> None:
        """Let the clients go."""
        self._clients.clear()
        self._open.close()

    def answer(self, questions: Sequence[str]) -> list[list[str]]:
        """The turns that are found for each question."""
        return [self._contender.find(question) for question in questions]

    def add(self, memory: Sequence[str]) -> None:
        """Store one more."""
        self._contender.add(Memory(*memory))

    def delete(self, memory_id: str) -> None:
        """Delete one."""
        self._contender.delete(memory_id)

    def known(self) -> list[str]:
        """All that it holds."""
        return sorted(self._contender.known())


class _Turn:
    """Questions that several clients share."""

    def __init__(self, questions: Sequence[str], clients: int, turn_s: float) -> None:
        self.seconds: list[float] = []
        self.empty = 0
        self.began = self.ended = 0.0
        self._turn_s = turn_s
        self._left = iter(questions)
        self._next = threading.Lock()
        self._start = threading.Barrier(clients, action=self._begin)

    def ask(self, ask: Ask) -> None:
        """What one client does."""
        self._start.wait()
        for question in self._questions():
            began = time.perf_counter()
            found = ask(question)
            self.ended = time.perf_counter()
            self.seconds.append(self.ended - began)
            self.empty += not found

    def _begin(self) -> None:
        self.began = time.perf_counter()

    def _questions(self) -> Iterator[str]:
        while time.perf_counter() < self.began + self._turn_s:
            with self._next:
                question = next(self._left, None)
            if question is None:
                return
            yield question


def main(adapter: str, folder: str, embedder: str, models: str) -> None:
    """Open the contender, say so, and answer until there are no more requests."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a library prints is none of our answers
    given = Given(Path(folder), embedder, Path(models))
    with import_module(adapter).contender(given) as contender:
        worker = Worker(contender)
        known: dict[str, Callable[..., Any]] = {name: getattr(worker, name) for name in _REQUESTS}
        print(json.dumps("ready"), file=answers)
        for line in sys.stdin:
            what, fields = json.loads(line)
            print(json.dumps(known[what](**fields)), file=answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
