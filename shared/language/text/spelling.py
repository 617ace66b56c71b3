"""English as it is typed in a hurry, written out: `I am` for `im`, `we have` for `weve`, `my sister's` for `my sisters`."""

import re
from collections.abc import Callable

from shared.language.text.grammar import ADVERB, is_past

_AFTER_IS = (
    r"(?:an?|the|not|so|my|our|in|at|on|from|called|named|like|been|gonna|going|getting|having|coming|moving|pregnant|allergic"
    r"|vegan|vegetarian|always|never|really|just|still|also|now|due|turning|only|about|\d+|[a-z]{3,}ing)\b"
)
_RELATIVE = (
    "wife|husband|partner|boyfriend|girlfriend|bf|gf|mom|mum|mother|dad|father|son|daughter|kid|sister|brother|grandma"
    "|grandpa|nan"
    "|aunt|uncle|cousin|niece|nephew|friend|mate|flatmate|roommate|neighbou?r|landlord|boss|manager|teacher|doctor|dog|cat"
)
_BY_WORD = dict(
    pair.split(":")
    for pair in """im:I'm ive:I've weve:we've theyve:they've youve:you've hes:he's shes:she's thats:that's whats:what's
    theres:there's heres:here's wheres:where's hows:how's whos:who's theyre:they're youre:you're dont:don't doesnt:doesn't
    didnt:didn't cant:can't wont:won't isnt:isn't arent:aren't wasnt:wasn't werent:weren't havent:haven't hasnt:hasn't
    hadnt:hadn't wouldnt:wouldn't couldnt:couldn't shouldnt:shouldn't aint:ain't gonna:going_to gunna:going_to
    wanna:want_to""".split()  # noqa: SIM905 - a list of words reads best as words
)
_HURRIED = re.compile(rf"\b(?<!')(?:{'|'.join(_BY_WORD)})\b(?!')", re.IGNORECASE)
_FILLER = re.compile(r"(?:,? (?:btw|tbh|ngl|lol|haha|tho|rn|atm)\b,?)+(?=[ ,])", re.IGNORECASE)
_ABOUT = re.compile(r"\blike (?=[£$€]?\d)")
_Replacement = str | Callable[[re.Match[str]], str]
_WRITTEN_OUT: tuple[tuple[re.Pattern[str], _Replacement], ...] = (
    (re.compile(r"\bi(?=[ ',]|$)(?!\.e)"), "I"),
    (re.compile(r"^(?:Were|were) (?=(?:closed|open|not|all|both|having|expecting|getting|moving|going|planning|based|vegan"
                r"|vegetarian|married|engaged|in|from)\b)"), "we're "),
    (re.compile(rf"\b(?P<it>[Ii]t)s (?={_AFTER_IS})"), r"\g<it>'s "),
    (re.compile(rf"(?P<my>(?:^|[,;] |and )(?:[Mm]y|[Oo]ur) (?:\w+ )?(?:{_RELATIVE}))s (?={_AFTER_IS})"), r"\g<my>'s "),
    (re.compile(r"\b(?P<date>(?:[Mm]y|[Hh]er|[Hh]is) (?:birthday|bday|anniversary|flight|exam|appointment|rent))s "
                r"(?=(?:in|on|at|\d)\b)"), r"\g<date>'s "),
    (re.compile(r"\b[Ii]d (?=(?:love|like|prefer|rather|never|want|be|have|go|say)\b)"), "I'd "),
    (re.compile(r"\b(?P<we>I|[Ww]e)(?:'ve| have)? gotta\b"), r"\g<we> have to"),
    (re.compile(r"\bI'm\b"), "I am"),
    (re.compile(r"\b(?P<we>[Ww]e)'re\b"), r"\g<we> are"),
    (re.compile(r"\b(?P<we>I|[Ww]e)'ve\b"), r"\g<we> have"),
    (re.compile(r"\b(?P<we>I|[Ww]e)'ll\b"), r"\g<we> will"),
)  # fmt: skip
_WOULD_OR_HAD = re.compile(rf"\b(I|[Ww]e)'d\b(?=((?: {ADVERB}){{0,3}}) ([A-Za-z]+))")


def spelled(words: str) -> str:
    """The sentence with the apostrophes of its pronouns, and their verbs written out.

    >>> spelled("im coeliac and weve moved"), spelled("my sisters getting a dog")
    ('I am coeliac and we have moved', "my sister's getting a dog")
    """
    words = _HURRIED.sub(_as_written, _ABOUT.sub("about ", _FILLER.sub(_comma, words)))
    for pattern, replacement in _WRITTEN_OUT:
        words = pattern.sub(replacement, words)
    return _WOULD_OR_HAD.sub(_would_or_had, words)


def _comma(found: re.Match[str]) -> str:
    """The comma behind a filler without one before it: `I take it every morning btw, is that bad`."""
    return "," if found[0].endswith(",") and not found[0].startswith(",") else ""


def _as_written(found: re.Match[str]) -> str:
    written = _BY_WORD[found[0].lower()].replace("_", " ")
    return written[0].upper() + written[1:] if found[0][0].isupper() else written


def _would_or_had(match: re.Match[str]) -> str:
    return f"{match[1]} {'had' if is_past(match[3]) or match[3] in ('better', 'been') else 'would'}"
