"""Language files: each says something for every command, German reads its basics, and a bad file is refused."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from services.ingest.domain.policy import SHIPPED, Policy
from services.retriever.chat_replies import spoken
from services.retriever.domain.idle_turns import is_command
from shared.contracts.errors import Misconfigured
from shared.contracts.ids import SessionId
from shared.contracts.parts import ChatOutcome
from shared.contracts.privacy import ChatCommandRead
from shared.language.commands.command import ChatCommand, ChatCommandName, CommandScope
from shared.language.commands.language import SHIPPED_LANGUAGES, language, make
from shared.language.commands.reading import read_answer, read_chat_command, read_taking_back
from shared.language.commands.replies import TOPIC, say, say_grace, with_topic
from shared.runtime.languages import chat_languages
from shared.runtime.settings import RuntimeSettings
from tests.support.commands import user_says
from tests.support.paper import PaperLog
from tests.support.scopes import T0
from tests.unit.test_chat_commands import DOUBTFUL, LOOK_ALIKES, SURE

OUTCOMES = get_args(ChatOutcome)
FILES = sorted(SHIPPED_LANGUAGES)

GERMAN = [
    ("Vergiss das bitte.", "forget_that", None, True),
    ("Könntest du das bitte vergessen?", "forget_that", None, True),
    ("Vergiss, was ich über Bernd gesagt habe!", "forget_about", "Bernd", True),
    ("Vergiss bitte alles über meinen Chef", "forget_about", "meinen Chef", True),
    ("vergiss alles über mich", "forget_me", None, True),
    ("Vergiss dieses Gespräch", "forget_chat", None, True),
    ("Was weißt du über mich?", "ask_about", None, True),
    ("was hast du dir über Lisa gemerkt", "ask_about", "Lisa", True),
    ("Was weißt du über Goethe?", "ask_about", "Goethe", False),
    ("Merk dir bitte, dass ich keine Nüsse vertrage.", "remember_that", "ich keine Nüsse vertrage", True),
    ("Merke dir: mein Spind hat die Nummer 12", "remember_that", "mein Spind hat die Nummer 12", True),
    ("Vergiss nicht, dass ich morgen Urlaub habe", "remember_that", "ich morgen Urlaub habe", True),
    ("Vergiss das nicht!", "remember_that", None, True),
    ("Pinne das an", "pin_that", None, True),
    ("pinne das ab", "unpin_that", None, True),
    ("Schalte dein Gedächtnis aus", "memory_off", None, True),
    ("Gedächtnis wieder an, bitte", "memory_on", None, True),
    ("Starte Inkognito für diesen Chat", "start_incognito", None, True),
    ("Beende den Inkognitomodus", "end_incognito", None, True),
    ("Ja, vergiss es", "confirm", None, True),
    ("Nein, behalte es", "decline", None, True),
    ("Vergiss es", "forget_that", None, False),
]
NOT_GERMAN = [
    "Ich vergesse das immer",
    "Er sagte: vergiss das",
    "Sie meinte, vergiss das",
    "„Vergiss das“",
    "»Vergiss das«, sagte er",
    "Ich habe das vergessen",
    "Vergiss mich nicht",
    "Mein Gedächtnis ist schlecht",
    "forget that",
    "Das weiß ich nicht",
]


@pytest.mark.parametrize(("text", "name", "words", "is_sure"), GERMAN)
def test_german_is_read_by_its_own_file(text: str, name: str, words: str | None, is_sure: bool) -> None:  # noqa: FBT001
    command = read_chat_command(text, languages=("en", "de"))
    assert command is not None
    assert (command.name, command.topic or command.fact, command.is_sure, command.language) == (name, words, is_sure, "de")


@pytest.mark.parametrize("text", NOT_GERMAN)
def test_german_look_alikes_are_no_commands(text: str) -> None:
    assert read_chat_command(text, languages=("de",)) is None


def test_with_several_languages_the_one_that_reads_best_answers() -> None:
    command = read_chat_command("forget what I said about Bob", languages=("de", "en"))
    assert command is not None
    assert command.language == "en"


@pytest.mark.parametrize(("text", "name", "words", "is_sure"), GERMAN)
def test_without_the_setting_german_is_talk(text: str, name: str, words: str | None, is_sure: bool) -> None:  # noqa: FBT001
    assert read_chat_command(text) is None, (name, words, is_sure)


@pytest.mark.parametrize("text", [said for said, *_ in (*SURE, *DOUBTFUL)] + LOOK_ALIKES)
def test_german_beside_english_reads_no_english_sentence_otherwise(text: str) -> None:
    if text != "vergiss das":
        assert read_chat_command(text, languages=("en", "de")) == read_chat_command(text)


@pytest.mark.parametrize("text", [text for text in NOT_GERMAN if text != "forget that"])
def test_german_look_alikes_are_no_commands_beside_english_either(text: str) -> None:
    assert read_chat_command(text, languages=("en", "de")) is None


def test_answers_are_read_in_german() -> None:
    said = ("Ja bitte", "Nein danke", "Vielleicht")
    assert [answer and answer.name for answer in (read_answer(text, languages=("de",)) for text in said)] == [
        "confirm",
        "decline",
        None,
    ]


def test_a_language_without_a_file_is_refused() -> None:
    for code in ("xx", "../en", ""):
        with pytest.raises(Misconfigured):
            read_chat_command("forget that", languages=(code,))


@pytest.mark.parametrize("code", FILES)
def test_there_is_something_to_say_for_every_command_and_outcome(code: str) -> None:
    for name, scope, outcome in product(ChatCommandName, CommandScope, OUTCOMES):
        without = say(ChatCommand(name, scope=scope, language=code), outcome)
        about = say(ChatCommand(name, topic="Bob", scope=scope, language=code), outcome)
        assert without
        assert "{" not in without
        assert "{" not in about.replace(TOPIC, "")


@pytest.mark.parametrize("code", FILES)
def test_no_table_of_sayings_is_misspelt(code: str) -> None:
    names = {name.value for name in ChatCommandName} | {f"{name}_{scope}" for name in ChatCommandName for scope in CommandScope}
    outcomes = {*OUTCOMES, *(f"{outcome}_about" for outcome in OUTCOMES), "asked_back_which", "asked_back_which_one"}
    for table, sayings in language(code).text.say.items():
        assert table in names | {"any"}
        assert set(sayings) <= (outcomes | {"grace", "grace_one"} if table == "any" else outcomes)


@pytest.mark.parametrize("code", FILES)
def test_how_a_forgetting_is_taken_back_is_said_in_words_that_do_it(code: str) -> None:
    for minutes in (1, 10):
        said = say_grace(ChatCommand(ChatCommandName.FORGET_THAT, language=code), minutes)
        assert said is not None
        words = re.search(r"[“„«]\s*(.+?)\s*[”“»]", said)
        assert words is not None
        found = read_taking_back(words[1], languages=[code])
        assert found is not None
        assert found.is_sure


def test_the_topic_is_put_in_by_the_caller() -> None:
    command = ChatCommand(ChatCommandName.FORGET_ABOUT, topic="my {topic}")
    said = say(command, "done")
    assert TOPIC in said
    assert with_topic(said, command) == "I have forgotten what I knew about my {topic}."


def test_what_reaches_further_says_so() -> None:
    command = ChatCommand(ChatCommandName.START_INCOGNITO, scope=CommandScope.ALL)
    assert say(command, "done") != say(ChatCommand(command.name, scope=CommandScope.CHAT), "done")


SMALLEST = """
[commands]
selves = "moi"
pronouns = "lui"
[[commands.rules.forget_that]]
confidence = 0.9
phrases = "oublie (ça|cela)"
[commands.say.any]
done = "Fait."
"""


def test_a_language_needs_no_more_than_a_rule() -> None:
    assert set(make("fr", SMALLEST).rules) == {"oublie"}


@pytest.mark.parametrize(
    "phrase",
    [
        "oublie (ça",
        "oublie ça)",
        "{topic} oublie",
        "[oublie]",
        "oublie <rien>",
        "oublie {topic} {fact}",
        "oublie {sujet}",
        "",
    ],
)
def test_a_phrase_that_could_not_be_read_is_refused(phrase: str) -> None:
    with pytest.raises(Misconfigured):
        make("fr", SMALLEST.replace("oublie (ça|cela)", phrase))


@pytest.mark.parametrize(
    "change",
    [("selves", "selfs"), ("rules.forget_that", "rules.forget_it"), ("0.9", "9"), ("[commands.say.any]", "[commands.say.any")],
)
def test_a_file_that_is_not_as_it_should_be_is_refused(change: tuple[str, str]) -> None:
    with pytest.raises(Misconfigured, match=r"fr\.toml"):
        make("fr", SMALLEST.replace(*change))


def test_a_part_that_contains_itself_is_refused() -> None:
    with pytest.raises(Misconfigured):
        make("fr", SMALLEST.replace("oublie (ça|cela)", "oublie <a>") + '[commands.parts]\na = "<a> ça"\n')


FRENCH = f"""{SMALLEST}
nothing_found = "Rien."
asked_back = "Oui ou non ?"
unchanged = "Déjà fait."
[[commands.answers.confirm]]
confidence = 0.9
phrases = "oui"
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("shared.language.commands.language._own", {})
    path = tmp_path / "fr.toml"
    path.write_text(FRENCH, encoding="utf-8")
    return path


def set_to(languages: str) -> tuple[str, ...]:
    return chat_languages(RuntimeSettings(chat_languages=languages))


def outcomes(log: PaperLog, text: str) -> list[tuple[str, str]]:
    return [(e.data.command, e.data.outcome) for e in log.tell(user_says(text)) if isinstance(e.data, ChatCommandRead)]


def test_english_alone_is_read_unless_more_is_set() -> None:
    assert chat_languages(RuntimeSettings()) == ("en",) == SHIPPED.languages
    assert set_to(" de , en,de") == ("de", "en")


def test_ingest_obeys_in_the_languages_that_are_set() -> None:
    told = "Ich wohne in Bramblethwick."
    for languages, expected in (("en", []), ("en,de", [("forget_that", "done")])):
        log = PaperLog(Policy(languages=set_to(languages)))
        log.tell(user_says(told))
        assert outcomes(log, "Vergiss das bitte.") == expected
        assert outcomes(log, "Vergiss alles über mich") == ([("forget_me", "asked_back")] if expected else [])
        assert outcomes(log, "Ja bitte") == ([("forget_me", "done")] if expected else [])


def test_the_reply_is_in_the_language_of_the_turn() -> None:
    read = ChatCommandRead(session_id=SessionId("s1"), command="forget_me", outcome="done")
    assert spoken(read, "Ja bitte", ("en", "de"), now=T0).answer().say == "Ich habe alles über dich vergessen."
    assert "forgotten" in spoken(read, "yes", ("en", "de"), now=T0).answer().say


@pytest.mark.parametrize("words", ["Yes please", "How shall I call you?"])
def test_a_reply_to_other_words_than_the_commands_speaks_of_this_chat_alone(words: str) -> None:
    sayings = {"start_incognito": "This chat is incognito now", "end_incognito": "This chat is not incognito any more"}
    for name, said in sayings.items():
        read = ChatCommandRead(session_id=SessionId("s1"), command=name, outcome="done")
        assert said in spoken(read, words, ("en",), now=T0).answer().say


def test_a_file_of_ones_own_adds_a_language(own: Path) -> None:
    languages = set_to(f"en, {own}")
    assert languages == ("en", "fr")
    log = PaperLog(Policy(languages=languages))
    log.tell(user_says("J'habite à Lyon."))
    assert outcomes(log, "oublie ça") == [("forget_that", "done")]
    read = ChatCommandRead(session_id=SessionId("s1"), command="forget_that", outcome="done")
    assert spoken(read, "oublie ça", languages, now=T0).answer().say == "Fait."


def test_a_turn_that_only_commands_says_nothing_in_a_language_of_ones_own_either(own: Path) -> None:
    assert not is_command("oublie ça")
    assert is_command("oublie ça", set_to(f"en,{own}"))


@pytest.mark.parametrize(
    "change", [("oublie (", "oublie <x> ("), ('done = "Fait."', ""), ("[commands.say.any]", "[commands.say")]
)
def test_a_file_of_ones_own_that_is_not_as_it_should_be_stops_the_start(own: Path, change: tuple[str, str]) -> None:
    own.write_text(FRENCH.replace(*change), encoding="utf-8")
    with pytest.raises(Misconfigured):
        set_to(f"en,{own}")


@pytest.mark.parametrize("languages", ["", " , ", "xx", "en,/nowhere/fr.toml", "../en"])
def test_a_setting_that_names_no_language_stops_the_start(languages: str) -> None:
    with pytest.raises(Misconfigured):
        set_to(languages)


@pytest.mark.parametrize(
    ("tongue", "text", "fact"),
    [
        ("es", "Recuerda: mi sueldo es 72.000", "mi sueldo es 72.000"),
        ("es", "recuerda que mi hermana se llama Zora", "mi hermana se llama Zora"),
        ("es", "Mi madre recuerda que fue en 1990.", None),
        ("fr", "Retiens : mon salaire est de 72 000", "mon salaire est de 72 000"),
        ("fr", "retiens que ma sœur s'appelle Zora", "ma sœur s'appelle Zora"),
        ("fr", "Je retiens que tu es là.", None),
    ],
)
def test_what_was_withheld_in_doubt_is_kept_as_the_reply_says(tongue: str, text: str, fact: str | None) -> None:
    read = read_chat_command(text, languages=(tongue, "en"))
    assert (read and read.fact) == fact
