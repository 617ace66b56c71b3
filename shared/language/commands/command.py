"""A chat command: what a sentence asks the memory to do, and how sure the reading is."""

from dataclasses import dataclass
from enum import StrEnum

FLOOR = 0.45
"""Least confidence of a command."""
SURE = 0.8
"""From this confidence on a command is obeyed; below it the person is asked back."""


class ChatCommandName(StrEnum):
    """The name of a chat command: what the user asks the memory to do."""

    ASK_ABOUT = "ask_about"  # a topic, or everything about the person when there is none
    FORGET_THAT = "forget_that"  # the last thing learned or recalled in the session
    FORGET_ABOUT = "forget_about"
    FORGET_CHAT = "forget_chat"  # everything of this session
    FORGET_ME = "forget_me"  # everything about the person
    PIN_THAT = "pin_that"  # the last thing, or the topic or the fact where there is one
    UNPIN_THAT = "unpin_that"
    REMEMBER_THAT = "remember_that"  # the fact; the last thing said where there is none
    MEMORY_OFF = "memory_off"
    MEMORY_ON = "memory_on"
    START_INCOGNITO = "start_incognito"
    END_INCOGNITO = "end_incognito"
    NOT_THIS = "not_this"  # the turn itself is not to be kept
    NOT_NEXT = "not_next"  # nor is the next one: `off the record`, and nothing else
    TAKE_BACK = "take_back"  # what was forgotten last, and is not erased yet
    CONFIRM = "confirm"  # of a question asked back; means nothing where none is open
    DECLINE = "decline"


ASKED_BACK = frozenset(
    (
        ChatCommandName.FORGET_THAT,
        ChatCommandName.FORGET_ABOUT,
        ChatCommandName.FORGET_CHAT,
        ChatCommandName.FORGET_ME,
        ChatCommandName.TAKE_BACK,
        ChatCommandName.MEMORY_OFF,
        ChatCommandName.START_INCOGNITO,
        ChatCommandName.NOT_THIS,
    )
)
"""Commands that are asked back if doubtful; other doubtful commands are taken for talk.

After a doubtful wish not to be kept nothing is: the person is told how to have it kept.
"""


class CommandScope(StrEnum):
    """How far a command reaches."""

    CHAT = "chat"  # this session
    ALL = "all"  # the person in this space; with incognito: from now on by default


_OF_CHAT = frozenset(
    (
        ChatCommandName.FORGET_THAT,
        ChatCommandName.FORGET_CHAT,
        ChatCommandName.PIN_THAT,
        ChatCommandName.UNPIN_THAT,
        ChatCommandName.START_INCOGNITO,
        ChatCommandName.END_INCOGNITO,
        ChatCommandName.NOT_THIS,
        ChatCommandName.NOT_NEXT,
        ChatCommandName.CONFIRM,
        ChatCommandName.DECLINE,
    )
)


def usual_scope(name: ChatCommandName) -> CommandScope:
    """How far a command reaches when the sentence does not say."""
    return CommandScope.CHAT if name in _OF_CHAT else CommandScope.ALL


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """A chat command as it was read. `topic` and `fact` are the user's own words: store them only where text may be stored."""

    name: ChatCommandName
    topic: str | None = None
    """Whom or what it is about, as said: "my sister", "him". `forget_about` always has one."""
    fact: str | None = None
    """The statement to remember, in the first person as said, without the words that ask for it."""
    scope: CommandScope = CommandScope.ALL
    confidence: float = 1.0
    """0 to 1, with two decimals; comparable within one language."""
    at_once: bool = False
    """True where it says that it is to be done right now, for good: then nobody can take it back."""
    is_request: bool = False
    """True where it can hardly be talk, although it is doubtful: "forget Bob please". It is obeyed if one memory is meant."""
    may_mean_before: bool = False
    """True where a wish not to keep a turn may mean what its person said before it as well: then they are asked about that."""
    language: str = "en"
    """Code of the language file that read it; `say` answers in this language."""

    @property
    def is_sure(self) -> bool:
        """True if it is to be carried out without asking back."""
        return self.confidence >= SURE
