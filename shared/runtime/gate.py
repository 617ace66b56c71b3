"""The gate: takes what bots send that are limited to spaces, and puts it into SEND without what the server would answer to.

A publish into a stream may carry expectations, and the server says what it has instead, of any subject: who sends, whether
somebody exists. So no header of the server's own passes, and the sequence of the acknowledgement is sealed.
"""

import asyncio
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from nats.aio.msg import Msg

from shared.contracts.errors import InvalidToken
from shared.contracts.subjects import GATE, decode_token
from shared.domain.digests import Digester
from shared.domain.sealing import SEQUENCE, Seal
from shared.runtime.background import BACKGROUND
from shared.runtime.connection import Client
from shared.runtime.outbox import Outbox, Relayed

BOT_HEADER = "Memstream-Bot"
"""Which bot sent a message: its name, and a digest by which nobody else can say so."""
_SERVERS = "nats-"
_MESSAGE_ID = "nats-msg-id"
_OF_THE_IMPORT = "Nats-Request-Info"
"""Written by the server itself: who sends."""
_NOT_KEPT = {_OF_THE_IMPORT.lower(), BOT_HEADER.lower()}
_NAME = re.compile(r"[!-9;-~]+")
_REFUSED = 400
_TOO_MANY = 429
_NOBODY = "503"


def bot_of(headers: Mapping[str, str], digester: Digester, space_token: str, user_token: str) -> str | None:
    """The bot that sent a message through the gate; None for whoever sent it by another way, whatever they say."""
    bot, _, digest = headers.get(BOT_HEADER, "").partition(" ")
    return bot if bot and digest == bot_digest(digester, bot, space_token, user_token) else None


def bot_digest(digester: Digester, bot: str, space_token: str, user_token: str) -> str:
    """What only the gate can put beside a bot's name."""
    return digester.digest("bot", bot, space_token, user_token).hex()


def sender_of(headers: Mapping[str, str]) -> str | None:
    """The bot that has sent a message, as the server says; None where the sender's headers leave that open.

    The server writes its header behind the sender's own. If they do not end as headers do, their last one runs into it.
    """
    name, info = (list(headers.items()) or [("", "")])[-1]
    try:
        return str(json.loads(info)["user"]) if name == _OF_THE_IMPORT else None
    except (ValueError, TypeError, KeyError):
        return None


def _named(token: str) -> str:
    """The space of a token; of a misspelt one, which ingest will refuse, the token."""
    with suppress(InvalidToken):
        return decode_token(token)
    return token


class Gate:
    """Relays messages, those of each bot in the order in which they come, and has no bot wait for what another sends."""

    def __init__(self, client: Client, digester: Digester) -> None:
        self._client = client
        self._digester = digester
        self._inbox = client.new_inbox()
        self._outboxes: dict[str, Outbox] = {}
        self._spaces: dict[str, str] = {}  # to which each bot has sent last
        self._resting: dict[str, asyncio.Task[None]] = {}

    async def open(self) -> None:
        """Begin to take messages. Several gates share the work."""
        await self._client.subscribe(f"{self._inbox}.*.*", cb=self._acknowledge)
        await self._client.subscribe(f"{GATE}.send.*.*.*", queue=GATE, cb=self._take)

    async def _take(self, message: Msg) -> None:
        """Put a message behind the others of its bot, or refuse it."""
        given = message.headers or {}
        bot = sender_of(given)
        if bot is None:
            await self._refuse(message, "the headers cannot be read; end each with CR LF, and all of them with an empty line")
            return
        headers = {name: value for name, value in given.items() if name.lower() not in _NOT_KEPT and _NAME.fullmatch(name)}
        foreign = next((name for name in headers if name.lower().startswith(_SERVERS) and name.lower() != _MESSAGE_ID), None)
        if foreign is not None:
            await self._refuse(message, f"a bot that is limited to spaces may not send the header {foreign}; leave it out")
            return
        subject = message.subject.removeprefix(f"{GATE}.")
        kept = {name: self._own(name, value, subject) for name, value in headers.items()}
        _, space, user, _ = subject.split(".")
        kept[BOT_HEADER] = f"{bot} {bot_digest(self._digester, bot, space, user)}"
        self._spaces[bot] = _named(space)
        if self._outboxes.setdefault(bot, Outbox()).add(Relayed(message, subject, kept)):
            await self._forward(bot)
        else:
            await self._refuse(message, "too many messages at once; wait for their acknowledgements", code=_TOO_MANY)

    async def _forward(self, bot: str) -> None:
        """Send on what may go of a bot. Nothing is awaited between taking a message and handing it to the connection."""
        loop, outbox = asyncio.get_running_loop(), self._outboxes[bot]
        while True:
            now_s = loop.time()
            if (rest_s := outbox.rest_s(now_s)) and BACKGROUND.attention.is_asked_beside(self._spaces[bot]):
                if bot not in self._resting:  # once, however often it is asked for
                    self._resting[bot] = asyncio.create_task(self._after(bot, rest_s))
                return
            if not (found := outbox.begin(now_s)):
                return
            token, (asked, subject, headers) = found
            await self._client.publish(subject, asked.data, reply=f"{self._inbox}.{bot}.{token}", headers=headers)

    async def _after(self, bot: str, rest_s: float) -> None:
        await asyncio.sleep(rest_s)
        del self._resting[bot]
        await self._forward(bot)

    def _own(self, name: str, value: str, subject: str) -> str:
        """A header's value; the id by which the server knows a repeat is one of this subject alone."""
        return self._digester.digest("gate", subject, value).hex() if name.lower() == _MESSAGE_ID else value

    async def _acknowledge(self, message: Msg) -> None:
        """Tell the bot what the stream said, and send on what waits."""
        *_, bot, token = message.subject.split(".")
        relayed = self._outboxes[bot].end(token)
        await self._forward(bot)
        if relayed is None:
            return
        asked = relayed.asked
        if message.headers and message.headers.get("Status") == _NOBODY:
            await self._refuse(asked, "no stream takes messages; run `memstream doctor`", code=int(_NOBODY))
            return
        said: dict[str, Any] = json.loads(message.data)
        await self._answer(asked, {**said, **self._sealed(said, asked.subject)})

    def _sealed(self, said: Mapping[str, Any], subject: str) -> dict[str, int]:
        """The sequence as the bot may know it."""
        _, _, space, user, _ = subject.split(".")
        seal = Seal(SEQUENCE, f"{space}.{user}", self._digester)
        return {"seq": seal.sealed(said["seq"])} if said.get("seq") else {}

    async def _refuse(self, message: Msg, why: str, *, code: int = _REFUSED) -> None:
        await self._answer(message, {"error": {"code": code, "description": why}, "stream": "SEND", "seq": 0})

    async def _answer(self, message: Msg, answer: Mapping[str, Any]) -> None:
        """Answer a message, where its sender asks for it. nats-py's `respond` would send the message's own headers back."""
        if message.reply:
            await self._client.publish(message.reply, json.dumps(answer).encode())
