"""Tells what a message is after before anything is searched: small talk, something of the world, or what its person told.

aims.toml has for each language `chat_words` and `chat_phrases`, of which small talk consists and nothing else; `world` and
`tasks`, what questions and orders look like that anybody could have; `me`, the words by which one concerns its person, once the
`frames` are taken out in which they do not, as in `can you tell me`; and `mine`, what concerns its person in any frame, as
a question about `the landlord` does.
"""

from __future__ import annotations

import functools
import re
import tomllib
from enum import Enum
from importlib import resources

from pydantic import Field

from shared.contracts.contract import Contract
from shared.text.scripts import HAN
from shared.text.words import folded_words

_LONGEST_CHAT = 120
_LONGEST = 600
"""Characters. What is longer is read as something of the person's."""
_HAN = re.compile(f"[{HAN}]")
_BETWEEN = re.compile(r"[^\w']+")
_CHINESE = "zh"
_ASKED = re.compile("[?？]")


class AskingAim(Enum):
    """What a message is after."""

    CHAT = "chat"
    WORLD = "world"
    TASK = "task"  # of the world too, but an order
    REMARK = "remark"  # asks and orders nothing, and has no word of its person
    PERSON = "person"


class AimWords(Contract):
    """By what the aims are recognised in one language."""

    chat_phrases: tuple[str, ...]
    chat_words: str = ""
    chat_fillers: str = Field(default="", description="Characters, in a script without spaces.")
    asks: str = Field(description="What a question begins with; in a script without spaces, what it has.")
    me: frozenset[str] = frozenset()
    me_phrases: str = Field(default="", description="In a script without spaces.")
    mine: str = Field(default="", description="As `what did she give me`, or a question how the bot should answer.")
    frames: tuple[str, ...]
    world: tuple[str, ...]
    tasks: tuple[str, ...]


def aim_of(text: str) -> AskingAim:
    """What a message is after, in any of the languages of aims.toml.

    >>> [aim_of(text).value for text in ("Thanks a lot, bye!", "What is the capital of Peru?", "What is my dog called?")]
    ['chat', 'world', 'person']
    >>> [aim_of(text).value for text in ("Write a poem about rain", "What did the doctor give me?", "Rain, rain, rain.")]
    ['task', 'person', 'remark']
    >>> [aim_of(text).value for text in ("你好，最近怎么样？", "法国的首都是哪里？", "我的狗叫什么？")]
    ['chat', 'world', 'person']
    """
    if len(text) > _LONGEST:
        return AskingAim.PERSON
    readers = [_reader(_CHINESE)] if _HAN.search(text) else [_reader(name) for name in _all_words() if name != _CHINESE]
    if len(text) <= _LONGEST_CHAT and any(reader.is_chat(text) for reader in readers):
        return AskingAim.CHAT
    aims = {reader.aim_beyond_chat(text) for reader in readers}
    told = next((aim for aim in (AskingAim.TASK, AskingAim.WORLD, AskingAim.PERSON) if aim in aims), AskingAim.REMARK)
    return AskingAim.PERSON if told is AskingAim.REMARK and _ASKED.search(text) else told


class _AimReader:
    """Reads the aims of messages in one language."""

    def __init__(self, words: AimWords) -> None:
        is_spaced = not words.chat_fillers
        words = _folded(words)
        edges = (r"(?<!\w)", r"(?!\w)") if is_spaced else ("", "")
        self._phrases = re.compile(f"{edges[0]}(?:{'|'.join(words.chat_phrases)}){edges[1]}")
        self._frames = re.compile(f"{edges[0]}(?:{'|'.join(words.frames)}){edges[1]}")
        self._world, self._tasks = (re.compile("|".join(of)) for of in (words.world, words.tasks))
        self._mine = re.compile(words.mine) if words.mine else None
        self._asks = re.compile(rf"^ *(?:{words.asks})\b" if is_spaced else words.asks)
        self._me = re.compile(words.me_phrases) if words.me_phrases else None
        self._chat_words = frozenset(words.chat_words.split()) | frozenset(words.chat_fillers)
        self._me_words = words.me

    def is_chat(self, text: str) -> bool:
        """True if nothing is said but small talk."""
        said = _plain(text)
        if not said:
            return True
        left = self._phrases.sub(" ", said)
        if not self._chat_words.issuperset(folded_words(left)) or self._is_mine(said):
            return False
        return self._asks.search(left) is None or not self.concerns_its_person(left)

    def aim_beyond_chat(self, text: str) -> AskingAim:
        """What a message is after that is no small talk."""
        said = _plain(text)
        if self.concerns_its_person(text):
            return AskingAim.PERSON
        if self._tasks.search(said):
            return AskingAim.TASK
        if self._world.search(said):
            return AskingAim.WORLD
        return AskingAim.PERSON if self._asks.search(said) or self._frames.search(said) else AskingAim.REMARK

    def concerns_its_person(self, text: str) -> bool:
        """True if a word tells that the message is about whoever sends it."""
        said = _plain(text)
        left = self._frames.sub(" ", said)
        if self._is_mine(said):
            return True
        if self._me:
            return self._me.search(left) is not None
        return not self._me_words.isdisjoint(folded_words(left))

    def _is_mine(self, said: str) -> bool:
        return self._mine is not None and self._mine.search(said) is not None


def _folded(words: AimWords) -> AimWords:
    """The words and patterns as case folded messages have them: with `ss` for `ß`."""
    return AimWords.model_validate_json(words.model_dump_json().replace("ß", "ss"))


@functools.lru_cache(16)  # each language's reader asks for it several times
def _plain(text: str) -> str:
    """In lower case, one space between words, and no other marks than apostrophes."""
    return _BETWEEN.sub(" ", text.casefold().replace("’", "'")).strip()


@functools.cache
def _all_words() -> dict[str, AimWords]:
    raw = tomllib.loads(resources.files(__package__).joinpath("aims.toml").read_text("utf-8"))
    return {name: AimWords.model_validate(of) for name, of in raw.items()}


@functools.cache
def _reader(language: str) -> _AimReader:
    return _AimReader(_all_words()[language])
