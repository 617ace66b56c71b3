"""Sentences that tell of a change, compared with what is known: what ends, what has another value, and what nobody meant."""

from __future__ import annotations

import pytest

from services.consolidator.domain.rules import RuleExtractor
from shared.statements.comparing import compared, compared_fact, outdated
from tests.support.chat_endpoint import known, said

ENDED = [
    ("The user is on keto.", "quit keto. bread is life"),
    ("The user has got Spotify Premium.", "I switched from Spotify to Tidal"),
    ("The user is taking Spanish lessons on Tuesdays.", "I dropped the Spanish lessons"),
    ("The user and others have a dog named Biscuit.", "had to rehome Biscuit, landlord rules"),
    ("The user is on metformin for the user's diabetes.", "My doctor took me off metformin."),
    ("The user has braces.", "got my braces off today!!"),
    ("The user sees a therapist named Dr. Gupta.", "I stopped seeing Dr. Gupta, I see Dr. Moreno now"),
    ("The user's flatmate is Jonas from Bremen.", "Jonas moved out"),
    ("The user's partner Luca and the user have been together four years.", "Luca and I broke up in the autumn"),
    ("The user always flies with Ryanair.", "I don't fly Ryanair anymore."),
    ("The user wants to learn the violin.", "I don't want to learn the violin any more."),
    ("The user plays bingo at the Elks lodge.", "I quit going to bingo."),
    ("The user's husband drives for Uber.", "My husband stopped driving for Uber, he delivers for Amazon."),
    ("The user works at Nokia.", "Nokia let me go in the last round of layoffs."),
    ("Der Nutzer sagte: „Ich geh dreimal die Woche zum Handball“.", "Ich habe mit Handball aufgehört."),
    ("Der Nutzer sagte: „Ich nehme Marcumar“.", "Marcumar wurde abgesetzt, ich nehme jetzt Eliquis."),
    ("El usuario dijo: «Tengo un Seat Ibiza».", "He vendido el Ibiza."),
    ("El usuario dijo: «Estoy casada con Manolo».", "Manolo y yo nos hemos divorciado."),
    ("L'utilisateur a dit : « J'ai une Peugeot 208 ».", "J'ai vendu la Peugeot."),
    ("L'utilisateur a dit : « Je prends du doliprane tous les jours ».", "Je ne prends plus de doliprane."),
]
CHANGED = [
    ("The user's mortgage payment is $1,450.", "we refinanced, mortgage payment is $1,280 now"),
    ("The user's cholesterol is 250.", "Cholesterol came back at 190 this time."),
    ("The user drinks four cups of coffee a day.", "cut down to one cup of coffee a day"),
    ("The report's due Monday.", "boss moved the report to Wednesday"),
    ("The user goes to the gym three times a week.", "I only go to the gym once a week these days."),
    ("The user usually sleeps about five hours.", "since the new mattress I sleep seven hours a night"),
    ("The user's manager is called Fiona.", "my manager's Desmond now"),
    (
        "The user's email is tom.hardwick@hotmail.co.uk.",
        "I've moved over to tom@hardwick.scot, please don't use the hotmail one",
    ),
    ("The user's number is 0131 496 0022.", "got a new number, it's 0131 496 0788"),
    ("The user has a dentist appointment on 3 December at 10am.", "The dentist rang, my appointment is on 10 December now."),
    ("Der Nutzer sagte: „Ich gehe montags zur Physiotherapie“.", "Die Physiotherapie ist jetzt immer donnerstags."),
    ("El usuario dijo: «La gimnasia es los lunes».", "Han cambiado la gimnasia a los miércoles."),
    ("L'utilisateur a dit : « Mon adresse mail est odile@a.example ».", "J'ai changé d'adresse mail, c'est odile@b.example."),
]
BESIDE = [
    ("The user is on keto.", "my sister quit keto"),
    ("The user is on keto.", "I might quit keto next month"),
    ("The user is on keto.", "if I quit keto I would eat bread"),
    ("The user is on keto.", "I almost quit keto"),
    ("The user is on keto.", "I didn't quit keto"),
    ("The user's sister Anna is on keto.", "I quit keto"),
    ("The user's sister is called Luca.", "Luca and I broke up"),
    ("The user works at Bosch.", "I stopped taking the bus to Bosch"),
    ("The user has Netflix.", "I stopped watching the cooking show about bread and butter on Netflix"),
    ("The user's blood sugar is usually around 7.", "I stopped taking sugar in my tea"),
    ("The user drinks four cups of coffee a day.", "I also drink one cup of tea a day now"),
    ("The user has a hairdresser appointment on Friday.", "My dentist appointment is on Monday now."),
    ("The user's daughter is in year 3.", "My son is in year 5 now."),
    ("The user's friend Anna is in Paris.", "My friend Ben is in London now."),
    ("The user speaks French.", "I speak Italian too now."),
    ("The user has a boyfriend.", "My sister broke up with her boyfriend."),
    ("The user quit smoking.", "I quit smoking"),
    ("The user is allergic to bees.", "I'm not allergic to cats anymore, the shots worked."),
    ("The user is still working on the dance studio.", "I went to a fair to show off my studio"),
    ("Last Friday the user went to a counselling workshop.", "I just joined a new counselling group last Tuesday"),
    ("The user has a Civic.", 'The ad said: "sold my Civic, bought happiness".'),
    ("The user lives in York.", "I sold the bike"),
    ("Der Nutzer sagte: „Ich spiele Handball“.", "Wenn ich kein Handball mehr spiele, habe ich Zeit."),
    ("El usuario dijo: «Tengo un perro».", "Mi hermana vendió el coche."),
]


@pytest.mark.parametrize(("old", "new"), ENDED + CHANGED)
def test_a_change_outdates_what_it_names_or_gives_another_value(old: str, new: str) -> None:
    others = ("The user lives in York.", "The user likes tea.")
    assert outdated(compared(new), [compared_fact(text) for text in (others[0], old, others[1])]) == [1]


@pytest.mark.parametrize(("old", "new"), BESIDE)
def test_what_is_not_certain_or_about_something_else_outdates_nothing(old: str, new: str) -> None:
    assert outdated(compared(new), [compared_fact(old)]) == []


def test_where_two_facts_are_meant_alike_none_is_outdated() -> None:
    facts = [compared_fact(f"The user's {whose} appointment is on Friday.") for whose in ("dentist", "hairdresser")]
    assert outdated(compared("my appointment is on Monday now"), facts) == []


@pytest.mark.parametrize(("old", "new"), ENDED + CHANGED)
async def test_what_outdates_a_known_fact_is_learned_and_supersedes_it(old: str, new: str) -> None:
    facts = await RuleExtractor().extract(said(new, speaker=None), known=known("The user likes tea.", old))
    assert [fact.supersedes for fact in facts if fact.supersedes] == [("fact_2",)]


async def test_of_what_is_known_nothing_is_learned() -> None:
    assert await RuleExtractor().extract(said("What a day!"), known=known("The user is on keto.")) == []
