"""Says a statement anew with another value: "my rent is 780" and "it's 850 now" make "my rent is 850 now".

English only. What is made never holds the old value; where nothing sound can be made, it is None.
"""

import re
from functools import cache
from typing import NamedTuple

from shared.language.text.calendar import DAYS
from shared.language.text.grammar import ADVERB, EITHER, is_past, third_form
from shared.language.text.names import find_names
from shared.language.text.stating import content_words

_BASES = """cost weigh live work start begin end finish leave depart arrive open close expire take play study teach go come meet
    run want like love hate prefer drink eat smoke drive own owe pay earn make get keep need stay sit stand speak happen renew
    last land measure train sleep wake rent use wear attend belong deliver charge sell watch commute park bring look hang visit
    spend save move know contain include hold stop serve share weigh""".split()  # noqa: SIM905
_GERUNDS = (
    "costing living weighing starting leaving arriving closing expiring working playing owning owing earning having going"
)
"""Forms in -ing that are seldom nouns, each of which may stand for a verb: `the wifi costing 20`."""
_IS = r"(?:is|are|was|were|am|being)"
_PREPOSITIONS = r"(?:on|at|in|with|from|to|for|by|near|under|over|behind|between|until|till|since|around|about|through|via|off)"
_DETERMINERS = r"(?:the|a|an|my|our|his|her|their|every|each|no|one|two|three|four|five|six|seven|eight|nine|ten)"
_CONTRACTED = re.compile(
    rf"(?<=\w)['’](?P<verb>s|re) (?=(?:called|named|{_PREPOSITIONS}|{_DETERMINERS})\b|\d)|\bI['’]?(?P<am>m) ",
    re.IGNORECASE,
)
_FULL = {"s": "is", "re": "are"}
_TELLING = re.compile(r"^(?:i|we) (?:(?:have|had|once|just) )?(?:told you|said|mentioned)(?: that)? ", re.IGNORECASE)
_OWN = re.compile(rf"(?P<subject>i|we) (?:{ADVERB} )*+(?P<verb>[a-z]++) (?P<old>.+)", re.IGNORECASE | re.DOTALL)
_NO_VERBS = frozenset("can could will would should must may might don don't doesn't didn't never was were used do did".split())  # noqa: SIM905
_PRONOUN = re.compile(
    r"(?P<who>it|he|she|they|that|this)(?:(?P<is>['’](?:s|re)| (?:is|are)\b|(?<=it)s(?= ))| (?=\w))", re.IGNORECASE
)
_POSSESSIVE = re.compile(r"(?:his|her|their|its(?=(?: [\w-]+){1,3} (?:is|are)\b)) (?=[a-z])", re.IGNORECASE)
_NAME = re.compile(r"name(?: (?:is|was)|['’]?s) (?P<value>.+)", re.IGNORECASE)
_NEW_ONE = re.compile(r"(?:the|my|our) (?:new|right|correct|real|actual) one(?: is|['’]s) (?P<value>.+)", re.IGNORECASE)
_THINGS = frozenset(("it", "they", "that", "this"))
_OBJECT = re.compile(r"\bit\b")
_HAS = re.compile(
    r"(?:(?:already|just|now) )?(?:been|moved|changed|switched|become|gone|got|risen|shifted|increased)\b", re.IGNORECASE
)
_IS_DONE = re.compile(rf"{_HAS.pattern}|(?:called|named)\b", re.IGNORECASE)
_CHANGED_TO = re.compile(
    r"\b(?:moved|changed|switched|shifted|postponed|rescheduled|put|brought|pushed|went|gone|rose|risen|raised|extended|delayed)\b"
    r"(?: (?:up|down|off|back|forward|it|from \S+)){0,2} to (?P<value>.+)",
    re.IGNORECASE,
)
_FROM = re.compile(r"\bfrom (?:\S+ ){1,4}?(?=to\b)")
_INSTEAD = re.compile(r",? (?:instead of|rather than|and not|not|no longer) .+", re.IGNORECASE)
_WHEN = r"(?:now|nowadays|actually|instead|really|these days|meanwhile|by now|from now on|currently)"
_VALUE = re.compile(rf"(?:(?P<first>{_WHEN}) )?(?P<core>.+?)(?:,? (?P<last>{_WHEN}))?", re.IGNORECASE | re.DOTALL)
_PREPOSITION = re.compile(rf"\b{_PREPOSITIONS} ", re.IGNORECASE)
_COUNTS = "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty"
_AMOUNT = rf"(?<![\d.,:/])[$£€]?\d[\d.,:/]*+(?:st|nd|rd|th|am|pm|h|k|%|€|kg|km)?(?!\w)|\b(?:{'|'.join(_COUNTS.split())})\b"
_BARE = re.compile(rf"(?:{_WHEN} )?(?:{_AMOUNT})(?: {_WHEN})?", re.IGNORECASE)
_ONE_AMOUNT = re.compile(rf"(?P<at>(?:at|on) )?(?:the )?(?P<value>{_AMOUNT})(?P<unit> [a-z]+)?", re.IGNORECASE)
_A_DAY = re.compile(rf"(?P<at>on )?(?P<value>(?:{'|'.join(DAYS)})s?\b)(?P<unit>)", re.IGNORECASE)
_SHAPES = (r"\D*\d+:\d+", r"\d+(?:st|nd|rd|th)", r"\d+(?:am|pm|h)", r"[$£€]?[\d.,]+[€%k]?")
_STATE = re.compile(
    r"(?:[a-z]{3,}ly|off|over|open|free|full|late|early|later|earlier|more|less|higher|lower|cheaper|dearer|better|worse|different"
    r"|empty|expensive|cheap|dead|single|online|gluten-free)\b"
)


class ValueStatement(NamedTuple):
    """What is said of something: its subject, the verb, and the value."""

    subject: str
    verb: str
    old: str

    @property
    def is_own(self) -> bool:
        """True if the speaker is its subject, for whom `it` never stands."""
        return self.subject.lower() in {"i", "we"}

    @property
    def is_copula(self) -> bool:
        """True if it says only what something is, not what it does."""
        return self.verb in {"is", "are", "am", "was", "were"}


def statement_in(topic: str) -> ValueStatement | None:
    """The statement that a topic makes; None if it names a thing.

    >>> statement_in("my rent is 780"), statement_in("the wifi costing 20"), statement_in("the budget")
    (ValueStatement(subject='my rent', verb='is', old='780'), ValueStatement(subject='the wifi', verb='costs', old='20'), None)
    """
    text = _CONTRACTED.sub(lambda it: "I am " if it["am"] else f" {_FULL[it['verb'].lower()]} ", _TELLING.sub("", topic))
    if own := _OWN.fullmatch(text):
        verb = own["verb"].lower()
        return None if verb in _NO_VERBS else ValueStatement("I" if own["subject"] in "Ii" else "we", verb, own["old"])
    found = _with_verb().fullmatch(text)
    if found is None:
        return None
    return ValueStatement(found["subject"], _finite(found["verb"].lower(), found["subject"]), found["old"])


def without_gerund(topic: str) -> str:
    """A topic without the verb in -ing by which it says something, which a statement of it has in another form.

    >>> without_gerund("the wifi costing 20 a month"), without_gerund("my swimming lesson")
    ('the wifi 20 a month', 'my swimming lesson')
    """
    said = statement_in(topic)
    has_gerund = said is not None and not said.is_own and said.verb.split()[0] not in topic.split()
    return f"{said.subject} {said.old}" if said and has_gerund else topic


def restated(clause: str, said: ValueStatement) -> str | None:
    """What a clause says of the thing of a statement, understood alone: the statement with the new value, if need be.

    >>> restated("it's Zwolle now", ValueStatement("I", "live", "in Gouda"))
    'I live in Zwolle now'
    >>> restated("it moved to thursdays", ValueStatement("my class", "is", "on tuesdays"))
    'my class moved to thursdays'
    """
    if value := _value_in(clause, said):
        bare = _without_old(value, said.old)
        return _with_value(said, bare) if bare else None
    if said.is_own and not understood_alone(clause):
        return None
    made = clause if said.is_own else of_thing(clause, said.subject)
    return _without_old(made, said.old)


def of_thing(clause: str, thing: str) -> str:
    """A clause with the thing in place of the pronoun that stands for it.

    >>> of_thing("it's 500 now", "the budget"), of_thing("they moved it to Monday", "my interview")
    ('the budget is 500 now', 'they moved my interview to Monday')
    """
    if owner := _POSSESSIVE.match(clause):
        return f"{thing}'s {_written_out(clause[owner.end() :])}"
    found = _PRONOUN.match(clause)
    is_object = found is None or (not found["is"] and found["who"].lower() == "they" and _OBJECT.search(clause))
    if found is None or is_object:
        return _OBJECT.sub(lambda _: thing, clause, count=1)
    rest = clause[found.end() :].strip()
    return " ".join(filter(None, (thing, _verb_of(found, rest), rest)))


def understood_alone(clause: str) -> bool:
    """True if nothing in a clause stands for a thing that was named before it."""
    return not (_PRONOUN.match(clause) or _POSSESSIVE.match(clause) or _OBJECT.search(clause))


def _value_in(clause: str, said: ValueStatement) -> str | None:
    """The bare new value of a clause that says no more: the 850 of `it's 850 now`."""
    if one := _NEW_ONE.match(clause):
        return one["value"]
    owner = _POSSESSIVE.match(clause)
    named = _NAME.match(clause, owner.end()) if owner else None
    if named and (said.is_own or said.subject.lower().endswith(" name")):
        return named["value"]
    found = _PRONOUN.match(clause)
    rest = clause[found.end() :].strip() if found else clause
    if found and found["is"] and not _IS_DONE.match(rest) and (found["who"].lower() in _THINGS or _BARE.fullmatch(rest)):
        return rest
    changed = _CHANGED_TO.search(rest) if said.is_own and (found or _OBJECT.search(clause)) else None
    return changed["value"] if changed else None


def _with_value(said: ValueStatement, value: str) -> str | None:
    """The statement with another value in place of the old one, where the value is of the same kind or stands alone."""
    parts = _VALUE.fullmatch(value)
    if parts is None:
        return None
    core, when = parts["core"], parts["last"] or parts["first"] or ""
    new = _in_place(said.old, core) or _in_its_phrase(said, core)
    if new:
        return " ".join(filter(None, (said.subject, {"was": "is", "were": "are"}.get(said.verb, said.verb), new, when)))
    return None if said.is_own else " ".join(filter(None, (said.subject, _to_be(said.subject), core, when)))


def _in_place(old: str, new: str) -> str | None:
    """The old words with a bare number or day in place of the only one of its kind."""
    for kind in (_ONE_AMOUNT, _A_DAY):
        bare = kind.fullmatch(new)
        places = [
            place
            for place in kind.finditer(old)
            if bare and all(not bare[part] or bare[part].lower() == (place[part] or "").lower() for part in ("at", "unit"))
        ]
        alike = [place for place in places if bare and _shape(place["value"]) == _shape(bare["value"])] or places
        if bare and len(alike) == 1:
            start, end = alike[0].span("value")
            return f"{old[:start]}{bare['value']}{old[end:]}"
    return None


def _shape(amount: str) -> str | None:
    return next((shape for shape in _SHAPES if re.fullmatch(shape, amount.lower())), None)


def _in_its_phrase(said: ValueStatement, new: str) -> str | None:
    """The old words with the new value in place of their last phrase: `with Ruben`, `allergic to nuts`, `30 euros`."""
    if is_past(new.split(maxsplit=1)[0]) or _STATE.match(new):
        return new if said.is_copula else None
    places = list(_PREPOSITION.finditer(said.old))
    starts_anew = _PREPOSITION.match(new)
    if not places or (starts_anew and (said.is_copula or places[0].start() == 0)):
        return new
    if len(places) == 1:
        return said.old[: places[0].start() if starts_anew else places[0].end()] + new
    return _in_place_of_name(said.old, new)


def _in_place_of_name(old: str, new: str) -> str | None:
    """The old words with a new name in place of their only one."""
    names = find_names(old)
    if len(names) != 1 or not find_names(f"In {new}"):
        return None
    return old[: names[0].start] + new + old[names[0].end :]


def _to_be(subject: str) -> str:
    return "are" if _is_plural(subject) else "is"


def _is_plural(subject: str) -> bool:
    last = subject.rpartition(" ")[2].lower()
    return last.endswith("s") and not last.endswith(("ss", "us", "is"))


def _verb_of(found: re.Match[str], rest: str) -> str:
    """The verb that a pronoun was written together with: `is`, or the `has` of `it's been moved`."""
    short = (found["is"] or "").strip(" '’").lower()
    if short and "'" not in found[0] and "’" not in found[0] and " " in found["is"]:
        return short
    if short and _HAS.match(rest):
        return "have" if short == "re" else "has"
    return {"re": "are", "": ""}.get(short, "is")


def _written_out(words: str) -> str:
    """Words with `name's` written out."""
    return re.sub(r"^(name)['’]?s (?=\S)", r"\1 is ", words, flags=re.IGNORECASE)


def _without_old(made: str, old: str) -> str | None:
    """The words without what says the old value beside the new one: `it went from 780 to 850`, `it's Eva instead of Petra`."""
    shorter = (made, _FROM.sub("", made), _INSTEAD.sub("", made), made.partition(",")[0])
    return next((each for each in shorter if not _holds(each, old)), None)


def _holds(made: str, old: str) -> bool:
    """True if what is made says all of the old value."""
    words = content_words(old)
    return bool(words) and words <= content_words(made)


def _finite(verb: str, subject: str) -> str:
    """The verb as it stands after its subject: `is` for `being`, and `costs` for `costing`."""
    if verb.startswith("being"):
        return verb.replace("being", _to_be(subject))
    base = _doing().get(verb)
    if base is None:
        return verb
    return base if _is_plural(subject) else _third(base)


def _third(base: str) -> str:
    return "has" if base == "have" else f"{base}s" if base in EITHER else third_form(base)


@cache
def _doing() -> dict[str, str]:
    """The base of each verb by its form in -ing."""
    return {form: base for form in _GERUNDS.split() for base in (*_BASES, "have") if form in {f"{base}ing", f"{base[:-1]}ing"}}


@cache
def _with_verb() -> re.Pattern[str]:
    """What fits a subject, its verb and the rest. A word that may be a noun is a verb only after a plural."""
    value = rf"(?:{_PREPOSITIONS}|{_DETERMINERS})\b|[$£€]?\d"
    known = "|".join(sorted({*map(_third, _BASES), *_doing()}, key=len, reverse=True))
    other = rf"[a-z]{{3,}}(?:(?<![su])s|ed)(?= (?:{value}))|(?<=s )(?:{'|'.join(_BASES)})(?= (?:{value}))"
    verbs = rf"{_IS}(?: (?:called|named))?+(?= )|(?:has|have|had)|{known}|{other}"
    subject = rf"(?:{_DETERMINERS} )?+[^\s,]+(?: [^\s,]+){{0,5}}?"
    return re.compile(
        rf"(?P<subject>{subject}) (?:{ADVERB} )?(?P<verb>{verbs}) (?:still )?(?P<old>.+)", re.IGNORECASE | re.DOTALL
    )
