"""Tells whether a question is about what the bot said: `which book did you recommend?`. Then its own turns are evidence.

A bot without a name that talks of its person guesses and suggests; what holds of the person, the person said.
"""

import re

_REQUESTS = re.compile(
    r"""\b(?:
    (?:can|could|do|would|will) \s (?:you|u|ya) \s (?:(?:please|pls|still|also|happen \s to|maybe) \s)*
        (?:know|remember|recall|tell|remind|say|check|look|find|help)
    | (?:kannst|könntest|weißt|weisst|erinnerst|sagst|hilfst) \s du (?:\s dich)?
    | (?:peux|sais|pourrais|souviens)-tu | tu \s (?:peux|sais|te \s souviens|te \s rappelles) | (?:pouvez|savez)-vous
    | (?:puedes|sabes|podrías|recuerdas) | te \s acuerdas
    )\b
    | [你您]还?(?:记得|知道|能|可以|可不可以|能不能)
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""How a bot is asked anything: in these words it is spoken to, not spoken about."""

_OF_THE_BOT = re.compile(
    r"""\b(?:
    you | your | yours | u | ur | ya | you'(?:d|ve|re|ll)
    | suggest\w* | recommend\w* | advi[cs]e\w* | tips? | draft\w* | propos\w*
    | du | dir | dich | deine?[mnrs]? | vorschl[aä]g\w* | vorgeschlagen | empf[aeoi]hl\w* | empfiehlst | tipps? | entw[uü]rfe?
    | tu | toi | ton | ta | tes | t['’]as | vous | votre | vos | suggér\w* | suggestions? | recommand\w* | conseil\w*
    | tú | tus | usted | \w+[ai]ste | sugeri\w* | sugerencias? | recomend\w* | consejos?
    )\b
    | [你您] | 建议 | 推荐
    """,
    re.IGNORECASE | re.VERBOSE,
)


def asks_the_bot(question: str) -> bool:
    """True if a question is about the bot, or about what it said or may have suggested.

    >>> asks_the_bot("Which book did you recommend?"), asks_the_bot("Can you tell me what Ann recommended?")
    (True, True)
    >>> asks_the_bot("do you remember what happened to my wrist?"), asks_the_bot("Weißt du noch, wo ich wohne?")
    (False, False)
    """
    return _OF_THE_BOT.search(_REQUESTS.sub(" ", question)) is not None
