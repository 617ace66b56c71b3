"""A lasting wish to the bot is read where no phrase says it, and what only looks like one is not."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from bench.wishes.lasting.learning import digest
from services.consolidator.domain.rules import facts
from shared.language.statements.reading import WISHES, read
from tests.support.annotated_talks import said_turns

_WEIGHTS = resources.files("shared.language.statements").joinpath("lasting_weights.json")
_MOST_BYTES = 120_000
_WISHES = {
    "en": [
        "answer me in one sentence from now on",
        "i like short answers",
        "lists are easier for me",
        "whenever i ask for code, give me python",
        "each time we plan lunch remember im on a diet",
        "dont ever suggest seed oils",
        "i'm on a budget, so don't suggest expensive hotels",
        "if you could keep it short in general, that would be great",
        "it would be nice if you used celsius",
        "celsius please, generally",
        "stop recommending meditation to me",
        "no emojis in your answers please",
    ],
    "de": [
        "Könnten Sie bitte künftig kürzer antworten?",
        "duz mich",
        "kurze antworten sind mir lieber",
        "Wenn ich nach Code frage, nimm Python",
        "schlag mir nie was mit Palmöl vor",
        "Jedes Mal wenn wir das Essen planen, denk dran, dass ich vegan bin",
    ],
    "es": [
        "prefiero respuestas cortas",
        "no me recomiendes nunca carne",
        "cuando te pida código, usa python",
        "las listas me resultan más fáciles",
    ],
    "fr": [
        "je préfère des réponses courtes",
        "ne me propose jamais de viande",
        "quand je demande du code, utilise du python",
        "les listes c'est plus facile pour moi",
    ],
}
_OTHERS = {
    "en": [
        "make it shorter",
        "give me 3 ideas for tonight",
        "for the next answer use bullet points",
        "translate this into German",
        "explain inflation in simple words",
        "i always eat early",
        "i never drink coffee",
        "i like short films",
        "my boss says always cc him",
        "Always on my mind is a great song",
        "do you always use bullet points?",
        "should i always answer in full sentences?",
        "when i get home, remind me to call mum",
        "never mind",
        "the function should always return a list",
        'we danced to "Never stop" by somebody',
    ],
    "de": ["mach es kürzer", "ich esse immer früh", "mein Chef will immer Tabellen", "gib mir drei Ideen für heute Abend"],
    "es": ["hazlo más corto", "siempre ceno tarde", "mi jefe siempre quiere tablas", "dame tres ideas para esta noche"],
    "fr": [
        "fais plus court",
        "je mange toujours tôt",
        "mon chef veut toujours des tableaux",
        "donne-moi trois idées pour ce soir",
    ],
}


def _is_wish(text: str, language: str) -> bool:
    return any(slot.attribute in WISHES for slot in read(text, language=language).slots)


@pytest.mark.parametrize(("language", "text"), [(code, text) for code, texts in _WISHES.items() for text in texts])
def test_a_lasting_wish_is_read(language: str, text: str) -> None:
    assert _is_wish(text, language)


@pytest.mark.parametrize(("language", "text"), [(code, text) for code, texts in _OTHERS.items() for text in texts])
def test_what_is_for_once_or_of_others_is_no_lasting_wish(language: str, text: str) -> None:
    assert not _is_wish(text, language)


def test_a_wish_is_quoted_and_its_reason_is_kept() -> None:
    [fact] = facts(said_turns("user: I'm vegetarian, so never suggest meat"))
    assert "never suggest meat" in fact.text
    assert {slot.attribute for slot in fact.slots or ()} == {"diet", "answer style"}


def test_the_weights_are_few() -> None:
    assert len(_WEIGHTS.read_bytes()) <= _MOST_BYTES


def test_the_weights_are_those_of_the_sentences() -> None:
    assert json.loads(_WEIGHTS.read_text(encoding="utf-8"))["of"] == digest(), "learn them anew: python -m bench.wishes.lasting"
