"""The values of a text: its words as the value of an attribute, and whether they are one."""

from dataclasses import dataclass

from shared.language.statements import values
from shared.language.statements.old.attributes import PLACES, ValueKind, attribute, holds_one, recognised
from shared.language.statements.old.clauses import Said
from shared.language.statements.old.subjects import Subject

_LONGEST_CHARACTERS = 200


@dataclass(slots=True)
class ValueReader:
    """Reads the values of one text, and notes whether words were left over."""

    said: Said
    has_rest: bool = False
    behind: str = ""
    """The words that were cut off the last value."""

    def value(self, words: str | None, kind: ValueKind = ValueKind.TEXT) -> str | None:
        """The words as a value is compared; None where they are none of its kind."""
        if words is None or kind is ValueKind.TIME:
            return values.compared(words, kind, self.said.language) if words else None
        cut = values.cut(words, self.said.language)
        self.has_rest, self.behind = self.has_rest or not cut.is_whole, words[len(cut.words) :].strip(" ,")
        value = values.compared(cut.words, kind, self.said.language)
        return value[:_LONGEST_CHARACTERS] if value else None

    def values(self, words: str | None, name: str) -> list[str | None]:
        """The values that words give an attribute; without words, the one that is none."""
        if words is None:
            return [None]
        if name in PLACES and (place := values.place_of(words, self.said.language)) != words:
            words, self.has_rest = place, True
        several = [words] if holds_one(name) else values.listed(words)
        return [value for each in several if (value := self.value(each, attribute(name).kind)) is not None]

    def is_particular(self, words: str) -> bool:
        """Whether a thing is told apart, and not only described: `a Golf`, not `red`."""
        split = words.split()
        return split[0] in self.said.language.articles or any(
            word in self.said.capitals or not word.isalpha() or recognised(word) for word in split
        )

    def is_lasting(self, words: str) -> bool:
        """Whether words name what one has for long, whatever their verb: a choir, a subscription, something with a name."""
        tables = self.said.language.tables
        return any(word in some for word in words.split() for some in (self.said.capitals, tables.groups, tables.wrappers))

    def are_names(self, words: str, subject: Subject) -> bool:
        """Whether all that somebody is said to be is what they are called."""
        return all(self.is_name(each, subject) for each in values.listed(words))

    def is_name(self, words: str, subject: Subject) -> bool:
        """Whether what somebody `is` is a name: written like one, or after a word for one who has one."""
        language, split = self.said.language, words.split()
        while len(split) > 1 and split[0] in language.articles and split[1] in language.tables.titles:
            split = split[1:]
        if len(split) > 1 and split[0] in language.tables.titles:
            return True
        if not split or split[0] in language.tables.numbers or split[0] in language.no_names:
            return False
        if language.tables.nouns_are_capital and language.tells_once(f"{language.tables.be} {words}"):
            return False  # `mein Bruder ist ausgezogen`
        if all(word in self.said.capitals for word in split) and not language.tables.nouns_are_capital:
            return True
        is_role = subject.relation is not None and attribute(subject.relation).kind is ValueKind.NAME
        others = (language.adjectives, language.words, language.heads)
        return is_role and len(split) == 1 and split[0].isalpha() and not any(split[0] in some for some in others)
