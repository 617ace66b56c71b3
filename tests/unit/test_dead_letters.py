"""Which refused messages may keep their words: what was forgotten must not come to rest as a dead letter."""

from __future__ import annotations

import json
from types import NoneType
from typing import Any

import pytest

from services.ingest.domain.dead_letters import may_be_kept, quoted
from services.ingest.rejected import without_the_forgotten
from services.ingest.store import Store
from shared.contracts.errors import Forgotten, IdReused
from shared.contracts.ids import MessageId
from shared.contracts.privacy import Forget, ForgetUser
from tests.support.commands import remember, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, KEYS
from tests.support.stored import StoredLog

SAYS = "My sister Quixeldra keeps zorbifers in Bramblethwick."
LONG = f"{SAYS} " + " ".join(f"Then came day {number}, and it rained." for number in range(30))


@pytest.fixture(scope="module")
def log() -> PaperLog:
    told = PaperLog()
    told.tell(user_says("I work as a pastry chef in Leeds.", message_id="m0"))
    told.tell(user_says(SAYS, message_id="m1"))
    told.tell(remember("Anna's sister Quixeldra keeps zorbifers"))
    told.tell(user_says(LONG, message_id="m2"))
    told.tell(user_says("Well, it is what it is?", message_id="m-1234"))
    told.tell(Forget(query="Quixeldra"))
    told.tell(Forget(deleted_message_id=MessageId("m-1234")))
    told.erase()
    return told


def is_kept(log: PaperLog, payload: bytes) -> bool:
    said = quoted(payload, scope=ANNAS_SCOPE, digester=KEYS.digester)
    return said is not None and may_be_kept(said, log.state.privacy)


def sent(text: str, **fields: Any) -> bytes:  # noqa: ANN401 - as the command has it
    return json.dumps({"text": text, **fields}).encode()


ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in SAYS)
FORGOTTEN = {
    "its words": sent(SAYS),
    "in other case and with other marks": sent("my sister QUIXELDRA - keeps zorbifers, in bramblethwick"),
    "as the fact says it": sent("Anna's sister Quixeldra keeps zorbifers"),
    "with words between": sent("My elder sister Quixeldra still keeps those zorbifers up in Bramblethwick, you know"),
    "in a longer message": sent(f"{'I went to the market today. ' * 20}{SAYS} {'It rained a lot. ' * 20}"),
    "escaped": f'{{"text": "{ESCAPED}"}}'.encode(),
    "in no JSON": f"text={SAYS}".encode(),
    "cut off": sent(SAYS)[:-10],
    "under a key said twice": f'{{"text": "{SAYS}", "text": 5}}'.encode(),
    "as a key": json.dumps({SAYS: 1}).encode(),
    "deep inside": json.dumps({"turns": [{"said": {"parts": [{"text": SAYS}]}}]}).encode(),
    "a long turn word for word": sent(LONG),
    "the id of a forgotten turn": sent("The words are others now.", message_id="m-1234"),
    "no text": SAYS.encode("utf-16"),
}
OTHERS = {
    "other words": sent("I work as a pastry chef in Leeds.", typo=1),
    "another sister": sent("My sister is here today and keeps asking for you.", session_id="s1", typo=1),
    "nothing": b"",
    "no object": b"[1, 2]",
    "broken": b'{"session_id": "s1", "text": "I like my',
    "an id of one that stays": sent("Hello.", message_id="m0"),
    "many messages": json.dumps([f"The {n} of them live in the house of my friend." for n in range(200)]).encode(),
}


@pytest.mark.parametrize("payload", FORGOTTEN.values(), ids=list(FORGOTTEN))
def test_what_may_say_the_forgotten_is_not_kept(log: PaperLog, payload: bytes) -> None:
    assert not is_kept(log, payload)


@pytest.mark.parametrize("payload", OTHERS.values(), ids=list(OTHERS))
def test_what_says_something_else_is_kept(log: PaperLog, payload: bytes) -> None:
    assert is_kept(log, payload)


@pytest.mark.parametrize("payload", [sent(SAYS), sent("Other words.", message_id="m1")])
def test_after_a_whole_person_is_forgotten_their_turns_are_recognised(payload: bytes) -> None:
    log = PaperLog()
    log.tell(user_says(SAYS, message_id="m1"))
    log.tell(ForgetUser())
    assert not is_kept(log, payload)
    assert is_kept(log, sent("Hello, I am new here."))


@pytest.mark.parametrize("payload", [*FORGOTTEN.values()][:-1])
def test_of_whom_nothing_was_forgotten_everything_is_kept(payload: bytes) -> None:
    assert is_kept(PaperLog(), payload)


async def test_a_message_that_is_refused_beside_a_forgetting_keeps_no_words(store: Store) -> None:
    log = StoredLog(store)
    log.tell(user_says(SAYS, message_id="m1"))
    decided = log.tell(user_says("hi", message_id="m1"), Forget(query="Quixeldra"), user_says(SAYS, message_id="m1"))
    assert [type(each.refusal) for each in decided] == [IdReused, NoneType, Forgotten]
    assert [each.is_private for each in await without_the_forgotten(decided, store)] == [True, False, False]


@pytest.mark.parametrize("escape", [r"\ud83d", r"\udc00\ud800", r"\u0000", r"a\ud800b"])
def test_a_refused_message_with_half_a_character_is_searched_for_what_was_forgotten(escape: str) -> None:
    payload = f'{{"session_id": "s", "text": 5, "{escape}": "my secret is {escape}"}}'.encode()
    assert quoted(payload, scope=ANNAS_SCOPE, digester=KEYS.digester) is not None
