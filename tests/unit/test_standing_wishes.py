"""Wishes to the bot that are to last, and sentences that look like them."""

import pytest

from shared.language.commands.standing_wishes import standing_wish

_WISHES = {
    "en": [
        "Please always answer in bullet points.",
        "never use emojis with me",
        "From now on call me Sam",
        "from now on, please reply in French",
        "Can you always give me metric units?",
        "Don't ever call me buddy",
        "I'd like you to always include sources.",
        "Keep your answers short from now on.",
        "Whenever I ask for code, use Python.",
        "you should never apologise",
        "Never forget that I'm vegan",
        "From now on, you're my coach",
        "Going forward, skip the small talk",
        "please stop using exclamation marks in your replies",
    ],
    "de": [
        "Bitte antworte immer auf Deutsch.",
        "Nenn mich ab jetzt Sam",
        "benutze nie Emojis",
        "Ab sofort bitte auf Englisch antworten.",
    ],
    "es": [
        "Responde siempre en español.",
        "nunca uses emojis",
        "A partir de ahora llámame Sam",
        "No uses nunca emojis conmigo",
    ],
    "fr": [
        "Réponds toujours en français.",
        "n'utilise jamais d'emojis",
        "À partir de maintenant, appelle-moi Sam",
        "tutoie-moi toujours",
    ],
    "it": ["Rispondi sempre in italiano.", "non usare mai emoji", "D'ora in poi chiamami Sam"],
    "pt": ["Responda sempre em português.", "nunca use emojis", "A partir de agora me chame de Sam"],
}
_OTHERS = {
    "en": [
        "never mind",
        "Always wanted to go to Peru.",
        "I never eat fish.",
        "make it shorter",
        "Never say never.",
        "She always calls me Sam.",
        "From now on I'll use the bus.",
        "Always a pleasure to talk to you",
        "Use the recipe I gave you.",
        "My boss said to always reply within an hour.",
        "Never used it.",
        "Do you always answer so fast?",
        "Never give up!",
        "call me tomorrow",
        "When you start it, let me know what you think.",
        "From now on it gets easier",
        "",
    ],
    "de": ["Ich esse nie Fisch.", "Immer diese Hitze.", "Ab jetzt esse ich vegan.", "Schreib mir eine Mail an den Chef."],
    "es": ["Nunca como pescado.", "Siempre quise ir a Perú.", "Escribe un correo a mi jefe."],
    "fr": ["Je ne mange jamais de poisson.", "Toujours pas de nouvelles.", "Écris un mail à mon chef."],
    "it": ["Non mangio mai pesce.", "Sempre la solita storia.", "Scrivi una mail al mio capo."],
    "pt": ["Nunca como peixe.", "Sempre quis ir ao Peru.", "Escreva um e-mail para o meu chefe."],
    "xx": ["always answer in bullet points"],
}


@pytest.mark.parametrize(("language", "said"), [(code, each) for code, all_ in _WISHES.items() for each in all_])
def test_a_wish_that_is_to_last_is_seen(language: str, said: str) -> None:
    assert standing_wish(said, language)


@pytest.mark.parametrize(("language", "said"), [(code, each) for code, all_ in _OTHERS.items() for each in all_])
def test_what_looks_like_it_is_none(language: str, said: str) -> None:
    assert not standing_wish(said, language)
