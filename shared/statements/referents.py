"""Whom and what the clauses of a text are about: subjects, and what pronouns and clauses without a subject mean."""

from __future__ import annotations

from dataclasses import dataclass

from shared.statements.clauses import Said
from shared.statements.subjects import USER, Subject, subject_of

SOMEBODY = Subject(("somebody",))
"""Somebody of whom nothing else is known: what they are is not told, what they moved of the user's is."""

_MOST_SOMEBODY_WORDS = 3
_MOST_TIME_WORDS = 5


@dataclass(slots=True)
class Referents:
    """Who and what was named so far."""

    said: Said
    subject: Subject | None = None
    other: Subject | None = None
    """The last who is not the user."""
    thing: Subject | None = None

    def parsed(self, words: tuple[str, ...]) -> tuple[Subject | None, tuple[str, ...]]:
        """The subject of a clause, its own or the one of the clause before, and the predicate."""
        tables = self.said.language.tables
        if len(words) > 1 and words[0] in tables.he:
            return self.other or SOMEBODY, words[1:]
        if len(words) > 1 and words[0] in tables.it and not self._is_article(words):
            is_own = words[2:3] and words[2] in tables.my  # `it is my 30th birthday`
            return Subject() if is_own else self.thing, words[1:]
        if found := subject_of(words, self.said.language, self.said.capitals):
            self._note(found[0])
            return found
        return self._somebody(words) or self._elided(words)

    def predicate(self, words: tuple[str, ...], *, more: int = 0) -> tuple[str, ...]:
        """The words without their subject, where they have one; up to so many more may stand before it."""
        tables = self.said.language.tables
        if len(words) > 1 and words[0] in (*tables.he, *tables.it) and not self._is_article(words):
            return words[1:]
        for start in range(1 + min(more, _MOST_TIME_WORDS)):  # `from this month my rent is`
            if found := subject_of(words[start:], self.said.language, self.said.capitals):
                return found[1]
        found = self._somebody(words)
        return found[1] if found else words

    def _is_article(self, words: tuple[str, ...]) -> bool:
        """`das` of `das Abo ist gekündigt`, which is a pronoun elsewhere."""
        language = self.said.language
        return words[0] in language.tables.the and words[1] not in language.heads

    def _note(self, subject: Subject) -> None:
        self.subject = subject
        if subject.thing:
            self.thing = subject
        elif subject.owners != (USER,):
            self.other = subject

    def _somebody(self, words: tuple[str, ...]) -> tuple[Subject, tuple[str, ...]] | None:
        """`the airline` of `the airline moved my flight`."""
        language = self.said.language
        place = next((place for place, word in enumerate(words) if word in language.heads), 0)
        if words[0] in language.tables.a and 1 < place <= _MOST_SOMEBODY_WORDS:
            return SOMEBODY, words[place:]
        return None

    def _elided(self, words: tuple[str, ...]) -> tuple[Subject | None, tuple[str, ...]]:
        """The subject of a clause that begins with its verb: the user, or whom the clause before was about."""
        language = self.said.language
        tables = language.tables
        if tables.inverts and words[0] in language.heads and words[1:2] and words[1] in tables.me:
            self.subject = Subject()
            return self.subject, (words[0], *words[2:])
        form = language.forms.get(words[0])
        before = self.subject if self.subject and not self.subject.thing else None
        if form is None or before:
            return before or Subject(), words
        is_first_form = words[0] == form.base
        if tables.drops_subject:
            is_own = is_first_form or form.base in tables.bare or words[0].endswith(tables.ours)
            return (Subject() if is_own else self.other), words
        is_order = is_first_form and form.base not in tables.bare and words[0] in self.said.firsts
        return (None if is_order else Subject()), words
