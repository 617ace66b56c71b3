"""Tells whether a statement can be understood alone, and what of it must be left out."""

import re

from shared.language.text.calendar import WEEKDAY
from shared.language.text.grammar import ADVERB, KIN

_I = rf"\b(?:I|[Ww]e)(?: {ADVERB}){{0,4}}"
_QUESTION = (
    r"^(?:what|who|whose|whom|when|where|why|how|which)\b(?!.* is (?:my|that)\b)|^(?:is|are|am|was|were|do|does|did|can|could"
    r"|would|will|should|shall|have|has|may|might) (?:I|you|we|it|there|the|my|he|she|they)\b"
    r"|(?<!so )(?<!neither )(?<!nor )\b(?:do|did|am|have|was"
    r"|would|could|should|can|will|had|might) I\b"
)
_ORDER = (
    r"^(?:please |pls |kindly |now |just |always |never )?(?:tell|forget|delete|erase|stop|write|translate|rewrite|act|fix|help"
    r"|show|give|make|explain|summari[sz]e|don't|do not|draft|create|generate|respond|answer|reply|continue|roleplay|play the"
    r"|describe|list|suggest|recommend|compare|correct|improve|proofread|rephrase|complete|pin|unpin|turn|remind|ask|call me"
    r"|look|check|guess|believe|keep|be|find|add|edit|convert|quote|repeat)\b"
)
_SUPPOSITION = (
    r"^(?:if|unless|suppose|supposing|imagine|assuming|assume|pretend|say (?:I|that)|let's|let us|let me|had I|were I)\b"
    rf"|\bif (?:I|we|my|only)\b(?! (?:eat|drink|take|sit|stand|run|walk|sleep|smell|touch|miss|don't|do not)\b)"
    rf"|\bin case I\b|\bunless I\b|\bas (?:if|though)\b|\bwhether (?:I|we)\b|\bin (?:my|a|the|this"
    rf"|that) (?:dream|book|game|novel|story|film|movie|song"
    rf"|show|play)s?\b|\bdream(?:t|ed) (?:that|about|of|I)\b|{_I} wish\b|\bwish (?:I"
    rf"|we)\b|{_I} (?:would|could|might|should|may|ought)\b(?!(?: really| much| very much)? (?:like|love|prefer) to\b)"
    r"|\bhypothetically\b|^(?:something|nothing|everything|life|time flies|taking time)\b|^(?:for example|e\.g\.)"
    r"|\b(?:says?|said|claims|reckons|insists|jokes|texted|sings|goes|used to say|always says|told me|keeps saying) *,?:? *\""
)
_OF_THIS_TALK = (
    r"^(?:(?:next|this|on|yes) )?(?:\w+day|weekend|week|\d+) (?:works|sounds|is (?:fine|good|great|perfect|ok))\b|^(?:last"
    r"|this|next|today|yesterday|tomorrow|tonight)(?: \w+)?(?: was| is|'s| has been) (?:\w+ly |so |such |very |pretty |a "
    r"|an )*[\w-]+$"
    r"|^can't wait\b|\bin (?:the|this|that|your) (?:pic|picture|photo|image|video)\b|\bgets? (?:that|it|this|them) (?:wrong"
    r"|right|mixed up)\b|^here(?:'s| is| are)\b|^(?:hi|hey|hello|hej"
    r"|dear|thanks|thank|bye|congrats|congratulations"
    rf"|welcome)(?: \w+){{0,2}}$|\b(?:see|talk to|meet|thank|love|help|tell|ask|hear from|agree with|trust|miss|bother"
    rf"|appreciate) (?:you|u)\b|{_I} (?:talked|discussed|covered|spoke) (?:about|of|before|earlier)\b"
)
_TALK = (
    r"^(?:I|we) (?:do|did|am|have|would|will|can)(?:n't| not)?(?=\s*[-–—,]|$)|^(?:I|we)(?: \w+)? (?:love|like|want|hope) to$"
    r"|^(?:I|we)(?: am| are) off to \w+|^we(?: all| sure| really)? (?:make|are) (?:such )?an? \w+ team\b|^we rock\b"
    r"|^gather \w+"
)
_OF_EVERYBODY = (
    r"^(?!.*\b(?:I|my|we|our|me|us|mine)\b)(?:.*\bcan (?:also |really )?(?:be|make|help)\b"
    r"|\w+ing \w+ (?:is|was) (?:so |very )?\w+$)"
)
_ADVISER = "(?:doctor|dentist|therapist|physio|vet|coach|boss|manager|landlord|teacher|lawyer|supervisor|advisor)"
_SAYS = "(?:says?|said|reckons?|claims?|claimed|insists?|jokes?|joked|keeps saying)"
_OTHERS_WORDS = (
    r"\b(?:used to say|(?:rang|called|texted|messaged|phoned|emailed|pinged) (?:me|us)\b)"
    rf"|\b(?<!I )(?<!we )(?:{_SAYS}|told (?:me|us)) (?:that )?(?:I|we)\b"
    rf"|\b(?:my|our|[\w]+'s) (?:[\w-]+ )?(?!{_ADVISER}){KIN}(?: [A-Z][\w-]+)?(?: always| just| also)? "
    rf"(?:{_SAYS}|thinks|thought)\b"
)
_LEFT_OUT = re.compile(
    f"{_QUESTION}|{_ORDER}|{_SUPPOSITION}|{_OF_THIS_TALK}|{_TALK}|{_OF_EVERYBODY}|{_OTHERS_WORDS}", re.IGNORECASE
)
_TO_LISTENER = re.compile(r"\b(?:you|your|yours|yourself|u|ur|ya|you're|y'all)\b|'ll you\b", re.IGNORECASE)
_CLAUSE = re.compile(r", | - | – | — ")
_JOINT = re.compile(r" (?:like|because|so|and|but|as|if|when|which) ")
_OWN_CLAUSE = re.compile(r"(?:, (?:so |and |but )?| (?:so|and) )(?=(?:I|[Ww]e) (?:am|are|have|now|live|work)\b|[Mm]y \w)")
"""Where the speaker speaks of themselves behind a clause with a pronoun: `they made us go back, I am in the office now`."""
_ENOUGH_WORDS = 4
_LEAST_WORDS = 3

_LEANING_SUBJECT = re.compile(
    r"(?:he|she|it|they|that|this(?! (?:week|month|year|morning|summer|winter|spring|autumn|term)\b)|these(?! days)|those"
    r"|there(?!(?:'s| is| are) (?:an?|one|two|three|some|no|only|\d) \w)"
    r"|his|her|its|their|both|one|then|(?:works|lives|plays|teaches|studies|drives|owns|runs|goes|loves|hates|wants|needs"
    r"|has|does|comes|takes|earns"
    r"|speaks|eats|drinks|wears|sleeps|cooks|sells|supports|prefers)(?= [a-z])|feels|reminds|sounds|looks|makes|means|seems)\b",
    re.IGNORECASE,
)
_LEANING_OBJECT = re.compile(
    r"\b(?:it(?! when\b)|him|them|it's|he|she|they|he's|she's|they're|th(?:e|o)se(?! days\b)"
    r"|this(?! (?:guy|girl|man|woman|lad|bloke|dude|chap|week|weekend|month|year|morning"
    rf"|afternoon|evening|summer|winter|spring|autumn|fall|time|{WEEKDAY})\b)|that(?= (?:one|man|woman|guy|place|thing|book"
    r"|day|time)\b|$|,)|there(?! (?:is|are|was|were|will)\b|'s)|too$|either$|(?:a few|some|another"
    r"|(?<!left )(?<!right )ones?)$|one (?=(?:I|we)\b)"
    r"|her(?=$|,| and\b| but\b)|'?em$|(?<=been )one\b|the (?:same|other|first|second|last|latter|former)(?: one)?$)\b",
    re.IGNORECASE,
)
_ANTECEDENT = re.compile(
    r"\b(?:[Mm]y|[Oo]ur|[Tt]he|[Aa]n?|[Hh]is|her|their|some|any|no|every|two|three|four|five) \w|(?<=\s)[A-Z][\w-]{2,}"
    r"|^[A-Z][\w-]+ (?:and|is|was|has|[a-z]+s)\b"
    r"|\b(?:love|like|hate|enjoy|prefer|play|drink|eat|teach|study|speak|read|watch|to|about|of|with|without|for|at|in|no"
    r"|[Nn]o|[Nn]ot) [a-z]{3,}"
)
_GOVERNING = re.compile(
    r"\b(?:to|not|really|also|like|love|enjoy|hate) (?:\w+(?: \w+ing)?(?: (?:at|about|for|with|to|on|in|of|out|up))? ?)?$"
)
"""The verb whose object a pronoun is: in `to visit it` nothing is named that it could mean."""
_PERSONS = re.compile(
    rf"\b(?:my|our|his|her|the|an?) (?:[\w-]+ )?{KIN}(?: and (?:my |our )?{KIN})?\b(?!'s| (?-i:[A-Z]))", re.IGNORECASE
)
_ONE_THING = re.compile(r"\ban? [\w-]+\b", re.IGNORECASE)
_NOT_MEANT = {"it": _PERSONS, "this": _PERSONS, "them": _ONE_THING}
"""What a pronoun never means: `it` no person, `them` no single thing."""
_SUBJECT_FORM = re.compile(r"(?:it|they|s?he)(?:'s|'re| is| are| was| were| has| have)\b", re.IGNORECASE)
_EXPLETIVE = re.compile(r"It(?:'s| is| was|'ll be| will be) (?:[Mm]y|[Oo]ur|[A-Z][\w-]*'s) ")
_NAMED = re.compile(
    r"^(?!It\b|This\b|That\b|Those\b|These\b|There\b|Here\b)(?:.*\b(?:[Mm]y|[Oo]ur|[Tt]he|[Hh]is|[Hh]er) \w"
    r"|.*[a-z,] [A-Z][\w-]{2,}|(?!I\b|We\b|They\b)[A-Z][\w-]+ (?:is|was|has|and)\b|No \w)"
)
_BARE_NOUN = re.compile(r"(?:Deadline|Price|Address|Appointment|Meeting|Interview|Birthday|Due date) (?:is|was|starts)\b")
_OPEN_ALLERGY = re.compile(r"^(?:I|We|He|She|They)\b.*\ballergic\b(?! to\b)")


_HYPOTHETICAL_END = re.compile(
    r"(?:,? (?:so|and|but)|,) (?:I|we) (?:would|could|might|should)\b.*$"
    r"|(?:,? (?:so|and|but|cos|because)|,| [-–]) (?:if|unless|in case|when|whenever) (?:I|we|you|u|my|ever)\b.*$",
    re.IGNORECASE,
)


_SAID_BY_OTHERS = re.compile(
    rf"(?:,| and| but| so| though| cos| because|;| -)+ (?:even )?my (?:[\w-]+ )?{KIN}(?: [A-Z][\w-]+)?(?: always| just"
    rf"| also| still)?"
    rf" (?:{_SAYS}|thinks|thought)\b.*$",
    re.IGNORECASE,
)


def without_condition(sentence: str) -> str:
    """The statement without a condition behind it, and without what others say of it.

    >>> without_condition("I am coeliac so if I ask for recipes keep that in mind")
    'I am coeliac'
    """
    for behind in (_HYPOTHETICAL_END, _SAID_BY_OTHERS):
        head = behind.sub("", sentence)
        sentence = head if len(head.split()) >= _LEAST_WORDS else sentence
    return sentence


def is_left_out(sentence: str) -> bool:
    """True for what is never a fact: questions, orders, suppositions, wishes, half quotations, talk about the conversation."""
    return sentence.count('"') % 2 == 1 or bool(_LEFT_OUT.search(sentence))


_REASON = re.compile(
    r"(?:(?:,|;| [-–—]) | (?:and|but|because|cos|coz|cause|since|as) )(?:because |cos |but |and )?(?=(?:I|my|our|we)\b(?!"
    r" (?:last|was|were)"
    r" \w+))",
    re.IGNORECASE,
)


def without_listener(sentence: str) -> str | None:
    """The sentence up to a clause that addresses the listener; None if nothing is left that can be understood alone."""
    match = _TO_LISTENER.search(sentence)
    if not match:
        return sentence
    cuts = [cut.start() for joint in (_JOINT, _CLAUSE) for cut in joint.finditer(sentence, 0, match.start())]
    head = sentence[: max(cuts)].rstrip(" ,-–—") if cuts else ""
    return head if len(head.split()) >= _ENOUGH_WORDS else None


_CONDITION = re.compile(
    r"(?:even |only )?(?:if|unless|should|had|were|provided|providing|suppos\w+|assuming|in case|(?:as|so) long as|until|once"
    r"|when(?:ever)?|whether)\b",
    re.IGNORECASE,
)
"""Words that begin a condition: what follows them is not stated."""


def reason(sentence: str) -> str | None:
    """What the user tells of themselves behind a request or a question, without a word to the listener; None if nothing.

    >>> reason("Suggest a cake because I am coeliac"), reason("Suggest a cake")
    ('I am coeliac', None)
    """
    if _CONDITION.match(sentence):
        return None
    for found in _REASON.finditer(sentence):
        tail = sentence[found.end() :]
        if not _TO_LISTENER.search(tail) and len(tail.split()) >= _LEAST_WORDS:
            return tail[0].upper() + tail[1:]
    return None


def leans(sentence: str) -> bool:
    """True if a sentence needs the one before: it begins with a pronoun, or has one that nothing before it explains.

    >>> leans("He is a whippet"), leans("I bought a boat and love it"), leans("I love it")
    (True, False, True)
    """
    if _OPEN_ALLERGY.search(sentence) or _BARE_NOUN.match(sentence):
        return True
    if _LEANING_SUBJECT.match(sentence):
        return not _EXPLETIVE.match(sentence)
    pronoun = _LEANING_OBJECT.search(sentence)
    return pronoun is not None and not _ANTECEDENT.search(_before(sentence, pronoun))


def _before(sentence: str, pronoun: re.Match[str]) -> str:
    """What stands before a pronoun and can be meant by it: not its verb, and for `it` no person."""
    is_subject = _SUBJECT_FORM.match(sentence, pronoun.start())
    governing = None if is_subject else _GOVERNING.search(sentence, 0, pronoun.start())
    before = sentence[: governing.start() if governing else pronoun.start()]
    others = _NOT_MEANT.get(pronoun[0].lower())
    return others.sub("", before) if others else before


_FOR = re.compile(r" (?:for|because of|after|before|since) $")


def independent(sentence: str) -> str | None:
    """The part of a statement before or behind the clause with the pronoun that nothing explains; None if there is none.

    >>> independent("I take warfarin, so they have to be careful"), independent("They shut, so I am at Aldi now")
    ('I take warfarin', 'I am at Aldi now')
    """
    if loss := _LOSS.search(sentence):
        return f"{loss[0][0].upper()}{loss[0][1:]}"
    if _LEANING_SUBJECT.match(sentence):
        own = _OWN_CLAUSE.search(sentence)
        rest = sentence[own.end() :] if own else ""
        return f"{rest[0].upper()}{rest[1:]}" if rest and not leans(rest) else None
    pronoun = _LEANING_OBJECT.search(sentence)
    if pronoun is None:
        return None
    if pronoun.end() == len(sentence) and (end := _FOR.search(sentence, 0, pronoun.start())):
        return sentence[: end.start()] if not leans(sentence[: end.start()]) else None
    cuts = [cut.start() for joint in (_JOINT, _CLAUSE) for cut in joint.finditer(sentence, 0, pronoun.start() + 1)]
    return sentence[: min(cuts)] if cuts and not leans(sentence[: min(cuts)]) else None


_LOSS = re.compile(rf"\b(?:my|our) (?:[\w-]+ )?{KIN}(?: [A-Z][\w-]+)? (?:passed(?: away)?|died)\b", re.IGNORECASE)
"""`It was hard after my dad passed away`: of the hard time nobody needs to know."""


def names_something(sentence: str) -> bool:
    """True if a following pronoun can refer to something in the sentence, which must not begin with a vague one itself."""
    return bool(_NAMED.search(sentence))
