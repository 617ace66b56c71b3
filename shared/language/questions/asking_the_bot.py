"""Tells whether a question is about what the bot said: `which book did you recommend?`. Then its own turns are evidence.

A bot without a name that talks of its person guesses and suggests; what holds of the person, the person said.
"""

import re
from functools import cache

from shared.language.questions.tables import chinese_tables, question_tables
from shared.language.tables import CODES


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """How the bot is asked anything, and what is about the bot; of all languages, as a question is short."""
    tables, chinese = [question_tables(code) for code in CODES], chinese_tables()
    requests, of_the_bot = ("|".join(of) for of in zip(*((each.requests, each.of_the_bot) for each in tables), strict=True))
    return (
        re.compile(rf"\b(?:{requests})\b|{chinese.requests}", re.IGNORECASE),
        re.compile(rf"\b(?:{of_the_bot})\b|{chinese.of_the_bot}", re.IGNORECASE),
    )


def asks_the_bot(question: str) -> bool:
    """True if a question is about the bot, or about what it said or may have suggested.

    >>> asks_the_bot("Which book did you recommend?"), asks_the_bot("Can you tell me what Ann recommended?")
    (True, True)
    >>> asks_the_bot("do you remember what happened to my wrist?"), asks_the_bot("Weißt du noch, wo ich wohne?")
    (False, False)
    """
    requests, of_the_bot = _patterns()
    return of_the_bot.search(requests.sub(" ", question)) is not None
