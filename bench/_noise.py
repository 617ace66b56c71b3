"""A bot of one space that sends the worst that it may, as fast as it is answered: a process of its own, ended by a signal.

Called with the server's URL, the bot's name, password and space, and the name of what it sends.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from bench._text import Writer
from memstream.client import Memories, MemoryClient
from shared.contracts.errors import MemstreamError
from shared.language.text.length import LONGEST_READ

_AT_ONCE = 16
_PEOPLE = 4
_TOLD = 40
_PAUSE_S = 0.1
_LONGEST_TEXT = 65_000
_LONGEST_QUESTION = 16_000
_WORDS = " ".join(Writer("noise").words(12_000))


class Noise(NamedTuple):
    """What is sent: a command or a query, and its fields by a number."""

    what: str
    fields: Callable[[int], Mapping[str, Any]]
    is_query: bool = False


def _turn(say: Callable[[int], str], *, session: int = 50) -> Noise:
    return Noise("user_message", lambda number: {"session_id": f"s{number // session}", "text": say(number)})


def _fact(say: Callable[[int], str]) -> Noise:
    return Noise("remember_fact", lambda number: {"text": say(number)})


def _question(say: Callable[[int], str]) -> Noise:
    return Noise("context", lambda number: {"query": say(number), "timeout_s": 30}, is_query=True)


def _repeated(unit: str, characters: int = LONGEST_READ - 20) -> Callable[[int], str]:
    return lambda number: f"{unit * (characters // len(unit))} {number}"


def _words(characters: int) -> Callable[[int], str]:
    """Other words of English each time."""

    def say(number: int) -> str:
        begin = number * 977 % (len(_WORDS) - characters)
        return f"{_WORDS[begin : begin + characters]} {number}"

    return say


def _imported(number: int) -> Mapping[str, Any]:
    say, session = _words(2_000), {"role": "user", "session_id": f"i{number}", "occurred_at": "2025-03-04T05:06:07Z"}
    return {"turns": [{**session, "text": say(100 * number + turn), "message_id": f"{number}/{turn}"} for turn in range(100)]}


NOISES: dict[str, Noise] = {
    "long turns of words": _turn(_words(9_900)),
    "long turns of CJK": _turn(_repeated("猫が好きです。")),
    "long turns of dots": _turn(_repeated("…")),
    "long turns of digits": _turn(_repeated("4711 ")),
    "long turns of names": _turn(_repeated("Anna Lind, ")),
    "long turns of statements": _turn(_repeated("My sister Anna moved from York to Leeds in May. ")),
    "long turns of commands": _turn(_repeated("Forget what I said about York. ")),
    "longest turns": _turn(_words(_LONGEST_TEXT)),
    "short turns": _turn(lambda number: f"My cat {number} lives in York.", session=5),
    "long facts": _fact(_words(9_900)),
    "long facts of names": _fact(_repeated("Anna Lind, ")),
    "commands to forget": _turn(lambda number: f"Forget what I said about the {_words(40)(number).split()[1]}."),
    "imports": Noise("import_turns", _imported),
    "long questions of words": _question(_words(15_900)),
    "long questions of CJK": _question(_repeated("猫が好きです。", _LONGEST_QUESTION - 20)),
    "long questions of dots": _question(_repeated("…", _LONGEST_QUESTION - 20)),
    "short questions": _question(_words(60)),
}
"""Each within what a bot may send. Before questions long texts are told of those who are asked about."""


async def _send(memory: Memories, noise: Noise, number: int) -> None:
    try:
        if noise.is_query:
            await memory.ask_raw(noise.what, json.dumps(noise.fields(number)).encode(), timeout_s=30)
        else:
            await memory.send(noise.what, noise.fields(number))
    except MemstreamError as error:
        print(error.code, flush=True)
        await asyncio.sleep(_PAUSE_S)


async def _keep_sending(people: Sequence[Memories], noise: Noise, numbers: count[int]) -> None:
    for number in numbers:
        await _send(people[number % _PEOPLE], noise, number)


async def main(url: str, bot: str, password: str, space: str, name: str) -> None:
    """Send until ended."""
    noise, told = NOISES[name], NOISES["long turns of words"]
    async with MemoryClient(space=space, user="nobody", url=url, name=bot, password=password) as client:
        people = [client.for_user(f"loud-{index}", space=space) for index in range(_PEOPLE)]
        if noise.is_query:
            for number in range(_TOLD):
                await _send(people[number % _PEOPLE], told, number)
        numbers = count()
        await asyncio.gather(*(_keep_sending(people, noise, numbers) for _ in range(_AT_ONCE)))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
