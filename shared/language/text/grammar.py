"""What the rules know of English verbs: past forms, adverbs, and the ending of the third person."""

import re

_IRREGULAR = frozenset(
    """was were had did went got gotten made took taken saw seen met bought found won lost began begun started came gave
    given told wrote written ran ate eaten felt broke broken built drew drawn flew flown sang sung spent taught thought
    left led held sold gone done said kept knew known grew grown heard meant paid sent slept spoke spoken stood swam
    understood woke woken wore worn became been brought caught chose chosen drove driven fell fallen forgot forgotten
    forgave fought froze gotten hung hid hidden laid lent lay rode ridden rang rose shook shot showed shown shrank
    sat stole stolen stuck struck swore threw thrown tore bore born bred bent bit bitten blew caught dealt dug drank drunk
    dreamt learnt burnt spelt spilt leapt fed fled lit sought shone slid spun swept swung wept wound misunderstood
    withdrew overcame rebuilt""".split()  # noqa: SIM905 - a list of words reads best as words
)
EITHER = frozenset("put cut hit let read set quit cost hurt spread shut bet beat bid split cast burst upset".split())  # noqa: SIM905
"""Verbs whose past looks like their present."""

_BASE_IN_ED = frozenset(("shed", "wed", "embed", "bed", "red"))
_MODALS = frozenset(
    """will would can could shall should may might must cannot won't wouldn't can't couldn't shan't shouldn't mustn't
    mightn't didn't hadn't wasn't""".split()  # noqa: SIM905
)
_THIRD = dict(
    pair.split(":")
    for pair in """am:is are:is were:was have:has do:does go:goes haven't:hasn't don't:doesn't aren't:isn't weren't:wasn't
    undergo:undergoes""".split()  # noqa: SIM905
)
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh|o)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")

ADVERB = (
    "(?:no longer|really|also|just|always|still|even|usually|often|never|already|so|kinda|mostly|only|sometimes|rarely|now|then"
    "|both|all|ever|soon|once|too|quite|almost|not|much|very|currently"
    r"|(?!(?:apply|reply|rely|supply|comply|multiply|bully|rally)\b)[a-z]{3,}ly)"
)
"""A word that may stand between subject and verb."""

KIN = (
    "(?:wife|missus|other half|husband|hubby"
    "|spouse|partner|boyfriend|girlfriend|[bg]f|fianc[eé]e?|ex|mom|mum|mama|papa|nan|gran|granny|mother|dad|father|parents?"
    "|son|daughter|kids?"
    "|child|children|baby|sisters?|brothers?|siblings?|twins?|grandma|grandmother|grandpa|grandfather|grandparents"
    "|grandson|granddaughter|aunt|uncle|cousins?|nieces?|nephews?|(?:young|old|eld)est|(?:mother|father|sister"
    "|brother)-in-law|family|friends?|mates?"
    "|flatmate|roommate|housemate|neighbou?rs?|landlord|boss|manager|supervisor|advisor|mentor|coach|teacher|tutor|doctor"
    "|dentist|therapist|physio|vet|lawyer|co-?workers?|colleagues?|team|co-?founder|assistant|apprentice|intern|student"
    "|students|client|dogs?|cats?|pups?|puppy|kittens?|pets?|rabbits?|hamster|guinea pigs?|parrot|horse|pony|turtle|tortoise)"
)
"""People and animals whom someone calls `my`."""


_PREFIX = re.compile(r"^(?:re|mis|over|under|out|fore|un)")


def is_past(verb: str) -> bool:
    """True if a word looks like a past form; `need` and `feed` are none.

    >>> is_past("worked"), is_past("went"), is_past("need")
    (True, True, False)
    """
    word = verb.lower()
    is_irregular = word in _IRREGULAR or _PREFIX.sub("", word) in _IRREGULAR
    return is_irregular or (word.endswith("ed") and not word.endswith("eed") and word not in _BASE_IN_ED)


def third_form(verb: str) -> str:
    """The form after a name of a verb that stood after `I`. Past forms and modals stay as they are.

    >>> [third_form(verb) for verb in ("am", "work", "try", "watch", "don't", "went", "will")]
    ['is', 'works', 'tries', 'watches', "doesn't", 'went', 'will']
    """
    word = verb.lower()
    if word in _THIRD:
        return _THIRD[word]
    if word in _MODALS or word in EITHER or is_past(word):
        return verb
    if _CONSONANT_Y.search(word):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if _SIBILANT.search(word) else f"{verb}s"
