"""Tells whether a sentence asks the bot to do something from then on: `always answer in bullet points`, `never use emojis`.

Such a wish has a word that makes it last (`always`, `from now on`, `ab jetzt`) and a deed of a bot, asked for in the imperative
or of `you`. Whoever speaks of themselves (`I never eat fish`), of the past (`always wanted to go`) or asks for one thing once
(`make it shorter`) has no such wish. The words of each language are in standing_wishes.toml.
"""

import re
import tomllib
from functools import cache
from importlib import resources

_LONGEST = 400
"""Characters. A longer sentence is a task, not a wish."""
_SHAPES = (
    r"{opening}(?:{lasts}){gap}(?:(?:{asks}){gap})?(?:(?:{nots}){gap}){{0,3}}(?!{nevers})(?:{deeds})\b",
    r"{opening}(?:(?:{nots}){gap}){{0,3}}(?!{nevers})(?:{deeds})(?:-\w+)?(?: [\w'-]+){{0,3}}? (?:{lasts})\b(?! (?:been|to)\b)",
    r"{opening}(?:(?:{nots}){gap}){{0,3}}(?!{nevers})(?:{deeds})\b.* (?:{ends})[.!?\s]*$",
    r"{opening}(?:{whenever}) [^,;]{{3,80}}[,;] (?:(?:{opens}|{asks}|{nots}|{lasts}) ){{0,3}}(?!{nevers})(?:{deeds})\b",
)
_VERB_LAST = r"{opening}(?:{lasts})\b[^,.;!?]{{1,80}} (?:{lasting_ends})[.!?\s]*$"
_OPENING = r"\W*(?:(?:{opens}){gap}){{0,4}}(?:(?:{asks}){gap})?(?:(?:{opens}){gap}){{0,2}}"
_GAP = r"(?:,? |, ?|: )"
_ENDS_ONLY = re.compile(r"always|never|siempre|nunca|toujours|jamais|immer|stets|sempre|mai|don't|do not|dont")


def standing_wish(sentence: str, language: str) -> bool:
    """Return whether a sentence asks the bot for something that is to last; False in a language without a table.

    >>> standing_wish("Please always answer in bullet points.", "en"), standing_wish("I never eat fish.", "en")
    (True, False)
    """
    shapes = _shapes(language)
    return shapes is not None and len(sentence) <= _LONGEST and shapes.match(sentence.replace("’", "'").lower()) is not None


@cache
def _shapes(language: str) -> re.Pattern[str] | None:
    table = _tables().get(language)
    if table is None:
        return None
    ends = "|".join(each for each in table["lasts"].split("|") if not _ENDS_ONLY.match(each))
    words = {**table, "gap": _GAP, "ends": ends}
    words["opening"] = _OPENING.format(**words)
    shapes = (*_SHAPES, _VERB_LAST) if "lasting_ends" in table else _SHAPES
    return re.compile("|".join(f"(?:{shape.format(**words)})" for shape in shapes))


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads(resources.files(__package__).joinpath("standing_wishes.toml").read_text(encoding="utf-8"))
