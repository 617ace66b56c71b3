"""Values as words that are compared: stems without accents and small words, and how the words of two values meet."""

import functools
import re
import unicodedata
from collections.abc import Sequence

Stems = tuple[str, ...]

_SMALL = frozenset(
    re.findall(
        r"\w+",
        """a an the of in on at to for with from by my our his her their some and or
    der die das den dem des ein eine einen einem einer im am vom zum zur von zu mit bei und mein meine meinen meinem meiner
    el los las un una unos unas de del al en con por para mi mis y
    le les une du d l aux au dans sur chez avec pour mon ma mes et""",
    )
)
_JOINED = frozenset({"new", "san", "santa", "saint", "st", "los", "las", "bad", "south", "north", "east", "west", "la", "le"})
"""Words that make another name of the next one: York is not New York."""
_PREPOSITION = re.compile(
    r" (?:of|on|in|at|for|about|from|with|by|von|über|bei|mit|für|del?|sobre|con|para|du|sur|chez|avec|pour) "
)
_TWICE = re.compile(r"([bdgmnprt])\1$")
_SHORTEST_STEM = 3
_ENDINGS = (("ies", "y"), ("ing", ""), ("ern", "er"), ("eln", "el"), ("es", ""), ("en", ""), ("s", ""), ("e", ""))


def stems(value: str) -> Stems:
    """The words of a value in the form in which they are compared.

    >>> stems("the old Müller bakeries"), stems("running"), stems("New York")
    (('old', 'muller', 'bakery'), ('run',), ('newyork',))
    """
    words = value.casefold().split()
    telling = [word for word in words if word not in _SMALL] or words
    done: list[str] = []
    before = ""
    for word in telling:
        if word in _JOINED and word is not telling[-1]:
            before += word
            continue
        done.append(before + stem(word))
        before = ""
    return tuple(done)


def head_of(value: str) -> str:
    """The words before the first preposition.

    >>> head_of("treasurer of the chess club"), head_of("volvo")
    ('treasurer', 'volvo')
    """
    return _PREPOSITION.split(value, maxsplit=1)[0]


@functools.lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """The word without its accents and its ending, the same for most forms of a noun and for a verb and its gerund."""
    plain = "".join(each for each in unicodedata.normalize("NFKD", word) if not unicodedata.combining(each))
    plain = plain.strip(".,!'’-").removesuffix("'s")
    if not plain.isalpha():
        return plain or word
    for ending, instead in _ENDINGS:
        left = plain.removesuffix(ending)
        if left != plain and len(left) >= _SHORTEST_STEM and not (ending == "s" and left[-1] in "su"):
            plain = left + instead
            break
    return _TWICE.sub(r"\1", plain.removesuffix("e") if len(plain) > _SHORTEST_STEM else plain)


def is_part(some: Sequence[str], of: Sequence[str]) -> bool:
    """Whether all of these words are among the others."""
    return set(some) <= set(of)


def is_end(some: Sequence[str], of: Sequence[str]) -> bool:
    """Whether the others end with these words: a `volvo` is what an `old volvo` is, a `coffee` no `coffee machine`."""
    return bool(some) and len(some) <= len(of) and tuple(of[len(of) - len(some) :]) == tuple(some)
