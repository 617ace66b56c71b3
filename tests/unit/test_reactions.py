"""Turns that only react have no line in a context; what tells something has, whoever says it."""

import pytest

from services.retriever.domain.repeats import is_idle, sift
from shared.contracts.parts import Role
from shared.contracts.queries import Fate, ScoredMemory
from shared.language.questions.reactions import only_reacts, only_thanks
from tests.unit.test_block import memory


def bots(text: str, speaker: str | None = None) -> ScoredMemory:
    return memory(1, text, fact=False, speaker=speaker).model_copy(update={"role": Role.ASSISTANT})


REACTIONS = [
    *(
        "Great choice.",
        "Wonderful!",
        "Good luck on Thursday!",
        "That's fantastic news for Lena!",
        "Climbing is great for sleep!",
    ),
    *("I see.", "Ha!", "That's a lot. Anything else?", "Noted!", "It is what it is."),
    *("Got it. Shall I remind you?", "Sounds fascinating! When is it due?", "Do you have any allergies?", "You're welcome!"),
    *("Oh no, I'm so sorry to hear that.", "Congratulations, Maya!", "Das klingt wunderbar!", "¡Qué bien!", "Merci beaucoup !"),
    *(
        "That sounds demanding. How long have you been doing that?",
        "That must have been scary.",
        "Poor Ada!",
        "Safe travels!",
        "Tasty!",
    ),
    *("Ouch, that hurts just reading it.", "I'll keep that in mind.", "No worries at all.", "Fair enough."),
    *("好的，我记住了。", "你好小梅！", "听起来很辛苦！你还好吗？", "恭喜你！", "太好了，加油！"),
    *("Das klingt anstrengend.", "Gute Besserung!", "Viel Spaß in Lissabon!", "Eso suena agotador.", "Ça doit être fatigant."),
]
STATEMENTS = [
    *("I recommend The Lantern of Skerry Rock, it plays on an island of fishers.", "The capital of Peru is Lima."),
    *(
        "Great! I can suggest some shapes, too.",
        "Then 200 a month is realistic.",
        "It was Petter.",
        "Great book: Dune by Herbert!",
    ),
    *("Good. Take 5 mg.", "Ich empfehle dir den Zug um acht.", "Done: your table for four is booked.", "", "   "),
    *(
        "Sounds like tendonitis.",
        "That sounds like a stress fracture.",
        "Your flight is delayed.",
        "Sourdough is not gluten free.",
    ),
    *("好的，航班改到周五。", "我在杭州。", "花生过敏不能吃这个。", "当然可以用米粉代替面粉。", "没问题，周五。"),
    *("Nimm lieber Reismehl.", "Das klingt wie ein Bänderriss.", "El tren sale tarde.", "Prends le train de nuit."),
]


@pytest.mark.parametrize("text", REACTIONS)
def test_a_bots_reaction_is_idle(text: str) -> None:
    assert only_reacts(text)
    assert is_idle(bots(text), "What?", ["en"])


@pytest.mark.parametrize("text", STATEMENTS)
def test_what_a_bot_tells_is_not(text: str) -> None:
    assert not only_reacts(text)
    assert not is_idle(bots(text), "What?", ["en"])


def test_who_has_a_name_may_ask_what_tells_something() -> None:
    assert not is_idle(bots("Did you really fly to Lima with Ben?", speaker="Nora"), "What?", ["en"])
    assert is_idle(bots("Haha, thanks!", speaker="Nora"), "What?", ["en"])


@pytest.mark.parametrize("text", ["thanks", "lol ok", "haha love it thanks", "yes please", "Ok, super, danke!", "hi!"])
def test_thanks_and_assent_are_idle(text: str) -> None:
    assert only_thanks(text)
    assert is_idle(memory(1, text, fact=False), "What?", ["en"])


@pytest.mark.parametrize(
    "text",
    [
        "好的，花生",
        "谢谢，周五",
        "I feel sad",
        "yes, peanuts",
        "no",
        "34",
        "im ok with dogs",
        "thanks to Ben I have a job",
        "ok?",
    ],
)
def test_what_a_person_says_of_themselves_is_not(text: str) -> None:
    assert not only_thanks(text)


def test_a_turn_that_was_carried_out_as_a_command_goes() -> None:
    no, other = (
        memory(n, text, fact=False).model_copy(update={"message_id": f"m{n}"}) for n, text in ((1, "that one"), (2, "tea"))
    )
    assert sift([no, other], "What?", commands={"m1"}).left_out == {1: Fate.IDLE}
