"""Forgetting by a name takes what holds the name, and nothing that is alike: on every route, before and after learning."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest

from services.consolidator.domain.extraction import SaidTurn
from services.consolidator.domain.rules import facts as read_facts
from services.ingest.domain.cascade import going
from services.ingest.domain.forgetting import propose
from shared.contracts.errors import ConfirmationNeeded, Forgotten
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Role
from shared.contracts.privacy import Forget
from shared.language.statements.identifying import Stating, stating
from tests.support.commands import agent_says, import_of, page, user_says
from tests.support.paper import AT_ONCE, PaperLog
from tests.support.scopes import KEYS, T0
from tests.unit.test_forgetting import SOON, facts, forgotten, ids

NAMES = "Greta Anna Peter Zoe Milan Oskar Ines Tarek Wilma Bruno Selma Jonas Frida Emil Nora Ludo Rosa Karl Lena Hugo".split()  # noqa: SIM905
KIN = {
    "en": "mother father sister brother aunt uncle".split(),  # noqa: SIM905
    "de": "Mutter Schwester Tante Oma Tochter Cousine".split(),  # noqa: SIM905
    "es": "madre hermana tía abuela hija prima".split(),  # noqa: SIM905
    "fr": "mère soeur tante cousine fille nièce".split(),  # noqa: SIM905
}
BY_NAME = {
    "en": (
        "My colleague {} likes chess and long walks by the old harbour.",
        "My son {} is allergic to nuts.",
        "{} works at the bakery and plays the flute.",
        "i met {} at the bakery on the corner last week",
    ),
    "de": (
        "Meine Kollegin {} mag Schach und lange Spaziergänge am alten Hafen.",
        "Mein Sohn {} ist allergisch gegen Nüsse.",
        "{} arbeitet in der Bäckerei und spielt Flöte.",
    ),
    "es": (
        "A mi colega {} le gusta el ajedrez y los paseos largos por el puerto viejo.",
        "Mi hijo {} es alérgico a las nueces.",
        "{} trabaja en la panadería y toca la flauta.",
    ),
    "fr": (
        "Ma collègue {} aime les échecs et les longues promenades près du vieux port.",
        "Mon fils {} est allergique aux noix.",
        "{} travaille à la boulangerie et joue de la flûte.",
    ),
}
BY_KIN = {
    "en": "My {} takes aspirin every morning with a glass of milk.",
    "de": "Meine {} nimmt jeden Morgen Aspirin mit einem Glas Milch.",
    "es": "Mi {} toma aspirina cada mañana con un vaso de leche.",
    "fr": "Ma {} prend une aspirine chaque matin avec un verre de lait.",
}
CASES = [
    *((saying, NAMES) for sayings in BY_NAME.values() for saying in sayings),
    *((saying.lower(), [name.lower() for name in NAMES]) for sayings in BY_NAME.values() for saying in sayings),
    *((BY_KIN[code], KIN[code]) for code in KIN),
    ("My locker in room {} has a dent and a blue door.", [str(number) for number in range(3, 23)]),
]
ROUTES = ("chat", "query", "turn", "fact")


def told(saying: str, who: list[str], *, is_learned: bool) -> tuple[PaperLog, dict[str, list[MemoryId]]]:
    log, known = PaperLog(AT_ONCE), {}
    for number, each in enumerate(who):
        [turn] = ids(log.tell(user_says(saying.format(each), "s1")))
        known[each] = [turn]
        if is_learned:
            fact = saying.format(each).replace("My", "The user's").replace("i met", "The user met")
            known[each] += ids(log.tell(facts(turn, fact, run=f"run/{number}")), "fact")
    return log, known


def forget_by(route: str, who: str, log: PaperLog, known: dict[str, list[MemoryId]]) -> None:
    match route:
        case "chat":
            log.tell(user_says(f"Forget what I told you about {who}.", "s9"))
            if known[who][0] in log.words().told:
                log.tell(user_says("yes", "s9"))
        case "query":
            log.tell(Forget(query=who))
        case "turn":
            log.tell(Forget(memory_ids=(known[who][0],)))
        case _:
            log.tell(Forget(memory_ids=(known[who][-1],)))


@pytest.mark.parametrize("is_learned", [False, True])
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(("saying", "who"), CASES)
def test_only_the_one_who_is_named_goes(saying: str, who: list[str], route: str, *, is_learned: bool) -> None:
    log, known = told(saying, who, is_learned=is_learned)
    if route == "chat" and who[0].isdecimal():
        pytest.skip("a number alone is no topic of a chat command")
    forget_by(route, who[0], log, known)
    left = set(log.words().told)
    assert not left.intersection(known[who[0]])
    assert left >= {memory_id for each in who[1:] for memory_id in known[each]}


OF_KIN = [
    *((sayings[0], NAMES) for sayings in BY_NAME.values()),
    *((sayings[1], NAMES) for sayings in BY_NAME.values()),
    *((BY_KIN[code], KIN[code]) for code in KIN),
]


@pytest.mark.parametrize(("saying", "who"), OF_KIN)
def test_what_others_are_said_to_do_is_not_held_back_because_one_was_forgotten(saying: str, who: list[str]) -> None:
    log, known = told(saying, who[:1], is_learned=True)
    forget_by("query", who[0], log, known)
    events = log.tell(user_says(saying.format(who[1]), "s4"), now=SOON)
    assert [event.data.held_back for event in events if hasattr(event.data, "held_back")] == [False]


@pytest.mark.parametrize(
    ("text", "statement", "found"),
    [
        ("Tom, my son, is allergic to nuts.", "The user's son Tom is allergic to nuts.", Stating.SURE),
        ("Yes, so your sister Ida lives in Bergen now?", "The user's sister Ida lives in Bergen", Stating.SURE),
        ("My bike has a flat tire.", "The user's red bike has a flat tire.", Stating.LIKELY),
        ("My blue bike has a flat tire.", "The user's red bike has a flat tire.", Stating.NOT),
        ("My colleague is allergic to nuts.", "The user is allergic to nuts.", Stating.NOT),
        ("My son is allergic to nuts.", "The user's son Tom is allergic to nuts.", Stating.NOT),
        ("My son Tom takes 20 mg of iron.", "The user's son Tom takes 10 mg of iron.", Stating.NOT),
    ],
)
def test_a_text_states_what_another_one_does_if_it_is_about_the_same_people(text: str, statement: str, found: Stating) -> None:
    assert stating(text, statement) is found


def test_a_first_name_is_no_plural_of_another() -> None:
    log = PaperLog()
    for name in ("Marco", "Marcos", "Luca", "Lucas"):
        log.tell(user_says(f"{name} was at my party."))
    log.tell(Forget(query="Marco"))
    log.tell(Forget(query="Luca"))
    assert [each.texts[0] for each in log.words().told.values()] == ["Marcos was at my party.", "Lucas was at my party."]


def test_what_is_found_by_likeness_alone_goes_only_where_it_was_shown() -> None:
    log = PaperLog()
    [turn] = ids(log.tell(user_says("My red bike has a flat tire.", "s1")))
    [less] = ids(log.tell(user_says("My bike has a flat tire.", "s2")))
    [fact] = ids(log.tell(facts(turn, "The user's red bike has a flat tire")), "fact")
    shown = propose(Forget(memory_ids=(fact,)), [fact], log.words(), KEYS.digester)
    assert shown.whole.why.keys() - shown.sure.why.keys() == {less}
    assert set(forgotten(log.tell(Forget(memory_ids=(fact,))))) == {fact, turn}


def test_a_query_that_finds_what_names_others_is_answered_with_a_token_first() -> None:
    log = PaperLog()
    [turn] = ids(log.tell(user_says("I went to Leeds with Tom. Max hates jazz.", "s1")))
    [leeds, jazz] = ids(log.tell(facts(turn, "The user went to Leeds with Tom", "Max hates jazz")), "fact")
    asked = Forget(query="Leeds")
    with pytest.raises(ConfirmationNeeded):
        log.tell(asked)
    with pytest.raises(ConfirmationNeeded):
        log.tell(asked.model_copy(update={"confirm": "0" * 32}))
    assert set(log.words().told) == {turn, leeds, jazz}
    shown = propose(asked, [turn, leeds], log.words(), KEYS.digester)
    assert set(forgotten(log.tell(asked.model_copy(update={"confirm": shown.token})))) == {turn, leeds, jazz}


def test_a_reply_that_names_somebody_else_stays() -> None:
    log = PaperLog()
    [turn] = ids(log.tell(user_says("Greta plays the theremin in a quartet.")))
    [reply] = ids(log.tell(agent_says("Does Oskar know the theremin?")))
    taken = going([turn], log.words(), KEYS.digester, only=False)
    assert reply not in taken.why


SPELLINGS: dict[str, Callable[[str], str]] = {
    "composed": lambda text: unicodedata.normalize("NFC", text),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "with what is not seen": lambda text: "\u200b".join(text).replace(" \u200b", " ").replace("\u200b ", " "),
    "wide": lambda text: "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text),
}
ACCENTED = {
    "Muñoz": "My landlord is Señor Muñoz.",
    "Jürgen": "Mein Nachbar heißt Jürgen.",
    "Zoë": "Ma voisine s'appelle Zoë.",
    "Íñigo": "Mi vecino se llama Íñigo.",
    "jalapeño": "I put one jalapeño on my pizza.",
}


@pytest.mark.parametrize("route", ["query", "chat"])
@pytest.mark.parametrize("asked", SPELLINGS)
@pytest.mark.parametrize("written", SPELLINGS)
@pytest.mark.parametrize("name", ACCENTED)
def test_a_word_is_forgotten_in_every_spelling(name: str, written: str, asked: str, route: str) -> None:
    log = PaperLog(AT_ONCE)
    text = SPELLINGS[written](ACCENTED[name])
    events = log.tell(user_says(text, "s1", message_id="m1"))
    assert [event.data.text for event in events if hasattr(event.data, "text")] == [text]
    if route == "query":
        log.tell(Forget(query=SPELLINGS[asked](name)))
    else:
        log.tell(user_says(SPELLINGS[asked](f"Forget what I said about {name}."), "s2"))
        if log.words().told:
            log.tell(user_says(SPELLINGS[asked]("Yes"), "s2"))
    assert not log.words().told
    for spell in SPELLINGS.values():
        with pytest.raises(Forgotten):
            log.tell(import_of([user_says(spell(ACCENTED[name]))]), now=SOON)


IN_TURN = {
    "en": ("{} is my dentist.", "My flatmate is called {}."),
    "de": ("{} ist meine Zahnärztin.", "Meine Mitbewohnerin heißt {}."),
    "es": ("{} es mi dentista.", "Mi colega se llama {}."),
    "fr": ("{} est ma dentiste.", "Ma colocataire s'appelle {}."),
}
"""Each ends the one before, as far as the rules can tell."""


@pytest.mark.parametrize("route", ["query", "fact", "confirmed"])
@pytest.mark.parametrize("saying", [saying for sayings in IN_TURN.values() for saying in sayings])
def test_what_a_newer_statement_ended_is_no_version_of_it(saying: str, route: str) -> None:
    log, known = PaperLog(AT_ONCE), {}
    for number, who in enumerate(NAMES):
        [turn] = ids(log.tell(user_says(saying.format(who), "s1")))
        [said] = read_facts([SaidTurn(turn, number, Role.USER, None, saying.format(who), T0)])
        learned, *_ = ids(log.tell(page(said, number=number)), "fact")  # the others are those that it ended
        known[who] = [turn, learned]
    who = NAMES[-1]
    if route == "confirmed":
        log.tell(user_says(f"Wipe everything about {who}.", "s9"))
        log.tell(user_says("yes", "s9"))
    else:
        forget_by(route, who, log, known)
    left = set(log.words().told)
    assert not left.intersection(known[who])
    assert left >= {memory_id for each in NAMES[:-1] for memory_id in known[each]}
