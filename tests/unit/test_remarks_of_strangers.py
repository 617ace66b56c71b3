"""Private remarks and look-alikes by strangers: seven sets, each written before what reads them was mended for it."""

from shared.language.commands.command import ChatCommandName
from shared.language.commands.reading import read_chat_command
from tests.support.wish_sentences import lines

_WITHHOLDS = frozenset((ChatCommandName.NOT_THIS, ChatCommandName.NOT_NEXT))

REMARKS = lines("strangers", "remarks")

LOOK_ALIKES = lines("strangers", "look_alikes")


def _withholds(text: str) -> bool:
    command = read_chat_command(text)
    return command is not None and command.name in _WITHHOLDS


def test_no_private_remark_is_kept() -> None:
    assert [text for text in REMARKS if not _withholds(text)] == []


def test_no_look_alike_is_lost() -> None:
    assert [text for text in LOOK_ALIKES if read_chat_command(text) is not None] == []
