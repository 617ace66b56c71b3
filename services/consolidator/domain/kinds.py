"""The table of patterns that tell which cleaned statements are worth keeping, and of what kind they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from services.consolidator.domain.grammar import ADVERB, KIN
from services.consolidator.domain.vocabulary import (
    ADVERBS,
    COMING,
    CONDITION,
    DONE,
    FINITE,
    I_AM,
    I_HAVE,
    IS_SHORT,
    MY,
    NO_THING,
    PURSUIT,
    SUBJECT,
    THING,
    WANT,
    WEAK,
)
from shared.text.calendar import MONTH, MONTH_NAMES, ORDINAL, WEEKDAY


class FactTag(StrEnum):
    """What a fact is about, as tags."""

    PREFERENCE = "preference"
    PLAN = "plan"
    ATTRIBUTE = "attribute"
    RELATIONSHIP = "relationship"
    EVENT = "event"
    GOAL = "goal"
    COMMITMENT = "commitment"
    CORRECTION = "correction"
    ASKED = "asked_to_remember"


@dataclass(frozen=True, slots=True)
class StatementRule:
    """A pattern of a statement worth keeping."""

    tag: FactTag
    confidence: float
    pattern: re.Pattern[str]
    needs_date: bool = False


def _rule(tag: FactTag, confidence: float, pattern: str, *, needs_date: bool = False) -> StatementRule:
    return StatementRule(tag, confidence, re.compile(pattern), needs_date)


RULES: tuple[StatementRule, ...] = (
    # preferences
    _rule(
        FactTag.PREFERENCE,
        0.85,
        rf"{SUBJECT} (?:love|like|enjoy|adore|prefer|hate|dislike|loathe|despise|can't stand|cannot stand|can not stand)"
        r" (?!(?:it(?! when)|that|this|these|those|how|the way|when|what|him|her|them|your?|all (?:of )?(?:it|that)|the idea)\b"
        r"|to (?:hear|see|know|think|say)\b)",
    ),
    _rule(
        FactTag.PREFERENCE,
        0.85,
        rf"{SUBJECT} (?:do not|don't|can't|cannot|never|no longer)"
        rf"{ADVERBS} (?:like|eat|drink|smoke|enjoy|watch|drive|tolerate|digest|cook|wear)\b",
    ),
    _rule(
        FactTag.PREFERENCE,
        0.85,
        rf"{I_AM} (?:(?:afraid|scared|terrified|fond|an? (?:\w+ )?fan) of|obsessed with|addicted to|keen on|passionate about"
        r"|interested in|crazy about|into|an? [\w-]+ (?:lover|person))\b(?! (?:it|that|this|you|them)\b)",
    ),
    _rule(FactTag.PREFERENCE, 0.9, rf"{MY} (?:all-time |absolute |new )?(?:favou?rites?|fave|go-to)\b"),
    _rule(
        FactTag.PREFERENCE,
        0.85,
        r"\b(?:is|are|was|'s) (?:still |also )?(?:my|our) (?:[\w-]+ ){0,2}(?:favou?rite|fave|go-to|passion|hobby)\b",
    ),
    # who one is
    _rule(FactTag.ATTRIBUTE, 0.95, rf"{I_AM} (?:allergic|intolerant|lactose intolerant)\b"),
    _rule(FactTag.ATTRIBUTE, 0.9, rf"{I_AM} (?:an?|the) (?!{NO_THING}\b)(?:[\w-]+ ){{0,3}}[\w-]{{3,}}"),
    _rule(FactTag.ATTRIBUTE, 0.9, rf"{I_AM} {CONDITION}\b"),
    _rule(FactTag.ATTRIBUTE, 0.9, r"^(?:I am|[Mm]y name is|I am called) [A-Z][a-z]+(?: [A-Z][a-z]+)?(?=$|,| and\b| from\b)"),
    _rule(FactTag.ATTRIBUTE, 0.9, rf"{I_AM} \d{{1,3}}(?: years? old\b|(?=$|,| and\b))"),
    _rule(FactTag.ATTRIBUTE, 0.85, rf"{I_AM} [A-Z][a-z]+(?:ish|an|ese|ch|ic|ian|i)\b"),
    _rule(FactTag.ATTRIBUTE, 0.85, rf"{I_AM} {PURSUIT}"),
    _rule(
        FactTag.ATTRIBUTE,
        0.9,
        rf"{SUBJECT} (?:live|lived|work|worked|study|studied|teach|taught|volunteer|grew up|come from|was born|speak|commute"
        r"|majored|graduated|own|rent|manage|coach|collect|play|belong to|take (?:\w+ )?(?:medication|insulin|pills)|run an?"
        r"|support (?=[A-Z]))"
        r"\b(?! (?:on it|it|that|this|out|around|along|well|fine|great|hard|with it|to|you)\b)(?=.{3})",
    ),
    _rule(
        FactTag.ATTRIBUTE,
        0.85,
        rf"{I_HAVE} (?:an?|two|three|four|five|six|\d+|my own|no (?=kids|children|siblings|pets|car\b|licen[cs]e|allerg))"
        rf" ?(?!{NO_THING}\b|(?:\w+ )(?:question|idea|time|day|feeling|problem|plan|appointment|meeting|exam|booking"
        rf"|interview)s?\b)[\w-]{{3,}}",
    ),
    _rule(
        FactTag.ATTRIBUTE,
        0.9,
        rf"{I_HAVE} (?:asthma|diabetes|type [12] diabetes|coeliac|celiac|ADHD|epilepsy|migraines|arthritis|anxiety|depression"
        r"|insomnia|tinnitus|kids|children|siblings|twins|(?:[\w-]+ )?allerg(?:y|ies))\b",
    ),
    _rule(
        FactTag.ATTRIBUTE, 0.9, rf"{SUBJECT} have been (?:married|together|vegan|vegetarian|sober|divorced|single|engaged)\b"
    ),
    _rule(
        FactTag.ATTRIBUTE,
        0.9,
        rf"{SUBJECT} (?:do not|don't) have (?:any |an? )?(?:kids|children|siblings|pets?|dog|cat|car|driver|licen[cs]e|allerg)",
    ),
    _rule(FactTag.ATTRIBUTE, 0.85, r"\b(?:is|'s|was) (?:my|our) (?:\w+ )?(?:birthday|anniversary)\b"),
    _rule(FactTag.ATTRIBUTE, 0.85, rf"{SUBJECT} have been [a-z]+ing .*\b(?:for|since)\b"),
    _rule(FactTag.ATTRIBUTE, 0.85, rf"{SUBJECT} used to (?!think|believe|say|know)\w{{2,}} \w+"),
    _rule(
        FactTag.ATTRIBUTE,
        0.85,
        rf"{MY} (?:[\w'-]+ ){{0,2}}{THING}(?: (?!and\b|or\b)[\w'-]+){{0,3}}?(?: {FINITE}|{IS_SHORT})(?! (?:fine|ok|okay"
        rf"|great|good|done)\b)",
    ),
    _rule(
        FactTag.ATTRIBUTE,
        0.75,
        rf"\bI (?:only|always|usually|rarely|mostly|often|normally|generally|never|sometimes) (?!{WEAK})"
        r"(?!(?:think|forget|feel|wonder|mean|know|hope|wish|believe|am|was|have|had|want|wanted|can|will|would|get)\b)"
        r"(?![a-z]+ed\b|told|heard|thought|said|knew|saw|got|did|went|made|found|had|took)[a-z]+ \S",
    ),
    # whom one knows
    _rule(
        FactTag.RELATIONSHIP,
        0.85,
        rf"{MY} (?:[\w'-]+ ){{0,2}}?{KIN}(?:,? (?:called |named )?[A-Z][\w-]+){{0,2}}(?: (?:in|from"
        rf"|at) [A-Z][\w-]+)?(?:, [^,]{{1,40}},)?"
        rf"(?: {ADVERB})?(?: {FINITE}|{IS_SHORT})",
    ),
    _rule(FactTag.RELATIONSHIP, 0.85, rf"(?:\b(?:is|are|was)|'s|'re) (?:\w+ )?(?:my|our) (?:[\w'-]+ ){{0,2}}?{KIN}\b"),
    _rule(FactTag.RELATIONSHIP, 0.8, rf"\b{KIN} (?:is |was )?(?:called|named) [A-Z]"),
    _rule(FactTag.RELATIONSHIP, 0.8, rf"{SUBJECT} [a-z]+ .*\b(?:my|our) (?:[\w'-]+ ){{0,2}}{KIN},? [A-Z][a-z]"),
    _rule(
        FactTag.EVENT,
        0.8,
        r"\b[A-Z][\w-]+.* (?:offered|gave|found|hired|promoted|fired|lent|bought|sold|taught|diagnosed|prescribed|dumped|left"
        r"|invited|proposed to|married) (?:me|us)\b",
    ),
    # what is to come
    _rule(FactTag.PLAN, 0.85, rf"{I_AM} going to (?!{WEAK}|the\b|bed\b|work\b|lunch\b|dinner\b|my\b)[A-Za-z]{{2,}}"),
    _rule(FactTag.PLAN, 0.85, rf"{I_AM} {COMING}\b(?! (?:it|that|this|you|so)\b|,)"),
    _rule(FactTag.PLAN, 0.8, rf"{SUBJECT} {WANT} (?:not )?to (?!{WEAK})[a-z]{{2,}}"),
    _rule(
        FactTag.PLAN,
        0.85,
        rf"{SUBJECT} (?:have )?{ADVERBS} ?(?:signed up|applied|enrolled|registered|am registered|booked)\b (?!it\b|that\b)",
    ),
    _rule(
        FactTag.PLAN, 0.8, rf"{SUBJECT} will(?: not)?{ADVERBS} (?!be (?:great|fun|fine)\b|see you)[a-z]{{2,}}", needs_date=True
    ),
    _rule(FactTag.PLAN, 0.8, rf"{I_AM} (?:going|[a-z]{{3,}}ing) ", needs_date=True),
    _rule(
        FactTag.GOAL,
        0.85,
        r"\b(?:[Mm]y|[Oo]ur|[Tt]he) (?:\w+ )?(?:goal|plan|dream|aim|resolution|ambition|target|intention)\b.{0,60} (?:is"
        r"|was|are) (?!great|good)",
    ),
    _rule(
        FactTag.GOAL,
        0.85,
        rf"{I_AM} (?:saving (?:up )?for|training for|determined to|aiming (?:to|for)|working towards?) (?!it\b|that\b"
        rf"|make it\b)",
    ),
    _rule(
        FactTag.COMMITMENT,
        0.85,
        rf"{SUBJECT} (?:promised|committed|swore|vowed|pledged|agreed) (?:to|that|[A-Z]\w+|my|myself)\b",
    ),
    _rule(
        FactTag.COMMITMENT,
        0.75,
        rf"\b(?:I|[Ww]e)(?: {ADVERB}){{0,3}} (?:have|need) to (?!{WEAK}|go\b|be\b|do\b|get\b|run\b|leave\b)[a-z]{{2,}} \S",
    ),
    # what happened, what is due
    _rule(FactTag.EVENT, 0.8, rf"\b(?:I|[Ww]e)(?: have| had)?{ADVERBS} {DONE} (?!it\b|that\b|this\b|up$|out$|in$|you\b)\S"),
    _rule(FactTag.EVENT, 0.75, rf"{SUBJECT} (?P<verb>[a-z]+) ", needs_date=True),
    _rule(FactTag.EVENT, 0.75, rf"^(?!I\b|We\b)[A-Z].*?(?: {FINITE}|{IS_SHORT}|'s\b)", needs_date=True),
    _rule(
        FactTag.CORRECTION,
        0.8,
        rf"{SUBJECT} (?:do not|don't|am not|are not)\b.*\b(?:any ?more|any longer)\b|{SUBJECT} no longer (?!{WEAK})[a-z]{{3,}}",
    ),
)
"""All rules, in this order. A statement gets the tags of all that match, and the highest confidence."""

_WEAK_VERB = re.compile(
    r"(?:am|was|are|were|think|thought|guess|guessed|mean|meant|know|knew|hope|hoped|wish|wished|wonder|wondered|say|said|see"
    r"|saw|hear|heard|feel|felt|believe|bet|agree|agreed|suppose|forget|forgot|forgotten|understand|understood|appreciate"
    r"|remember|told|asked|noticed|assumed|figured|missed|laughed|mentioned|don't|didn't|can|can't|cannot|will"
    r"|won't|would|could|should|must|might|may|promise|swear|and|in|at|on|to|for|or|of|as|is|with|haven't|hadn't|wasn't)$"
)
_DATE = re.compile(
    rf"\b(?:{WEEKDAY}s?|\d{{1,2}}{ORDINAL}? (?:of )?{MONTH}|{MONTH} \d{{1,2}}|\d{{4}}-\d\d-\d\d|(?:19|20)\d\d"
    rf"|(?:in|since|until|from|by) (?:{'|'.join(MONTH_NAMES)})"
    r"|yesterday|tomorrow|tmrw|(?:last|next) (?:night|week|weekend|month|year|summer|winter|spring|autumn|fall)"
    r"|(?:an?|one|two|three|four|five|six|\d+) (?:days?|weeks?|months?|years?) ago|in (?:two|three|four|five|six"
    r"|\d+) (?:days|weeks|months|years)"
    r"|this (?:weekend|summer|winter|spring|autumn|fall|month|year)|every (?:day|morning|evening|night|week|month|year))\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”")
_DETAIL = re.compile(
    r"It(?:'s| is) (?:called|named|in|at|from)\b"
    r"|(?:He|She|They)(?:(?:'s| is|'re| are| was| were) (?:an?|the|called|named|from|my|our|\d|allergic|born|coming|moving"
    r"|getting|turning|based|retired|pregnant)| (?:wants?|loves?|likes?|hates?|prefers?|works? (?:as|at|in|for)|lives?|plays?"
    r"|studies|study|teaches|speaks?|owns?|has an?|have an?|starts?|ends?|leaves?|arrives?))\b",
    re.IGNORECASE,
)


def kinds(sentence: str) -> list[StatementRule]:
    """The rules that match a cleaned statement, in the order of the table."""
    own_words = _QUOTED.sub('""', sentence)
    is_dated = has_date(own_words)
    return [rule for rule in RULES if (is_dated or not rule.needs_date) and _meets(own_words, rule)]


def is_detail(sentence: str) -> bool:
    """True if a sentence tells more of someone who was just named: "She wants ...", "He is a whippet"."""
    return bool(_DETAIL.match(sentence))


def has_date(sentence: str) -> bool:
    """True if a sentence names a day, a month, a year or a span of them."""
    return bool(_DATE.search(sentence))


def _meets(sentence: str, rule: StatementRule) -> bool:
    if "verb" not in rule.pattern.groupindex:
        return bool(rule.pattern.search(sentence))
    return any(not _WEAK_VERB.match(match["verb"]) for match in rule.pattern.finditer(sentence))
