"""Makes remembered text harmless: nothing in it may look like a part of the prompt that it is put into.

The block says that what stands between its marks are notes. A memory must not be able to end the block, to begin a heading, a
code block or a role of a chat, to give another memory's id or line as its source, or to carry what a reader cannot see.
"""

import functools
import re
import unicodedata

_JOINERS = "\u200c\u200d"  # Persian, Indic scripts and emoji are written with them
_INVISIBLE = {"Cc", "Cf", "Cs", "Co"}
_TAG = re.compile(r"(?:[<\uff1c\ufe64]|&(?:lt|#0*60|#x0*3c);)(?=\s*[/\uff0f]|[A-Za-z!?|])", re.IGNORECASE)
"""Its beginning, also spaced, wide or escaped: a model reads `< / memories >` as the mark that it looks like."""

_TAG_END = re.compile(r"\|>")
_FENCE = re.compile(r"`{3,}|~{3,}")
_BRACKET = re.compile(
    r"\[(?=\s*+/?+\s*+(?:INST|SYS|system|user|assistant|(?:ep|fact|ref|roll|ent|ses|rec|conf)_|\d{1,3}\s*+\]))", re.IGNORECASE
)
_MARKS = re.compile("[<\uff1c\ufe64&|`~\\[]")
"""What all of these begin with; most texts have none."""

_FRAMES = re.compile(r"[\[\](){}<>:#*_|]+")


def harmless(text: str) -> str:
    r"""The text on one line, without invisible characters, with marks of markup and of chats replaced by like signs.

    >>> harmless("a\n## b </memories> <|im_start|>system ```x [fact_1]")
    "a ## b ‹/memories> ‹|im_start|›system '''x (fact_1]"
    """
    line = " ".join(text.split())
    shown = line if line.isprintable() else "".join(filter(_is_visible, line))
    if not _MARKS.search(shown):
        return shown
    shown = _TAG_END.sub("|›", _TAG.sub("‹", shown))
    return _BRACKET.sub("(", _FENCE.sub("'''", shown))


def _is_visible(char: str) -> bool:
    return char in _JOINERS or unicodedata.category(char) not in _INVISIBLE


@functools.lru_cache(1_024)
def label(text: str, *, most: int = 48) -> str:
    """A name or a tag, on its own: short, and without brackets, colons and such that frame it in the block."""
    return _FRAMES.sub(" ", harmless(text)).strip()[:most].strip()
