"""Finds what the user asks to remember: "remember that ...", "can you note my address? It's ..."."""

import re

from services.consolidator.domain.language import LearningLanguage
from services.consolidator.domain.sentences import without_opening

_ASK = re.compile(
    r"^(?:(?:can|could|will|would) you |I(?: would|'d)? (?:want|like|need) you to )?(?:please |pls |kindly |also |just )*"
    r"(?:remember|note(?: down)?|keep in mind|bear in mind|do not forget|don't forget|never forget|(?:don't"
    r"|do not) let me forget|make a note|write down|save"
    r"|store|memori[sz]e|take note)(?: for (?:me|later|the record))?(?P<that> that| of the fact that|:|,"
    r"|)(?: please,?)? (?P<rest>\S.*)$",
    re.IGNORECASE,
)
_TELLING = re.compile(r"\b(?:I|my|me|we|our|us)\b|\d", re.IGNORECASE)
"""What is to be remembered behind a comma; without it, as in `remember, nobody is perfect`, the listener is comforted."""
_STATEMENT = re.compile(
    r"^(?!what|who|when|where|why|how|if|whether|to |me\b|you|this|these|our (?:talk|chat|conversation))"
    r"(?:(?:the|my|our|we|i)(?: [\w'-]+){3,}|.* ?(?:\b(?:is|are|was|were|am|has|have|had|will|can|can't|don't|doesn't|do not"
    r"|live|works?|prefer|like|love|hate|need|want|moved|starts?|lives?|never|always)\b"
    r"|'s (?!\w+ (?:address|number|name|birthday))))",
    re.IGNORECASE,
)
_NAMED = re.compile(r"^(?P<name>(?:my|our|the|[\w-]+'s) (?:[\w'-]+ ){0,6}?[\w'-]+)[?.!:]*$", re.IGNORECASE)
_RUN_ON = re.compile(r"^(?P<name>[\w'-]+(?: [\w'-]+){1,4}?),? it(?:'s| is) (?P<value>.+)$", re.IGNORECASE)
_VALUE = re.compile(r"^(?:it|that|they)(?:'s| is|'re| are) (?P<value>\S.*)$", re.IGNORECASE)


def asked(sentence: str) -> str | None:
    """What a cleaned sentence asks to remember, without the words that ask; None if it asks nothing.

    >>> asked("Please remember that my car is blue")
    'my car is blue'
    """
    match = _ASK.match(sentence.rstrip("?"))
    if match is None or (match["that"] == "," and not _TELLING.search(match["rest"])):
        return None
    return match["rest"]


def asked_statement(words: str, following: str, language: LearningLanguage) -> str | None:
    """The statement that is to be remembered, alone or with the sentence behind it; None if it is none."""
    if run_on := _RUN_ON.match(words):
        words = f"{run_on['name']} is {run_on['value']}"
    told = _together(words, following) or (words if _STATEMENT.match(words) else None)
    return without_opening(told, language) if told else None


def _together(words: str, following: str) -> str | None:
    """`my address` and `It's 5 High Street` as one statement; None if they are no such pair."""
    name, value = _NAMED.match(words), _VALUE.match(following)
    if not name or not value:
        return None
    verb = "are" if re.match(r"(?:they|it're)", following, re.IGNORECASE) else "is"
    return f"{name['name']} {verb} {value['value']}"
