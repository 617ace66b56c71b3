"""A wish to keep is kept, an assurance is true, and a sigh destroys nothing unasked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shared.contracts.errors import Incognito
from shared.contracts.events import EpisodeRecorded
from shared.contracts.privacy import ChatCommandRead, MemoryForgotten
from tests.support.commands import user_says
from tests.support.paper import AT_ONCE, PaperLog

POLICY = replace(AT_ONCE, languages=("en", "de", "es", "fr"))
TOLD = (
    "I collect stamps from Norway.",
    "My lawyer says I will lose the case.",
    "Ich sammle Briefmarken aus Norwegen.",
    "Colecciono sellos de Noruega.",
    "Je collectionne les timbres de Norvège.",
)
TO_KEEP = [
    "never forget this: my blood type is AB negative",
    "Never forget this, my blood type is AB negative.",
    "i dont wanna forget this: gate code 4411",
    "I don't want to forget this: the spare key is under the pot",
    "I never want you to forget this: the wifi is blue",
    "make sure you never forget that",
    "don't ever forget this, I am allergic to penicillin",
    "dont let me forget this: the spare key is with Ida",
    "never delete this: the code is in the drawer",
    "Do not erase this: my son is diabetic",
    "vergiss das nie: ich bin Diabetiker",
    "ich will das nicht vergessen: der Code liegt im Schrank",
    "Lösch das nie: ich bin Diabetiker",
    "no olvides nunca esto: soy alérgico a las nueces",
    "no quiero olvidar esto: la llave está en casa de Ida",
    "n'oublie jamais ceci : je suis allergique aux noix",
    "je ne veux pas oublier ça : la clé est chez Ida",
]
NOT_TO_KEEP = [
    "forget this: my blood type is AB negative",
    "don't save this, just forget it: my blood type is AB negative",
    "do not keep this: my blood type is AB negative",
    "please never store this: my blood type is AB negative",
    "dont tell anyone, forget this: my blood type is AB negative",
]
PRIVATE = [
    "begin a private session that isn't saved",
    "start a private chat that is not stored",
    "let's have a conversation that isn't recorded",
    "open a private conversation where nothing is saved",
    "Beginne ein privates Gespräch, das nicht gespeichert wird",
    "Empieza una sesión privada que no se guarde",
    "Commence une session privée qui n'est pas enregistrée",
]
SIGHS = [
    "forget everything you know about stamps, this one is worth 2 million",
    "Forget all you know about stamps: this one is worth 2 million!",
    "forget everything I said about stamps, I sold them all",
    "Vergiss alles, was du über Briefmarken weißt, diese ist 2 Millionen wert!",
    "Olvida todo lo que sabes de sellos, este vale 2 millones",
    "Oublie tout ce que tu sais sur les timbres, celui-ci vaut 2 millions",
]


@pytest.fixture
def log() -> PaperLog:
    log = PaperLog(POLICY)
    for text in TOLD:
        log.tell(user_says(text, "s0"))
    return log


def outcomes(log: PaperLog, text: str) -> list[tuple[str, str]]:
    return [(e.data.command, e.data.outcome) for e in log.tell(user_says(text)) if isinstance(e.data, ChatCommandRead)]


@pytest.mark.parametrize("text", TO_KEEP)
def test_a_wish_that_something_is_never_forgotten_is_kept(text: str, log: PaperLog) -> None:
    assert [event.data.text for event in log.tell(user_says(text)) if isinstance(event.data, EpisodeRecorded)] == [text]


@pytest.mark.parametrize("text", NOT_TO_KEEP)
def test_a_wish_that_something_is_not_kept_still_withholds_it(text: str, log: PaperLog) -> None:
    assert not any(isinstance(event.data, EpisodeRecorded) for event in log.tell(user_says(text)))


@pytest.mark.parametrize("text", PRIVATE)
def test_a_session_that_is_not_to_be_saved_withholds_what_follows(text: str, log: PaperLog) -> None:
    assert outcomes(log, text) == [("start_incognito", "done")]
    with pytest.raises(Incognito):
        log.tell(user_says("I stole a lamp."))


@pytest.mark.parametrize("text", SIGHS)
def test_a_sigh_destroys_nothing_unasked(text: str, log: PaperLog) -> None:
    events = log.tell(user_says(text))
    assert not any(isinstance(event.data, MemoryForgotten) for event in events)
    assert {each.texts[0] for each in log.words().told.values()} >= set(TOLD)


@pytest.mark.parametrize("text", ["that lawyer stuff, forget it", "the lawyer thing, forget about it", "My lawyer. Forget it!"])
def test_where_the_topic_is_known_it_is_asked_about_instead_of_reassuring(text: str, log: PaperLog) -> None:
    assert [outcome for _, outcome in outcomes(log, text)] == ["asked_back"]
    log.tell(user_says("yes"))
    assert not any("lawyer" in each.texts[0] for each in log.words().told.values())
    assert len(log.words().told) == len(TOLD) - 1
