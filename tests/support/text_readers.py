"""Every way by which a person's text is read, by name, and texts that no reader may take long over."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date

from services.consolidator.domain.extraction import SaidTurn
from services.consolidator.domain.model_answers import read_answer as read_model_answer
from services.consolidator.domain.rules import facts
from services.ingest.domain.dead_letters import quoted
from services.ingest.domain.echoes import HandedOut, find_echoes
from services.ingest.domain.keyphrases import keyphrases
from services.ingest.domain.likeness import likeness
from services.ingest.domain.masking import kinds_in
from services.ingest.domain.meaning import states_more
from services.ingest.domain.metadata import describe
from services.ingest.domain.names import called_in
from services.ingest.domain.renewing import new_values
from services.retriever.domain.estimating import estimate_tokens
from services.retriever.domain.excerpt import asked_words, excerpt
from services.retriever.domain.full_text import named, near_pairs, phrases, terms, without_names
from services.retriever.domain.idle_turns import asks_for_all, is_command, says_the_same
from services.retriever.domain.manner import language_asked, manner_of
from services.retriever.domain.repeats import says_no_more
from services.retriever.domain.summary import one_line
from services.retriever.domain.telling_change import tells_change
from shared.contracts.commands import parse_command
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Echo, Role
from shared.contracts.prompt_safety import harmless, label
from shared.domain.importance import judge
from shared.language.commands.command import ChatCommand, ChatCommandName
from shared.language.commands.reading import read_answer, read_chat_commands
from shared.language.commands.settling import Alternatives, aim_of, may_answer, read_holds
from shared.language.questions.calling import AddressingTurn, addressed, put_with, strange_names
from shared.language.questions.periods import periods
from shared.language.statements.grounding import Grounds
from shared.language.statements.reading import read_slots
from shared.language.statements.stems import stems
from shared.language.statements.whole import says_no_more as slots_say_all
from shared.language.text import cleaning, entities, names, sentences, spelling, stating, voice, words
from shared.language.text.calendar import named_day
from shared.language.text.distinctive import distinctive, passage, passages, telling_word, unmistakable
from shared.language.text.guards import guards
from shared.language.text.languages import language_of
from shared.language.text.mentions import NamedTopic, TopicWord, fit, topic_of
from shared.language.text.secrets import find_secrets
from shared.language.text.shingles import Shingler
from shared.language.text.stemming import stem
from shared.language.text.tokens import surface
from shared.language.text.without_echoes import without_echoes
from shared.language.text.wording import wording
from shared.runtime.embedders.hashing import Hashing
from shared.runtime.embedders.wordpiece import bert_uncased
from tests.support.scopes import ANNAS_SCOPE, KEYS, T0

Reader = Callable[[str], object]
TODAY = date(2026, 5, 3)
LANGUAGES = ("en", "de", "es", "fr")
MEMORY = MemoryId("ep_" + "0" * 24)
DIGESTER = KEYS.digester
MY_EX = NamedTopic((TopicWord("ex", "ex", is_name=False, may_be_name=False),), frozenset(), frozenset())
BETWEEN = Alternatives(frozenset({"york"}), frozenset({"leeds"}))


def _turn(text: str, role: Role = Role.USER, number: int = 1) -> SaidTurn:
    return SaidTurn(MEMORY, number, role, "Anna", text, T0)


def _mentioned(text: str) -> object:
    """A text as what is asked for, as what was told, and as both."""
    topic = topic_of(text, [text])
    return [fit(each, text) for each in (topic, MY_EX) if each]


def _grounded(text: str) -> bool:
    """Whether a fact of these words rests on a turn of the same words; a longer fact is refused before."""
    turn = _turn(text)
    return Grounds.of([turn], [turn], [text]).supports(text[:1_000])


def _echoes(text: str) -> object:
    shingles = Shingler(DIGESTER, ANNAS_SCOPE).hashes(text, most=64)
    known = {MEMORY: HandedOut(1, T0, b"".join(each.to_bytes(8, "big") for each in shingles))}
    return [
        find_echoes(text, role=role, now=T0, handed_out=known, scope=ANNAS_SCOPE, digester=DIGESTER)
        for role in (Role.USER, Role.ASSISTANT)
    ]


def _refused(text: str) -> object:
    return quoted(json.dumps({"text": text}).encode() + text.encode("utf-8", "replace"), scope=ANNAS_SCOPE, digester=DIGESTER)


def _parsed(text: str) -> object:
    payload = json.dumps({"session_id": "s", "text": f"x{text}", "metadata": {"note": text[:1_000]}}).encode()
    return parse_command(channel="send", what="user_message", payload=payload)


def _by_each(text: str, *readers: Reader) -> object:
    return [read(text) for read in readers]


SHARED: dict[str, Reader] = {
    "clean": cleaning.clean,
    "folded": cleaning.folded,
    "surface": surface,
    "wording": wording,
    "guards": lambda text: guards(wording(text)),
    "find_names": names.find_names,
    "find_entities": entities.find_entities,
    "words": lambda text: _by_each(text, words.words_of, words.pairs_of, words.search_words, words.spaced),
    "sentences": sentences.sentences,
    "sentences of chat": lambda text: sentences.sentences(text, abbreviations=["dr"], of_chat=True),
    "content_words": stating.content_words,
    "distinctive": distinctive,
    "passages": passages,
    "passage": passage,
    "telling_word": telling_word,
    "unmistakable": unmistakable,
    "spelled": spelling.spelled,
    "third_person": lambda text: voice.third_person([text], "Anna"),
    "named_day": lambda text: named_day(text, "2026-05-03"),
    "stem": lambda text: [stem(text, language) for language in LANGUAGES],
    "language_of": language_of,
    "without_echoes": lambda text: without_echoes(text, [Echo(memory_id=MEMORY, start=0, end=max(len(text) - 1, 0))]),
    "shingles": lambda text: Shingler(DIGESTER, ANNAS_SCOPE).hashes(text, most=512),
    "importance": judge,
    "parse_command": _parsed,
    "wordpiece": bert_uncased().ids,
    "hashing": lambda text: Hashing(dimensions=64).encode([text]),
}
CHAT: dict[str, Reader] = {
    "read_chat_commands": lambda text: read_chat_commands(text, languages=("en", "de")),
    "read_answer": lambda text: read_answer(text, languages=("en", "de")),
    "settling": lambda text: (aim_of(text, BETWEEN), may_answer(text) and read_holds(text, "newer", BETWEEN)),
}
STATEMENTS: dict[str, Reader] = {
    "read_slots": lambda text: read_slots(text, speaker="Anna", user="anna", said_on=TODAY),
    "stems of a value": stems,
    "whole": lambda text: slots_say_all(text, tuple(read.slot for read in read_slots("I live in York"))),
}
INGEST: dict[str, Reader] = {
    "likeness": lambda text: likeness(text, DIGESTER),
    "keyphrases": keyphrases,
    "describe": describe,
    "called_in": lambda text: called_in(text, DIGESTER),
    "mentions": _mentioned,
    "new_values": lambda text: new_values(f"Forget Bo. {text}", ChatCommand(ChatCommandName.FORGET_ABOUT, topic="Bo")),
    "new_values_of_a_long_topic": lambda text: new_values(
        f"Forget that {text}, it's 850 now", ChatCommand(ChatCommandName.FORGET_ABOUT, topic=text)
    ),
    "states_more": lambda text: states_more(text, MY_EX),
    "echoes": _echoes,
    "refused": _refused,
    "secrets": find_secrets,
    "secrets of a payload": lambda text: kinds_in(text.encode("utf-8", "replace")),
}
CONSOLIDATOR: dict[str, Reader] = {
    "facts": lambda text: facts([_turn(text)]),
    "facts of an answer": lambda text: facts(
        [_turn(text, Role.ASSISTANT), _turn("Yes, in York.", number=2), _turn(text, number=3)]
    ),
    "grounding": _grounded,
    "model answer": read_model_answer,
}
RETRIEVER: dict[str, Reader] = {
    "calling.addressed": lambda text: addressed("polly", [AddressingTurn(text, "Anna", ("Kim", None))]),
    "calling.put_with": lambda text: put_with(text, dict.fromkeys(strange_names(text, ["Anna"]), "Anna")),
    "manner.manner_of": lambda text: manner_of(text, language_asked(text)),
    "terms": terms,
    "near_pairs": lambda text: near_pairs(terms(text), {"Anna"}),
    "phrases": phrases,
    "named": lambda text: named(["Anna Lind", text[:128]], text),
    "without_names": lambda text: without_names(text, ["Anna Lind"]),
    "periods": lambda text: [periods(text, TODAY, asked=asked) for asked in (True, False)],
    "asked_words": asked_words,
    "excerpt": lambda text: excerpt(text, asked_words("What is x?"), most=20),
    "excerpt by a question": lambda text: excerpt("Anna has a cat. " * 20, asked_words(text), most=100),
    "is_command": is_command,
    "asks_for_all": asks_for_all,
    "says_the_same": lambda text: says_the_same(text, f"{text} "),
    "says_no_more": lambda text: says_no_more(text, [text]),
    "tells_change": tells_change,
    "shown": lambda text: _by_each(text, harmless, label, one_line, estimate_tokens),
}
READERS: dict[str, Reader] = {**SHARED, **CHAT, **STATEMENTS, **INGEST, **CONSOLIDATOR, **RETRIEVER}
"""What reads a text of a message or of a query, down to single steps: each is to be linear in its text."""

UNITS = (
    "…", ".", "!", "?", "の", "ました", "猫", " ", "a b ", "((((", ")", "[", "[1", "@", "a@", "x@x.", "1.", "1,", "1:",
    "1-1-", "12/", '"', "'", "a'", "“", "’s ", "`", "```", "~~~", "\u200b", "́", "é", "\n", "\n\n", "\r\n> ",
    "- x\n", "and ", "my my my", "my ", "My sister ", "no, no, ", "no ", "not ", "1", "9 ", "١", "😀", "❤️",
    "👩\u200d👩\u200d👧", "a", "ab", "A", "Ab ", "Anna ", "Anna Lind, ", "é", "ß", "a-", "a.", "a,", ", ", "; ", ": ",
    ":) ", "– ", "-", "--", "_", "*", "#a ", "#", "&", "&amp;", "<", "<q>", "<a ", ">", "/", "//", "a/",
    "http://a.b/", "www.", "a.b.", "%", "$1", "I ", "I am ", "I'm ", "you ", "is ", "on May ", "3 May ", "in 2021 ",
    "last week ", "to ", "from ", "that ", "and I ", "if ", "because ", "it ", "forget ", "remember that ",
    "my PIN ", "my password is ", "4711 is my pin ", "key:", "1234 ", "eyJ", "-----BEGIN PRIVATE KEY-----", "sk-", "Bearer ", "://",
    "so I said ", "one hundred ", "half past ", "twenty ", "the ", "a lot of ", "und ", "ich ", "que ", "don't ",
    "maybe ", "as well as ", "like ", "was ", "moved from A to B ", "I live in York. ", "My name is Bo. ",
    "Wait, no, York. ", "My cat is called Bo and my ", "[omitted] ", "[ep_0] ", "## Relevant memory\n",
    "- x [ep_000000000000000000000000]\n", "\\", "\\u12", "{", '{"facts": [', "<think>", "\x00", "\t", "\xa0",
    "\u3000", "ا", "हि", "ๆ", "한 ",
)  # fmt: skip
"""What a hostile text is made of: signs, words that begin something, scripts, and what patterns repeat."""

ENDS = ("", "x!", " 1", "?")


def hostile(unit: str, characters: int) -> str:
    """One unit again and again, of about so many characters."""
    return unit * (characters // len(unit))


def hostile_texts(characters: int) -> Iterator[tuple[str, str]]:
    """Each hostile text of about so many characters, with what it is made of."""
    for unit in UNITS:
        for end in ENDS:
            yield f"{unit!r} … {end!r}", hostile(unit, characters) + end
