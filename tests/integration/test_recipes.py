"""The recipes of the documentation, in the platforms' own libraries; only what goes over the wire is scripted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import ParrotFakeChatModel

from memstream import MemoryClient
from tests.support.installations import Installation, until
from tests.support.pages import module_of
from tests.support.repeating_model import repeating_model

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.usefixtures("memstream")]

ALLERGY = "I am allergic to shrimp."
QUESTION = "Is there shrimp in it?"
SPEAKER = {"id": 7, "is_bot": False, "first_name": "Anna"}


@pytest.fixture
def memstream(shared_memstream: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where clients find it."""
    monkeypatch.setenv("MEMSTREAM_DATA_DIR", str(shared_memstream.settings.data_dir))
    monkeypatch.setenv("MEMSTREAM_URL", shared_memstream.server.url)


@pytest.fixture(autouse=True)
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with repeating_model(monkeypatch):
        yield


async def remembered(space: str, user: str) -> list[str]:
    """What was said by and to somebody, oldest first."""
    async with MemoryClient(space=space, user=user) as client:
        return [item.text for item in reversed((await client.list(kinds=["episode"])).items)]


class Telegram:
    """What Telegram would hear and say."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def do_request(self, url: str, method: str, request_data: Any = None, **_: object) -> tuple[int, bytes]:  # noqa: ANN401
        assert method == "POST"
        result: Any = True
        if url.endswith("/getMe"):
            result = {"id": 1, "is_bot": True, "first_name": "Bot", "username": "bot"}
        if url.endswith("/sendMessage"):
            text = json.loads(request_data.json_payload)["text"] if request_data else ""
            self.texts.append(text)
            result = {"message_id": 99, "date": 0, "chat": {"id": 5, "type": "private"}, "text": text}
        return 200, json.dumps({"ok": True, "result": result}).encode()


def update(number: int, text: str, *, day: int) -> dict[str, Any]:
    """A message as Telegram sends it."""
    chat = {"id": 5, "type": "private", "first_name": "Anna"}
    message = {"message_id": number, "from": SPEAKER, "chat": chat, "date": 1_780_000_000 + day * 86_400, "text": text}
    return {"update_id": number, "message": message}


async def test_the_telegram_bot_remembers_over_days(monkeypatch: pytest.MonkeyPatch) -> None:
    telegram = pytest.importorskip("telegram")
    wire = Telegram()
    monkeypatch.setattr("telegram.request.HTTPXRequest.do_request", lambda _, *given, **more: wire.do_request(*given, **more))
    application = module_of("docs/recipes/telegram.md").build("1:token")
    async with application:
        await application.post_init(application)
        for number, text, day in (
            (1, ALLERGY, 0),
            (1, ALLERGY, 0),
            (4, QUESTION, 0),
            (2, QUESTION, 1),
            (3, "Forget what I said about shrimp.", 1),
            (5, "Yes", 1),
            (6, QUESTION, 0),
        ):
            await application.process_update(telegram.Update.de_json(update(number, text, day=day), application.bot))
        await application.post_shutdown(application)
    assert [ALLERGY in text for text in wire.texts] == [False, False, True, True, True, False, False]
    assert "Shall I forget" in wire.texts[4]
    assert "forgotten" in wire.texts[5]


def discord_message(number: int, text: str, *, day: int) -> dict[str, Any]:
    """A direct message as Discord's gateway sends it."""
    bot = {"id": "1", "username": "bot", "discriminator": "0", "avatar": None}
    return {
        "id": str((number << 22) + (day * 86_400_000 << 22)),
        "channel_id": "5",
        "author": {"id": "7", "username": "anna", "global_name": "Anna", "discriminator": "0", "avatar": None},
        "content": text,
        "timestamp": f"2026-06-0{day + 1}T12:00:00+00:00",
        "edited_timestamp": None,
        "mentions": [bot],
        "mention_roles": [],
        "mention_everyone": False,
        "tts": False,
        "pinned": False,
        "type": 0,
        "embeds": [],
        "attachments": [],
    }


async def test_the_discord_bot_remembers_and_forgets_what_is_deleted() -> None:
    discord = pytest.importorskip("discord")
    bot = module_of("docs/recipes/discord.md").build()
    said: list[str] = []

    async def request(route: Any, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        assert route.path == "/channels/{channel_id}/messages"
        text = more["params"].payload["content"] if "params" in more else more["json"]["content"]
        said.append(text)
        return discord_message(90 + len(said), text, day=0) | {
            "author": {"id": "1", "username": "bot", "discriminator": "0", "avatar": None}
        }

    await bot._async_setup_hook()
    bot.http.request = request
    state = bot._connection
    state.user = discord.ClientUser(state=state, data={"id": "1", "username": "bot", "discriminator": "0", "avatar": None})
    await bot.setup_hook()
    for number, text, day in ((1, ALLERGY, 0), (2, QUESTION, 1), (3, QUESTION, 0)):
        state.parse_message_create(discord_message(number, text, day=day))
        await until(lambda: len(said) == number)  # noqa: B023 - it is waited for here
    assert [ALLERGY in each for each in said] == [False, True, True]
    first = discord_message(1, ALLERGY, day=0)
    state.parse_message_delete({"id": first["id"], "channel_id": "5"})

    async def is_forgotten() -> bool:
        return ALLERGY not in await remembered("discord", "7")

    await until(is_forgotten)
    await bot.close()


async def test_the_service_remembers_each_person_alone() -> None:
    client = pytest.importorskip("fastapi.testclient")
    app = module_of("docs/recipes/fastapi.md").app

    def visit() -> None:
        anna, ben = {"X-Person": "anna"}, {"X-Person": "ben"}
        with client.TestClient(app) as web:
            web.post("/messages", json={"session": "1", "text": ALLERGY}, headers=anna).raise_for_status()
            for session in ("1", "2"):
                asked = {"session": session, "text": QUESTION}
                assert ALLERGY in web.post("/messages", json=asked, headers=anna).json()["reply"]
            assert ALLERGY not in web.post("/messages", json=asked, headers=ben).json()["reply"]
            memories = {each["text"]: each["id"] for each in web.get("/memories", headers=anna).json()}
            assert web.delete(f"/memories/{memories[ALLERGY]}", headers=anna).json()["receipt"] > 0
            assert ALLERGY not in [each["text"] for each in web.get("/memories", headers=anna).json()]

    await asyncio.to_thread(visit)


async def test_the_langgraph_agent_remembers_in_another_thread() -> None:
    recipe = module_of("docs/recipes/langgraph.md")
    shown: list[str] = []

    class Model(ParrotFakeChatModel):
        def _generate(self, messages: list[Any], *given: Any, **more: Any) -> Any:  # noqa: ANN401
            shown.append(" ".join(str(each.content) for each in messages[:-1]))
            return super()._generate(messages, *given, **more)

    async with MemoryClient(space="graph") as client:
        agent = recipe.build(client, Model())
        assert await recipe.reply(agent, "anna", "1", ALLERGY) == ALLERGY
        await recipe.reply(agent, "anna", "1", QUESTION)
        await recipe.reply(agent, "anna", "2", QUESTION)
        await recipe.reply(agent, "ben", "3", QUESTION)
    assert [ALLERGY in each for each in shown] == [False, True, True, False]
