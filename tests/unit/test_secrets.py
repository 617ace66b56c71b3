"""Secrets are found by their shape or by the words beside them, in four languages; what only looks like one is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.text.secret_shapes import is_card, passes_luhn
from shared.text.secrets import find_secrets, kinds_masked, masked_as

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r"
FRAMED = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----"
GITHUB = "ghp_" + "aB3" * 12

BY_WORDS = [
    ("My password is hunter2", "hunter2", "password"),
    ("my wifi password is: Tr0ub4dor&3!", "Tr0ub4dor&3!", "password"),
    ("the password for netflix is sunshine", "sunshine", "password"),
    ("the wifi pass is sunny42day", "sunny42day", "password"),
    ("my password is correct horse battery staple", "correct horse battery staple", "password"),
    ('my password is "my dog ate 9"', "my dog ate 9", "password"),
    ("PASSWORD=Pa55w0rd", "Pa55w0rd", "password"),
    ("username: anna, password: hunter2.", "hunter2", "password"),
    ("hunter2 is my wifi password", "hunter2", "password"),
    ("use Abc123xy as the password", "Abc123xy", "password"),
    ("I changed my password to sunshine", "sunshine", "password"),
    ("My password was changed to Winter2025", "Winter2025", "password"),
    ("the netflix password's hunter2", "hunter2", "password"),
    ("my passcode is 928374", "928374", "password"),
    ("Passwort lautet geheimer7Hund", "geheimer7Hund", "password"),
    ("mein Passwort ist Sonnenschein.", "Sonnenschein", "password"),
    ("Mein WLAN-Passwort: katze99", "katze99", "password"),
    ("Ich habe mein Passwort auf Winter23 geändert", "Winter23", "password"),
    ("das Kennwort fürs WLAN ist Apfelbaum", "Apfelbaum", "password"),
    ("mi contraseña es Gato123", "Gato123", "password"),
    ("la contraseña de mi correo es Luna2019!", "Luna2019!", "password"),
    ("mon mot de passe est chat1234", "chat1234", "password"),
    ("le mot de passe du wifi est soleil", "soleil", "password"),
    ("mdp : azerty", "azerty", "password"),
    ("my pin is 4711", "4711", "pin"),
    ("My PIN: 4711.", "4711", "pin"),
    ("my pin's 4711", "4711", "pin"),
    ("the PIN for my card is 4 7 1 1", "4 7 1 1", "pin"),
    ("my pin is four seven one one", "four seven one one", "pin"),
    ("4711 is my pin", "4711", "pin"),
    ("My bank PIN is now 5520", "5520", "pin"),
    ("meine PIN lautet 8824", "8824", "pin"),
    ("Die PIN meiner Karte ist 4711", "4711", "pin"),
    ("mi pin es 9012", "9012", "pin"),
    ("mon code pin est 3344", "3344", "pin"),
    ("my cvv is 931", "931", "code"),
    ("the door code is 4821#", "4821#", "code"),
    ("The code for the front door is 2580", "2580", "code"),
    ("combination to the safe is 12-34-56", "12-34-56", "code"),
    ("el código de la alarma es 5567", "5567", "code"),
    ("le code de la porte est 45B12", "45B12", "code"),
    ("token is 8f3kdk29dkf03k", "8f3kdk29dkf03k", "key"),
    ("my api key is 9f8a7b6c5d4e3f2a1b", "9f8a7b6c5d4e3f2a1b", "key"),
    ("la clave del wifi es Perro2020", "Perro2020", "key"),
    (
        "seed phrase is abandon ability able about above absent absorb abstract",
        "abandon ability able about above absent absorb abstract",
        "recovery phrase",
    ),
]
BY_SHAPE = [
    ("pay with 4111 1111 1111 1111 please", "4111 1111 1111 1111", "card number"),
    ("My card: 5555-5555-5555-4444.", "5555-5555-5555-4444", "card number"),
    ("my amex is 378282246310005", "378282246310005", "card number"),
    ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE", "key"),
    (f"here: {GITHUB}", GITHUB, "key"),
    ("use sk-proj-abcdefghijkl1234567890ABCD", "sk-proj-abcdefghijkl1234567890ABCD", "key"),
    ("123456789:AAabcdefghijklmnopqrstuvwxyz0123456", "123456789:AAabcdefghijklmnopqrstuvwxyz0123456", "key"),
    (f"it says {JWT}", JWT, "token"),
    ("Authorization: Bearer abcdefghij1234567890xyz", "abcdefghij1234567890xyz", "token"),
    ("postgres://anna:s3cret@db.host/x", "s3cret", "password"),
    (f"look:\n{FRAMED}\nbye", FRAMED, "private key"),
]
LOOK_ALIKES = [
    "my pin board is 120 cm wide",
    "I pinned 3 notes",
    "pin 2023 notes to the board",
    "pin 13 is the LED",
    "the PIN has 4 digits",
    "The PIN was sent on 12.05.2026",
    "My PIN is easy to remember",
    "My birthday is 1990-05-12, my PIN is secret",
    "meine Pinnwand ist 120 cm breit",
    "I use a password manager",
    "1Password is my password manager",
    "my password is weak",
    "the password is really long",
    "my password is 16 characters long",
    "my password is 12345 days old",
    "my password expires on 12.05.2027",
    "My password reset is due 12/05/2027",
    "password policy: 12 characters",
    "password: required",
    "I forgot my password",
    "I changed my password today",
    "I changed my password to something stronger",
    "My password is the same everywhere",
    "The password is on the fridge.",
    "is my password safe?",
    "what is my password?",
    "Passwort vergessen",
    "Mein Passwort ist zu lang",
    "Mi contraseña es muy larga",
    "mon mot de passe est trop long",
    "call me at +49 151 12345678",
    "my number is 555-0100",
    "order number 4556737586899855",
    "my order 4111111111111111 has not come",
    "flight LH1234 on 2026-05-03",
    "it costs 1234.50 €",
    "account number 12345678",
    "IBAN DE89 3704 0044 0532 0130 00",
    "tracking number 1Z999AA10123456784",
    "ISBN 978-3-16-148410-0",
    "1234567812345678",
    "session 550e8400-e29b-41d4-a716-446655440000",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "my zip code is 90210",
    "confirmation code ABC123",
    "the key is patience",
    "the key to success is hard work 24/7",
    "the key dates: 2024-05-01 and 2024-06-01",
    "keys are in room 4512",
    "my token of love",
    "the token count is 12000",
    "my secret is that I love him",
    "the secret is to add salt",
    "la clave es la paciencia",
    "la clé du bonheur est simple",
    "seed the lawn is best in May with much water and love",
]


@pytest.mark.parametrize(("text", "secret", "kind"), [*BY_WORDS, *BY_SHAPE])
def test_a_secret_is_found_whole_with_its_kind(text: str, secret: str, kind: str) -> None:
    assert [(text[found.start : found.end], found.kind) for found in find_secrets(text)] == [(secret, kind)]


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_looks_like_a_secret_is_left_alone(text: str) -> None:
    assert find_secrets(text) == []


def test_every_secret_of_a_text_is_found() -> None:
    text = "My passwords are hunter2 and summer99, the PIN went from 1234 to 9876; card 4111111111111111, cvv 123."
    assert [text[found.start : found.end] for found in find_secrets(text)][:2] == ["hunter2", "summer99"]
    changed = "I changed my pin from 1234 to 9876"
    assert [changed[found.start : found.end] for found in find_secrets(changed)] == ["1234", "9876"]


def test_what_is_masked_is_not_found_again() -> None:
    mask = masked_as("password", "kqxzbdfg")
    assert find_secrets(f"My password is {mask}, and {mask} is my PIN.") == []
    assert kinds_masked(f"{mask} {masked_as('card number', 'bcdfghjk')}") == ["password", "card number"]


@given(st.integers(0, 10**15 - 1), st.integers(1, 9))
def test_of_all_check_digits_one_passes(number: int, wrong: int) -> None:
    right = next(digit for digit in range(10) if passes_luhn(f"{number}{digit}"))
    assert not passes_luhn(f"{number}{(right + wrong) % 10}")


@pytest.mark.parametrize("digits", ["4111111111111112", "0000000000000000", "411111111111111", "9111111111111115"])
def test_what_no_issuer_could_have_given_is_no_card(digits: str) -> None:
    assert not is_card(digits)
