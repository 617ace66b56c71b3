import pytest

from shared.contracts.parts import FactSlot
from shared.language.statements.attributes import holds_one
from shared.language.statements.language import statement_language
from shared.language.statements.reading import read_slots
from shared.language.statements.slots import ReadSlot
from shared.language.tables import CODES


def told(slot: ReadSlot) -> str:
    return f"{'not ' * slot.negated}{slot.subject}: {slot.attribute} = {slot.value}"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I live in Leeds.", ["user: home = leeds"]),
        ("The user lives in Leeds.", ["user: home = leeds"]),
        ("im living in a tiny flat in york these days", ["user: home = york"]),
        ("I've been living in York since May", ["user: home = york"]),
        ("im coeliac", ["user: condition = coeliac"]),
        ("My sister Nadia is pregnant", ["user: sister = nadia", "nadia: condition = pregnant"]),
        ("Nadia is pregnant", ["nadia: condition = pregnant"]),
        ("I work as a software engineer at Bosch", ["user: employer = bosch", "user: job = software engineer"]),
        ("My cat is called Wolfram", ["user: pet = wolfram"]),
        ("User has a cat called Wolfram", ["user: pet = wolfram"]),
        ("Lucy is my new flatmate", ["user: flatmate = lucy"]),
        ("I speak English, German and a bit of French", [f"user: language = {one}" for one in ("english", "german", "french")]),
        ("My kids are Mia and Jonas", ["user: child = mia", "user: child = jonas"]),
        ("the user is allergic to peanuts and shellfish", ["user: allergy = peanuts", "user: allergy = shellfish"]),
        ("my dentist appointment is on Tuesday at 3pm", ["user: dentist appointment = tuesday 15:00"]),
        ("I have a meeting with Tom on Monday at 10:30", []),
        ("my rent is £1,400", ["user: rent = 1400 gbp"]),
        ("I pay 1400 pounds in rent", ["user: rent = 1400 gbp"]),
        ("call me Leo", ["user: nickname = leo"]),
        ("Always answer in bullet points pls", ["user: answer style = always answer in bullet points pls"]),
        ("I no longer work for Siemens", ["not user: employer = siemens"]),
        ("I don't have a car", ["not user: car = None"]),
        ("my phone is +44 7700 900123", ["user: phone number = +447700900123"]),
        ("my car is red", []),
        ("The meeting is boring", []),
        ("I broke up the fight", []),
        ("I'm sorry for Tom", []),
        ("We used to have a dog when I was little", []),
        ("I ate meat yesterday", []),
        ("In the book, I live in a castle", []),
        ("I no longer live in Leeds because of work", ["not user: home = leeds"]),
        ("Where do I live?", []),
        ("I'm 5 minutes late", []),
        ("my mum told me she quit smoking", []),
        ("Ich wohne in einer WG in Berlin", []),
        ("Mein Sohn Jonas ist gegen Erdnüsse allergisch", ["user: child = jonas", "jonas: allergy = erdnüsse"]),
        ("J'ai un chat qui s'appelle Wolfram", ["user: pet = wolfram"]),
        ("Tengo una hermana que se llama Nadia", ["user: sister = nadia"]),
    ],
)
def test_a_sentence_states_exactly_these_slots(sentence: str, expected: list[str]) -> None:
    assert [told(slot) for slot in read_slots(sentence)] == expected


def test_the_names_of_the_speaker_and_the_user_are_the_user() -> None:
    assert [told(slot) for slot in read_slots("Anna Lind lives in Leeds", speaker="Anna Lind")] == ["user: home = leeds"]
    assert [told(slot) for slot in read_slots("Anna's sister lives in Leeds", user="Anna Lind")] == [
        "user's sister: home = leeds"
    ]


def test_a_value_says_what_it_replaces() -> None:
    assert read_slots("I moved from Leeds to York")[0].replaces == "leeds"
    assert read_slots("I live in York, not Leeds")[0].replaces == "leeds"
    assert read_slots("I live in Leeds. Scratch that, York.")[0].replaces == "leeds"


def test_only_a_sentence_that_says_nothing_else_is_whole() -> None:
    assert read_slots("I live in York now")[0].is_whole
    for more in ("because my sister works there", "and the weather is awful", "with my wife", "since May"):
        assert not any(slot.is_whole for slot in read_slots(f"I live in York {more}"))


@pytest.mark.parametrize(
    "sentence",
    [
        "maybe I'm moving to York",
        "next month I'm moving to York",
        "I think I live in York",
        "if I lived in York",
        "I should live in York",
    ],
)
def test_what_is_hedged_planned_or_supposed_states_no_slot(sentence: str) -> None:
    assert read_slots(sentence) == ()


def test_the_slot_of_a_statement_is_what_an_event_records() -> None:
    (read,) = read_slots("I moved from Leeds to York")
    assert type(read.slot) is FactSlot
    assert read.slot.model_dump() == read.model_dump(exclude={"is_whole", "says_more"})


@pytest.mark.parametrize(
    ("sentence", "employer"),
    [
        ("Tesco laid me off last week", "tesco"),
        ("my company made me redundant", None),
        ("the bakery let me go", "bakery"),
        ("my boss fired me", None),
    ],
)
def test_whoever_dismisses_the_user_ends_their_work(sentence: str, employer: str | None) -> None:
    work, job = read_slots(sentence)
    assert [told(work), told(job)] == [f"not user: employer = {employer}", "not user: job = None"]
    assert work.replaces == employer


@pytest.mark.parametrize(
    ("sentence", "language", "expected"),
    [
        ("Seit Mai wohne ich in Leipzig", "de", ["user: home = leipzig"]),
        ("Wir sind im Sommer nach Hamburg gezogen", "de", ["user: home = hamburg"]),
        ("ayer me despidieron", "es", ["not user: employer = None", "not user: job = None"]),
        ("last month I moved to York", "en", ["user: home = york"]),
    ],
)
def test_words_that_say_when_may_stand_anywhere_in_a_clause(sentence: str, language: str, expected: list[str]) -> None:
    assert [told(slot) for slot in read_slots(sentence, language=language)] == expected


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("I don't drink alcohol today", "en"),
        ("hoy no como carne", "es"),
        ("oggi non bevo alcol", "it"),
        ("hoje não bebo álcool", "pt"),
    ],
)
def test_what_somebody_takes_today_says_nothing_of_tomorrow(sentence: str, language: str) -> None:
    assert read_slots(sentence, language=language) == ()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Korrigier bitte: Ich bin Koch. Ich wohne in Essen.", "de"),
        ("Corrige este texto: Soy cocinero. Vivo en Murcia.", "es"),
        ("Peux-tu corriger ça : je suis cuisinier. J'habite à Lens.", "fr"),
        ("Scrivi una storia: sono un pilota e vivo a Roma.", "it"),
        ("Resuma: moro em Roma e sou padeiro.", "pt"),
    ],
)
def test_a_text_that_is_handed_over_in_another_language_states_nothing(text: str, language: str) -> None:
    assert read_slots(text, language=language) == ()


@pytest.mark.parametrize(
    ("sentence", "language"),
    [("trabajo en Madrid", "es"), ("lavoro a Milano", "it"), ("je travaille à Lyon", "fr"), ("trabalho em Lisboa", "pt")],
)
def test_a_place_is_no_employer(sentence: str, language: str) -> None:
    assert read_slots(sentence, language=language) == ()


@pytest.mark.parametrize("code", CODES)
def test_every_appointment_of_a_language_has_one_time(code: str) -> None:
    assert all(holds_one(event) for event in statement_language(code).lists.get("event", ()))
