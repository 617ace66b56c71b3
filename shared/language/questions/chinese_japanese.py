"""What to look for of Chinese and Japanese: pairs of characters but for those that only ask or bind, and words of one.

No dictionary: a word of one character is known by what stands around it, as in `犬は` and `我的猫叫什么`.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from shared.language.text.scripts import HAN, HIRAGANA, KATAKANA

_SCRIPTS = re.compile(
    rf"(?P<han>[{HAN}]+)|(?P<katakana>[{KATAKANA}]+)|(?P<hiragana>[{HIRAGANA}]+)|(?P<other>[^{HAN}{KATAKANA}{HIRAGANA}]+)"
)
_IS_HIRAGANA = re.compile(f"[{HIRAGANA}]")

_ASKING = re.compile(
    "什么时候|为什么|怎么样|什么|怎么|哪里|哪儿|哪个|哪些|哪位|哪天|多少|几点|几个|我们|你们|他们|她们|请问|甚麼|什麼|為什麼|怎麼|哪裡|哪個|幾點|幾個|我們|你們|他們|她們|何故"
)
"""Chinese words that say nothing of what is looked for; they stand between words."""

_BINDING = frozenset("我你您他她它的了吗呢吧啊嗎谁誰哪是叫对對在何私")
"""Characters that are words of that kind by themselves, but may be part of others, as in 吉他."""

_UNBOUND = re.compile(f"[^{''.join(sorted(_BINDING))}]+")
_PARTICLE = re.compile("から|まで|[はがをにのでともへや]")
_ASKS = re.compile(
    "どんな|どちら|どなた|いくつ|いくら|なんで|なに|なん|なぜ|どこ|いつ|だれ|どの|どれ|どう|わたし|あなた|この|その|あの"
)
_ENDING = re.compile(
    "(?:でしょう|でした|です|ました|ます|ません|なりました|なり|なる|なった|ています|ていました|ている|ていた|てください|ください|あります|ありました|ある|います|いました|いる|しました|します|する|した|という|こと"
    "|って|[かねよはがをにのでともへや])か?$"
)
_LONGEST_ENDING = 8
"""Characters."""


def pieces(run: str) -> list[str]:
    """The words of one character and the pairs of characters to look for, each once; `run`: without spaces.

    >>> pieces("我的猫叫什么名字"), pieces("犬は何歳ですか"), pieces("我喜欢猫")
    (['的猫', '猫叫', '猫', '名字'], ['犬', '何歳', '歳'], ['我喜', '喜欢', '欢猫'])
    """
    found: dict[str, None] = {}
    before = ""
    parts = [(match.lastgroup or "", match[0]) for match in _SCRIPTS.finditer(run)]
    for index, (script, part) in enumerate(parts):
        after = parts[index + 1][1] if index + 1 < len(parts) else ""
        found |= dict.fromkeys(_of_script(script, part, before, after))
        before = part
    return list(found)


def _of_script(script: str, part: str, before: str, after: str) -> Iterator[str]:
    match script:
        case "han":
            alone = not after or bool(_PARTICLE.match(after) or _ENDING.match(after))
            yield from _han(part, alone=alone)
            if not alone and _IS_HIRAGANA.match(after):
                yield part[-1] + after[0]  # a verb or an adjective: its stem and the first of its ending
        case "hiragana":
            yield from _pairs(_without_binding(part, before))
        case _:
            yield from _pairs(part) if len(part) > 1 else [part]


def _han(part: str, *, alone: bool) -> Iterator[str]:
    """Pairs but for those that only bind, and characters that stand alone; the last does where what follows lets it."""
    words = _ASKING.split(part)
    for index, word in enumerate(words):
        yield from (pair for pair in _pairs(word) if not _BINDING.issuperset(pair))
        for match in _UNBOUND.finditer(word):
            is_last = index == len(words) - 1 and match.end() == len(word)
            if len(match[0]) == 1 and (alone or not is_last):
                yield match[0]


def _without_binding(part: str, before: str) -> str:
    """Kana without the particle of the word before, the words that ask, and the endings of verbs."""
    if before and (particle := _PARTICLE.match(part)):
        part = part[particle.end() :]
    start, end = 0, len(part)
    while asks := _ASKS.match(part, start):
        start = asks.end()
    while ending := _ENDING.search(part, max(start, end - _LONGEST_ENDING), end):
        end = ending.start()
    return part[start:end]


def _pairs(part: str) -> Iterator[str]:
    return (one + other for one, other in pairwise(part))
