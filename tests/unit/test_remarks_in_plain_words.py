"""Private remarks as people say them in plain words, and look-alikes: each set was written before it was run."""

from shared.language.commands.command import ChatCommandName
from shared.language.commands.language import SHIPPED_LANGUAGES
from shared.language.commands.reading import read_chat_command
from tests.support.wish_sentences import lines

_KEPT = frozenset((ChatCommandName.REMEMBER_THAT, ChatCommandName.PIN_THAT, ChatCommandName.ASK_ABOUT))
_WITHHOLDS = frozenset((ChatCommandName.NOT_THIS, ChatCommandName.NOT_NEXT))

REMARKS = lines("plain_words", "remarks")
LOOK_ALIKES = lines("plain_words", "look_alikes")
STILL_KEPT = """
of the record: i'm leaving the firm
"don't save this" is what I want, because I have lupus
"""


def test_no_other_private_remark_is_kept() -> None:
    remarks = REMARKS
    read = {text: read_chat_command(text) or read_chat_command(text, languages=SHIPPED_LANGUAGES) for text in remarks}
    assert [text for text, found in read.items() if found is None or found.name in _KEPT] == STILL_KEPT.strip().split("\n")


def test_no_other_look_alike_is_lost() -> None:
    read = {text: read_chat_command(text) for text in LOOK_ALIKES}
    assert [text for text, found in read.items() if found is not None and found.name in _WITHHOLDS] == []
