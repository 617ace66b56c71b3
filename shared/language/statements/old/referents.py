"""Whom and what the clauses of a text are about: subjects, and what pronouns and clauses without a subject mean."""

from dataclasses import dataclass, replace

from shared.language.statements.old.clauses import Said
from shared.language.statements.old.marking import MarkedClause
from shared.language.statements.old.subjects import USER, Subject, subject_of

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
        if len(words) > 1 and words[0] in self.said.language.owns:
            return self._theirs(words)
        if found := subject_of(words, self.said.language, self.said.capitals):
            self._note(found[0])
            return found
        return self._somebody(words) or self._elided(words)

    def timed(self, marked: MarkedClause) -> tuple[str, ...]:
        """The predicate of a clause with the times that it names; they may stand before its subject."""
        is_before = marked.timed[0] != marked.words[0]
        return self._predicate(marked.timed, more=len(marked.timed) - len(marked.words) if is_before else 0)

    def _predicate(self, words: tuple[str, ...], *, more: int) -> tuple[str, ...]:
        """The words without their subject, where they have one; up to so many more may stand before it."""
        tables = self.said.language.tables
        if len(words) > 1 and words[0] in (*tables.he, *tables.it) and not self._is_article(words):
            return words[1:]
        for start in range(1 + min(more, _MOST_TIME_WORDS)):  # `from this month my rent is`
            if found := subject_of(words[start:], self.said.language, self.said.capitals):
                return found[1]
        found = self._somebody(words)
        return found[1] if found else words

    def _theirs(self, words: tuple[str, ...]) -> tuple[Subject | None, tuple[str, ...]]:
        """`her name is Coco`, `his teacher is called Baird` tell of whom was spoken, and never of the user."""
        found = subject_of((self.said.language.tables.my[0], *words[1:]), self.said.language, self.said.capitals)
        owners = (self.other or SOMEBODY).owners
        if found and self.other and found[0].relation and not found[0].name:
            return Subject(tuple(f"{owner}'s {found[0].relation}" for owner in owners)), found[1]
        if found is None or found[0].thing is None:
            return SOMEBODY, words[1:]
        return replace(found[0], owners=owners), found[1]

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

    def _is_of_deed(self, words: tuple[str, ...]) -> bool:
        """Whether a deed is the subject: `losing my job gave me the push`."""
        language, gerund = self.said.language, self.said.language.tables.gerund
        if not gerund or not words[0].endswith(gerund):
            return False
        verbs = {*language.present, language.tables.was, *language.auxiliaries}
        for word in words[2:]:
            form = language.forms.get(word)
            if word in language.pronouns and word not in language.tables.my:
                return False
            is_told = form is not None and form.is_done and not form.is_coming and word != form.base
            if word in verbs or is_told or (form is not None and (form.is_past or form.base in verbs)):
                return True
        return False

    def _elided(self, words: tuple[str, ...]) -> tuple[Subject | None, tuple[str, ...]]:
        """The subject of a clause that begins with its verb: the user, or whom the clause before was about."""
        language = self.said.language
        tables = language.tables
        if self._is_of_deed(words):
            return None, words
        if tables.inverts and words[0] in language.heads and words[1:2] and words[1] in tables.me:
            self.subject = Subject()
            return self.subject, (words[0], *words[2:])
        form = language.forms.get(words[0])
        before = self.subject if self.subject and not self.subject.thing else None
        if form is None or before:
            return before or Subject(), words
        is_first_form = words[0] == form.base
        if tables.drops_subject:
            is_own = (
                is_first_form or words[0][-1] == form.base[-1] or form.base in tables.bare or words[0].endswith(tables.ours)
            )
            return (Subject() if is_own else self.other or SOMEBODY), words
        if tables.of_others and words[0].endswith(tables.of_others) and not (form.is_past or form.is_done or is_first_form):
            return self.other or SOMEBODY, words  # `ein Welpe, heißt Pelle`
        is_order = is_first_form and form.base not in tables.bare and words[0] in self.said.firsts
        return (None if is_order else Subject()), words
