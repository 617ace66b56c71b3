"""A language ready to read with: the tables of its file as sets, and its wordings by their first words."""

import functools
import itertools
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from shared.language.statements.old.idioms import IdiomIndex
from shared.language.statements.old.notation import LazyPattern, expression, first_words, second_words
from shared.language.statements.old.tables import Mark, SlotRule, StatementTables, Verb
from shared.language.statements.old.writing import Writing

CODES = ("en", "de", "es", "fr")
"""The languages that are read."""

_SHORTEST_END = 4


class RulesOfWord:
    """The rules whose wordings begin with one word, by the second: of those with `is`, few can match what stands behind it."""

    def __init__(self, word: str, parts: Mapping[str, str]) -> None:
        self._word, self._parts = word, parts
        self._rules: list[tuple[SlotRule, str]] = []
        self._before: dict[str, list[SlotRule]] = {}

    def add(self, rule: SlotRule, wording: str) -> None:
        """Add the rule of a wording."""
        self._rules.append((rule, wording))

    def before(self, second: str) -> Sequence[SlotRule]:
        """The rules that may match where this word stands behind the first, in their order."""
        if second not in self._seconds:
            second = ""
        if second not in self._before:
            self._before[second] = [rule for rule, seconds in self._by_seconds if seconds is None or second in seconds]
        return self._before[second]

    @functools.cached_property
    def _by_seconds(self) -> Sequence[tuple[SlotRule, frozenset[str] | None]]:
        """The rules with the words that must come second; looked at when the first word comes in a text: most never do."""
        return [(rule, second_words(wording, self._parts).get(self._word)) for rule, wording in self._rules]

    @functools.cached_property
    def _seconds(self) -> frozenset[str]:
        return frozenset().union(*(seconds for _, seconds in self._by_seconds if seconds))


RuleIndex = dict[str, RulesOfWord]


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a verb."""

    base: str
    is_past: bool
    is_coming: bool
    is_done: bool


class PhraseIndex:
    """Phrases found by their first words, so that a text is tried with those only that can stand in it."""

    def __init__(self, phrases: Iterable[tuple[str, Mark]], parts: Mapping[str, str], *, to_end: bool = False) -> None:
        """`to_end`: a phrase is found only where it reaches to the end."""
        self._by_word: dict[str, list[tuple[LazyPattern, Mark]]] = {}
        for phrase, mark in phrases:
            pattern = LazyPattern(f"(?:{expression(phrase, parts)})(?={'' if to_end else ' |'}$)")
            for word in first_words(phrase, parts):
                self._by_word.setdefault(word, []).append((pattern, mark))

    def longest(self, word: str, text: str, start: int) -> tuple[int, Mark] | None:
        """Where the longest phrase ends that begins with this word, at this place of the text."""
        best: tuple[int, Mark] | None = None
        for pattern, mark in self._by_word.get(word, ()):
            if (found := pattern.match(text, start)) and (best is None or found.end() > best[0]):
                best = found.end(), mark
        return best


class StatementLanguage:
    """A language, ready to read with."""

    def __init__(self, tables: StatementTables, document: str) -> None:
        self.tables = tables
        self._read_nouns(tables)
        self._read_words(tables)
        self._read_wordings(tables)
        ending = tables.clipped
        verbs = (word for word, form in self.forms.items() if ending and word.endswith(ending) and not form.is_past)
        clipped = {verb.removesuffix(ending): verb for verb in verbs}
        self.writing = Writing(document, self.forms, tables.elisions, clipped)
        known = {*self.words, *self.heads, *self.pronouns, *tables.spellings, *self.things, *self.kin, *self.when}
        own = {*tables.me, *tables.my, *tables.to_me}
        self._shown = dict.fromkeys(self.writing.hurried, 1) | dict.fromkeys(known, 2)
        self._shown.update((word, self._shown.get(word, 0) + 1) for word in own)

    def _read_nouns(self, tables: StatementTables) -> None:
        self.kin = {word.replace("_", " "): name for name, some in tables.kin.items() for word in some.split()}
        self.things = {word: name for name, some in tables.things.items() for word in some.split("|")}
        self.kinds = {word: name for word, name in self.things.items() if word in tables.compounds}
        self.thing_names = frozenset(tables.things)
        self.nouns = frozenset(tables.appointments.nouns.split("|"))
        self._ends_of_nouns = tuple(noun for noun in self.nouns if len(noun) >= _SHORTEST_END)
        self.bare_nouns = frozenset(tables.appointments.bare.split("|"))
        self.when = frozenset(tables.appointments.when.split("|"))
        self.months = {name: number for number, name in enumerate(tables.months.split(), start=1)}
        self.weekdays = {name: number for number, name in enumerate(tables.weekdays.split())}

    def _read_words(self, tables: StatementTables) -> None:
        self.words = frozenset(tables.words.split())
        self.articles = frozenset(tables.articles.split())
        self.vague = frozenset(tables.vague.split())
        self.no_names = frozenset(tables.no_names)
        self.fleeting = frozenset(tables.fleeting.split())
        self.wrappers = frozenset(tables.wrappers)
        self.after_is = frozenset(tables.after_is.split())
        self.after_has = frozenset(tables.after_has.split())
        self.adjectives = frozenset(tables.adjectives.split()) | frozenset(tables.he) | frozenset(tables.it)
        self.favourite = frozenset(tables.favourite)
        self.prepositions = frozenset(tables.prepositions)
        self.meets = frozenset(f"{tables.be} {word}" for word in tables.prepositions)
        self.clitics = tables.clitics
        self.auxiliaries = frozenset(tables.auxiliaries)
        self.present = frozenset(tables.present)
        self.owns = {word: mine for word, mine in tables.theirs.items() if mine in tables.my}
        self.joints = frozenset({",", *tables.joints})
        denying = [phrase for mark in (Mark.ENDED, Mark.NEGATED) for phrase in tables.marks.get(mark, ())]
        words_of_marks = re.sub("[()|]", " ", " ".join(denying)).split()
        self.denials = frozenset({*tables.denies, *filter(str.isalpha, words_of_marks)})
        self.pronouns = frozenset({*tables.me, *tables.my, *tables.he, *tables.it})
        self.breaks = frozenset(tables.breaks)
        self.openers = frozenset({*tables.me, *tables.my, *tables.he, *tables.it, *tables.the, *self.things, *tables.openers})

    def _read_wordings(self, tables: StatementTables) -> None:
        self.forms = {**dict(_regular_forms(tables.regular)), **dict(_forms(tables.verbs))}
        parts = {
            **{
                name: part if "(" in part else "|".join(sorted(part.split("|"), key=len, reverse=True))
                for name, part in tables.parts.items()
            },
            "kin": "|".join(sorted(self.kin, key=len, reverse=True)),
        }
        self.parts = parts
        self.marks = PhraseIndex(((phrase, mark) for mark, some in tables.marks.items() for phrase in some), parts)
        ends = [*((closer, Mark.TIME) for closer in tables.closers), *((cut, Mark.VOID) for cut in tables.cuts)]
        self.ends = PhraseIndex(ends, parts, to_end=True)
        self.idioms = IdiomIndex(tables.idioms, parts, tables.me, tables.my)
        self.mine = frozenset(tables.my)
        self.alters = frozenset(word for word, form in self.forms.items() if form.base in tables.alters)
        self.changes = frozenset(word for word, form in self.forms.items() if form.base in tables.switches)
        self.rules = _index(((each.says, each.rule) for each in tables.rules), parts)
        self.thing_rules = _index(((each.says, each.rule) for each in tables.thing_rules), parts)
        thing_verbs = self.thing_rules.keys() | self.auxiliaries
        self.thing_heads = (
            thing_verbs | {tables.be, tables.was} | {word for word, form in self.forms.items() if form.base in thing_verbs}
        )
        self.heads = frozenset(self.forms) | {tables.be, tables.was} | self.rules.keys() | self.thing_rules.keys()

    def has_time(self, noun: str) -> bool:
        """Whether a noun is of what has a time; where nouns are written together, by its end: `Teamsitzung`."""
        is_compound = self.tables.nouns_are_capital and noun.endswith(self._ends_of_nouns)
        return noun in self.nouns or is_compound

    def may_be_verb(self, word: str) -> bool:
        """Whether a verb that lasts may begin a predicate with this word."""
        return not any(word in some for some in (self.fleeting, self.vague, self.articles, self.prepositions, self.breaks))

    def tells_once(self, predicate: str) -> bool:
        """Whether a predicate has the form of what was done at one time."""
        return bool(self.tables.once) and re.match(self.tables.once, predicate) is not None

    def knows(self, words: Collection[str]) -> int:
        """How well the words show this language: frequent ones and verbs of its tables count twice those typed in a hurry."""
        return sum(map(self._shown.get, words, itertools.repeat(0)))


def language_of(words: Collection[str]) -> StatementLanguage:
    """The language of a text with these words; English where nothing shows."""
    return max(map(statement_language, CODES), key=lambda language: language.knows(words))


def named_things(text: str) -> frozenset[str]:
    """The attributes of the English things that a text in lower case names: a daycare has a price, which is the childcare's."""
    words = re.findall(r"[^\W\d_][\w'-]*", text)
    spoken = {*words, *map(" ".join, itertools.pairwise(words))}
    return frozenset(name for word, name in statement_language(CODES[0]).things.items() if word in spoken)


@functools.cache
def statement_language(code: str) -> StatementLanguage:
    """The language of a shipped file."""
    document = resources.files(__package__).joinpath("languages", f"{code}.toml").read_text(encoding="utf-8")
    return StatementLanguage(StatementTables.model_validate(tomllib.loads(document)), document)


def _forms(verbs: Mapping[str, Verb]) -> Iterator[tuple[str, Form]]:
    for base, verb in verbs.items():
        for some, is_past, is_coming in (
            (verb.past, True, False),
            (f"{base} {verb.same}", False, False),
            (verb.coming, False, True),
        ):
            for form in some.split():
                yield form, Form(base, is_past, is_coming, verb.done)


def _regular_forms(verbs: str) -> Iterator[tuple[str, Form]]:
    for base in verbs.split():
        stem = base.removesuffix("e")
        for form in (base, f"{base}s", f"{stem}ed", f"{base}{base[-1]}ed"):
            yield form, Form(base, is_past=False, is_coming=False, is_done=True)
        for form in (f"{stem}ing", f"{base}{base[-1]}ing"):
            yield form, Form(base, is_past=False, is_coming=True, is_done=True)


def _index(wordings: Iterable[tuple[Sequence[str], Callable[[LazyPattern], SlotRule]]], parts: Mapping[str, str]) -> RuleIndex:
    """The rules by the first words of their wordings."""
    found: RuleIndex = {}
    for says, rule_of in wordings:
        for wording in says:
            rule = rule_of(LazyPattern(f"{expression(wording, parts)}(?: (?P<rest>.*))?$"))
            for word in first_words(wording, parts):
                if word not in found:
                    found[word] = RulesOfWord(word, parts)
                found[word].add(rule, wording)
    return found
