"""The table of patterns that tell which cleaned statements are worth keeping, and of what kind they are."""

import re
from dataclasses import dataclass
from enum import StrEnum

from services.consolidator.domain.vocabulary import (
    ADVERBS,
    BODY,
    COMING,
    CONDITION,
    DONE,
    FINITE,
    I_AM,
    I_HAVE,
    IS_SHORT,
    MY,
    NO_HABIT,
    NO_THING,
    PURSUIT,
    SUBJECT,
    THING,
    WANT,
    WEAK,
)
from shared.language.text.calendar import MONTH, MONTH_NAMES, ORDINAL, WEEKDAY
from shared.language.text.grammar import ADVERB, KIN, is_past


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

    pattern: re.Pattern[str]
    tag: FactTag
    confidence: float
    needs_date: bool = False


_TABLE: dict[str, tuple[FactTag, float] | tuple[FactTag, float, bool]] = {
    # preferences
    rf"{SUBJECT} (?:love|like|enjoy|adore|prefer|hate|dislike|loathe|despise|can't stand|cannot stand"
    "|can not stand) (?!(?:it(?! when)|that|this|these|those|how|the way|when|what|him|her|them|your?|all (?:of )?(?:it"
    r"|that)|the idea)\b|to (?:hear|see|know|think|say)\b)": (FactTag.PREFERENCE, 0.85),
    rf"{SUBJECT} (?:do not|don't|can't|cannot|never|no longer){ADVERBS} (?:like|eat|drink|smoke|enjoy|watch|drive|tolerate"
    r"|digest|cook|wear|swim|stand|take (?!(?:it|that|the|this|any|an?|off|part|my|no)\b)"
    r"|have (?=dairy|gluten|nuts|sugar|caffeine|alcohol))": (
        FactTag.PREFERENCE,
        0.85,
    ),
    rf"{I_AM} (?:(?:afraid|scared|terrified|fond|an? (?:\w+ )?fan) of|obsessed with|addicted to|keen on|passionate about"
    r"|interested in|crazy about|into|an? [\w-]+ (?:lover|person))\b(?! (?:it|that|this|you"
    r"|them)\b)": (FactTag.PREFERENCE, 0.85),
    rf"{MY} (?:all-time |absolute |new )?(?:favou?rites?|fave|go-to)\b": (FactTag.PREFERENCE, 0.9),
    r"\b(?:is|are|was|'s) (?:still |also )?(?:my|our) (?:[\w-]+ ){0,2}(?:favou?rite|fave|go-to|passion"
    r"|hobby)\b": (FactTag.PREFERENCE, 0.85),
    # who one is
    rf"{I_AM} (?:allergic|intolerant|lactose intolerant)\b": (FactTag.ATTRIBUTE, 0.95),
    rf"{I_AM} (?:an?|the) (?!{NO_THING}\b)(?:[\w-]+ ){{0,3}}[\w-]{{3,}}": (FactTag.ATTRIBUTE, 0.9),
    rf"{I_AM} {CONDITION}\b": (FactTag.ATTRIBUTE, 0.9),
    r"^(?:I am|[Mm]y name is|I am called) [A-Z][a-z]+(?: [A-Z][a-z]+)?(?=$|,| and\b| from\b)": (FactTag.ATTRIBUTE, 0.9),
    rf"{I_AM} \d{{1,3}}(?: years? old\b|(?=$|,| and\b))": (FactTag.ATTRIBUTE, 0.9),
    rf"{I_AM} [A-Z][a-z]+(?:ish|an|ese|ch|ic|ian|i)\b": (FactTag.ATTRIBUTE, 0.85),
    rf"{I_AM} {PURSUIT}": (FactTag.ATTRIBUTE, 0.85),
    rf"{SUBJECT} (?:live|lived|work|worked|study|studied|teach|taught|volunteer|grew up|come from|was born|speak|commute"
    r"|majored|graduated|own|rent|manage|coach|collect|play|belong to|take (?:\w+ )?(?:medication|insulin|pills)|run an?"
    r"|support (?=[A-Z]))\b(?! (?:on it|it|that|this|out|around|along|well|fine|great|hard|with it|to"
    rf"|you)\b)(?=.{{3}})": (FactTag.ATTRIBUTE, 0.9),
    rf"{I_HAVE}(?<!had) (?:an?|two|three|four|five|six|\d+|my own|no (?=kids|children|siblings|pets|car\b|licen[cs]e"
    rf"|allerg)) ?(?!{NO_THING}\b|(?:\w+ )(?:question|idea|time|day|feeling|problem|plan|appointment|meeting|exam|booking"
    rf"|interview)s?\b)[\w-]{{3,}}": (FactTag.ATTRIBUTE, 0.85),
    rf"{I_HAVE} (?:an? |some |both )?(?:really |very |quite )?(?:bad|dodgy|weak|sore|sensitive|broken|torn|slipped|frozen"
    rf"|trapped|twisted"
    rf"|sprained|fractured|fused|bust|busted|gammy|artificial|prosthetic|replaced) {BODY}\b": (FactTag.ATTRIBUTE, 0.85),
    rf"{I_HAVE} (?:an? )?(?:[\w-]+ ){{1,3}}(?:in|on|with|of|for|all over) my (?:\w+ )?{BODY}\b": (FactTag.ATTRIBUTE, 0.85),
    rf"{I_HAVE} (?:an? )?(?:[\w-]+ ){{0,3}}(?:degeneration|disease|syndrome|disorder|deficiency|intolerance|implants?|pacemaker"
    rf"|stent|hernia|cancer|tumou?r|palsy|dystrophy|sclerosis|apnoea|apnea|reflux|eczema|asthma|tremors?|seizures)\b": (
        FactTag.ATTRIBUTE,
        0.9,
    ),
    r"\b(?:disagrees?|do(?:es)? not agree|do(?:n't|esn't) agree|mess(?:es)?|plays? havoc) with (?:me|my)\b|\b(?:makes?"
    r"|gives?) me"
    r" (?:ill|sick|puke|vomit|bloated|hives|headaches|migraines|a (?:rash|migraine|headache)|heartburn|come out in)\b"
    r"|\bmess(?:es)? me up\b|\bupsets? my (?:stomach|tummy|gut)\b|\bsets? off my\b": (FactTag.ATTRIBUTE, 0.85),
    rf"\b(?:me|us|my|our|I|[Ww]e)\b.*\b(?:(?:every|each) (?:\w+ ){{0,2}}(?:day|week|month|year|morning|evening|night"
    rf"|weekend|winter"
    rf"|summer|spring|autumn|{WEEKDAY})s?|(?:once|twice|[a-z]+ times) an? (?:day|week|fortnight|month|year)"
    rf"|on {WEEKDAY}s|(?:at )?weekends)\b": (FactTag.ATTRIBUTE, 0.75),
    rf"{SUBJECT} (?:usually|normally|always|often|mostly|generally|never|typically)\b.*\b(?:at|by|until|till|around|from"
    rf"|before|after)"
    r" (?:about |around |like )?\d": (FactTag.ATTRIBUTE, 0.75),
    rf"^(?:(?:[Ii]n|[Oo]n|[Aa]t) (?:\w+ ){{1,3}}|[A-Z]?[a-z]+days(?: and \w+days)? )?(?:I|We){ADVERBS}"
    rf" (?P<verb>(?!(?:{NO_HABIT}|{ADVERB})\b)"
    rf"[a-z]+) (?!not\b|that\b|it\b|so\b|if\b|how\b|what\b|why\b|where\b)\S": (FactTag.ATTRIBUTE, 0.75),
    rf"{MY} (?:[\w-]+ )?{BODY} (?:is|are|was|were|hurts?|aches?|plays? up|gives? me|keeps?)\b": (FactTag.ATTRIBUTE, 0.8),
    rf"{I_AM} (?:going|gone|been) through (?:the |an? |my )?(?:[\w-]+ )?(?:menopause|divorce|separation|break-?up|chemo|ivf"
    rf"|puberty"
    r"|bereavement|transition|treatment|bankruptcy|probate|custody \w+)\b": (FactTag.ATTRIBUTE, 0.85),
    rf"{SUBJECT} (?:can't|cannot|can not|struggle to|do not|don't)(?: really)? (?:cope with|deal with|handle|manage|do|fly"
    rf"|drive"
    rf"|walk|climb|eat|read|write|swim|sleep|see|hear) (?!it\b|that\b|this\b|anything\b|them\b|without\b|why\b"
    rf"|how\b)\w{{3,}}": (
        FactTag.ATTRIBUTE,
        0.75,
    ),
    rf"{SUBJECT} get (?:an? |really |bad |awful |terrible |severe )*(?:migraines?|headaches?|hives|rash(?:es)?|heartburn"
    rf"|panic attacks?"
    r"|cramps|nosebleeds?|hay ?fever|anxious|dizzy|(?:car|sea|travel|motion|air)[ -]?sick|cold sores|eczema|colic)\b": (
        FactTag.ATTRIBUTE,
        0.85,
    ),
    r"\bget(?:s)? (?:[\w-]+ ){0,3}(?:if|when(?:ever)?) (?:I|we|he|she|they) (?:eat|drink|have|take|sit|stand|run|walk"
    r"|sleep)\b": (
        FactTag.ATTRIBUTE,
        0.8,
    ),
    rf"{SUBJECT} (?!{WEAK})[a-z]+ .*\bfor (?:about |over |nearly |almost )?(?:\d+|an?|two|three|four|five|six|seven|eight"
    rf"|nine|ten"
    r"|twenty|thirty) (?:years?|yrs?|months?|decades?)\b(?! now$)": (FactTag.ATTRIBUTE, 0.8),
    rf"{I_AM} in an? (?:[\w-]+ ){{0,4}}(?:flat|house|apartment|bungalow|caravan|studio|hostel|care home|house ?share|bedsit"
    r"|houseboat|cottage|dorm|band|relationship)\b": (FactTag.ATTRIBUTE, 0.85),
    rf"{SUBJECT} (?:really )?know (?:how to )?[A-Z#+][\w+#]*(?: [A-Z]\w+)? (?:very )?(?:well|inside out|a bit|a little)": (
        FactTag.ATTRIBUTE,
        0.8,
    ),
    rf"{SUBJECT} (?:have )?had (?:an? |my )?(?:[\w-]+ ){{0,3}}(?:stroke|heart attack|miscarriage|operation|surgery|baby"
    rf"|fall|accident"
    r"|breakdown|transplant|bypass|biopsy|scan|[a-z]+ectom(?:y|ies)|childhood|replacement|implants?|replaced|removed)\b": (
        FactTag.ATTRIBUTE,
        0.85,
    ),
    rf"{I_AM} (?:about |only |nearly |just )?(?:\d'\d+|\d ?(?:ft|foot)\b|\d{{3}} ?cm\b|\d\.\d\d ?m\b|\d+ ?(?:kg|kilos|stone"
    rf"|lbs)\b)": (
        FactTag.ATTRIBUTE,
        0.9,
    ),
    rf"{MY} (?:[\w-]+ ){{1,3}}(?:is|are|was) (?:about |like |around |only |nearly |at )?[£$€]?\d": (FactTag.ATTRIBUTE, 0.8),
    r"\b(?:got|was|were|been) (?:broken into|burgled|robbed|mugged|scammed|hacked|evicted"
    r"|made redundant)\b": (FactTag.EVENT, 0.8),
    rf"{SUBJECT} (?:come out in|break out in|swell up)\b": (FactTag.ATTRIBUTE, 0.8),
    rf"{I_HAVE} (?!(?:COVID|[A-Z][a-z]+day))[A-Z][\w+]+(?: [A-Z+][\w+]*)*$": (FactTag.ATTRIBUTE, 0.8),
    rf"{I_HAVE} (?:asthma|diabetes|type [12] diabetes|coeliac|celiac|ADHD|epilepsy|migraines|arthritis|anxiety|depression"
    r"|insomnia|tinnitus|kids|children|siblings|twins|(?:[\w-]+ )?allerg(?:y|ies))\b": (FactTag.ATTRIBUTE, 0.9),
    rf"{SUBJECT} (?:get|suffer from|have) (?:really |very |so |super )?(?:bad|terrible|awful|horrible|severe|chronic) "
    rf"(?!{NO_THING}|feeling|time)[a-z]{{4,}}": (FactTag.ATTRIBUTE, 0.85),
    rf"{SUBJECT} (?:have )?(?:charge|pay|paid|earn|owe|spend|make|rent it for|asked for|get|saved|put aside"
    rf"|make do with) .{{0,20}}(?:[£$€]\d"
    rf"|\d[\d,.]*k? ?(?:kronor|euros?|pounds|dollars|quid|grand|francs|an hour|(?:a|per) (?:hour|day|week|month|year))\b)": (
        FactTag.ATTRIBUTE,
        0.8,
    ),
    rf"{MY}\b.*\b[A-Z][a-z]+,? (?:who's|who is|aged|is|\() ?\d": (FactTag.RELATIONSHIP, 0.75),
    rf"{SUBJECT} (?:wear (?:glasses|contacts|contact lenses|a hearing aid|hearing aids)|fast|carry an|use a (?:wheelchair|cane)"
    r"|need a (?:wheelchair|carer|transplant))\b": (FactTag.ATTRIBUTE, 0.85),
    rf"{SUBJECT} (?:have got|have|had|got|suffer from|was diagnosed with) (?:\w+ )?\w{{3,}}"
    r"(?:itis|osis|aemia|emia|oma|pathy|algia)\b": (
        FactTag.ATTRIBUTE,
        0.9,
    ),
    rf"{SUBJECT} (?:take|drink|have|like) my (?:coffee|tea|eggs|steak)\b": (FactTag.PREFERENCE, 0.8),
    rf"{SUBJECT} (?:get up|wake up|go to (?:bed|sleep)|start work|finish work) (?:at|around|by"
    rf"|every)\b": (FactTag.ATTRIBUTE, 0.8),
    rf"{SUBJECT} (?:have )?(?:just )?(?:got|been) (?:engaged|married|divorced|promoted|fired|sacked"
    rf"|laid off)\b": (FactTag.EVENT, 0.85),
    rf"\bI(?:{ADVERBS}) (?:sing|swim|dance|paint|knit|row|sail|climb|garden|box|ski|surf|act|sew|draw) (?:in|at|with|on"
    rf"|every|twice|once"
    r"|regularly|a lot)\b": (FactTag.ATTRIBUTE, 0.8),
    r"^The (?:(?:young|old|eld)est|kids|twins|dog|cat|baby)\b(?: is|'s| are| has| have|, [A-Z])": (FactTag.RELATIONSHIP, 0.75),
    rf"{I_AM} (?:in|on) (?:an?|the) (?:[\w-]+ ){{0,2}}(?:choir|band|orchestra|club|team|league|society|union)\b": (
        FactTag.ATTRIBUTE,
        0.85,
    ),
    rf"{MY} (?:[\w-]+ ){{0,3}}job (?:at|in|with|as) \S+": (FactTag.ATTRIBUTE, 0.8),
    rf"{SUBJECT} have been (?:married|together|vegan|vegetarian|sober|divorced|single|engaged)\b": (FactTag.ATTRIBUTE, 0.9),
    rf"{SUBJECT} (?:do not|don't|haven't|have not) (?:have|got|own)(?: any| an?)? (?!{NO_THING}|time|to\b|been|had"
    r"|anything|much|got|the)[a-z]{3,}": (FactTag.ATTRIBUTE, 0.85),
    r"\b(?:is|'s|was) (?:my|our) (?:\w+ )?(?:birthday|anniversary)\b": (FactTag.ATTRIBUTE, 0.85),
    rf"{SUBJECT} have been (?:[a-z]+ing|on|in|at|with) .*\b(?:for|since)\b": (FactTag.ATTRIBUTE, 0.85),
    rf"{SUBJECT} used to (?!think|believe|say|know)\w{{2,}} \w+": (FactTag.ATTRIBUTE, 0.85),
    rf"{MY} (?:[\w'-]+ ){{0,2}}{THING}(?: (?!and\b|or\b)[\w'-]+){{0,3}}?(?: {FINITE}|{IS_SHORT})(?! (?:fine|ok|okay|great|good"
    r"|done)\b)": (FactTag.ATTRIBUTE, 0.85),
    rf"\bI (?:only|always|usually|rarely|mostly|often|normally|generally|never|sometimes) (?!{WEAK})(?!(?:think|forget|feel"
    r"|wonder|mean|know|hope|wish|believe|am|was|have|had|want|wanted|can|will|would|get)\b)(?![a-z]+ed\b|told|heard|thought"
    r"|said|knew|saw|got|did|went|made|found|had|took)[a-z]+ \S": (FactTag.ATTRIBUTE, 0.75),
    # whom one knows
    rf"{MY} (?:[\w'-]+ ){{0,2}}?{KIN}(?:,? (?:called |named )?[A-Z][\w-]+){{0,2}}(?: (?:[Mm]rs?|[Mm]s|[Mm]iss"
    rf"|[Dd]r)\.? \w+)?(?: (?:in|from"
    rf"|at) [A-Z][\w-]+)?(?:, [^,]{{1,40}},)?(?: {ADVERB})?(?: {FINITE}|{IS_SHORT})": (FactTag.RELATIONSHIP, 0.85),
    rf"\b(?:his|her|their) {KIN} [A-Z][a-z]+ (?:{FINITE}|{IS_SHORT})": (FactTag.RELATIONSHIP, 0.75),
    rf"(?:\b(?:is|are|was)|'s|'re) (?:\w+ )?(?:my|our) (?:[\w'-]+ ){{0,2}}?{KIN}\b": (FactTag.RELATIONSHIP, 0.85),
    r"^(?:[Tt]he )?(?:[Oo]lder|[Yy]ounger|[Ee]lder|[Bb]ig|[Ll]ittle|[Mm]iddle|[Oo]ther)(?: one)?(?: is|'s) (?:called "
    r"|named )?[A-Z]": (
        FactTag.RELATIONSHIP,
        0.75,
    ),
    rf"\b(?:[Mm]y|[Oo]ur|[Tt]he) {KIN}(?: is|'s) [A-Z][a-z]+(?=,|$| and\b| who\b)": (FactTag.RELATIONSHIP, 0.85),
    r"^[A-Z][a-z]+(?: (?:works|lives|studies|teaches|drives|owns|runs|plays"
    r"|is (?:an?|allergic|pregnant|scared|afraid|terrified|\d+))|'s (?:scared|afraid|allergic|terrified))\b": (
        FactTag.RELATIONSHIP,
        0.75,
    ),
    r"^(?:[Tt]he |[Mm]y |[Oo]ur )?[\w -]{3,30} (?:is|was|are|costs?|were) [£$€]\d": (FactTag.ATTRIBUTE, 0.75),
    rf"{I_AM} (?:back )?on (?:\w+ )?[a-z]*(?:statins?|pril|olol|azole|dipine|cillin|mycin|zepam|tine|pram|oxin|formin"
    rf"|sartan|insulin"
    r"|thinners|blockers|steroids|antibiotics|hrt|methadone|warfarin|aspirin|painkillers|benefits|(?:universal )?credit"
    r"|dialysis|chemo|oxygen|crutches|probation|parole)\b": (FactTag.ATTRIBUTE, 0.85),
    rf"\b{KIN} (?:is |was )?(?:called|named) [A-Z]": (FactTag.RELATIONSHIP, 0.8),
    rf"{SUBJECT} [a-z]+ .*\b(?:my|our) (?:[\w'-]+ ){{0,2}}{KIN},? [A-Z][a-z]": (FactTag.RELATIONSHIP, 0.8),
    r"\b(?!The\b|This\b|That\b|It\b|What\b|My\b)[A-Z][\w-]+.* (?:offered|gave|found|hired|promoted|fired|lent|bought"
    r"|sold|taught|sent|owes?|charged|overcharged|refunded|delivered|shipped|diagnosed|prescribed|dumped|left(?! \w+ in awe)"
    r"|invited|proposed to|married) (?:me|us)\b": (FactTag.EVENT, 0.8),
    # what is to come
    rf"{I_AM} going to (?!{WEAK}|the\b|bed\b|work\b|lunch\b|dinner\b|my\b)[A-Za-z]{{2,}}": (FactTag.PLAN, 0.85),
    rf"(?:{I_AM} (?:excited|looking forward|ready)|[Cc]an't wait) to [a-z]{{2,}}": (FactTag.PLAN, 0.8, True),
    rf"{I_AM} {COMING}\b(?! (?:it|that|this|you|so)\b|,)": (FactTag.PLAN, 0.85),
    rf"{SUBJECT} {WANT} (?:not )?to (?!{WEAK})[a-z]{{2,}}": (FactTag.PLAN, 0.8),
    rf"{SUBJECT} (?:have )?{ADVERBS} ?(?:signed up|applied|enrolled|registered|am registered|booked)\b (?!it\b"
    r"|that\b)": (FactTag.PLAN, 0.85),
    rf"{SUBJECT} will(?: not)?{ADVERBS} (?!be (?:great|fun|fine)\b|see you)[a-z]{{2,}}": (FactTag.PLAN, 0.8, True),
    rf"{I_AM} (?:going|[a-z]{{3,}}ing) ": (FactTag.PLAN, 0.8, True),
    r"\b(?:[Mm]y|[Oo]ur|[Tt]he) (?:\w+ )?(?:goal|plan|dream|aim|resolution|ambition|target|intention)\b.{0,60} (?:is|was"
    "|are) (?!great|good)": (FactTag.GOAL, 0.85),
    rf"{I_AM} (?:saving (?:up )?for|training for|determined to|aiming (?:to|for)|working towards?) (?!it\b|that\b"
    r"|make it\b)": (FactTag.GOAL, 0.85),
    rf"{SUBJECT} (?:promised|committed|swore|vowed|pledged|agreed) (?:to|that|[A-Z]\w+|my"
    r"|myself)\b": (FactTag.COMMITMENT, 0.85),
    rf"\b(?:I|[Ww]e)(?: {ADVERB}){{0,3}} (?:have|need) to (?!{WEAK}|go\b|be\b|do\b|get\b|run\b"
    rf"|leave\b)[a-z]{{2,}} \S": (FactTag.COMMITMENT, 0.75),
    # what happened, what is due
    rf"\b(?:I|[Ww]e)(?: have| had)?{ADVERBS} {DONE} (?!it\b|that\b|this\b|up$|out$|in$|you\b)\S": (FactTag.EVENT, 0.8),
    rf"{SUBJECT} (?P<verb>[a-z]+) ": (FactTag.EVENT, 0.75, True),
    rf"^(?!I\b|We\b)[A-Z].*?(?: {FINITE}|{IS_SHORT}|'s\b)": (FactTag.EVENT, 0.75, True),
    rf"{I_AM} due ": (FactTag.EVENT, 0.8, True),
    rf"{I_AM} (?:closed|open|away|abroad|on holiday|out of (?:office|town)|unavailable) ": (FactTag.EVENT, 0.75, True),
    r"^(?!I\b|We\b)[\w' -]{2,40}? (?:is |are )?(?:due|expires?|runs out) ": (FactTag.EVENT, 0.75, True),
    rf"{SUBJECT} (?:do not|don't|am not|are not)\b.*\b(?:any ?more|any longer)\b"
    rf"|{SUBJECT} no longer (?!{WEAK})[a-z]{{3,}}": (FactTag.CORRECTION, 0.8),
}
"""How sure a statement that a pattern finds is to be a fact of that kind; the last says that it must name a date, too."""

RULES = tuple(StatementRule(re.compile(pattern), *kind) for pattern, kind in _TABLE.items())
"""All rules, in this order. A statement gets the tags of all that match, and the highest confidence."""

_WEAK_VERB = re.compile(
    r"(?:am|was|are|were|think|thought|guess|guessed|mean|meant|know|knew|hope|hoped|wish|wished|wonder|wondered|say|said|see"
    r"|saw|hear|heard|feel|felt|believe|bet|agree|agreed|suppose|forget|forgot|forgotten|understand|understood|appreciate"
    r"|remember|told|asked|noticed|assumed|figured|missed|laughed|mentioned|don't|didn't|can|can't|cannot|will"
    r"|won't|would|could|should|must|might|may|promise|swear|and|in|at|on|to|for|or|of|as|is|with|haven't|hadn't|wasn't)$"
)
_DATE = re.compile(
    rf"\b(?:{WEEKDAY}s?|\d{{1,2}}{ORDINAL}? (?:of )?{MONTH}|{MONTH} \d{{1,2}}"
    rf"|(?:on|from|until|by) the \d{{1,2}}{ORDINAL}|\d{{4}}-\d\d-\d\d|(?:19|20)\d\d|(?:in|since"
    rf"|until|from|by) (?:{'|'.join(MONTH_NAMES)})|yesterday|tomorrow|tmrw|(?:last|next) (?:night|week|weekend|month|year"
    r"|summer|winter|spring|autumn|fall)|(?:an?|one|two|three|four|five|six|\d+) (?:days?|weeks?|months?|years?) ago"
    r"|in (?:two|three|four|five|six|\d+) (?:days|weeks|months|years)|this (?:weekend|summer|winter|spring|autumn|fall|month"
    r"|year)|every (?:day|morning|evening|night|week|month|year))\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”")
_RELATIVE = re.compile(
    r"\b(every(?:one|body|thing)|any(?:one|body|thing)|some(?:one|body|thing)|all|things?|stuff|people|ones?|places?|way)"
    r"(?: that| who| which)? (?:I|we)(?:'\w+)?(?: \w+)?",
    re.IGNORECASE,
)
"""`everyone we love`: what the user does to somebody in passing."""
_DETAIL = re.compile(
    r"It(?:'s| is) (?:called|named|in|at|from)\b|(?:His|Her|Its|Their) (?:name|birthday)\b"
    r"|(?:He|She|They)(?:(?:'s| is|'re| are| was| were) (?:an?|the|called|named|from|my|our|\d|allergic|born|coming|moving"
    r"|getting|turning|based|retired|divorced|married|deaf|blind|pregnant|marrying|expecting|studying|working|living"
    r"|training)|'s got (?!to\b)| (?:wants?|loves?|likes?"
    r"|hates?|prefers?|works? (?:as|at|in|for)|lives?|plays?"
    r"|studies|study|teaches|speaks?|owns?|has (?!to\b)|have an?|can't|cannot|doesn't (?!matter|know|care)|used to|starts?"
    r"|ends?|leaves?|arrives?))\b",
    re.IGNORECASE,
)


def kinds(sentence: str) -> list[StatementRule]:
    """The rules that match a cleaned statement, in the order of the table."""
    own_words = _RELATIVE.sub(r"\1", _QUOTED.sub('""', sentence))
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
    verbs = [match["verb"] for match in rule.pattern.finditer(sentence) if not _WEAK_VERB.match(match["verb"])]
    return any(rule.needs_date or not is_past(verb) for verb in verbs)
