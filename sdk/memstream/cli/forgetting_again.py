"""Forgets again, in a log that was just restored, what was forgotten after its backup, before anybody asks."""

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import aclosing
from typing import NamedTuple

from memstream.cli.admin import ask_on
from memstream.cli.kept_forgettings import KeptForgetting, forgettings_in
from services.ingest.app import Ingest
from services.ingest.settings import IngestSettings
from shared.contracts.command import Command
from shared.contracts.errors import NotCaughtUp, NotFound, Unavailable
from shared.contracts.ids import Scope, Space, User
from shared.contracts.privacy import ForgetUser
from shared.contracts.queries import OutcomeAnswer, ReceiptAnswer, Verdict
from shared.contracts.subjects import SentSubject, ask_subject, meant_names, send_subject, work_subject
from shared.runtime.connection import Client
from shared.runtime.erasing import subjects_of
from shared.runtime.keys import Keys, load_keys
from shared.runtime.projector import scope_batches
from shared.runtime.sending import publish
from shared.runtime.service import answer_until, connected
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import run_until_one_ends
from shared.runtime.topology import SEND

_TIMEOUT_S = 30.0
_LOOK_AGAIN_S = 0.1


class ForgottenAgain(NamedTuple):
    """What became of a kept list."""

    forgotten: int  # forgettings that the log did not know
    unknown: int  # of people of whom the backup knows nothing: nothing of them came back, and they are not recognised


class _Person(NamedTuple):
    space: Space
    user: User


async def forget_again(settings: RuntimeSettings, client: Client, kept: Sequence[KeptForgetting]) -> ForgottenAgain:
    """Have ingest forget what the restored log does not know to be forgotten, and erase it. Raises Unavailable."""
    known = {(each.scope, each.forget_id) for each in await forgettings_in(client)}
    wanted = [each for each in kept if (each.scope, each.forget_id) not in known]
    people = await _names(client, load_keys(settings.files.keys), {Scope(each.scope) for each in wanted})
    sent = [
        (person, await _publish(client, person, command))
        for each in wanted
        if (person := people.get(each.scope)) is not None
        for command in _commands(each)
    ]
    if sent:  # ingest runs until it has decided these messages of SEND, and erased what they forget
        ingest = Ingest(settings, IngestSettings())
        async with connected(ingest):
            await run_until_one_ends(answer_until(ingest, asyncio.Event()), _erased(client, sent))
    named = {each.forget_id for each in wanted if each.scope in people}
    return ForgottenAgain(len(named), len({each.forget_id for each in wanted} - named))


def _commands(kept: KeptForgetting) -> tuple[Command, ...]:
    return (kept.again, ForgetUser(message_id=kept.again.message_id)) if kept.is_whole else (kept.again,)


async def _publish(client: Client, person: _Person, command: Command) -> int:
    subject = (send_subject if isinstance(command, ForgetUser) else work_subject)(*person, command.what)
    return await publish(client, subject, command.model_dump_json(exclude_defaults=True).encode())


async def _erased(client: Client, sent: Sequence[tuple[_Person, int]]) -> None:
    for person, sequence in sent:
        outcome = OutcomeAnswer.model_validate(await _ask(client, person, "outcome", {"sequence": sequence}))
        if outcome.verdict is Verdict.RECORDED and outcome.number:
            while not await _is_erased(client, person, outcome.number):  # noqa: ASYNC110 - ingest tells nobody when
                await asyncio.sleep(_LOOK_AGAIN_S)


async def _is_erased(client: Client, person: _Person, number: int) -> bool:
    """Whether a forgetting has its receipt; one that nobody knows went with all that is known of the person."""
    try:
        receipt = ReceiptAnswer.model_validate(await _ask(client, person, "receipt", {"number": number}))
    except NotFound:
        return True
    return receipt.state == "done"


async def _ask(client: Client, person: _Person, query: str, asked: Mapping[str, object]) -> dict[str, object]:
    """The answer of ingest, which may first have a long log to read, and then much to decide."""
    subject, payload = ask_subject(person.space, person.user, query), json.dumps(asked).encode()
    while True:
        try:
            return await ask_on(client, subject, payload, who="ingest", timeout_s=_TIMEOUT_S)
        except (Unavailable, NotCaughtUp):
            await asyncio.sleep(_LOOK_AGAIN_S)


async def _names(client: Client, keys: Keys, scopes: Collection[Scope]) -> dict[str, _Person]:
    """The people of these scopes, as far as the log or a message in transit says it."""
    found: dict[str, _Person] = {}
    async for person in _in_transit(client):
        if (scope := keys.scope_of(*person)) in scopes:
            found[scope] = person
    for scope in scopes:
        if (named := await _named(client, scope)) is not None:
            found[scope] = named
    return found


async def _in_transit(client: Client) -> AsyncIterator[_Person]:
    for subject in await subjects_of(client, SEND):
        if (names := meant_names(SentSubject.parse(subject))) is not None:
            yield _Person(*names)


async def _named(client: Client, scope: Scope) -> _Person | None:
    async with aclosing(scope_batches(client, scope)) as batches:
        async for batch in batches:
            for recorded in batch:
                if recorded.event.user:
                    return _Person(Space(recorded.event.space), User(recorded.event.user))
    return None
