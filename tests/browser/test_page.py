"""The page in a real chromium: with its script and without, by keyboard, light and dark, wide and narrow, for screen readers.

Needs chromium, Playwright and axe-core, which nothing else needs: `apt-get install chromium`, `make browser`.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from services.consolidator.app import build as build_consolidator
from tests.support.gateways import Served, gateway_served

_AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
playwright = pytest.importorskip("playwright.async_api", reason="Playwright is not there: run `make browser`")

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(not _CHROMIUM, reason="chromium is not there: apt-get install chromium"),
    pytest.mark.skipif(not _AXE.exists(), reason="axe-core is not there: run `make browser`"),
]

PAGES = (
    *("/", "/timeline", "/questions", "/why", "/conversations", "/activity", "/forget", "/settings", "/save"),
    "/forget/everything",
)
SERIOUS = {"serious", "critical"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    async with gateway_served(tmp_path_factory.mktemp("browser"), build_consolidator) as started:
        yield started


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncIterator[Any]:
    async with playwright.async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        yield browser
        await browser.close()


@asynccontextmanager
async def visiting(served: Served, chromium: Any, space: str, **options: Any) -> AsyncIterator[Any]:
    """The first page of somebody who opened their link; no word of a console is left unread."""
    context = await chromium.new_context(base_url=served.gateway.url, locale="en-GB", **options)
    page = await context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    await page.goto(served.link(space, "anna"))
    await page.click("main form button")
    await page.wait_for_url("**/")
    yield page
    await context.close()
    assert [each for each in complaints if "503" not in each] == []  # while the feed catches up, which the script awaits


async def filled(served: Served, space: str) -> None:
    """A memory with something of everything in it."""
    async with served.client(served.person(space, "anna")) as bot:
        turns = [{"role": "user", "text": text} for text in ("I live in Oslo.", "My sister Rosa is a nurse.", "I love tea.")]
        await bot.post("/v1/memory/turns?wait=20", json={"session_id": "monday", "turns": turns})
        for text in ("I am allergic to peanuts", "My favourite tea is sencha", "Maybe my favourite tea is matcha"):
            await bot.post("/v1/memory/entries?wait=20", json={"text": text, "tags": ["food"]})
        gone = (await bot.post("/v1/memory/entries?wait=20", json={"text": "My locker is number 7"})).json()
        right = f"/v1/memory/entries/{gone['memory_id']}"
        gone = (await bot.post(f"{right}/correct?wait=20", json={"text": "My locker is number 8"})).json()
        await bot.delete(f"/v1/memory/entries/{gone['memory_id']}?wait=20")


async def complaints_of_axe(page: Any) -> list[str]:
    """What axe finds serious or critical on a page."""
    await page.evaluate(_AXE.read_text(encoding="utf-8"))
    found = await page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    serious = [each for each in found["violations"] if each["impact"] in SERIOUS]
    return [f"{page.url}: {each['id']}: {each['nodes'][0]['html']}" for each in serious]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
async def test_axe_finds_nothing_serious(served: Served, chromium: Any, space: str, scheme: str, width: int) -> None:
    await filled(served, space)
    size = {"width": width, "height": 900}
    async with visiting(served, chromium, space, color_scheme=scheme, viewport=size) as page:
        for path in PAGES:
            await page.goto(path)
            assert await complaints_of_axe(page) == []
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        await page.goto("/timeline?kinds=facts")
        await page.click(".memory .words a")
        await page.wait_for_url("**/memories/*")
        assert await complaints_of_axe(page) == []
        await page.click("a.grave")
        await page.wait_for_url("**/forget/preview*")
        assert await complaints_of_axe(page) == []
        await page.goto("/why")
        await page.fill("#said", "Are there peanuts in it?")
        await page.press("#said", "Enter")
        await page.wait_for_selector("#told")
        assert await complaints_of_axe(page) == []
        await page.goto("/forget")
        await page.click(".rows a.onward")
        await page.wait_for_url("**/receipts/*")
        assert await complaints_of_axe(page) == []
    context = await chromium.new_context(base_url=served.gateway.url, color_scheme=scheme, viewport=size)
    stranger = await context.new_page()
    for path in ("/", "/open/nothing"):
        await stranger.goto(path)
        assert await complaints_of_axe(stranger) == []
    await context.close()


async def test_buttons_work_in_place_and_say_what_they_did(served: Served, chromium: Any, space: str) -> None:
    await filled(served, space)
    async with visiting(served, chromium, space) as page:
        await page.goto("/questions")
        await page.click("button[value=newer]")
        await page.wait_for_selector(".empty")
        await page.goto("/timeline?kinds=facts")
        await page.evaluate("window.isTheSame = true")
        await page.click("form.act button >> nth=0")
        await page.wait_for_selector(".is-pinned")
        assert await page.evaluate("window.isTheSame")
        assert "Pinned" in await page.inner_text("#announcer")
        assert await page.evaluate("document.activeElement.closest('form').className") == "act"
        await page.click(".is-pinned .words a")
        await page.click("summary")
        await page.fill("#right", "My favourite tea is gyokuro")
        await page.click("details button")
        await page.wait_for_selector("h1:has-text('gyokuro')")
        assert await page.is_visible("#chain")
        await page.goto("/settings")
        await page.click("#set-memory_enabled button")
        await page.wait_for_selector("#set-memory_enabled [aria-checked=false]")
        await page.click("#set-memory_enabled button")
        await page.wait_for_selector("#set-memory_enabled [aria-checked=true]")


async def test_forgetting_is_followed_to_its_end(served: Served, chromium: Any, space: str) -> None:
    await filled(served, space)
    async with visiting(served, chromium, space) as page:
        await page.goto("/forget")
        await page.fill("#about", "peanuts")
        await page.press("#about", "Enter")
        await page.click("button.grave")
        await page.wait_for_url("**/receipts/*")
        await page.wait_for_selector("text=nothing of it was found", timeout=60_000)
        await page.goto("/timeline")
        assert "peanuts" not in await page.inner_text("main")
        assert "peanuts" not in page.url


async def test_what_changes_elsewhere_is_seen_without_a_reload(served: Served, chromium: Any, space: str) -> None:
    async with visiting(served, chromium, space) as page, served.client(served.person(space, "anna")) as bot:
        await page.goto("/timeline")
        await page.evaluate("window.isTheSame = true")
        await page.wait_for_function("stream && stream.readyState === EventSource.OPEN", timeout=60_000)
        await bot.post("/v1/memory/entries?wait=20", json={"text": "I play the cello"})
        await page.wait_for_selector("text=I play the cello", timeout=60_000)
        assert await page.evaluate("window.isTheSame")
        await page.goto("/")
        await page.wait_for_function("stream && stream.readyState === EventSource.OPEN", timeout=60_000)
        await page.fill("#seek", "half written")
        await bot.post("/v1/memory/entries?wait=20", json={"text": "I play the flute"})
        await page.wait_for_selector(".changed", timeout=60_000)
        assert await page.input_value("#seek") == "half written"
        await page.click(".changed button")
        await page.wait_for_selector("text=I play the flute")


async def test_the_keyboard_reaches_everything(served: Served, chromium: Any, space: str) -> None:
    await filled(served, space)
    async with visiting(served, chromium, space) as page:
        await page.goto("/")
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.className") == "skip"
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.id") == "seek"
        await page.keyboard.type("peanuts")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/find*")
        assert "allergic to peanuts" in await page.inner_text("main")
        await page.go_back()
        await page.wait_for_url("**/#main")


async def test_everything_works_without_script(served: Served, chromium: Any, space: str) -> None:
    await filled(served, space)
    async with visiting(served, chromium, space, java_script_enabled=False) as page:
        await page.goto("/timeline?kinds=facts")
        await page.click("form.act button >> nth=0")
        await page.wait_for_selector(".notice")
        assert "Pinned" in await page.inner_text(".notice")
        await page.click(".is-pinned .words a")
        await page.click("a.grave")
        await page.click("button.grave")
        await page.wait_for_selector("text=nothing of it was found", timeout=60_000)
        await page.goto("/settings")
        await page.click("main form[action='/leave'] button")
        assert "Closed" in await page.inner_text("h1")


async def test_nothing_is_kept_in_the_browser(served: Served, chromium: Any, space: str) -> None:
    await filled(served, space)
    async with visiting(served, chromium, space) as page:
        foreign: list[str] = []
        page.on("request", lambda request: foreign.append(request.url))
        for path in PAGES:
            await page.goto(path)
        assert await page.evaluate("localStorage.length + sessionStorage.length") == 0
        assert {url for url in foreign if not url.startswith(str(served.gateway.url))} == set()
        assert not [url for url in foreign if "peanuts" in url or "anna" in url]
