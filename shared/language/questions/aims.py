"""Tells what a message is after before anything is searched: small talk, something of the world, or what its person told."""

import functools
import re
from enum import Enum

from shared.language.questions.tables import AimTables, aim_tables, chinese_tables
from shared.language.text.languages import possible_languages
from shared.language.text.scripts import HAN
from shared.language.text.words import folded_words

_LONGEST_CHAT = 120
_LONGEST = 600
"""Characters. What is longer is read as something of the person's."""
_HAN = re.compile(f"[{HAN}]")
_BETWEEN = re.compile(r"[^\w']+")
_CHINESE = "zh"
_ASKED = re.compile("[?？]")


class AskingAim(Enum):
    """The aim of a message."""

    CHAT = "chat"
    WORLD = "world"
    TASK = "task"  # of the world too, but an order
    REMARK = "remark"  # asks and orders nothing, and has no word of its person
    PERSON = "person"


def aim_of(text: str) -> AskingAim:
    """Return what a message is after; in a language that cannot be read, something of the person's.

    >>> [aim_of(text).value for text in ("Thanks a lot, bye!", "What is the capital of Peru?", "What is my dog called?")]
    ['chat', 'world', 'person']
    >>> [aim_of(text).value for text in ("Write a poem about rain", "What did the doctor give me?", "Rain, rain, rain.")]
    ['task', 'person', 'remark']
    >>> [aim_of(text).value for text in ("你好，最近怎么样？", "法国的首都是哪里？", "我的狗叫什么？")]
    ['chat', 'world', 'person']
    """
    if len(text) > _LONGEST:
        return AskingAim.PERSON
    readers = [_reader(code) for code in ([_CHINESE] if _HAN.search(text) else possible_languages(text))]
    if len(text) <= _LONGEST_CHAT and any(reader.is_chat(text) for reader in readers):
        return AskingAim.CHAT
    aims = {reader.aim_beyond_chat(text) for reader in readers} or {AskingAim.PERSON}
    aim = next((each for each in (AskingAim.TASK, AskingAim.WORLD, AskingAim.PERSON) if each in aims), AskingAim.REMARK)
    return AskingAim.PERSON if aim is AskingAim.REMARK and _ASKED.search(text) else aim


class _AimReader:
    """Reads the aims of messages in one language."""

    def __init__(self, tables: AimTables, *, is_spaced: bool) -> None:
        def whole(pattern: str) -> re.Pattern[str]:
            pattern = pattern.replace("ß", "ss")  # as it is in a message that is case folded
            return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)" if is_spaced else pattern)

        self._phrases, self._frames, self._me = map(whole, (tables.phrases, tables.frames, "|".join(tables.me)))
        self._world, self._tasks = (re.compile(of.replace("ß", "ss")) for of in (tables.world, tables.tasks))
        self._mine = re.compile(tables.mine.replace("ß", "ss"))
        self._asks = re.compile((rf"^ *(?:{tables.asks})\b" if is_spaced else tables.asks).replace("ß", "ss"))
        self._talk = frozenset(word.casefold() for word in tables.talk_words)

    def is_chat(self, text: str) -> bool:
        """True if nothing is said but small talk."""
        said = _plain(text)
        left = self._phrases.sub(" ", said)
        if not self._talk.issuperset(folded_words(left)) or self._mine.search(said):
            return False
        return self._asks.search(left) is None or not self._concerns_its_person(left)

    def aim_beyond_chat(self, text: str) -> AskingAim:
        """Return what a message is after that is no small talk."""
        said = _plain(text)
        if self._concerns_its_person(said):
            return AskingAim.PERSON
        if self._tasks.search(said):
            return AskingAim.TASK
        if self._world.search(said):
            return AskingAim.WORLD
        return AskingAim.PERSON if self._asks.search(said) or self._frames.search(said) else AskingAim.REMARK

    def _concerns_its_person(self, said: str) -> bool:
        return (self._mine.search(said) or self._me.search(self._frames.sub(" ", said))) is not None


@functools.lru_cache(16)  # each language's reader asks for it several times
def _plain(text: str) -> str:
    """In lower case, one space between words, and no other marks than apostrophes."""
    return _BETWEEN.sub(" ", text.casefold().replace("’", "'")).strip()


@functools.cache
def _reader(code: str) -> _AimReader:
    if code == _CHINESE:
        return _AimReader(chinese_tables().aims, is_spaced=False)
    return _AimReader(aim_tables(code), is_spaced=True)
