"""The page of the person, as a browser without JavaScript sees it: every page, every action, and what nobody else learns."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio
from fastapi.routing import APIRoute

from services.gateway.page import ROUTERS
from services.gateway.rooms import COOKIE
from shared.contracts.access import Right
from shared.contracts.ids import Space, User
from tests.support.gateways import Served, gateway_served
from tests.support.html_pages import Browser, HtmlPage
from tests.support.installations import until

pytestmark = pytest.mark.asyncio(loop_scope="module")

SECRET = "zanzibar"
PAGES = ("/", "/timeline", "/questions", "/why", "/conversations", "/activity", "/forget", "/settings", "/save")
HOSTILE = "<script>alert('x')</script> \"quoted\" & \u202eright to left\u202c {{ 739 * 947 }} <img src=x onerror=alert(1)>"
ABSENT = "fact_0123456789abcdef01234567"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    async with gateway_served(tmp_path_factory.mktemp("page")) as started:
        yield started


@asynccontextmanager
async def browsing(served: Served, space: str, user: str = "anna") -> AsyncIterator[Browser]:
    """The browser of somebody who opened their link."""
    async with served.client() as client:
        browser = Browser(client)
        await browser.open(served.link(space, user))
        yield browser


async def saved(browser: Browser, words: str, tags: str = "") -> HtmlPage:
    """The page of a memory that was just saved by the form."""
    page = await browser.send(await browser.get("/save"), "/save", words=words, tags=tags)
    assert page.reply.status_code == 200, page.words
    return page


async def test_what_is_saved_is_seen_by_topic_in_time_and_by_search(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        assert "Nothing yet" in (await browser.get("/")).words
        page = await saved(browser, "I am allergic to peanuts", tags="health, food")
        assert page.path.startswith("/memories/")
        assert "Saved by hand" in page.words
        for path in ("/", "/timeline", "/timeline?kinds=facts&show=all"):
            assert "I am allergic to peanuts" in (await browser.get(path)).words
        found = await browser.send(await browser.get("/"), "/find", words="peanuts")
        assert "I am allergic to peanuts" in found.words
        assert "peanuts" not in str(found.reply.url)
        topic = await browser.get((await browser.get(page.path)).link("/find"))
        assert "I am allergic to peanuts" in topic.words
        assert "health" not in str(topic.reply.url)


async def test_a_memory_is_pinned_confirmed_corrected_and_brought_back(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        page = await saved(browser, "I live in Oslo")
        pinned = await browser.send(page, f"{page.path}/pin")
        assert "Pinned. It stays" in pinned.words
        assert "I live in Oslo" in (await browser.get("/timeline?pinned=1")).words
        loose = await browser.send(pinned, f"{page.path}/unpin")
        assert "Nothing of this kind" in (await browser.get("/timeline?pinned=1")).words
        assert "Confirmed" in (await browser.send(loose, f"{page.path}/confirm")).words
        right = await browser.send(loose, f"{page.path}/correct", words="I live in Bergen")
        assert "What it said before" in right.words
        assert "I live in Oslo" in right.words
        assert "I live in Oslo" in (await browser.get("/timeline?show=replaced")).words
        old = await browser.get(page.path)
        assert "It was replaced by" in old.words
        assert "I live in Bergen" in old.words
        assert "Brought back" in (await browser.send(old, f"{page.path}/restore")).words


async def test_a_list_is_pinned_from_and_one_is_back_in_it(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        page = await saved(browser, "I like tea")
        back = await browser.send(await browser.get("/timeline?kinds=facts"), f"{page.path}/pin")
        assert (back.path, "kinds=facts" in str(back.reply.url)) == ("/timeline", True)
        form = (await browser.get("/timeline")).form(f"{page.path}/unpin")
        foreign = dict(form.fields) | {"back": "https://evil.example/"}
        reply = await browser.client.post(form.action, data=foreign, headers={"origin": browser.origin})
        assert reply.headers["location"].startswith("/memories/")


async def test_what_is_found_knows_what_was_just_done_in_it(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        page = await saved(browser, "I like tea")
        topic = (await browser.get(page.path)).link("/find")
        for found in (await browser.send(await browser.get("/"), "/find", words="tea"), await browser.get(topic)):
            pinned = await browser.send(found, f"{page.path}/pin")
            assert pinned.path == "/find"
            await browser.send(pinned, f"{page.path}/unpin")


async def test_forgetting_shows_what_would_go_and_then_the_receipt(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        page = await saved(browser, f"My aunt lives in {SECRET}")
        await saved(browser, "I like tea")
        preview = await browser.get(page.link("/forget/preview"))
        assert "1 memory would go" in preview.words
        assert SECRET in preview.words
        assert SECRET in (await browser.get("/timeline")).words
        receipt = await browser.send(preview, "/forget", only="")
        assert receipt.path.startswith("/receipts/")

        async def is_done() -> bool:
            return "nothing of it was found" in (await browser.get(receipt.path)).words

        await until(is_done, what="the erasure is proved")
        assert (await browser.get(page.path)).reply.status_code == 404
        assert SECRET not in (await browser.get("/timeline")).words
        assert receipt.path in (await browser.get("/forget")).links


async def test_what_holds_words_is_forgotten_by_them(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        await saved(browser, f"My aunt lives in {SECRET}")
        preview = await browser.send(await browser.get("/forget"), "/forget/words", words=SECRET)
        assert SECRET not in str(preview.reply.url)
        await browser.send(preview, "/forget")
        assert SECRET not in (await browser.get("/")).words
        nothing = await browser.send(await browser.get("/forget"), "/forget/words", words="nowhere")
        assert "0 memories would go" in nothing.words


async def test_everything_is_forgotten_only_where_that_was_said(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        await saved(browser, f"My aunt lives in {SECRET}")
        ask = await browser.get("/forget/everything")
        form = ask.form("/forget/everything")
        unsure = [pair for pair in form.fields if pair[0] != "sure"]
        refused = await browser.client.post(form.action, data=dict(unsure), headers={"origin": browser.origin})
        assert refused.status_code == 422
        receipt = await browser.send(ask, "/forget/everything", sure="1")
        assert receipt.path.startswith("/receipts/")

        async def is_gone() -> bool:
            return "Nothing yet" in (await browser.get("/")).words

        await until(is_gone, what="nothing is remembered")


async def test_switches_are_turned_and_said(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        off = await browser.send(await browser.get("/settings"), "/settings", name="memory_enabled", to="off")
        assert "Nothing is kept, and the bot is told nothing" in off.words
        assert "Memory is off" in (await browser.get("/")).words
        refused = await browser.send(await browser.get("/save"), "/save", words="I like tea")
        assert (refused.reply.status_code, "Memory is off" in refused.words) == (409, True)
        on = await browser.send(off, "/settings", name="memory_enabled", to="on")
        assert "What you say is remembered" in on.words
        hidden = await browser.send(on, "/settings", name="incognito_default", to="on")
        assert "New conversations begin incognito" in hidden.words
        trail = await browser.get("/activity")
        assert "Settings were changed" in trail.words
        assert "you, on this page" in trail.words


async def test_a_conversation_is_kept_out_of_memory_and_in_again(served: Served, space: str) -> None:
    async with browsing(served, space) as browser, served.client(served.person(space, "anna")) as bot:
        said = {"session_id": f"about {SECRET}", "turns": [{"role": "user", "text": "I like tea"}]}
        known = (await bot.post("/v1/memory/turns?wait=20", json=said)).json()["position"]
        listed = await browser.get(f"/conversations?at={known}")
        assert SECRET not in listed.reply.text
        started = await browser.send(listed, "/conversations/incognito", switch="start")
        assert "nothing of this conversation is kept" in started.words
        assert (await bot.post("/v1/memory/turns?wait=20", json=said)).json()["code"] == "incognito"
        ended = await browser.send(started, "/conversations/incognito", switch="end")
        assert "is kept again" in ended.words
        again = (await bot.post("/v1/memory/turns?wait=20", json=said)).json()
        assert again["state"] == "recorded"
        listed = await browser.get(f"/conversations?at={again['position']}")
        assert "I like tea" in (await browser.get(listed.link("/find"))).words


async def test_a_question_is_answered(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        await saved(browser, "I met Kelly in May")
        await saved(browser, "I have never met Kelly")
        asked = await browser.get("/questions")
        action = next(form.action for form in asked.forms if form.action.startswith("/questions/"))
        assert "There is a question for you" in (await browser.get("/")).words
        settled = await browser.send(asked, action, holds="older")
        assert "That is settled" in settled.words
        assert "No open questions" in settled.words
        again = await browser.send(asked, action, holds="older")
        assert again.reply.status_code in {200, 404}


async def test_what_a_bot_would_be_told_is_shown_with_its_reasons(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        await saved(browser, "I am allergic to peanuts")
        told = await browser.send(await browser.get("/why"), "/why", words="Are there peanuts in it?")
        assert "I am allergic to peanuts" in told.words
        assert "by its words" in told.words
        assert "peanuts" not in str(told.reply.url)


async def test_a_topic_is_shared_with_another_space_and_taken_back(served: Served, space: str) -> None:
    other = f"{space}-work"
    async with browsing(served, space) as home, browsing(served, other) as work:
        await saved(home, "My favourite food is sushi", tags="food")
        shared = await home.send(await home.get("/settings"), "/sharing", tag="food", with_space=other)
        assert f"with {other}" in shared.words

        async def is_found() -> bool:
            found = await work.send(await work.get("/"), "/find", words="sushi")
            return f"from {space}" in found.words and not [link for link in found.links if link.startswith("/memories")]

        await saved(work, "I sit by the window")
        await until(is_found, what="the other space finds what is shared")
        action = next(form.action for form in shared.forms if form.action.startswith("/sharing/"))
        assert "Nothing is shared" in (await home.send(shared, action)).words
        assert "A topic is not shared any more" in (await home.get("/activity")).words


async def test_everything_is_downloaded_and_the_browser_left(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        await saved(browser, "I am allergic to peanuts")
        settings = await browser.get("/settings")
        lines = await browser.client.get(settings.link("/v1/memory/export"))
        assert "peanuts" in lines.text
        kept = browser.client.cookies[COOKIE]
        assert "Closed" in (await browser.send(settings, "/leave")).words
        browser.client.cookies.set(COOKIE, kept)
        assert (await browser.get("/")).reply.status_code == 401


async def test_pages_of_a_list_follow_each_other(served: Served, space: str) -> None:
    async with browsing(served, space) as browser, served.client(served.person(space, "anna")) as bot:
        turns = [{"role": "user", "text": f"My locker {n} has number {n * 7}"} for n in range(50)]
        told = await bot.post("/v1/memory/turns?wait=20", json={"session_id": "s", "turns": turns})
        asked = {"query": "locker", "min_position": told.json()["position"], "timeout_s": 20}
        assert (await bot.post("/v1/memory/search", json=asked)).status_code == 200  # so the pages know of all, too
        first = await browser.get("/timeline?kinds=said")
        second = await browser.get(first.link("/timeline?show=now&kinds=said&pinned=&on=&before="))
        lockers = [re.findall(r"My locker (\d+) has", page.words) for page in (first, second)]
        assert [len(each) for each in lockers] == [40, 10]
        assert sorted(map(int, lockers[0] + lockers[1])) == list(range(50))
        past = await browser.get("/timeline?on=2020-01-01")
        assert "Nothing of this kind" in past.words


async def test_the_page_speaks_german_to_whom_prefers_it_and_to_whom_chooses_it(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        german = HtmlPage(await browser.client.get("/", headers={"accept-language": "de-AT,en;q=0.5"}))
        assert "Was von dir gemerkt ist" in german.words
        back = await browser.send(await browser.get("/timeline?show=all"), "/language", language="de")
        assert (back.path, back.words.count("Im Lauf der Zeit") > 0) == ("/timeline", True)
        astray = await browser.client.post("/language", data={"language": "de", "back": "//evil.example"})
        assert astray.headers.get("location", "/") == "/"


# --- who may ------------------------------------------------------------------------------------------------------------


def routes() -> list[tuple[str, str]]:
    """Every method and path of the page that is about a person."""
    open_to_all = ("/open/", "/leave", "/language", "/static/", "/operator")
    every = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
    found = [(method, route.path) for route in every for method in sorted(route.methods or ())]
    return [(method, path) for method, path in found if not path.startswith(open_to_all)]


FILLED = {"{share_id}": "share_1", "{memory_id}": ABSENT, "{conflict_id}": "conf_1", "{number}": "1"}


def filled(path: str) -> str:
    for name, value in FILLED.items():
        path = path.replace(name, value)
    return f"{path}?q=nonsense" if path in {"/find", "/forget/preview"} else path


async def test_every_route_is_tried() -> None:
    assert len(routes()) >= 25
    assert {path for method, path in routes() if method == "GET"} >= set(PAGES)


async def test_without_leave_every_route_answers_the_same(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        await saved(browser, f"My aunt lives in {SECRET}")
    late = datetime.now(UTC) - timedelta(seconds=1)
    expired = served.token("late", spaces=(Space(space),), users=(User("anna"),), expires_at=late)
    answers = set()
    for bearer in (None, expired, "nonsense"):
        async with served.client(bearer) as client:
            for method, path in routes():
                reply = await client.request(method, filled(path), data={"stamp": "x"} if method == "POST" else None)
                answers.add((reply.status_code, _without_place(reply.text)))
                assert SECRET not in reply.text
    assert len(answers) == 1
    assert answers.pop()[0] == 401


async def test_what_is_of_somebody_else_is_answered_as_what_is_not_there(served: Served, space: str) -> None:
    async with browsing(served, space) as anna:
        page = await saved(anna, f"My aunt lives in {SECRET}")
        memory_id = page.path.rpartition("/")[2]
        sealed = (await anna.send(await anna.get("/"), "/find", words=SECRET)).reply.url.params["q"]
    for user, other in (("ben", space), ("anna", f"{space}-other")):
        async with browsing(served, other, user) as browser:
            stamp = dict((await browser.get("/save")).form("/save").fields)["stamp"]
            for method, path in [each for each in routes() if "{memory_id}" in each[1]]:
                sent = {"stamp": stamp, "words": "x"}
                foreign, absent = [
                    await _ask(browser, method, path.replace("{memory_id}", each), sent) for each in (memory_id, ABSENT)
                ]
                assert foreign[0] == absent[0] == 404, (method, path)
                assert foreign[1].replace(memory_id, ABSENT) == absent[1]
            for path in ("/find", "/why", "/forget/preview"):
                foreign, absent = [await _ask(browser, "GET", f"{path}?q={each}", {}) for each in (sealed, "nonsense")]
                assert (foreign[0], foreign[1]) == (404, absent[1])
            forgotten = await _ask(browser, "POST", "/forget", {"stamp": stamp, "q": sealed})
            assert forgotten[0] == 404
            for path in PAGES:
                assert SECRET not in (await browser.get(path)).reply.text
    async with browsing(served, space) as anna:
        assert SECRET in (await anna.get("/timeline")).words


async def _ask(browser: Browser, method: str, path: str, sent: dict[str, str]) -> tuple[int, str]:
    data = sent if method == "POST" else None
    reply = await browser.client.request(method, path, data=data, headers={"origin": browser.origin})
    return reply.status_code, _without_place(reply.text)


def _without_place(text: str) -> str:
    """A page without where it is, which whoever asked for it said."""
    return re.sub(r'name="back" value="[^"]*"', "", text)


async def test_a_form_that_was_not_given_to_its_sender_does_nothing(served: Served, space: str) -> None:
    async with browsing(served, space) as anna, browsing(served, space, "ben") as ben:
        page = await saved(anna, "I like tea")
        foreign = dict((await ben.get("/save")).form("/save").fields)["stamp"]
        for method, path in routes():
            if method != "POST":
                continue
            for sent in ({}, {"stamp": ""}, {"stamp": foreign}):
                reply = await anna.client.post(
                    filled(path.replace("{memory_id}", page.path.rpartition("/")[2])),
                    data=sent | {"words": "x", "sure": "1"},
                    headers={"origin": anna.origin},
                )
                assert reply.status_code == 403, path
        assert "I like tea" in (await anna.get("/timeline")).words


async def test_who_may_only_read_sees_no_button_and_changes_nothing(served: Served, space: str) -> None:
    token = served.token("reads", rights=(Right.READ,), spaces=(Space(space),), users=(User("anna"),))
    async with browsing(served, space) as anna:
        page = await saved(anna, "I like tea")
    async with served.client(token) as client:
        browser = Browser(client)
        assert [form.action for form in (await browser.get(page.path)).forms if form.action.startswith("/memories")] == []
        stamp = dict((await browser.get("/")).form("/find").fields)["stamp"]
        refused = await client.post(f"{page.path}/pin", data={"stamp": stamp})
        assert (refused.status_code, refused.headers["content-type"]) == (403, "text/html; charset=utf-8")


async def test_whatever_somebody_says_stands_on_a_page_as_words(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        page = await saved(browser, HOSTILE, tags="<b>tag</b>")
        correct = await browser.send(page, f"{page.path}/correct", words=f"{HOSTILE} again")
        found = await browser.send(await browser.get("/"), "/find", words=HOSTILE)
        told = await browser.send(await browser.get("/why"), "/why", words=HOSTILE)
        preview = await browser.get(correct.link("/forget/preview"))
        lists = [await browser.get(path) for path in ("/", "/timeline?show=all", page.path, correct.path)]
        for each in (page, correct, found, told, preview, *lists):
            assert each.reply.status_code == 200
            assert html.escape("<script>alert", quote=True) in each.reply.text, each.path
            assert "<script>alert" not in each.reply.text
            assert "699833" not in re.sub(r'"[^"]*"', "", each.words.replace("{{ 739 * 947 }}", ""))
            assert each.tags.isdisjoint({"b", "img"})
            assert not {name for name in each.attributes if name.startswith("on")}


async def test_pages_say_how_they_are_to_be_treated_and_run_no_script_of_their_own(served: Served, space: str) -> None:
    async with browsing(served, space) as browser:
        for path in (*PAGES, "/memories/none", "/nowhere"):
            reply = await browser.client.get(path, headers={"accept": "text/html"})
            policy = reply.headers["content-security-policy"]
            assert "unsafe" not in policy
            assert "script-src 'self'" in policy
            assert reply.headers["referrer-policy"] == "same-origin"
            assert reply.headers["cache-control"] == "no-store"
            assert not re.search(r"<script(?![^>]*\bsrc=)", reply.text)
            assert " style=" not in reply.text
        style = (await browser.get("/")).reply.text
        for address in set(re.findall(r"/static/[0-9a-f]+/[\w.]+", style)):
            file = await browser.client.get(address)
            assert (file.status_code, "immutable" in file.headers["cache-control"]) == (200, True)
        assert (await browser.client.get("/static/0/page.css")).status_code == 404
        assert (await browser.client.get("/static/0/..%2fwords.py")).status_code == 404


async def test_what_is_on_the_page_is_in_no_log(served: Served, space: str, capfd: pytest.CaptureFixture[str]) -> None:
    async with browsing(served, space) as browser:
        page = await saved(browser, f"My aunt lives in {SECRET}", tags=SECRET)
        await browser.send(await browser.get("/"), "/find", words=SECRET)
        await browser.send(await browser.get("/why"), "/why", words=SECRET)
        await browser.send(await browser.get("/save"), "/save", words="")
        await browser.get(f"/memories/{SECRET}")
        await browser.send(await browser.get(page.link("/forget/preview")), "/forget", only="")
    await asyncio.sleep(0)
    said = capfd.readouterr()
    assert SECRET not in said.out + said.err
