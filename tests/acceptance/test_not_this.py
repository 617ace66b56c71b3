"""What a person asks not to keep rests nowhere, nor does the bot's answer; look-alikes are ordinary turns."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from shared.language.commands.reading import read_chat_command
from tests.acceptance.everywhere import found
from tests.acceptance.processes import Bot, Installation

PRIVATE = [
    "dont remember this: im seeing a therapist about zorbifers",
    "don't save this but my boss collects zorbifers",
    "off the record: I stole the zorbifers",
    "between us, dont write this down, zorbifers are overrated",
    "please do not store this, I owe him nine zorbifers",
    "My salary is nine zorbifers, don't save that",
    "I sold the zorbifers. Please don't remember that.",
    "this stays between you and me: the zorbifers are fake",
    "I'm the zorbifers man, keep that between us",
    "pls dont log this... my ex came back for the zorbifers",
    "I owe him 400 zorbifers (don't note that)",
    "Don't write this down anywhere. I hate zorbifers.",
    "I was fired over zorbifers. And don't you dare save that",
    "my weight is 120 zorbifers pls dont save that lol",
    "can you not save this? i had the zorbifers removed",
]
OTHER_WORDS = [
    "shh keep this one to urself, no saving: i sold the zorbifers",
    "could this msg not go into ur memory? the zorbifers are back",
    "i hate my zorbifers. #dontsave",
    "I relapsed with the zorbifers. Erase that from your memory.",
    "i relapsed with the zorbifers, delete that please",
    "i relapsed with the zorbifers, pls dont keep that in mind",
    "I need advice, off the record. The zorbifers are back.",
    "off the books: the zorbifers are back",
    "a little secret between us: the zorbifers are back",
    "Please treat the following confidentially: the zorbifers are back",
    "I'd rather this didn't end up in your memory: the zorbifers are back",
    "the zorbifers are back. top secret!",
    "Don´t save this, the zorbifers are back",
    "don`t save this, the zorbifers are back",
    "don’t save this – the zorbifers are back",
    "ths isnt 4 ur memory btw i got zorbifers",
    "nothing in this message should be remembered. The party for the zorbifers is on the 14th",
    "i sold the zorbifers please dont save this because my mum reads along",
    "Since my mum reads along, don't save this: I sold the zorbifers.",
    "For privacy reasons do not store this: I sold the zorbifers",
    "You aren't recording this, are you? I sold the zorbifers.",
    "I sold the zorbifers. Please leave no trace of it.",
    "CONFIDENTIAL!! i sold the zorbifers",
    "Do not save. I sold the zorbifers.",
    "i sold the zorbifers / dont save",
    "btwn us: i sold the zorbifers",
    "please never bring this up: I sold the zorbifers",
    "going off the record here: i sold the zorbifers",
    "turn off memory for this message: i sold the zorbifers",
    "Could you please not store what I'm about to tell you: I sold zorbifers in 2011.",
    "Confidential: I'm suing the zorbifers",
    "top secret: we're moving to the zorbifers",
    "keep this to yourself, but I earn nine zorbifers",
    "I'm telling you this in confidence: the zorbifers are going under",
    "None of this should be saved. I'm leaving with the zorbifers on Friday.",
    "I don't want that in your memory, the zorbifers won",
    "I lost the zorbifers. Not to be remembered please.",
    "without saving it: what do I do about my zorbifers?",
    "Would it be ok not to save this? I sold the zorbifers.",
    "could u maybe not write this one down, i sold the zorbifers",
    "Here's something I don't want saved: I sold the zorbifers.",
    "Something I don't want you to keep: I sold the zorbifers.",
    "Can I tell you something in confidence? I sold the zorbifers.",
    "I have a confession, don't write it down: I sold the zorbifers.",
    "treat this as private, i sold the zorbifers",
    "What I tell you now stays between us. I sold the zorbifers.",
    "hey, before i start: don't save what i'm going to say. I sold the zorbifers.",
    "I sold the zorbifers [don't save]",
    "i sold the zorbifers!! dont save!!",
    "i sold the zorbifers. no record of that please",
    "I sold the zorbifers. This message should not be saved.",
    "I sold the zorbifers. But you didn't hear that from me.",
    "I sold the zorbifers, forget i told you",
    "I sold the zorbifers. Forget that.",
    "I sold the zorbifers. Delete this message.",
    "dnt save ths - i sold the zorbifers",
    "plz dnt rember this i sold the zorbifers",
    "u dont need to save this, just venting: the zorbifers are idiots",
    "you must never store that, the zorbifers are mine",
    "A. B. C. I sold the zorbifers. Don't save this. It was the right thing. I had no choice. And so on. Bye.",
]
IN_OTHER_LANGUAGES = [
    "Ich wurde gefeuert. Vergiss das.",
    "Me despidieron. Olvida eso.",
    "On m'a viré. Oublie ça.",
    "Bitte nicht speichern: ich hab nächste Woche ein Bewerbungsgespräch bei Zeppelin",
    "unter uns, merk dir das nicht - meine Schwiegermutter Gerlinde nervt total",
    "merk dir das bitte nicht: ich bin schwanger",
    "Speichere das nicht, aber ich bin schwanger",
    "speicher das bloß nicht, ich bin schwanger",
    "Ich bin schwanger, aber das bleibt unter uns",
    "das bleibt zwischen uns: ich bin schwanger",
    "Ganz im Vertrauen: ich bin schwanger",
    "vertraulich: ich bin schwanger",
    "Behalt das bitte für dich, ich bin schwanger.",
    "Schreib das nirgends auf, ich bin schwanger",
    "schreibs dir nicht auf: ich bin schwanger",
    "Ich bin schwanger. Das soll nicht gespeichert werden.",
    "Ich bin schwanger. Bitte nicht merken!",
    "ich bin schwanger (nicht speichern)",
    "Du brauchst dir das nicht zu merken, aber ich bin schwanger",
    "Ich möchte nicht, dass du das speicherst: ich bin schwanger",
    "Mir wäre lieber, du speicherst das nicht. Ich bin schwanger.",
    "Könntest du das bitte nicht speichern? Ich bin schwanger.",
    "Kannst du das folgende nicht speichern: ich bin schwanger",
    "nicht fürs Protokoll: ich bin schwanger",
    "Das ist nichts für dein Gedächtnis: ich bin schwanger",
    "erzähl das keinem weiter, ich bin schwanger",
    "no guardes esto porfa, estoy embarazada de ocho semanas",
    "Que quede entre nosotros y no lo apuntes: mi jefe Evaristo bebe en el trabajo",
    "no recuerdes esto: estoy embarazada",
    "No lo guardes, pero estoy embarazada",
    "por favor no guardes esto, estoy embarazada",
    "entre nosotros: estoy embarazada",
    "entre tú y yo, estoy embarazada",
    "Esto queda entre nosotros. Estoy embarazada.",
    "Estoy embarazada, que no salga de aquí",
    "estoy embarazada, no lo apuntes",
    "estoy embarazada. No guardes eso por favor",
    "Estoy embarazada (no lo guardes)",
    "confidencial: estoy embarazada",
    "esto es confidencial, estoy embarazada",
    "En confianza, estoy embarazada",
    "No quiero que guardes esto: estoy embarazada",
    "Prefiero que no guardes esto. Estoy embarazada.",
    "no anotes esto en ningún sitio: estoy embarazada",
    "¿puedes no guardar esto? estoy embarazada",
    "no se lo digas a nadie, estoy embarazada",
    "ne garde pas ça en mémoire stp : j'ai raté mon permis à Rennes",
    "n'enregistre pas ça : je suis enceinte",
    "N'enregistrez pas ceci, mais je suis enceinte",
    "ne retiens pas ça, je suis enceinte",
    "ne note pas ça stp je suis enceinte",
    "garde pas ça, je suis enceinte",
    "enregistre pas ça stp, je suis enceinte",
    "entre nous, je suis enceinte",
    "Entre toi et moi : je suis enceinte",
    "que ça reste entre nous, je suis enceinte",
    "Je suis enceinte, mais ça reste entre nous",
    "Je suis enceinte. Ne l'enregistre pas.",
    "je suis enceinte (à ne pas enregistrer)",
    "confidentiel : je suis enceinte",
    "C'est confidentiel : je suis enceinte",
    "Merci de ne pas enregistrer ça. Je suis enceinte.",
    "Je ne veux pas que tu enregistres ça : je suis enceinte",
    "je préfère que tu ne gardes pas ça. je suis enceinte",
    "tu peux ne pas enregistrer ça ? je suis enceinte",
    "n'en parle à personne, je suis enceinte",
]
LONG = [
    "dont remember this: " + "the zorbifers go on and on " * 60,
    "the zorbifers go on and on " * 60 + ", but don't save that",
]
LOOK_ALIKES_IN_OTHER_LANGUAGES = [
    "Ich merke mir das nicht, ich schreibe alles auf",
    "Ich kann mir das nicht merken",
    "Merk dir bitte, dass ich schwanger bin",
    "merk dir das: ich bin Vegetarier",
    "Speichere das bitte: ich bin Vegetarier",
    "Er sagte: speicher das nicht",
    "Warum speicherst du das nicht?",
    "Das Wort speichern wir nicht als Fremdwort",
    "Unter uns wohnt eine Familie mit drei Kindern",
    "Unter uns Kollegen duzen wir uns",
    "zwischen uns liegen 300 km",
    "Mein Job ist vertraulich, mehr sag ich nicht",
    "Ich vertraue dir",
    "Das Handy kann das Foto nicht speichern",
    "Bitte nicht vergessen: ich bin Vegetarier",
    "Vergiss das nicht: ich bin Vegetarier",
    "Wie speichere ich das nicht automatisch?",
    "Meine Mutter sagt, ich soll das nicht aufschreiben",
    "nicht merken heißt vergessen",
    "Behalte das im Kopf: ich bin Vegetarier",
    "No me acuerdo de esto",
    "no guardo rencor a mi ex",
    "No olvides esto: soy vegetariana",
    "guarda esto: soy vegetariana",
    "Mi madre me dijo: no guardes esto",
    "Entre nosotros hay 12 años de diferencia",
    "Entre tú y mi hermano hay 3 sillas",
    "¿Por qué no guardas esto?",
    "No guardes el archivo en el escritorio",
    "No apuntes con el dedo",
    "mi trabajo es confidencial",
    "Tengo un diario privado",
    "confío en mi médico",
    "no quiero que olvides esto: soy vegetariana",
    "No puedo guardar esto en el móvil",
    "je ne retiens pas les noms",
    "N'oublie pas ça : je suis végétarienne",
    "Note ça : je suis végétarienne",
    "garde ça en tête : je suis végétarienne",
    "Ma mère m'a dit : ne garde pas ça",
    "Entre nous il y a 12 ans d'écart",
    "Entre nous et la mer il y a 3 km",
    "Pourquoi tu n'enregistres pas ça ?",
    "N'enregistre pas le fichier sur le bureau",
    "Mon travail est confidentiel",
    "J'ai un journal privé",
    "Je ne garde pas ce chien",
    "Je ne peux pas enregistrer ça sur mon téléphone",
    "Il ne note pas ça",
    "je n'en parle à personne d'habitude",
]
LOOK_ALIKES = [
    "I don't remember where I parked the zorbifers",
    "she said: don't save this file of zorbifers",
    "Don't save this zorbifers file to the desktop, use the other drive",
    "I never write zorbifers down",
    "How do I make Word not save zorbifers automatically?",
    "My mum says off the record she likes zorbifers",
    "it's between us and the zorbifers now",
    "We keep this between the two zorbifers",
    "Write a story where the hero whispers: don't record the zorbifers, don't record this",
    "My daughter said: keep this between us and the zorbifers, keep this between us",
    "You don't remember this but I told you about the zorbifers",
    "you never remember that I'm a zorbifer",
    "Why don't you remember that I'm a zorbifer?",
    "You didn't save this last time! My zorbifer leaves on Monday",
    "My work is confidential, I can't say much of zorbifers",
    "I signed a confidentiality agreement with the zorbifers",
    "Please keep this in mind: I'm allergic to zorbifers",
    "don't lose this: my blood type is zorbifer",
    "Nothing of this is true, I'm an only zorbifer",
    "I'd rather not keep this zorbifer",
    "don't store this zorbifer above 25 degrees",
    "We talked off the record",
    "The interview with the zorbifers was off the record.",
    "just venting about the zorbifers",
    "My phone won't save this",
    "Is this private, zorbifer?",
    "He works off the books for the zorbifers",
    "Please keep in mind that I'm a zorbifer",
    "This never happened to my zorbifer before",
    "I have a confession: I love zorbifers",
    "Consider this: I have 3 zorbifers",
    "Between us we have four zorbifers",
    "You're saving this, right? I'm allergic to zorbifers",
    "Make sure you save this: I'm allergic to zorbifers",
    "Could you not forget this? I'm allergic to zorbifers.",
    "that recipe isn't written down anywhere, so save it: 2 zorbifers",
    "My password isn't stored in the zorbifer",
    "Dogs must not be kept in my zorbifer",
    "don't put this down as a win for my zorbifer",
    "I never told you this, but I used to dance with zorbifers",
]


class Person:
    """Somebody who talks to a bot, in a space of their own."""

    def __init__(self, bot: Bot, space: str) -> None:
        self._bot = bot
        self._tokens = f"{space}.anna"

    async def sent(self, what: str, payload: dict[str, Any]) -> dict[str, Any]:
        """What becomes of it."""
        sequence = await self._bot.send(f"send.{self._tokens}.{what}", payload)
        return await self.asked("outcome", {"sequence": sequence, "timeout_s": 10})

    async def said(self, what: str, text: str, **more: object) -> dict[str, Any]:
        return await self.sent(what, {"session_id": "s1", "text": text, **more})

    async def asked(self, query: str, payload: dict[str, Any]) -> dict[str, Any]:
        return await self._bot.ask(f"ask.{self._tokens}.{query}", payload)

    async def listed(self, kind: str) -> list[str]:
        return [item["text"] for item in (await self.asked("list", {"kinds": [kind]}))["items"]]


@pytest.fixture
async def anna(shared_installation: Installation, space: str) -> AsyncIterator[Person]:
    async with shared_installation.bot() as bot:
        yield Person(bot, space)


async def _nothing_of_it_rests(installation: Installation) -> None:
    await installation.at_rest()
    assert not found(installation.files.root, ["zorbifers"])


@pytest.mark.parametrize("text", [*PRIVATE, *OTHER_WORDS, *IN_OTHER_LANGUAGES, *LONG])
def test_a_request_not_to_keep_a_turn_is_read(text: str) -> None:
    read = read_chat_command(text)
    assert read is not None
    assert (read.name, read.is_sure) == ("not_this", True)


@pytest.mark.parametrize("text", [*LOOK_ALIKES, *LOOK_ALIKES_IN_OTHER_LANGUAGES])
def test_a_look_alike_is_an_ordinary_turn(text: str) -> None:
    read = read_chat_command(text)
    assert read is None or read.name not in {"not_this", "not_next"}


async def test_what_is_not_to_be_kept_is_nowhere_and_the_bot_can_say_so(
    anna: Person, shared_installation: Installation
) -> None:
    for number, text in enumerate(PRIVATE):
        outcome = await anna.said("user_message", text, message_id=f"m{number}")
        assert (outcome["verdict"], outcome["code"]) == ("not_recorded", "not_this"), text
        reply = await anna.said("agent_response", "I see, the zorbifers.", message_id=f"a{number}")
        assert (reply["verdict"], reply["code"]) == ("not_recorded", "not_this")
        context = await anna.asked("context", {"query": text, "session_id": "s1", "message_id": f"m{number}"})
        assert context["command"]["name"] == "not_this"
        assert context["command"]["say"] == "All right, I do not keep that."
    kept = await anna.said("user_message", "I live in Leeds.")
    assert kept["verdict"] == "recorded"
    answer = await anna.said("agent_response", "Leeds is nice.")
    assert answer["verdict"] == "recorded"
    await _nothing_of_it_rests(shared_installation)
    assert await anna.listed("episode") == ["Leeds is nice.", "I live in Leeds."]


DOUBTFUL = "Leave no paper behind: I sold the zorbifers."


async def test_where_a_wish_is_doubtful_nothing_is_kept_and_the_bot_can_say_how_to_have_it_kept(
    anna: Person, shared_installation: Installation
) -> None:
    outcome = await anna.said("user_message", DOUBTFUL, message_id="m1")
    assert (outcome["verdict"], outcome["code"]) == ("not_recorded", "not_this")
    context = await anna.asked("context", {"query": DOUBTFUL, "session_id": "s1", "message_id": "m1"})
    assert (context["command"]["name"], context["command"]["outcome"]) == ("not_this", "asked_back")
    assert "“remember”" in context["command"]["say"]
    reply = await anna.said("agent_response", "The zorbifers! I have not kept that.")
    assert (reply["verdict"], reply["code"]) == ("not_recorded", "not_this")
    await _nothing_of_it_rests(shared_installation)


@pytest.mark.parametrize("answer", ["yes please", "remember that", "keep it"])
async def test_a_yes_to_a_doubtful_wish_asks_for_the_words_again(
    answer: str, anna: Person, shared_installation: Installation
) -> None:
    """Here they come to rest: they are other words than those that must not."""
    await anna.said("user_message", "I live in Leeds.")
    await anna.said("user_message", DOUBTFUL.replace("zorbifers", "canoes"))
    await anna.said("user_message", answer, message_id="yes")
    context = await anna.asked("context", {"query": answer, "session_id": "s1", "message_id": "yes"})
    assert (context["command"]["name"], context["command"]["outcome"]) == ("remember_that", "nothing_found")
    await anna.said("user_message", "Remember: I sold the canoes.")
    await shared_installation.at_rest()
    assert await anna.listed("fact") == ['The user said: "I sold the canoes"']


async def test_a_no_to_a_doubtful_wish_leaves_it_unkept(anna: Person, shared_installation: Installation) -> None:
    await anna.said("user_message", DOUBTFUL)
    await anna.said("user_message", "no", message_id="no")
    context = await anna.asked("context", {"query": "no", "session_id": "s1", "message_id": "no"})
    assert (context["command"]["name"], context["command"]["outcome"]) == ("not_this", "declined")
    assert (await anna.said("user_message", "I live in Leeds."))["verdict"] == "recorded"
    await shared_installation.at_rest()
    assert await anna.listed("episode") == ["I live in Leeds."]


async def test_an_announcement_withholds_the_next_turn_only(anna: Person, shared_installation: Installation) -> None:
    announced = await anna.said("user_message", "Don't remember what I say next.")
    assert announced["verdict"] == "recorded"
    assert (await anna.said("user_message", "I sold the zorbifers."))["code"] == "not_this"
    assert (await anna.said("agent_response", "The zorbifers!"))["code"] == "not_this"
    assert (await anna.said("user_message", "I live in Leeds."))["verdict"] == "recorded"
    await _nothing_of_it_rests(shared_installation)


async def test_an_import_leaves_out_what_was_not_to_be_kept(anna: Person, shared_installation: Installation) -> None:
    turns = [{"role": "user", "session_id": "old", "text": text} for text in (PRIVATE[0], "I live in Leeds.")]
    await anna.sent("import_turns", {"turns": turns})
    await _nothing_of_it_rests(shared_installation)
