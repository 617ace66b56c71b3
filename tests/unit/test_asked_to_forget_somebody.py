"""Whoever asks in chat to forget somebody is heard, in thirty wordings of each language; only that person is forgotten."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.commands import user_says
from tests.support.paper import AT_ONCE, PaperLog
from tests.unit.test_forgetting import ids

PEOPLE = ("Greta", "Anna", "Peter", "Zoe", "Milan")
SAYING = {
    "en": "My colleague {} likes chess and long walks by the old harbour.",
    "de": "Meine Kollegin {} mag Schach und lange Spaziergänge am alten Hafen.",
    "es": "A mi colega {} le gusta el ajedrez y los paseos largos por el puerto viejo.",
    "fr": "Ma collègue {} aime les échecs et les longues promenades près du vieux port.",
}
YES = {"en": "yes", "de": "ja", "es": "sí", "fr": "oui"}
WISHES = {
    "en": """
Forget what I told you about {}.
Forget {}.
Please forget everything about {}.
Delete everything I said about {}.
Can you forget what I said about {}?
Forget about {}.
Erase {} from your memory.
Remove everything you know about {}.
I want you to forget {}.
Please delete all about {}.
Could you please forget {}?
forget everything you know about {}
Delete what you know about {}.
Remove {} from your memory.
Please erase everything about {}.
Forget all I told you about {}.
You can forget what I said about {}.
Forget what you know about {}, please.
Please remove what I told you about {}.
Forget that I mentioned {}.
Don't remember anything about {}.
I'd like you to delete everything about {}.
Wipe everything about {}.
Please forget that I told you about {}.
Delete your memories about {}.
Delete your memories of {}.
Forget the thing about {}.
Forget everything that has to do with {}.
Would you forget everything about {}?
Stop remembering {}.
""",
    "de": """
Vergiss, was ich dir über {} erzählt habe.
Vergiss {}.
Bitte vergiss alles über {}.
Lösche alles, was ich über {} gesagt habe.
Kannst du vergessen, was ich über {} gesagt habe?
Vergiss das mit {}.
Lösch {} aus deinem Gedächtnis.
Lösche alles, was du über {} weißt.
Ich möchte, dass du {} vergisst.
Bitte lösche alles über {}.
Könntest du bitte alles über {} vergessen?
vergiss alles, was du über {} weißt
Lösche, was du über {} weißt.
Entferne {} aus deinem Gedächtnis.
Bitte lösch alles zu {}.
Vergiss alles, was ich dir von {} erzählt habe.
Du kannst vergessen, was ich über {} gesagt habe.
Vergiss bitte, was du über {} weißt.
Bitte entferne, was ich dir über {} erzählt habe.
Vergiss, dass ich {} erwähnt habe.
Merk dir nichts über {}.
Ich will, dass du alles über {} löschst.
Streich alles über {}.
Bitte vergiss, dass ich dir von {} erzählt habe.
Lösche deine Erinnerungen an {}.
Lösche die Erinnerungen über {}.
Vergiss die Sache mit {}.
Vergiss alles, was mit {} zu tun hat.
Würdest du alles über {} vergessen?
Vergessen Sie alles über {}.
""",
    "es": """
Olvida lo que te conté sobre {}.
Olvida a {}.
Por favor, olvida todo sobre {}.
Borra todo lo que dije sobre {}.
¿Puedes olvidar lo que dije de {}?
Olvídate de {}.
Borra a {} de tu memoria.
Elimina todo lo que sabes de {}.
Quiero que olvides a {}.
Por favor, borra todo sobre {}.
¿Podrías olvidar todo sobre {}?
olvida todo lo que sabes de {}
Borra lo que sabes sobre {}.
Elimina a {} de tu memoria.
Por favor, elimina todo sobre {}.
Olvida todo lo que te dije de {}.
Puedes olvidar lo que dije sobre {}.
Olvida lo que sabes de {}, por favor.
Por favor, borra lo que te conté de {}.
Olvida que mencioné a {}.
No recuerdes nada de {}.
Me gustaría que borraras todo sobre {}.
Borra todo acerca de {}.
Por favor, olvida que te hablé de {}.
Borra tus recuerdos de {}.
Borra los recuerdos sobre {}.
Olvida lo de {}.
Olvida todo lo que tenga que ver con {}.
¿Olvidarías todo sobre {}?
Olvide todo sobre {}.
""",
    "fr": """
Oublie ce que je t'ai dit sur {}.
Oublie {}.
S'il te plaît, oublie tout sur {}.
Efface tout ce que j'ai dit sur {}.
Peux-tu oublier ce que j'ai dit de {} ?
Oublie tout à propos de {}.
Efface {} de ta mémoire.
Supprime tout ce que tu sais sur {}.
Je veux que tu oublies {}.
S'il te plaît, efface tout sur {}.
Pourrais-tu oublier tout sur {} ?
oublie tout ce que tu sais de {}
Efface ce que tu sais sur {}.
Retire {} de ta mémoire.
S'il te plaît, supprime tout sur {}.
Oublie tout ce que je t'ai dit de {}.
Tu peux oublier ce que j'ai dit sur {}.
Oublie ce que tu sais de {}, s'il te plaît.
S'il te plaît, efface ce que je t'ai raconté sur {}.
Oublie que j'ai mentionné {}.
Ne retiens rien sur {}.
J'aimerais que tu effaces tout sur {}.
Efface tout au sujet de {}.
S'il te plaît, oublie que je t'ai parlé de {}.
Efface tes souvenirs de {}.
Supprime les souvenirs sur {}.
Oublie l'histoire de {}.
Oublie tout ce qui concerne {}.
Oublierais-tu tout sur {} ?
Oubliez tout sur {}.
""",
}
CASES = [(code, wish) for code, wishes in WISHES.items() for wish in wishes.strip().splitlines()]


@pytest.mark.parametrize(("code", "wish"), CASES)
def test_only_the_one_who_is_named_is_forgotten(code: str, wish: str) -> None:
    log = PaperLog(replace(AT_ONCE, languages=tuple(dict.fromkeys(("en", code)))))
    known = {who: ids(log.tell(user_says(SAYING[code].format(who), "s1")))[0] for who in PEOPLE}
    log.tell(user_says(wish.format("Peter"), "s2"))
    if known["Peter"] in log.words().told:  # it asks
        log.tell(user_says(YES[code], "s2"))
    assert set(known.values()) - log.words().told.keys() == {known["Peter"]}
