"""`chat`: talk in the terminal, and see what is remembered, learned, superseded and forgotten beside it."""

import signal
import sys
from collections.abc import Iterator
from contextlib import aclosing, contextmanager, suppress
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.text import Text

from memstream.cli.chat_commands import Scene, run_command
from memstream.cli.chat_home import Home, home
from memstream.cli.chat_screen import show_turn
from memstream.cli.chat_stage import Stage
from memstream.cli.chat_turns import Talk
from memstream.cli.options import about_person
from memstream.cli.session import CliSession, answer_console
from shared.contracts.errors import MemstreamError
from shared.runtime.chat_models.settings import LlmSettings
from shared.runtime.clock import SystemClock

if TYPE_CHECKING:
    from shared.runtime.chat_models.chat_model import ChatModel

PROMPT = "you> "
_QUITTING = {"/quit", "/exit", "/q"}
_ENDED_BY = 128

ModelOption = Annotated[
    str | None, typer.Option("--model", help="A model that answers. (default: MEMSTREAM_LLM_MODEL, else none)")
]
BaseUrlOption = Annotated[str | None, typer.Option("--base-url", help="Its endpoint. (default: MEMSTREAM_LLM_BASE_URL)")]
TalkSessionOption = Annotated[str | None, typer.Option("--session", help="A conversation to go on with. (default: a new one)")]
TemporaryOption = Annotated[bool, typer.Option("--temporary", help="Begin with an empty memory, which is gone at the end.")]


@about_person
def chat(
    session: CliSession,
    *,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    session_id: TalkSessionOption = None,
    is_temporary: TemporaryOption = False,
) -> None:
    """Talk in the terminal, and see beside it what is remembered, learned, superseded and forgotten.

    Where memstream does not run, it is started for as long as the chat lasts. Without a model it shows what one would be given.
    """
    endpoint = _endpoint(model, base_url)
    began = SystemClock().now()
    session_ids = (f"chat-{began:%Y%m%d-%H%M%S}-{number}" for number in count(1))
    with _leaving_in_order(), Stage(answer_console()) as stage:
        with stage.console.status("starting memstream"):
            found = stage.open(partial(home, session, is_temporary=is_temporary))
        if endpoint:
            stage.open(partial(aclosing, endpoint))
        talk = Talk(found.memories, session_id or next(session_ids), endpoint.reply if endpoint else None)
        stage.run(talk.look)
        _greet(stage, found, has_model=endpoint is not None)
        _converse(Scene(stage, talk, session_ids))


def _endpoint(name: str | None, base_url: str | None) -> "ChatModel | None":
    """The model that answers, if one is named."""
    llm = LlmSettings()
    named = name or llm.model
    if named is None:
        if base_url:
            raise typer.BadParameter("--base-url needs --model, the name of a model there")
        return None
    from shared.runtime.chat_models.factory import make_chat_model  # noqa: PLC0415 - a chat without a model waits for none

    told = {"model": named, "base_url": base_url or llm.base_url, "temperature": None}
    return make_chat_model(llm.model_copy(update=told))


@contextmanager
def _leaving_in_order() -> Iterator[None]:
    """Have Ctrl-C, SIGTERM and a closed terminal end the chat, and what was started for it."""

    def leave(number: int, _: object) -> NoReturn:
        sys.exit(_ENDED_BY + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
    with suppress(KeyboardInterrupt):
        yield


def _greet(stage: Stage, found: Home, *, has_model: bool) -> None:
    session = found.session
    where = "a temporary folder" if found.is_temporary else str(session.files.root)
    runs = "started for this chat" if found.is_ours else "running already"
    model = "" if has_model else " There is no model (--model NAME): you see what one would be given."
    stage.console.print(Text.assemble(("memstream chat", "bold"), f"  {session.user} in {session.space}; {where}, {runs}"))
    words = f"Tell something about yourself, then ask in another conversation (/new). /help lists the commands.{model}"
    stage.console.print(Text(words, style="dim"))


def _converse(scene: Scene) -> None:
    while (line := scene.stage.read(PROMPT)) is not None and line.strip() not in _QUITTING:
        try:
            _answer(scene, line.strip())
        except MemstreamError as error:  # the chat goes on
            scene.console.print(Text(f"error: {error.message}", style="red"))


def _answer(scene: Scene, said: str) -> None:
    if not said:
        return
    if said.startswith("/"):
        run_command(scene, said)
        return
    with scene.console.status("thinking"):
        scene.last = scene.stage.run(partial(scene.talk.say, said))
    with scene.console.status("learning"):
        changes = scene.stage.run(scene.talk.learn)
    show_turn(scene.console, scene.last, changes)
