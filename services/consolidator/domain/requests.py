"""Finds what the user asks to remember: "remember that ...", "can you note my address? It's ..."."""

import re

_ASK = re.compile(
    r"^(?:(?:can|could|will|would) you |I(?: would|'d)? (?:want|like|need) you to )?(?:please |pls |kindly |also |just )*"
    r"(?:remember|note(?: down)?|keep in mind|bear in mind|do not forget|don't forget|never forget|make a note|write down|save"
    r"|store|memori[sz]e|take note)(?: for (?:me|later|the record))?(?P<that> that| of the fact that|:|,"
    r"|)(?: please,?)? (?P<rest>\S.*)$",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"^(?!what|who|when|where|why|how|if|whether|to |me\b|you|this|these|our (?:talk|chat|conversation))"
    r".* ?(?:\b(?:is|are|was|were|am|has|have|had|will|can|can't|don't|doesn't|do not|live|works?|prefer|like|love|hate|need"
    r"|want|moved|starts?|lives?|never|always)\b|'s (?!\w+ (?:address|number|name|birthday)))",
    re.IGNORECASE,
)
_NAMED = re.compile(r"^(?P<name>(?:my|our|the|[\w-]+'s) (?:[\w'-]+ ){0,6}?[\w'-]+)[?.!:]*$", re.IGNORECASE)
_VALUE = re.compile(r"^(?:it|that|they)(?:'s| is|'re| are) (?P<value>\S.*)$", re.IGNORECASE)


def asked(sentence: str) -> str | None:
    """What a cleaned sentence asks to remember, without the words that ask; None if it asks nothing.

    >>> asked("Please remember that my car is blue")
    'my car is blue'
    """
    match = _ASK.match(sentence.rstrip("?"))
    return match["rest"] if match else None


def is_statement(words: str) -> bool:
    """True if these words are a statement that can be understood alone."""
    return bool(_STATEMENT.match(words))


def answered(words: str, following: str) -> str | None:
    """Combine `my address` and `It's 5 High Street` into a statement; None if they are no such pair.

    >>> answered("Ann's number", "it's 123")
    "Ann's number is 123"
    """
    name, value = _NAMED.match(words), _VALUE.match(following)
    if not name or not value:
        return None
    verb = "are" if re.match(r"(?:they|it're)", following, re.IGNORECASE) else "is"
    return f"{name['name']} {verb} {value['value']}"
