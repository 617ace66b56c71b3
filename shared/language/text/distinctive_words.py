"""Words by which statements are told apart, or are not: what goes with many things, what everybody uses, what opens a line."""

from collections.abc import Sequence
from functools import cache

from shared.language.text.calendar import MONTHS
from shared.language.text.homonyms import HOMONYMS
from shared.language.text.languages import STOP_WORDS
from shared.language.text.phrasing import ENGLISH
from shared.language.text.stemming import stem

_LIGHT = """get got gotten go goes gone going went come came take took taken make made give gave put let keep kept live
    lived be being did done seem feel felt think thought know knew want need use used call ask tell see saw seen find
    found look try tried start stop leave left happen become became stay like love enjoy mention remember remind mean
    sure maybe still already again always never often sometimes usually every each once twice today yesterday tomorrow
    tonight morning afternoon evening night day week month year hour minute ago since last next now soon later early
    late first second new old one two three four five six seven eight nine ten half mg kg km ml lot few little big good great
    bad else someone somebody something anyone anything everyone nobody thing people person way kind sort currently recently
    actually only even both back away around together please sorry thanks quite pretty context note profil summari fact
    reminder user monday tuesday wednesday thursday friday saturday sunday jetzt heute gestern morgen wieder immer noch
    schon oft seit jahr jahre woche tag geht gehen macht machen ahora hoy ayer siempre ya todavia vez ano dia semana
    hace maintenant hier toujours encore depuis annee jour semaine"""
_FOREIGN = """tengo tiene tenemos quiero hablo vivo estoy soy somos trabajo necesito puedo voy hago creo odio buenas buenos hola
    gracias muchas mucha hemos manana hoy ayer vivimos habito habite habitons prends travaille appelez ecrivez faites merci
    bonjour wohne arbeite habe lebe bin moin danke also leider vielleicht gestern heute morgen"""
_NAMES_TOO = "mia ella ben dan elle lui per den son an"
SAME = {
    short: long
    for long, shorts in {
        "father": "dad daddi papa pa",
        "mother": "mum mom mommi mummi mama mam",
        "grandmother": "grandma granni nan nana gran",
        "grandfather": "grandpa grandad granddad",
        "husband": "hubbi",
        "brother": "bro",
        "sister": "sis",
        "child": "kid kiddo children",
    }.items()
    for short in shorts.split()
}
"""Stems of what people say for each other."""
NOTHING_SAID = frozenset("call name hes shes mr mrs ms dr miss sir heiss heisst dr prof s".split())  # noqa: SIM905
_BESIDE_NAMES = """avenue bad city company dean doctor east french german google hospital house los mount new north old park
    road saint san school guten tag morgen abend hallo liebe moin servus bonjour salut hola ciao
    south spanish street texas united university"""
_EVERYDAY = """account address age allergic allergy anniversary apartment appointment baby birthday boss boy boyfriend
    breakfast brother budget bus business car cat chat child children city class coffee colleague company conversation
    country dad date daughter day diet dinner dog drink email exam exercise family father favourite favorite fish flat
    flight food friend friends fun game garage garden girl girlfriend grandma grandpa gluten gym hair hamster health
    hobby holiday home hospital hotel house husband idea illness interview job kid kids language life list lunch meal
    medicine meeting mom money morning mother movie mum music name neighbor neighbour night number office parents
    partner party people pet phone picture pill place plan plans play problem project question relationship rent
    restaurant running salary school secret sex shop shopping sister sleep son song sport story study table talk tea
    teacher test thing time town train travel trip vacation walk water weather wedding week weekend weight wife wine
    word work year chef mann frau sohn tochter mutter vater bruder schwester freund freundin arbeit hund katze auto haus
    wohnung geld urlaub arzt kind kinder eltern oma opa adresse nummer gehalt marido mujer esposo esposa hijo hija madre
    padre hermano hermana novio novia jefe jefa amigo amiga trabajo perro gato coche casa piso dinero medico abuela
    abuelo direccion numero mari femme fils fille mere pere frere soeur copain copine ami amie travail chien chat
    voiture maison argent medecin"""


@cache
def plain() -> frozenset[str]:
    """Words that may be part of a name, but are none alone."""
    return frozenset(map(stem, (*_BESIDE_NAMES.split(), *ENGLISH, *MONTHS)))


@cache
def homonyms() -> frozenset[str]:
    """Names that are words as well."""
    return frozenset(map(stem, HOMONYMS))


@cache
def everyday() -> frozenset[str]:
    """Words that everybody uses about many things."""
    return frozenset(map(stem, _EVERYDAY.split())) | plain()


@cache
def light_words() -> frozenset[str]:
    """Words that go with many things, as `last` and `week`."""
    return frozenset(map(stem, _LIGHT.split())) | frozenset(map(stem, MONTHS))


@cache
def foreign() -> frozenset[str]:
    """Words that open sentences in other languages than English, there with a capital."""
    stops = (word for words in STOP_WORDS.values() for word in words)
    return frozenset(map(stem, (*_FOREIGN.split(), *stops))) - frozenset(_NAMES_TOO.split())


@cache
def only_english() -> frozenset[str]:
    """Stop words of English that no other of the languages has."""
    return STOP_WORDS["en"].difference(*(words for language, words in STOP_WORDS.items() if language != "en"))


@cache
def stop_stems(language: str, *, is_told: bool) -> frozenset[str]:
    """The stems of the stop words of a language; of all where English is only assumed, as of `mein Chef`."""
    languages = [language] if is_told or language != "en" else STOP_WORDS
    return frozenset(stem(word) for each in languages for word in STOP_WORDS[each])


def language_of(words: Sequence[str]) -> str:
    """The language with the most stop words among these; English unless another has more, and two that English lacks.

    What was forgotten is stored by the words that are told apart so: hence not `detect_language`.

    >>> language_of(["wann", "war", "ich", "in", "berlin"]), language_of(["war", "in", "europe"])
    ('de', 'en')
    """
    english = STOP_WORDS["en"]
    rest = [word for word in words if word not in english]
    of_english = len(words) - len(rest)
    others = {language: sum(map(stops.__contains__, rest)) for language, stops in STOP_WORDS.items() if language != "en"}
    best = max(others, key=others.__getitem__)
    return best if others[best] > max(of_english, 1) else "en"
