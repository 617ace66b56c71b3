"""The subject that chat leaves out or only points to: "Lost my keys", "Ann here, nurse in Leeds", "she works in Bonn"."""

import re

from services.consolidator.domain.language import ENGLISH
from shared.language.statements.language import statement_language
from shared.language.statements.reading import read_slots
from shared.language.statements.subjects import USER
from shared.language.text.grammar import KIN
from shared.language.text.words import words_of

_ELIDED = re.compile(
    r"^(?P<adverb>(?:Just|Finally|Recently|Also|Already|Still|Only) )?(?:(?P<verb>Lost|Got|Bought|Sold|Moved|Started|Finished"
    r"|Went|Booked|Met|Adopted|Joined|Quit|Won|Signed|Passed|Failed|Graduated|Broke|Ran|Visited|Planning|Working|Going|Moving"
    r"|Thinking|Living|Studying|Learning|Love|Hate|Prefer|Trying|Looking|Allergic|Been|Fell|Switched|Stopped|Gave|Retired"
    r"|Using|Training|Raising|Renovating|Recovering|Expecting|Applying|Coaching|Teaching|Volunteering|Running|Fostering"
    r"|Saving|Renting|Married|Engaged|Pregnant|Left|Turned)"
    r"(?= (?:(?:my|our|an?|the|to|up|with|from|in|at|for|of|on|as|off|going|back|living|working|learning|using|eating"
    r"|smoking|engaged|married|divorced|promoted|fired|laid|money|funds)\b|(?-i:[A-Z0-9])|(?<=love )(?!(?:and|it|that|this"
    r"|these|you|u"
    r"|ya|how"
    r"|when|your|him|her|them|is|me|us)\b)[a-z]))"
    r"|(?:Can't|Cannot) (?:eat|drink|have|take|stand|do|swim|drive)(?= [a-z])"
    r"|(?:Don't|Do not) (?:eat|drink|smoke|like)(?= [a-z]))",
    re.IGNORECASE,
)
_OF_WHAT_IS_SHOWN = re.compile(
    r"(?:Love (?:all )?the\b|Going to be (?!(?:an? |the )?(?:\w+ )?(?:mum|mom|dad|father|mother|parent|aunt|auntie|uncle"
    r"|grand\w+)s?\b)(?:an?|so|such|really|very|the)?\b)",
    re.IGNORECASE,
)
"""`Love the colours` praises what the other one shows, and `going to be great` is said of something."""
_DOING = re.compile(
    r"\w+ing (?:(?!\b(?:I|he|she|it|they|we|that|which|who|what|where|because|but|so)\b)[^,])*?"
    r" (?:is|was|are|has|have|gives?|gave|provides?|helps?|makes?|means|feels?|seems?|takes|isn't|aren't|wasn't|doesn't|can"
    r"|can't|not only)\b"
)
"""What somebody does as the subject: `learning Spanish is fun`."""
_AM = frozenset(
    """planning working going moving thinking living studying learning trying looking allergic using training saving renting
    raising renovating recovering expecting applying coaching teaching volunteering running fostering
    married engaged pregnant""".split()  # noqa: SIM905 - a list of words reads best as words
)
_BEGINNING = {
    **dict.fromkeys(("not", "back", "off", "on", "down", "up", "with", "in", "at", "over", "done", "out"), "I am"),
    **dict.fromkeys(("don't", "can't", "cannot", "never", "just", "finally", "quit", "split", "cut", "put"), "I"),
}
"""What is left out before a word with which a statement begins."""
_BEFORE_A_VERB = frozenset({"just", "finally", "never"})
_HAS_SUBJECT = re.compile(r"^[^,]*(?<!-)\b(?:I|[Ww]e|he|she|they|it)\b|^(?:Just|On|In|At|With|Over|Finally)\b.*\b(?:I|[Ww]e)\b")
_DONE_BY_OTHERS = re.compile(r"They(?:'ve|'re| have| are)?(?: \w+)+? (?:[Mm]y|[Oo]ur|the|me|us)\b")
_HERE = re.compile(
    r"^(?:(?:it's|this is) )?(?P<name>[A-Z][\w-]+) here, (?P<article>an? |the )?(?P<role>[a-z][\w-]+(?: [\w'-]+){0,12})"
)
_WHAT_I_AM = re.compile(
    r"(?:fellow |another )?(?P<what>(?:type [12] )?(?:diabetic|coeliac|celiac|asthmatic|epileptic|autistic|dyslexic)|vegan"
    r"|vegetarian|veggie|pescatarian|(?:lactose|gluten) intolerant|teetotal|pregnant) here",
    re.IGNORECASE,
)
"""`Type 1 diabetic here`: what somebody is, said as they would say who they are."""
_PERSON = re.compile(
    r"(?:\b(?P<my>[Mm]y|[Oo]ur) |(?P<whose>\b\w++'s |\b(?:[Hh]is|[Hh]er|[Tt]heir|an?) )|^(?=Baby|Mum|Mom|Dad|Gran|Nan|Hubby"
    r"|Boss|Wife|Husband|Missus|Brother|Sister|Son|Daughter|Girlfriend|Boyfriend|Partner))"
    rf"(?P<person>(?:[\w-]+ )?(?i:{KIN})(?:,? [A-Z][\w-]+)?)(?!\w)(?!'s? (?i:{KIN})\b)"
)
_OF_ANOTHER = re.compile(rf"\w's {KIN}\b", re.IGNORECASE)
_RELATIVE_ALONE = re.compile(
    r"^(?:Dad|Daddy|Mum|Mom|Mummy|Grandma|Grandpa|Grandad|Gran|Nan|Hubby|Boss|Landlord|Baby|Wife|Husband|Missus|Girlfriend"
    r"|Boyfriend|Sister|Brother|Daughter|Son)(?:'s)? (?!(?:and|or|of)\b)[a-z]"
)
_NOT_A_FAN = re.compile(r"^(?:Not|A huge|A big|Huge|Big) (?:a )?(?:big |huge )?fan of\b")
_PRONOUN = re.compile(
    r"^(?:(?P<he>He|She)\b(?!'(?:d|ll|ve)\b)(?P<short>'s(?P<has>(?= (?:got|been|had|just|never)\b))?)?"
    rf"|(?P<his>His|Her)(?= (?:name|birthday|job|school|{KIN})\b))"
)
_SHE = re.compile(
    r"\b(?:wife|missus|girlfriend|gf|mum|mom|mother|mama|sister|daughter|aunt|niece|gran|granny|nan|grandma|grandmother"
    r"|granddaughter)\b"
)
_HE = re.compile(
    r"\b(?:husband|hubby|boyfriend|bf|dad|father|papa|brother|son|uncle|nephew|grandpa|grandad|grandfather|grandson)\b"
)
_ORDER_NOT = re.compile(
    r"(?:don't|do not|never) (?:use|write|put|say|call|add|send|give|mention|make|tell|ask|let|forget|worry|include|repeat"
    r"|show)\b",
    re.IGNORECASE,
)
"""`Don't use long words` is a wish, and tells of no habit."""
_WITHOUT_SUBJECT = re.compile(
    r"(?:works|lives|plays|teaches|studies|drives|owns|runs|goes|loves|hates|wants|needs|has|does|comes|takes|earns|speaks|eats"
    r"|drinks|wears|sleeps|cooks|sells|supports|prefers) [a-z]",
    re.IGNORECASE,
)
"""`Works at a bank`, behind what was said of somebody."""
_DID = re.compile(
    r"(?:had|did|went|got|took|gave|saw|came|ran|wrote|ate|drank|began|broke|chose|drove|flew|forgot|grew|rode|spoke|swam"
    r"|threw|woke"
    r"|wore|bought|made|met|found|lost|sold|paid|taught|spent|won|tried|failed|passed|moved|started|finished|applied|joined) "
    r"(?!(?:is|are|was|were|of|by)\b)(?!.* (?:is|are) )",
    re.IGNORECASE,
)
_TWICE = re.compile(
    rf"^(?P<who>(?:my|our) (?:[\w-]+ )?{KIN}(?: (?-i:[A-Z])[\w-]+)?),? (?:he|she|they)(?P<short>'s|'re)?(?= (?!and\b|or\b)\w)",
    re.IGNORECASE,
)
"""`My eldest, he's a plumber`: who is told of is named twice."""
_MY_NAME = re.compile(r"^(?:I am|[Mm]y name is|I am called)\b")


def with_subject(sentence: str, speaker: str | None) -> str:
    """The statement with `I` added if it begins without a subject.

    >>> with_subject("Just moved to Oslo", None), with_subject("Ann here, nurse in Leeds", "Ann Lee")
    ('I just moved to Oslo', 'I am a nurse in Leeds')
    """
    sentence = _named_once(sentence)
    if (here := _HERE.match(sentence)) and (speaker is None or here["name"].lower() in speaker.lower().split()):
        return f"I am {here['article'] or _article(here['role'])}{here['role']}{sentence[here.end() :]}"
    if _RELATIVE_ALONE.match(sentence):
        return f"My {sentence[0].lower()}{sentence[1:]}"
    if (what := _WHAT_I_AM.fullmatch(sentence)) or _NOT_A_FAN.match(sentence):
        told = what["what"] if what else sentence
        return f"I am {told[0].lower()}{told[1:]}"
    if _OF_WHAT_IS_SHOWN.match(sentence) or _DOING.match(sentence):
        return sentence
    elided = _ELIDED.match(sentence)
    if elided or _DID.match(sentence):
        verb = (elided["verb"] if elided else None) or ""
        return f"I {_auxiliary(verb.lower())}{sentence[0].lower()}{sentence[1:]}"
    return _with_subject_read(sentence)


def _named_once(sentence: str) -> str:
    told = _TWICE.match(sentence)
    if not told:
        return sentence
    verb = {"'s": " is", "'re": " are"}.get(told["short"] or "", "")
    return f"{told['who'][0].upper()}{told['who'][1:]}{verb}{sentence[told.end() :]}"


def _with_subject_read(sentence: str) -> str:
    """The statement with the subject and auxiliary with which it states something of the user, if it can have no other."""
    if _ORDER_NOT.match(sentence):
        return sentence
    first, _, rest = sentence.partition(" ")
    if first.lower() in _BEFORE_A_VERB and not _is_past(rest.partition(" ")[0].lower()):
        return sentence
    beginning = _BEGINNING.get(first.lower()) or ("I" if _is_past(first.lower()) else "")
    if not beginning or not rest or _HAS_SUBJECT.search(sentence):
        return sentence
    told = f"{beginning} {first.lower()} {rest}"
    return told if _tells_of_user(told) else sentence


def was_done_to_user(sentence: str) -> bool:
    """True if a sentence says what somebody did to something of the user's, whoever that was and whatever they did besides.

    >>> was_done_to_user("They put my rent up to 900 euros"), was_done_to_user("They live here")
    (True, False)
    """
    return bool(_DONE_BY_OTHERS.match(sentence)) and _tells_of_user(sentence)


def _tells_of_user(sentence: str) -> bool:
    return any(slot.subject == USER and (not slot.is_generic or slot.negated) for slot in read_slots(sentence))


def _is_past(word: str) -> bool:
    form = statement_language(ENGLISH).forms.get(word)
    return form is not None and word != form.base and (form.is_past or form.is_done) and not form.is_coming


def person_in(sentence: str) -> str | None:
    """The only relative or pet of the speaker that a sentence names; empty if it names others, too, None if it names nobody.

    >>> person_in("My wife Elena thinks so"), person_in("my son and my dog"), person_in("I think so")
    ('my wife Elena', '', None)
    """
    found = list(_PERSON.finditer(sentence))
    if _OF_ANOTHER.search(sentence):
        return ""
    if not found:
        return None
    if len(found) > 1 or found[0]["whose"]:
        return ""
    person = found[0]["person"]
    return f"my {person}" if found[0]["my"] else f"my {person[0].lower()}{person[1:]}"


def is_called(pronoun: str, person: str) -> bool | None:
    """Whether a person can be meant by `he` or `she`; None where their word does not tell."""
    if _SHE.search(person):
        return pronoun.lower() in ("she", "her")
    if _HE.search(person):
        return pronoun.lower() in ("he", "his")
    return None


def with_person(sentence: str, person: str, *, is_near: bool) -> str | None:
    """The statement with a person in the place of the pronoun that it begins with; None if it can mean somebody else.

    >>> with_person("She's a nurse", "my wife Elena", is_near=False), with_person("Her name is Ada", "my baby", is_near=True)
    ('My wife Elena is a nurse', "My baby's name is Ada")
    """
    found = _PRONOUN.match(sentence)
    if found is None:
        told = f"{person[0].upper()}{person[1:]} {sentence[0].lower()}{sentence[1:]}"
        return told if is_near and _WITHOUT_SUBJECT.match(sentence) else None
    fits = is_called(found["he"] or found["his"], person)
    if not (is_near if fits is None else fits):
        return None
    verb = (" has" if found["has"] is not None else " is") if found["short"] else ""
    whose = "'s" if found["his"] else ""
    return f"{person[0].upper()}{person[1:]}{whose}{verb}{sentence[found.end() :]}"


def _auxiliary(verb: str) -> str:
    if verb in _AM:
        return "am "
    return "have " if verb == "been" else ""


def _article(noun: str) -> str:
    return "an " if noun[0] in "aeiou" else "a "


def tells_only_the_name(sentence: str, speaker: str | None) -> bool:
    """True if a statement says only who speaks, which is known.

    >>> tells_only_the_name("I am Ann", "Ann Lee")
    True
    """
    told = _MY_NAME.match(sentence)
    if not told or not speaker:
        return False
    return _words(sentence[told.end() :]) <= _words(speaker)


def _words(text: str) -> set[str]:
    return {word.folded for word in words_of(text)}
