"""Replies to chat commands: sentences of the language file, which hold no text of users."""

from __future__ import annotations

from enum import StrEnum
from itertools import product

from shared.chat.command import ChatCommand, ChatCommandName, CommandScope
from shared.chat.language import Language, language
from shared.contracts.errors import Misconfigured

TOPIC = "{topic}"
"""Placeholder for the topic; the caller fills it in where text is allowed."""
_ANY = "any"


class ChatOutcome(StrEnum):
    """What became of a chat command."""

    DONE = "done"
    NOTHING_FOUND = "nothing_found"
    ASK_BACK = "ask_back"
    ALREADY_SO = "already_so"
    REFUSED = "refused"


def say(command: ChatCommand, outcome: ChatOutcome) -> str:
    """The reply to a command with this outcome, in its language; it has `{topic}` in it only if the command has a topic.

    Raises Misconfigured if the language file lacks it.
    """
    return _say(language(command.language), command.name, command.scope.value, outcome, has_topic=command.topic is not None)


def require_sayings(code: str) -> None:
    """Raises Misconfigured if a language lacks the reply to some outcome of some command."""
    for name, scope, outcome in product(ChatCommandName, CommandScope, ChatOutcome):
        say(ChatCommand(name, scope=scope, language=code), outcome)


def with_topic(said: str, command: ChatCommand) -> str:
    """A reply of `say` with the topic filled in."""
    return said.replace(TOPIC, command.topic or "")


def _say(known: Language, name: ChatCommandName, scope: str, outcome: ChatOutcome, *, has_topic: bool) -> str:
    tables = [known.text.say.get(key, {}) for key in (f"{name}_{scope}", name.value, _ANY)]
    keys = ([f"{outcome}_about"] if has_topic else []) + [outcome.value]
    for table in tables:
        for key in keys:
            if key in table:
                return table[key]
    raise Misconfigured(f"the language file {known.code}.toml has nothing to say for {name}, {outcome}")
