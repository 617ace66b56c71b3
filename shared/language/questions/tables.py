"""The tables by which questions are read: `[questions]` of a language's file, and the file for Chinese."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import ClassVar

from shared.language.tables import CODES, LanguagePart, Pattern, Phrases, Section, WordSet, table
from shared.language.text.languages import text_tables


class AimTables(Section):
    """By what the aims of messages are recognised: patterns for messages in lower case without marks but apostrophes."""

    talk_words: WordSet = frozenset()
    """Of Chinese, characters; other languages have these words in `[text]`."""
    phrases: Pattern
    """Small talk, beside its words."""
    asks: Pattern
    """What a question begins with; in a script without spaces, what it has."""
    me: Phrases
    """Words by which a message concerns its person, beside `I`; in a script without spaces a pattern."""
    mine: Pattern
    """What concerns its person in any frame, as `what did she give me`, or a question how the bot should answer."""
    frames: Pattern
    """What has a word of the first person and does not concern its person, as `can you tell me`."""
    world: Pattern
    tasks: Pattern
    """What questions and orders look like that anybody could have."""


class ReactionTables(Section):
    """The words of turns that only react."""

    words: WordSet
    """Words of which one makes a reaction."""
    aside: WordSet
    """Others of which it is made."""
    seems: Pattern
    """How a sentence begins that says how something seems."""


class TimeTables(Section):
    """How questions name times, where they are not read by the patterns for English."""

    inside: Pattern
    """What stands before a month or a year."""
    every: Pattern
    """What stands before a weekday that comes again."""
    days: Mapping[str, int]
    """Days as patterns, by their distance from today."""
    spans: Mapping[str, str]
    """Weeks, weekends, months and years: `week -1`."""


class QuestionTables(LanguagePart):
    """`[questions]` of a language's file."""

    part: ClassVar[str] = "questions"
    first_person: WordSet
    first_person_verbs: WordSet = frozenset()
    """Verbs of who speaks of themselves, where the language leaves out `I`."""
    second_person: WordSet
    past: WordSet
    """Words of a question about what was."""
    aside: WordSet
    """Words that ask about nothing themselves."""
    greetings: Phrases
    """What stands before the name of whoever is addressed."""
    requests: Pattern
    """How the bot is asked anything: in these words it is spoken to, not spoken about."""
    of_the_bot: Pattern
    """What tells that a question is about the bot, or about what it said."""
    aims: AimTables
    reactions: ReactionTables
    feasts: Mapping[str, str] = {}
    """When each feast is, as `asked_times` reads it; its name without apostrophes."""
    times: TimeTables | None = None


class ChineseTables(Section):
    """What is read of Chinese, which has no file: its words are not told apart."""

    requests: Pattern
    of_the_bot: Pattern
    reactions: Pattern
    """A part of a sentence that only reacts, or greets somebody by name."""
    aims: AimTables


def question_tables(code: str) -> QuestionTables:
    """Return the tables of a language that has a file."""
    return table(code, QuestionTables)


@cache
def chinese_tables() -> ChineseTables:
    """Return the tables of Chinese."""
    source = resources.files(__package__).joinpath("chinese.toml").read_text(encoding="utf-8")
    return ChineseTables.model_validate(tomllib.loads(source))


@cache
def aim_tables(code: str) -> AimTables:
    """Return by what aims are recognised in a language; its words of small talk are those of its texts."""
    tables = question_tables(code)
    more = tuple(sorted(tables.first_person | tables.first_person_verbs))
    words = text_tables(code).talk_words
    return tables.aims.model_copy(update={"talk_words": words, "me": (*more, *tables.aims.me)})


@cache
def greetings() -> tuple[str, ...]:
    """Return what stands before the name of whoever is addressed, in any language."""
    return tuple(greeting for code in CODES for greeting in question_tables(code).greetings)
