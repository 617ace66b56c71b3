"""The files of the languages, and which of them a text is in."""

import tomllib
from importlib import resources
from typing import ClassVar

import pytest

from services.retriever.domain.manner import _LANGUAGES
from shared.contracts.errors import Misconfigured
from shared.language import tables
from shared.language.questions.tables import question_tables
from shared.language.tables import CODES, LanguagePart, WordSet, check, section
from shared.language.text.calendar import months_in
from shared.language.text.languages import detect_language, text_tables

FILES = resources.files("shared.language").joinpath("languages")
CHAT = {
    "en": """
        lol no way, she actually said that?? | idk im so tired rn | can u remind me to call the vet tmrw
        moved to Bergen last month and its freezing | my sisters getting a dog!! | Thanks Caroline, that means a lot.
    """,
    "de": """
        ich wohn jetzt in hamburg | hab morgen nen termin beim zahnarzt | weißt du noch wie mein hund heißt
        meine schwester mag keinen fisch | ne das war letzte woche | Kannst du mir bitte kurz antworten?
    """,
    "es": """
        vivo en sevilla desde hace dos años | mi hermana es alergica a los gatos | no me acuerdo de su nombre
        q tal tu dia? | mañana tengo cita con el dentista | Ya no trabajo en el hospital.
    """,
    "fr": """
        j'habite a lyon depuis deux ans | ma soeur est allergique aux chats | c'est quoi le nom de mon chien deja
        chui creve ce soir | demain j'ai rdv chez le dentiste | Je ne travaille plus à l'hôpital.
    """,
    "it": """
        abito a torino da due anni | mia sorella è allergica ai gatti | come si chiama il mio cane?
        sono stanchissimo stasera | domani ho appuntamento dal dentista | Non lavoro più in ospedale.
    """,
    "pt": """
        moro em lisboa há dois anos | minha irmã é alérgica a gatos | como se chama o meu cachorro?
        tô muito cansado hoje | amanhã tenho consulta no dentista | Não trabalho mais no hospital.
    """,
    "": """
        ik woon sinds vorig jaar in Utrecht | mijn zus heeft een hond | weet je nog hoe mijn kat heet?
        jag bor i Malmö sedan två år | min syster har en hund | jeg bor i København | min søster har en kat
        mieszkam w Krakowie od dwóch lat | moja siostra ma psa | iki yıldır Ankara'da yaşıyorum | kız kardeşimin bir köpeği var
        bydlím v Praze | locuiesc la Cluj de doi ani | asun Tampereella kaksi vuotta | Я живу в Казани | 我住在上海 | :-) 👍
    """,
}


@pytest.mark.parametrize("code", CHAT)
def test_chat_in_small_letters_shows_its_language_and_what_has_no_file_has_none(code: str) -> None:
    lines = [line.strip() for line in CHAT[code].replace("\n", "|").split("|") if line.strip()]
    assert {line: detect_language(line) for line in lines} == dict.fromkeys(lines, code or None)


def test_a_text_that_shows_nothing_is_in_the_usual_language_of_its_writer_if_it_is_short() -> None:
    assert [detect_language(text, usual="es") for text in ("Oslo!", "no", "jajaja 😂", "")] == ["es"] * 4
    assert [detect_language(text, usual="es") for text in ("Kestrel Zorba Quux Oslo", "Ik heb dat niet", "寿司")] == [None] * 3


@pytest.mark.parametrize("code", CODES)
def test_a_part_read_alone_is_the_part_of_the_whole_file_and_no_line_is_long(code: str) -> None:
    text = FILES.joinpath(f"{code}.toml").read_text(encoding="utf-8")
    assert {name: section(code, name) for name in tomllib.loads(text)} == tomllib.loads(text)
    assert max(map(len, text.splitlines())) <= 160
    assert text_tables(code).name


@pytest.mark.parametrize("code", CODES)
def test_a_language_has_all_parts_that_contributing_names(code: str) -> None:
    assert len(months_in(code).keys()) >= 12
    assert len(text_tables(code).calendar.weekdays) == 7
    assert question_tables(code).aims.world
    assert code in _LANGUAGES


class _Wrong(LanguagePart):
    part: ClassVar[str] = "text"
    name: str
    weather: WordSet


def test_an_entry_too_many_or_missing_is_an_error_that_names_file_and_key() -> None:
    with pytest.raises(Misconfigured, match=r"en\.toml: .*\[text\.weather\] Field required.*\[text\.stop_words\] Extra inputs"):
        check("en", _Wrong)
    with pytest.raises(Misconfigured, match=r"no language file nl\.toml"):
        section("nl", "text")
    assert section("it", "nosuch") == {}
    assert tables.CODES[0] == tables.ENGLISH
