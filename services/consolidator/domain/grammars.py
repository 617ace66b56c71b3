"""What is asked of a statement in each language: whether it is worth keeping, can be understood alone, and how it is told."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from services.consolidator.domain.kinds import StatementRule, is_detail, kinds
from services.consolidator.domain.language import ENGLISH, LearningLanguage, learning_language
from services.consolidator.domain.left_out_subjects import (
    person_in,
    tells_only_the_name,
    was_done_to_user,
    with_person,
    with_subject,
)
from services.consolidator.domain.standing import (
    independent,
    is_left_out,
    leans,
    names_something,
    reason,
    without_condition,
    without_listener,
)
from shared.language.text.voice import called, third_person

_FOREIGN = re.compile(r"\b(?:ich|je|yo|wir|nous|nosotros|j')\b(?= \w)|\bj'(?=\w)", re.IGNORECASE)
"""Words for the speaker in other languages that are read."""


class Grammar(Protocol):
    """A language's rules of statements."""

    def stated(self, words: str, speaker: str | None, /) -> str | None:
        """What the user states in these words, without what is said to the listener; None if it is nothing."""

    def kinds(self, words: str) -> list[StatementRule]:
        """The rules by which a statement is worth keeping."""

    def leans(self, words: str) -> bool:
        """Whether a statement needs the one before."""

    def is_detail(self, words: str, /) -> bool:
        """Whether a statement that leans tells more of what was just named."""

    def names_something(self, words: str, /) -> bool:
        """Whether a pronoun behind a statement can mean something in it."""

    def person_in(self, words: str, /) -> str | None:
        """The only relative whom a statement names; empty if it names several, None if nobody."""

    def alone(self, words: str, person: str | None, /, *, is_near: bool) -> str | None:
        """What of a statement that leans can be understood alone, if its pronoun means this person; near: of the same turn."""

    def told(self, words: Sequence[str], speaker: str | None) -> str:
        """Statements about the speaker as one text that can be understood alone."""


class EnglishGrammar:
    """English is told in the third person."""

    def stated(self, words: str, speaker: str | None) -> str | None:
        """The statement with its subject; nothing if it only tells the speaker's name, which is known."""
        told = self._told(words, speaker)
        if told is None and (behind := reason(words)):
            return self._told(behind, speaker)
        return told

    def _told(self, words: str, speaker: str | None) -> str | None:
        own = without_listener(without_condition(words))
        if own is None or tells_only_the_name(own, speaker):
            return None
        told = with_subject(own, speaker)
        return None if is_left_out(told) else told

    def kinds(self, words: str) -> list[StatementRule]:
        """The rules of the table of kinds."""
        return kinds(words)

    def leans(self, words: str) -> bool:
        """By its pronouns, unless it tells what whoever it was did to something of the user's."""
        return leans(words) and not was_done_to_user(words)

    def is_detail(self, words: str) -> bool:
        """By its verb."""
        return is_detail(words)

    def names_something(self, words: str) -> bool:
        """By a noun with an article or a name."""
        return names_something(words)

    def person_in(self, words: str) -> str | None:
        """By the words for relatives."""
        return person_in(words)

    def alone(self, words: str, person: str | None, *, is_near: bool) -> str | None:
        """The statement with the person in the place of the pronoun, or its part before the pronoun."""
        told = with_person(words, person, is_near=is_near) if person else None
        if told and not leans(told) and not is_left_out(told):
            return told
        part = independent(words)
        return part if part and not is_left_out(part) else None

    def told(self, words: Sequence[str], speaker: str | None) -> str:
        """In the third person; as a quotation where it is half another language."""
        if any(_FOREIGN.search(each) for each in words):
            return quoted(words, speaker, learning_language(ENGLISH))
        return third_person(words, speaker)


@dataclass(frozen=True, slots=True)
class QuotingGrammar:
    """Other languages are told in the speaker's own words, so that no verb gets a wrong ending."""

    language: LearningLanguage

    def stated(self, words: str, _: str | None) -> str | None:
        """The words, unless one of them is left out always."""
        return None if self.language.finds(self.language.left_out, words) else words

    def kinds(self, words: str) -> list[StatementRule]:
        """The rules of the language's file."""
        return [rule for rule in self.language.keeps if self.language.finds(rule.pattern, words)]

    def leans(self, words: str) -> bool:
        """By how it begins."""
        return self.language.begins(self.language.leans, words)

    def is_detail(self, _: str) -> bool:
        """Always: quoted together, the two explain each other."""
        return True

    def names_something(self, _: str) -> bool:
        """Always, for the same reason."""
        return True

    def person_in(self, words: str) -> str | None:
        """The relative by their possessive, which tells who can be meant by `she`."""
        found = list(self.language.persons.finditer(words))
        return None if not found else found[0][0].lower()[:1] + found[0][0][1:] if len(found) == 1 else ""

    def alone(self, words: str, person: str | None, *, is_near: bool) -> str | None:  # noqa: ARG002 - of the port
        """The relative in the place of the pronoun: the verb is the same."""
        named = self.language.persons.match(person) if person else None
        pronoun = self.language.she if named and named["she"] else self.language.he
        found = pronoun.match(words)
        return f"{named[0][0].upper()}{named[0][1:]}{words[found.end() :]}" if named and found else None

    def told(self, words: Sequence[str], speaker: str | None) -> str:
        """In quotation marks, with the speaker's name."""
        return quoted(words, speaker, self.language)


def grammar_of(language: LearningLanguage) -> Grammar:
    """The grammar of a language."""
    return EnglishGrammar() if language.code == ENGLISH else QuotingGrammar(language)


def quoted(words: Sequence[str], speaker: str | None, language: LearningLanguage, *, is_wish: bool = False) -> str:
    """The speaker's own words, and whose they are."""
    tables = language.tables
    pattern = tables.asked if is_wish else tables.said
    said = ". ".join(words).replace('"', "'").replace("“", "'").replace("”", "'")
    return pattern.format(name=called(speaker, tables.user), words=said)
