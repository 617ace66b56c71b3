"""Finds the new value in a message that has the old one forgotten, as in "Forget the budget, it's 500 now".

English only. A value is a number, a day or a month, a name that the topic is said to be, or what holds "now" or "instead". What
is denied, or told of the past, brings none.
"""

import re
from dataclasses import replace
from typing import NamedTuple

from shared.language.commands.command import FLOOR, ChatCommand, ChatCommandName
from shared.language.commands.reading import said_beside
from shared.language.tables import ENGLISH
from shared.language.text.calendar import DAYS, MONTH_NAMES
from shared.language.text.mentions import mentions_any, topic_of
from shared.language.text.names import find_names
from shared.language.text.stating import content_words

_MOST = 5
_EXPLICIT = 0.9
"""Confidence in a command that speaks of what was said or is known."""
_LONGEST = 400
"""Characters."""
_LEAD = re.compile(
    r"(?:(?:and|but|because|cause|since|as|so|no|actually|well|sorry|now|(?:it )?(?:turns|turned) out(?: that)?),? )++",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?:his|her|its|their) (?:new |real |actual )?name(?: is|['’]?s) ", re.IGNORECASE)
_IT = re.compile(r"(?:it|he|she|they|that|this)(?:(?P<is>['’](?:s|re)| is| are|s(?= ))| (?=\w))", re.IGNORECASE)
_THING = re.compile(r"(?:it|that)(?:['’]s| is|s(?= )) ", re.IGNORECASE)
_NEW_ONE = re.compile(r"(?:the|my|our) (?:new|right|correct|real) ", re.IGNORECASE)
_REACHES = re.compile(r"\b(?:address|number|e-?mail|postcode|street|city|town)$", re.IGNORECASE)
_OCCASION = re.compile(
    r"(?:it|that|this)(?:['’]?s| is) (?:(?:my|our|your|almost|nearly|only|just|so|too)\b"
    r"|(?:the )?(?:weekend|holidays?|summer|winter|christmas|easter|thanksgiving|halloween|new year))",
    re.IGNORECASE,
)
"""What is no value, but a reason to care for nothing: `it's my birthday`."""
_BIDS = re.compile(r"\bforget(?: all)?(?: about)?\s+$", re.IGNORECASE)
"""Before a topic; with `please` it is as sure as what speaks of what was said, and a sigh all the same."""
_SAYS_THAT = re.compile(r"\b(?:that|fact)\s+$", re.IGNORECASE)
_EXCLAIMS = re.compile(r"!|\b(?:ha(?:ha)+|lo+l|lmao|rofl|yay|woo+|hehe)\b|[^\w\s\x00-\x7f.,;:!?…“”‘’«»„–—-]", re.IGNORECASE)
_SIGHS = re.compile(r"\W*(?:o+h+|a+h+|u+gh+|a+rgh+|wow|god|omg|hey ?ho|well|nah|pf+t?)\b", re.IGNORECASE)
_ANY = re.compile(r"(?:the|an?|this|that|these|those)\b", re.IGNORECASE)
_ANOTHER = re.compile(r"(?:this|that|these|those) (?!(?:is|are|was|were)\b)\w", re.IGNORECASE)
"""Before something else than the topic: `forget all you know about stamps, this one is worth a million`."""
_MINE = re.compile(r"\b(?:my|our)\b", re.IGNORECASE)
_PUT = (
    "moved|changed|postponed|brought forward|rescheduled|put (?:off|back)|pushed back|delayed|extended|raised|lowered|increased"
    "|reduced|cut|switched|shifted|renamed"
)
_PAST = re.compile(
    rf"\b(?:(?:was|were)(?! (?:{_PUT}) to\b)"
    r"|wasn|weren|had|used|never|not|no longer|isn|aren|don|doesn|didn|won|wouldn|told|said|ago|back then)\b",
    re.IGNORECASE,
)
_PREPOSITIONS = "on|at|in|with|from|to|for|by|near|under|over|since|around|about|until|till|via"
_COUNTS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty"
_TOLD = re.compile(r"^(?:i|we) (?:(?:have|had|once|just) )?(?:told you|said|mentioned)(?: that)? ", re.IGNORECASE)
_VALUE = re.compile(
    rf"(?:(?<=\w)['’]s\b| (?:is|are|was|were|being)\b| (?:{_PREPOSITIONS})\b| (?=[A-Z](?!['’\s]|$))"
    rf"| (?:{_COUNTS}|[$£€]?\d\S*)(?P<unit> (?!an? |per |of )[a-z]+)?).*",
    re.DOTALL,
)
"""The part of a topic that holds the old value, from a verb, preposition, name or number on; `unit` follows a number."""
_OWN = re.compile(r"(?:i|we)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"(?:it|they|that|this|he|she|its|his|her|their)\b|(?:the|my|our) (?:new|right|correct|real) one\b|.*\bit\b",
    re.IGNORECASE | re.DOTALL,
)
_FROM = re.compile(r"\bfrom (?:\S+ ){1,4}?(?=to\b)")
_INSTEAD = re.compile(r",? (?:instead of|rather than|and not|not|no longer) .+", re.IGNORECASE)
_CUT = "…"
_NOW = re.compile(r"\b(?:now|nowadays|instead|actually|from now on|these days|by now|meanwhile)\b", re.IGNORECASE)
_CHANGE = re.compile(
    r"\b(?:moved|changed|switched|became|got|started|joined|renamed|married|bought|have|has|am|['’]m)\b", re.IGNORECASE
)
_DENIED = re.compile(r"\)?,? (?:and )?not (?:\S+ ){0,2}\S+$")
"""The old value after the new one: `it's Eva now, not Petra`."""
_RUNS_ON = re.compile(r"\w (?:(?:it )?(?:turns|turned) out\b|it(?:['’]?s| is) (?:actually |now |really )?\d)", re.IGNORECASE)
"""Within a topic: a new value without a comma before it."""
_GAIN = re.compile(
    r"\b(?:bought|adopted|rented|leased|switched to|changed to|moved to|swapped it for|replaced \w+ (?:with|by)"
    r"|(?:got|have|has|hired|found) (?:a|an|another) new|['’]ve got (?:a|an|another) new)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d")
_DATE = re.compile(rf"\b(?:{'|'.join((*DAYS, *(name for name in MONTH_NAMES if name != 'May')))})s?\b", re.IGNORECASE)
_ENDED = frozenset(
    """now instead actually over done fine settl finish gone past histori ok okay privat person wrong mistak outdat old irrelev
    sort resolv differ chang better move embarrass obsolet use need matter import thank sorri mind care
    secret complic none busi pain hard awkward noth nobodi fake joke lie kid true fals untru sad stupid silli bore confidenti
    sensit shame hurt much enough behind""".split()  # noqa: SIM905
)
"""Stems that say only that something ended."""


class NewValue(NamedTuple):
    """The words with a new value. `about`: the beginning of the topic, if the words only point back to it: `it's 850`."""

    words: str
    about: str | None = None

    def written(self, speaker: str | None) -> str:
        """Return the fact that keeps it: a plain statement in the third person, or a quotation."""
        from shared.language.statements.language import statement_language  # noqa: PLC0415 - tables that nobody needs at the start
        from shared.language.statements.telling import about_the_speaker  # noqa: PLC0415
        from shared.language.statements.writing import quote_correction  # noqa: PLC0415

        if self.about is None:
            return about_the_speaker(self.words, speaker)
        return quote_correction(self.about, self.words, speaker, statement_language(ENGLISH))


def new_values(text: str, command: ChatCommand) -> tuple[NewValue, ...]:
    """Return what a message states anew beside a command to forget a topic, in its words, without the old value."""
    if command.topic is None:
        return ()
    says_that = _SAYS_THAT.search(text.partition(command.topic)[0]) is not None
    made = (_new_value(each, command.topic, says_that=says_that) for each in _stated_anew(text, command))
    return tuple(filter(None, made))


def is_in_doubt(text: str, command: ChatCommand) -> bool:
    """True if a message may not be meant, or would lose a new value: the person is asked first.

    A new value is lost that cannot be told from the old, as in `Forget that I love chess, it's bridge now`.
    """
    return is_sigh(text, command) or len(new_values(text, command)) < len(_stated_anew(text, command))


def parted(command: ChatCommand) -> ChatCommand:
    """The command without a new value that nobody parted from its topic; then it is in doubt.

    As in `forget my rent is 780 turns out its 850`.
    """
    runs_on = _RUNS_ON.search(command.topic or "")
    if runs_on is None or command.topic is None:
        return command
    return replace(command, topic=command.topic[: runs_on.start() + 1], confidence=FLOOR)


def is_sigh(text: str, command: ChatCommand) -> bool:
    """True if a message bids to forget a thing, and goes on about the person: `Forget my fear of dogs, I own one now haha`.

    So does one that only exclaims: `Forget my fear of dogs!`. What asks to forget what was said, or known, is an order, unless
    it goes on about something else; what asks to forget that something is so is one whatever follows; and so is what goes on
    with the new value of the thing, if it does not exclaim: `Forget my address, I live in York now`.
    """
    if command.topic is None or command.name is not ChatCommandName.FORGET_ABOUT:
        return False
    bid, _, following = text.partition(command.topic)
    if command.confidence >= _EXPLICIT and not _BIDS.search(bid):
        others = (each for each in said_beside(text, command).after if content_words(each) - _ENDED)
        return any(_ANOTHER.match(each) or not _is_new(_DENIED.sub("", each)) for each in others)
    if not command.is_request and not _SAYS_THAT.search(bid) and (_EXCLAIMS.match(following.lstrip()) or _SIGHS.match(text)):
        return True
    after = [each for each in said_beside(text, command).after if content_words(each) - _ENDED]
    if not after or _SAYS_THAT.search(bid):
        return bool(after) and not new_values(text, command)
    return _EXCLAIMS.search(following) is not None or not any(_is_value(each, command.topic) for each in after)


def is_plain_order(text: str, command: ChatCommand) -> bool:
    """True if a message is a request and nothing else: what it asks for may be done, if beyond doubt one memory is meant."""
    if not command.is_request or _EXCLAIMS.search(text) or _SIGHS.match(text) or text.rstrip().endswith("?"):
        return False
    is_of_person = command.topic is None or not _ANY.match(command.topic) or _MINE.search(command.topic)
    return bool(is_of_person) and not any(said_beside(text, command))


def _stated_anew(text: str, command: ChatCommand) -> tuple[str, ...]:
    """The clauses beside a command to forget a topic that have a new value."""
    if command.topic is None:
        return ()
    topic, beside = topic_of(command.topic, ()), said_beside(text, command)
    before = (each for each in beside.before if topic is None or _NOW.search(each) or not mentions_any(topic, each))
    after = (_DENIED.sub("", each) for each in beside.after)
    stated = [*(each for each in before if _is_new(each)), *filter(_is_new, after)]
    return tuple(each for each in stated[:_MOST] if len(each) <= _LONGEST)


def _is_value(clause: str, topic: str) -> bool:
    """True if a clause gives the new value of the thing before: of `it`, or by the person where the thing is an address.

    >>> _is_value("it's green", "my favourite colour"), _is_value("I own one now", "my fear of dogs")
    (True, False)
    """
    said = _without_lead(clause)
    is_of_thing = _IT.match(said) or _NAMED.match(said) or _NEW_ONE.match(said) or _REACHES.search(topic)
    return _is_new(clause) and is_of_thing is not None and _OCCASION.match(said) is None


def _without_lead(clause: str) -> str:
    """A clause without what joins it to the one before: `because`, `it turns out that`."""
    lead = _LEAD.match(clause)
    return clause[lead.end() :] if lead else clause


def _is_new(clause: str) -> bool:
    if _PAST.search(clause):
        return False
    said = _without_lead(clause)
    if _NAMED.match(said):
        return True
    is_of_it = _IT.match(said)
    if is_of_it and is_of_it["is"] and find_names(f"So {said}"):
        return True
    if _NUMBER.search(said) or _DATE.search(said):
        return True
    words = content_words(said)
    if _THING.match(said) and words and words.isdisjoint(_ENDED):
        return True
    return bool((_NOW.search(clause) or _tells_change(said)) and words - _ENDED)


def _tells_change(said: str) -> bool:
    is_named = _CHANGE.search(said) is not None and bool(find_names(f"So {said}"))
    return is_named or _GAIN.search(said) is not None


def _new_value(clause: str, topic: str, *, says_that: bool) -> NewValue | None:
    """Return the new value of a clause; None if the topic's old value cannot be told from its other words.

    >>> _new_value("because he moved to Oslo", "Tim", says_that=False)
    NewValue(words='he moved to Oslo', about='Tim …')
    >>> _new_value("I moved from Gouda to Zwolle", "I live in Gouda", says_that=True)
    NewValue(words='I moved … to Zwolle', about=None)
    """
    topic = _TOLD.sub("", topic)
    value = _VALUE.search(topic)
    thing, old = (topic[: value.start()], value[0]) if value else (topic, "")
    words = _without(old, _without_lead(clause))
    if words is None or not _POINTS_BACK.match(words):
        return NewValue(words) if words else None
    is_statement = says_that or _OWN.match(topic) is not None
    return None if is_statement and not value else NewValue(words, f"{thing} {_CUT}{(value and value['unit']) or ''}")


def _without(old: str, clause: str) -> str | None:
    """Return a clause without the old value, as in `it went from 780 to 850` or `it's Eva, not Petra`; None if it stays."""
    wrong = content_words(old)
    shorter = (clause, _FROM.sub(f"{_CUT} ", clause), _INSTEAD.sub("", clause), clause.partition(",")[0])
    return next((each for each in shorter if not (wrong and wrong <= content_words(each))), None)
