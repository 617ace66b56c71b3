"""The words of a change in each language: what ends, what is so since lately, and what is no word of its own."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Sequence
from importlib import resources
from typing import NamedTuple

from pydantic import Field

from shared.contracts.contract import Contract
from shared.statements.language import CODES, StatementLanguage, statement_language
from shared.statements.stems import stem


class EndingWords(Contract):
    """How somebody says that something has ended."""

    roles: str = Field(default="", description="Words for those it may be: who died, moved out or was left.")
    denies: bool = Field(default=False, description="Whether it is a denial: `not ... anymore`.")
    says: tuple[str, ...] = Field(min_length=1, description="Regular expressions; `<x>` is what has ended.")


class ChangeTables(Contract):
    """A language's words of a change. Regular expressions are over whole words."""

    agents: str = Field(default="", description="Those who change something of the user's: `my boss moved the report`.")
    people: str = Field(default="", description="Further words for people who are not the user: friends, colleagues.")
    news: str = Field(description="What tells that something is so since lately.")
    adds: str = Field(description="What tells that it is so beside something else.")
    subjectless: str = Field(description="What may stand before a verb that needs no `I`.")
    after_object: str = Field(description="With what the object of a verb is over.")
    frame: str = Field(description="Words that are no part of what a sentence is about.")
    plainer: dict[str, str] = Field(default_factory=dict, description="What would be taken for a plan: `quit going to`.")
    endings: tuple[EndingWords, ...] = Field(min_length=1)


class EndWording(NamedTuple):
    """Wordings of an end, ready to be searched for, and whom they may be about."""

    patterns: tuple[re.Pattern[str], ...]
    roles: frozenset[str]
    is_denial: bool


class ChangeLanguage:
    """A language's words of a change, ready to compare with."""

    def __init__(self, tables: ChangeTables, language: StatementLanguage) -> None:
        self.news = _words(tables.news)
        self.adds = _words(tables.adds)
        self.subjectless = re.compile(rf"(?:(?:{tables.subjectless})(?: |$))*+")
        self.after_object = _words(tables.after_object)
        self._plainer = tables.plainer
        words = tables.frame.split()
        self.frame = frozenset(words) | frozenset(map(stem, words))
        self.firsts = frozenset((*language.tables.me, *language.tables.my))
        self.owning = frozenset(language.tables.my)
        self.be = language.tables.be
        self.articles = language.articles
        self.auxiliaries = language.auxiliaries | language.present | {language.tables.be}
        self.drops_subject = language.tables.drops_subject
        self.people = frozenset((*language.kin, *tables.people.split())) - frozenset(tables.agents.split())
        self.endings = tuple(
            EndWording(tuple(map(_pattern, each.says)), frozenset(each.roles.split()), each.denies) for each in tables.endings
        )

    def plainer(self, words: Sequence[str]) -> Sequence[str]:
        """The words without what would be taken for a plan."""
        text = " ".join(words)
        for phrase, plain in self._plainer.items():
            text = text.replace(phrase, plain)
        return text.split()


@functools.cache
def change_language(language: StatementLanguage) -> ChangeLanguage:
    """The words of a change in a language."""
    code = next(code for code in CODES if statement_language(code) is language)
    document = resources.files(__package__).joinpath("changes", f"{code}.toml").read_text(encoding="utf-8")
    return ChangeLanguage(ChangeTables.model_validate(tomllib.loads(document)), language)


def _words(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\S)(?:{alternatives})(?!\S)")


def _pattern(says: str) -> re.Pattern[str]:
    start = "^" if says.startswith("^") else r"(?<!\S)"
    end = "$" if says.endswith("<x>") else r"(?!\S)"
    return re.compile(f"{start}{says.removeprefix('^').replace('<x>', '(?P<x>.+?)')}{end}")
