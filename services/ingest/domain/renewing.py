"""Finds the new value in a message that has the old one forgotten, as in "Forget the budget, it's 500 now".

English only. A value is a number, a day or a month, a name that the topic is said to be, or what holds "now" or "instead". What
is denied, or told of the past, brings none.
"""

import re
from dataclasses import replace

from services.ingest.domain.restating import of_thing, restated, statement_in, understood_alone
from shared.language.commands.command import FLOOR, ChatCommand, ChatCommandName
from shared.language.commands.reading import said_beside
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


def new_values(text: str, command: ChatCommand) -> tuple[str, ...]:
    """What a message states anew beside a command to forget a topic, each as a statement that is understood alone."""
    if command.topic is None:
        return ()
    says_that = _SAYS_THAT.search(text.partition(command.topic)[0]) is not None
    made = (_alone(each, command.topic, says_that=says_that) for each in _stated_anew(text, command))
    return tuple(filter(None, made))


def is_in_doubt(text: str, command: ChatCommand) -> bool:
    """True if a message may not be meant, or would lose a new value that cannot be said alone: the person is asked first.

    Such a value is in `Forget that I sang with Ole in Gouda for Petra, it's Zwolle now`.
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


def _alone(clause: str, topic: str, *, says_that: bool) -> str | None:
    """The clause without `because`, and with the topic for a pronoun; None if it would not be understood alone.

    >>> _alone("because he moved to Oslo", "Tim", says_that=False), _alone("it's 850 now", "my rent is 780", says_that=True)
    ('Tim moved to Oslo.', 'My rent is 850 now.')
    """
    said = _without_lead(clause)
    if statement := statement_in(topic):
        made = restated(said, statement)
    elif says_that:
        made = said if understood_alone(said) else None
    else:
        made = of_thing(said, topic)
    return f"{made[:1].upper()}{made[1:]}." if made else None
