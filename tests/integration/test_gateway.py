"""The memory over HTTP: who may, what is written once, what is streamed, and that nobody learns of others."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
import pytest_asyncio

from services.gateway.access.rates import Rates
from services.gateway.api import PREFIX
from services.gateway.rooms import COOKIE
from services.gateway.web import bare_app
from shared.contracts.access import Right
from shared.contracts.errors import TooMany
from shared.contracts.ids import Space, User
from shared.runtime.http_tokens import HttpToken, load_tokens, new_http_token, save_tokens, without
from shared.runtime.links import Links, LinkSettings
from tests.support.gateways import ISSUER, Served, gateway_served
from tests.support.installations import until
from tests.support.measures import Measures
from tests.support.openapi_requests import OpenApi

pytestmark = pytest.mark.asyncio(loop_scope="module")

SECRET = "zanzibar"
"""What the person says whom nobody else may learn about."""
NOW = datetime.now(UTC)
COUNTED = (
    "memstream_contexts_total{outcome=filled}",
    "memstream_gateway_seconds_count{method=POST,route=/v1/memory/context,status=2xx}",
    "memstream_gateway_seconds_count{method=GET,route=/v1/memory/entries/{memory_id},status=4xx}",
    "memstream_query_seconds_count{query=context}",
    "memstream_user_actions_total{action=pin}",
    "memstream_user_actions_total{action=forget}",
)
"""What such a visit is measured by."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    async with gateway_served(tmp_path_factory.mktemp("gateway")) as started:
        yield started


async def remembered(client: httpx.AsyncClient, text: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - each of its own type
    reply = await client.post(f"{PREFIX}/entries?wait=20", json={"text": text, **more})
    assert reply.status_code == 200, reply.text
    answer: dict[str, Any] = reply.json()
    return answer


async def test_a_person_reads_pins_corrects_and_forgets(served: Served, space: str) -> None:
    measures = Measures()
    async with served.client(served.person(space, "anna")) as anna:
        made = await remembered(anna, "I am allergic to peanuts", tags=["health"])
        entry = f"{PREFIX}/entries/{made['memory_id']}"
        pinned = (await anna.post(f"{entry}/pin?wait=20")).json()
        found = await anna.get(f"{PREFIX}/entries?pinned=true&min_position={pinned['position']}")
        assert [each["memory_id"] for each in found.json()["items"]] == [made["memory_id"]]
        assert (await anna.delete(f"{entry}/pin?wait=20")).json()["state"] == "recorded"
        right = (await anna.post(f"{entry}/correct?wait=20", json={"text": "I am allergic to hazelnuts"})).json()
        told = await anna.get(f"{PREFIX}/entries/{right['memory_id']}/history?min_position={right['position']}")
        assert [each["text"] for each in told.json()["chain"]] == ["I am allergic to peanuts", "I am allergic to hazelnuts"]
        assert "hazelnuts" in (await anna.get(f"{PREFIX}/summary?space={space}")).json()["markdown"]
        assert (await anna.post(f"{PREFIX}/context", json={"query": "hazelnuts"})).json()["items"]
        gone = (await anna.delete(f"{PREFIX}/entries/{right['memory_id']}?wait=20")).json()
        assert (await anna.get(f"{PREFIX}/receipts/{gone['number']}")).json()["memories"] >= 1
        after = await anna.get(f"{PREFIX}/entries/{right['memory_id']}?min_position={gone['position']}")
        assert after.status_code == 404
        assert after.headers["content-type"] == "application/problem+json"
    assert measures.grown(*COUNTED) == list(COUNTED)
    assert measures.now("memstream_ready{service=ingest}") == 1


async def test_settings_and_incognito_are_of_the_person_in_the_space(served: Served, space: str) -> None:
    async with served.client(served.token("wide")) as bot:
        where = {"space": space, "user": "anna"}
        started = await bot.post(f"{PREFIX}/incognito/start?wait=20", json={"session_id": "s1", **where})
        assert started.json()["state"] == "recorded"
        said = {"session_id": "s1", "turns": [{"role": "user", "text": "I like tea"}], **where}
        kept = await bot.post(f"{PREFIX}/turns?wait=20", json=said)
        assert (kept.status_code, kept.json()["state"], kept.json()["code"]) == (200, "not_recorded", "incognito")
        assert (await bot.post(f"{PREFIX}/incognito/end?wait=20", json={"session_id": "s1", **where})).status_code == 200
        assert (await bot.post(f"{PREFIX}/turns?wait=20", json=said)).json()["state"] == "recorded"
        off = await bot.post(f"{PREFIX}/settings?wait=20", json={"memory_enabled": False, **where})
        stats = await bot.get(f"{PREFIX}/stats", params={**where, "min_position": off.json()["position"]})
        assert stats.json()["settings"]["memory_enabled"] is False
        refused = await bot.post(f"{PREFIX}/entries?wait=20", json={"text": "I like coffee", **where})
        assert (refused.status_code, refused.json()["code"]) == (409, "memory_off")


async def test_a_tag_is_shared_with_another_space_and_taken_back(served: Served, space: str) -> None:
    async with served.client(served.token("sharing", rights=tuple(Right))) as bot:
        where, there = {"space": space, "user": "anna"}, {"space": f"{space}-work", "user": "anna"}
        await remembered(bot, "My favourite pier is in Zanzibar", tags=["Travel"], **where)
        shared = await bot.post(f"{PREFIX}/shares?wait=20", json={"tag": "travel", "with_space": there["space"], **where})
        listed = await bot.get(f"{PREFIX}/shares", params={**where, "min_position": shared.json()["position"]})
        [share] = listed.json()["shares"]
        assert (share["tag"], share["with_space"], share["memories"]) == ("travel", there["space"], 1)
        asked = {"query": "Where is my favourite pier?"}
        context = (await bot.post(f"{PREFIX}/context", params=there, json=asked)).json()
        assert [item["origin"] for item in context["items"]] == [space]
        absent = await bot.delete(f"{PREFIX}/shares/{share['share_id']}?wait=20", params=there)
        assert (absent.status_code, absent.json()["code"]) == (404, "not_found")
        taken_back = await bot.delete(f"{PREFIX}/shares/{share['share_id']}", params={**where, "wait": 20})
        assert taken_back.json()["state"] == "recorded"
        await bot.get(f"{PREFIX}/shares", params={**where, "min_position": taken_back.json()["position"]})
        assert (await bot.post(f"{PREFIX}/context", params=there, json=asked)).json()["items"] == []


async def test_a_write_is_accepted_and_its_operation_is_found_by_its_person_alone(served: Served, space: str) -> None:
    async with served.client(served.person(space, "anna")) as anna, served.client(served.person(space, "ben")) as ben:
        accepted = await anna.post(f"{PREFIX}/entries", json={"text": "I like tea"})
        assert (accepted.status_code, accepted.json()["state"]) == (202, "accepted")
        place = f"{PREFIX}/operations/{accepted.json()['operation_id']}"
        decided = await anna.get(f"{place}?wait=20")
        assert (decided.status_code, decided.json()["state"]) == (200, "recorded")
        foreign = await ben.get(f"{place}?wait=1")
        absent = await ben.get(f"{PREFIX}/operations/remember_fact.123456789.0123456789abcdef?wait=1")
        assert (foreign.status_code, foreign.content) == (404, absent.content)


async def test_the_same_key_writes_once_and_with_other_words_nothing(served: Served, space: str) -> None:
    async with served.client(served.person(space, "anna")) as anna:
        key = {"Idempotency-Key": "k1"}
        replies = [await anna.post(f"{PREFIX}/entries?wait=20", json={"text": "I like tea"}, headers=key) for _ in range(3)]
        assert {reply.json()["memory_id"] for reply in replies} == {replies[0].json()["memory_id"]}
        other = await anna.post(f"{PREFIX}/entries?wait=20", json={"text": "I like coffee"}, headers=key)
        assert (other.status_code, other.json()["code"]) == (409, "id_reused")
        assert (await anna.get(f"{PREFIX}/stats")).json()["memories"]["fact"] == 1


async def test_pages_follow_each_other_without_gap_or_repetition(served: Served, space: str) -> None:
    async with served.client(served.person(space, "anna")) as anna:
        made = [await remembered(anna, f"My locker number {n} is {n * 7}") for n in range(5)]
        asked = {"limit": 2, "min_position": made[-1]["position"]}
        listed, cursor = [], None
        while True:
            page = (await anna.get(f"{PREFIX}/entries", params=asked | ({"cursor": cursor} if cursor else {}))).json()
            listed += [each["memory_id"] for each in page["items"]]
            if (cursor := page["next_cursor"]) is None:
                break
        assert listed == [each["memory_id"] for each in reversed(made)]
        wrong = await anna.get(f"{PREFIX}/entries?cursor=nonsense")
        assert (wrong.status_code, wrong.json()["code"]) == (422, "malformed")


# --- who may ------------------------------------------------------------------------------------------------------------

FILLED = {
    "{memory_id}": "fact_0123456789abcdef01234567",
    "{name}": SECRET,
    "{number}": "1",
    "{conflict_id}": "conf_1",
    "{run_id}": "run_1",
    "{message_id}": "m1",
    "{share_id}": "shr_0123456789abcdef01234567",
    "{operation_id}": "remember_fact.1.0123456789abcdef",
}
BODIES: dict[str, Any] = {
    "/entries": {"text": "x"},
    "/correct": {"text": "x"},
    "/search": {"query": SECRET},
    "/context": {"query": SECRET},
    "/explain": {"query": SECRET},
    "/turns": {"session_id": "s1", "turns": [{"role": "user", "text": "x"}]},
    "/turns/{message_id}": {"text": "x"},
    "/settings": {"memory_enabled": True},
    "/start": {"session_id": "s1"},
    "/incognito/end": {"session_id": "s1"},
    "/forget/preview": {"query": SECRET},
    "/forget": {"query": SECRET},
    "/take-back": {},
    "/answer": {"holds": "both"},
    "/sessions/end": {"session_id": "s1"},
    "/links": {},
    "/shares": {"tag": "x", "with_space": "y"},
}


@cache
def routes() -> list[tuple[str, str]]:
    """Every method and path of the API."""
    paths = bare_app("test").openapi()["paths"]
    return [(method, path) for path, methods in paths.items() for method in methods]


def request_of(method: str, path: str) -> dict[str, Any]:
    """A request that fits the route."""
    body = next((body for end, body in BODIES.items() if path.endswith(end)), None)
    for name, value in FILLED.items():
        path = path.replace(name, value)
    if method == "post" and path.endswith("/import"):
        return {"method": method, "url": path, "content": b'{"memstream_export": 1}\n'}
    return {"method": method, "url": path} | ({"json": body} if method in {"post", "put"} and body is not None else {})


async def test_each_route_has_a_row_in_the_matrix() -> None:
    """A route that is added is asked by every bearer below, by a request that fits it."""
    paths = bare_app("test").openapi()["paths"]
    for method, path in routes():
        assert set(re.findall(r"{\w+}", path)) <= FILLED.keys(), path
        takes_json = "application/json" in paths[path][method].get("requestBody", {}).get("content", {})
        assert not takes_json or any(path.endswith(end) for end in BODIES), (method, path)


async def test_without_leave_nothing_is_answered_and_nobody_is_told_why(served: Served, space: str) -> None:
    async with served.client(served.person(space, "anna")) as anna:
        await remembered(anna, f"I live in {SECRET}")
    expired = served.token("expired", spaces=(Space(space),), expires_at=NOW - timedelta(seconds=1))
    revoked = served.token("revoked", spaces=(Space(space),))
    path = served.installation.settings.files.http_tokens
    save_tokens(path, without(load_tokens(path), "revoked"))
    late = served.jwt(memstream_spaces=[space], exp=NOW - timedelta(minutes=5))
    bearers = [None, expired, revoked, late, "nonsense", "mst_0_0", f"{expired}x"]
    answers = set()
    for bearer in bearers:
        async with served.client(bearer) as client:
            for method, path_ in routes():
                reply = await client.request(**request_of(method, path_), params={"space": space, "user": "anna"})
                answers.add((reply.status_code, reply.content))
                assert SECRET not in reply.text
    assert len(answers) == 1
    assert answers.pop()[0] == 401


async def test_who_is_foreign_is_answered_as_who_is_not_there(served: Served, space: str) -> None:
    """Every route, with the token of another person and of another space: the same answer for anna and for nobody."""
    async with served.client(served.person(space, "anna")) as anna:
        await remembered(anna, f"I live in {SECRET}")
    rights = tuple(Right)
    others = [
        served.token("other-person", rights=rights, spaces=(Space(space),), users=(User("ben"),)),
        served.token("other-space", rights=rights, spaces=(Space("elsewhere"),)),
        served.jwt(sub="ben", memstream_spaces=[space], scope="read write forget link"),
    ]
    scoped = [each for each in routes() if not each[1].endswith(("/bearer", "/jobs", "/jobs/runs"))]
    for bearer in others:
        async with served.client(bearer) as client:
            for method, path in scoped:
                there = await client.request(**request_of(method, path), params={"space": space, "user": "anna"})
                absent = await client.request(**request_of(method, path), params={"space": "nowhere", "user": "nobody"})
                assert there.status_code == absent.status_code == 404, (method, path, there.text)
                assert there.content == absent.content, (method, path)
    async with served.client(served.person(space, "anna")) as anna:
        listed = (await anna.get(f"{PREFIX}/entries")).json()["items"]
        assert [each["text"] for each in listed] == [f"I live in {SECRET}"]


async def test_another_persons_memory_is_answered_as_one_that_is_not_there(served: Served, space: str) -> None:
    async with served.client(served.person(space, "anna")) as anna:
        made = (await remembered(anna, f"I live in {SECRET}"))["memory_id"]
    async with served.client(served.person(space, "ben")) as ben:
        for method, path in [each for each in routes() if "{memory_id}" in each[1]]:
            params = {"wait": 20} if method != "get" else {}
            foreign = await ben.request(**request_of(method, path.replace("{memory_id}", made)), params=params)
            absent = await ben.request(**request_of(method, path), params=params)
            assert (foreign.status_code, foreign.content) == (absent.status_code, absent.content), (method, path)
            assert foreign.status_code == 404


async def test_a_right_that_is_missing_is_named(served: Served, space: str) -> None:
    reader = served.token("reader", rights=(Right.READ,), spaces=(Space(space),), users=(User("anna"),))
    async with served.client(reader) as client:
        assert (await client.get(f"{PREFIX}/entries")).status_code == 200
        for method, path in (("post", f"{PREFIX}/entries"), ("post", f"{PREFIX}/forget"), ("post", f"{PREFIX}/links")):
            refused = await client.request(**request_of(method, path))
            assert (refused.status_code, refused.json()["code"]) == (403, "not_permitted")


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://other.example"},
        {"aud": "other"},
        {"exp": None},
        {"sub": None},
        {"sub": ""},
        {"memstream_spaces": None},
        {"memstream_spaces": []},
        {"memstream_spaces": "home"},
    ],
    ids=str,
)
async def test_a_jwt_that_lacks_something_is_none(served: Served, claims: dict[str, Any]) -> None:
    async with served.client(served.jwt(**{"memstream_spaces": ["home"], **claims})) as client:
        assert (await client.get(f"{PREFIX}/bearer")).status_code == 401


async def test_a_jwt_of_the_issuer_opens_its_persons_memory(served: Served, space: str) -> None:
    async with served.client(served.jwt(memstream_spaces=[space], scope="read operate nonsense")) as client:
        told = (await client.get(f"{PREFIX}/bearer")).json()
        assert told == {"name": "jwt", "rights": ["read"], "spaces": [space], "users": ["anna"]}
    public = served.signing_key.public_key().public_numbers()
    forged = jwt.encode(
        {"iss": ISSUER, "aud": "memstream", "sub": "anna", "exp": NOW + timedelta(hours=1), "memstream_spaces": [space]},
        str(public.n).ljust(64, "0"),
        algorithm="HS256",
        headers={"kid": "k1"},
    )
    async with served.client(forged) as client:
        assert (await client.get(f"{PREFIX}/bearer")).status_code == 401


# --- links, cookies, browsers -------------------------------------------------------------------------------------------


def link_to(served: Served, space: str) -> str:
    url = served.link(space, "anna")
    assert space not in url
    assert "anna" not in url
    return url


async def test_a_link_opens_once_and_looking_at_it_does_not_use_it_up(served: Served, space: str) -> None:
    url = link_to(served, space)
    async with served.client() as browser:
        for _ in range(2):
            assert (await browser.get(url)).status_code == 200
        own = {"origin": str(served.gateway.url)}
        opened = await browser.post(url, headers=own)
        assert (opened.status_code, opened.headers["location"]) == (303, "/")
        cookie = opened.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert (await browser.get(f"{PREFIX}/bearer")).json()["users"] == ["anna"]
        assert (await browser.post(f"{PREFIX}/entries?wait=20", json={"text": "I like tea"}, headers=own)).status_code == 200
        kept = browser.cookies[COOKIE]
        assert (await browser.post("/leave", headers=own)).status_code == 200
    async with served.client(cookies={COOKIE: kept}) as left:
        assert (await left.get(f"{PREFIX}/bearer")).status_code == 401
    async with served.client() as second:
        assert (await second.post(url, headers=own)).status_code == 410
        assert (await second.get(url)).status_code == 410
        assert (await second.get(f"{PREFIX}/bearer")).status_code == 401


async def test_a_link_is_no_cookie_and_a_token_no_link(served: Served, space: str) -> None:
    sealed = link_to(served, space).rpartition("/")[2]
    async with served.client(cookies={COOKIE: sealed}) as client:
        assert (await client.get(f"{PREFIX}/bearer")).status_code == 401
    async with served.client() as client:
        assert (await client.get(f"/open/{served.token('wide')}")).status_code == 410
        assert (await client.get(f"/open/{sealed[:-2]}AA")).status_code == 410


async def test_a_bot_hands_out_a_link_for_its_person(served: Served, space: str) -> None:
    bot = served.token("linker", rights=(Right.LINK,), spaces=(Space(space),))
    async with served.client(bot) as client, served.client() as browser:
        made = await client.post(f"{PREFIX}/links", json={"user": "anna"})
        assert made.status_code == 201
        assert (await browser.post(made.json()["url"], headers={"origin": str(served.gateway.url)})).status_code == 303
        assert (await browser.get(f"{PREFIX}/bearer")).json()["spaces"] == [space]


async def test_what_a_page_of_somebody_else_sends_is_not_done(served: Served, space: str) -> None:
    url = link_to(served, space)
    async with served.client() as browser:
        await browser.post(url, headers={"origin": str(served.gateway.url)})
        entry = f"{PREFIX}/entries"
        for headers in ({"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}, {}):
            refused = await browser.post(entry, json={"text": "I like evil"}, headers=headers)
            assert (refused.status_code, refused.json()["code"]) == (403, "not_permitted"), headers
        assert (await browser.get(entry, headers={"origin": "https://evil.example"})).status_code == 403
        assert (await browser.get(entry, headers={"host": "evil.example"})).status_code == 403
        assert (await browser.get(entry)).json()["items"] == []


async def test_every_answer_has_the_headers_that_protect_a_browser(served: Served) -> None:
    async with served.client() as client:
        for path in ("/openapi.json", f"{PREFIX}/bearer", "/nowhere", "/open/x"):
            headers = (await client.get(path)).headers
            assert headers["x-content-type-options"] == "nosniff"
            # With `no-referrer` a browser sends `Origin: null` along with the forms of our own pages.
            assert headers["referrer-policy"] == ("same-origin" if path.startswith("/open/") else "no-referrer")
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert headers["cache-control"] == "no-store"
            assert "server" not in headers


async def test_a_body_that_is_too_large_is_refused(served: Served, space: str) -> None:
    async with served.client(served.person(space, "anna")) as anna:
        for size in (70_000, 2_000_000):
            refused = await anna.post(f"{PREFIX}/entries", json={"text": "x" * size})
            assert (refused.status_code, refused.json()["code"]) == (413, "too_large")

        async def endless() -> AsyncIterator[bytes]:
            for _ in range(20):
                yield b"x" * 100_000

        headers = {"content-type": "application/json"}
        refused = await anna.post(f"{PREFIX}/entries", content=endless(), headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (413, "too_large")


async def test_who_asks_too_often_waits() -> None:
    rates = Rates(60)
    for _ in range(60):
        rates.take("anna", now_s=0.0)
    with pytest.raises(TooMany):
        rates.take("anna", now_s=0.5)
    rates.take("ben", now_s=0.5)
    rates.take("anna", now_s=1.5)


# --- streams ------------------------------------------------------------------------------------------------------------


async def test_an_export_is_imported_elsewhere_once(served: Served, space: str) -> None:
    async with served.client(served.person(space, "anna")) as anna, served.client(served.token("wide")) as wide:
        for text in ("I live in Oslo", "My sister is Rosa", "I like tea"):
            await remembered(anna, text)
        lines = (await anna.get(f"{PREFIX}/export")).text
        assert json.loads(lines.splitlines()[0])["user"] == "anna"
        to = {"space": f"{space}-copy", "user": "anna"}
        first = (await wide.post(f"{PREFIX}/import", content=lines, params=to)).json()
        assert first["exported_digest"] == first["content_digest"]
        again = (await wide.post(f"{PREFIX}/import", content=lines, params=to)).json()
        assert again["pages"]["recorded"] == 0
        broken = await wide.post(f"{PREFIX}/import", content=lines + "nonsense\n", params=to)
        assert (broken.status_code, broken.json()["code"]) == (422, "malformed")
        assert "nonsense" not in broken.text


async def test_an_import_brings_nothing_back_that_was_forgotten(served: Served, space: str) -> None:
    there = served.token("elsewhere", spaces=(Space(f"{space}-copy"),), users=(User("anna"),))
    async with served.client(served.person(space, "anna")) as anna, served.client(there) as elsewhere:
        exports = []
        for client, texts in (
            (anna, ("My aunt Zorvanda sings", "I live in Oslo")),
            (elsewhere, ("I know Zorvanda", "I like tea")),
        ):
            known = [(await remembered(client, text))["position"] for text in texts]
            exports.append((await client.get(f"{PREFIX}/export", params={"min_position": known[-1]})).text)
        assert (await anna.post(f"{PREFIX}/forget?wait=20", json={"query": "Zorvanda"})).json()["state"] == "recorded"
        async with served.client(served.token("wide")) as wide:
            for lines in exports:
                imported = await wide.post(f"{PREFIX}/import", content=lines, params={"space": space, "user": "anna"})
                assert imported.status_code == 200, imported.text
        at = (await remembered(anna, "I like jazz"))["position"]
        told = [
            (await anna.get(f"{PREFIX}/{what}", params={"min_position": at})).text
            for what in ("entries", "summary", "export", "entities")
        ]
        assert "I like tea" in told[0]
        assert not [each for each in told if "zorvanda" in each.lower()]


async def told(lines: AsyncIterator[str], count: int) -> list[tuple[str, dict[str, Any]]]:
    """The next events of a stream, with their ids."""
    found: list[tuple[str, dict[str, Any]]] = []
    last = ""
    async for line in lines:
        if line.startswith("id: "):
            last = line.removeprefix("id: ")
        if line.startswith("data: "):
            found.append((last, json.loads(line.removeprefix("data: "))))
            if len(found) == count:
                return found
    raise AssertionError(f"the stream ended after {len(found)} events")


async def test_changes_are_told_as_they_happen_and_again_from_where_one_was(served: Served, space: str) -> None:
    async with served.client(served.person(space, "anna")) as anna, served.client(served.person(space, "ben")) as ben:
        await remembered(anna, "I like tea")

        async def follows() -> bool:
            async with anna.stream("GET", f"{PREFIX}/events") as stream:
                return stream.status_code == 200

        await until(follows, what="the feed follows the log")
        async with anna.stream("GET", f"{PREFIX}/events") as stream:
            lines = stream.aiter_lines()
            assert (await anext(lines)).startswith(":")
            await remembered(ben, f"I live in {SECRET}")
            await remembered(anna, "I like coffee")
            made = await remembered(anna, "My dog is called Rex")
            first, second = await told(lines, 2)
            assert second[1]["memory_ids"] == [made["memory_id"]]
            assert first[1]["actor"]["name"] == "http/of-anna"
            assert "coffee" not in json.dumps(first)
        async with anna.stream("GET", f"{PREFIX}/events", headers={"Last-Event-ID": first[0]}) as stream:
            assert await told(stream.aiter_lines(), 1) == [second]


async def test_a_stream_ends_when_its_token_is_revoked(served: Served, space: str) -> None:
    token = served.token("shortly", spaces=(Space(space),), users=(User("anna"),))
    async with served.client(token) as anna, served.client(served.person(space, "anna")) as other:

        async def follows() -> bool:
            async with anna.stream("GET", f"{PREFIX}/events") as stream:
                return stream.status_code == 200

        await until(follows, what="the feed follows the log")
        async with anna.stream("GET", f"{PREFIX}/events") as stream:
            lines = stream.aiter_lines()
            assert (await anext(lines)).startswith(":")
            path = served.installation.settings.files.http_tokens
            save_tokens(path, without(load_tokens(path), "shortly"))
            await remembered(other, "I like tea")
            with pytest.raises(AssertionError, match="ended after 0"):
                await told(lines, 1)


async def test_tokens_are_kept_as_hashes(tmp_path: Path) -> None:
    text, kept = new_http_token(name="t", rights=(Right.READ,), spaces=(), users=(), now=NOW, expires_at=NOW)
    save_tokens(tmp_path / "tokens.toml", {kept.token_id: kept})
    assert text.split("_", 2)[2] not in (tmp_path / "tokens.toml").read_text()
    assert (tmp_path / "tokens.toml").stat().st_mode & 0o777 == 0o600
    read: HttpToken = load_tokens(tmp_path / "tokens.toml")[kept.token_id]
    assert read == kept


async def test_an_operator_sees_how_it_goes_and_nobodys_words(served: Served, space: str) -> None:
    async with served.client(served.person(space, SECRET)) as person:
        await remembered(person, f"I live in {SECRET}")
    made = Links(served.installation.settings.files, LinkSettings()).made_for_operator(now=datetime.now(UTC))
    assert made
    async with served.client(follow_redirects=True) as browser:
        path = made.url.removeprefix(str(served.gateway.url))
        opened = await browser.post(path, headers={"origin": str(served.gateway.url)})
        assert opened.url.path == "/operator"
        await served.gateway._sampler.sample()
        await remembered_by(served, space)
        await served.gateway._sampler.sample()
        page = (await browser.get("/operator")).text
        assert page.count("<svg class=") >= 3
        assert [word for word in (SECRET, "peanuts") if word in page] == []
        for path in ("/", f"{PREFIX}/entries?space={space}&user={SECRET}"):
            assert SECRET not in (await browser.get(path)).text
        assert (await browser.get(f"{PREFIX}/entries?space={space}&user={SECRET}")).status_code == 403
        assert (await browser.get(f"{PREFIX}/jobs")).status_code == 503  # maintenance does not run here


async def remembered_by(served: Served, space: str) -> None:
    async with served.client(served.person(space, SECRET)) as person:
        await remembered(person, "I am allergic to peanuts")


async def test_a_person_does_not_see_the_operators_page(served: Served, space: str) -> None:
    async with served.client(served.person(space, "anna")) as anna:
        assert (await anna.get("/operator")).status_code == 403
    async with served.client() as nobody:
        assert (await nobody.get("/operator")).status_code == 401


# --- the document -------------------------------------------------------------------------------------------------------

ASKED_BY_CHANCE = 100
ONE_DOCUMENT = {"application/json", "application/problem+json"}
IMPORT = "/v1/memory/import"
"""Lines of JSON, of which Schemathesis can make none; the hundred requests of every day and tests of its own ask it."""
STREAMED = {f"{PREFIX}/events"}
"""Answers that go on for ever."""


async def test_a_hundred_requests_by_chance_are_answered_as_the_document_says(served: Served, space: str) -> None:
    """Schemathesis does it at night with thousands: `test_schemathesis_finds_no_answer_that_is_not_documented`."""
    document = OpenApi(bare_app("test").openapi(), seed=18)
    operations = [each for each in document.operations() if each[1] not in STREAMED]
    faults = []
    async with served.client(
        served.token("chance", rights=tuple(Right), spaces=(Space(space),), users=(User("anna"),))
    ) as anyone:
        for number in range(ASKED_BY_CHANCE):
            method, path = operations[number % len(operations)]
            asked = document.request(method, path)
            reply = await anyone.request(**asked)
            kind = reply.headers.get("content-type", "").partition(";")[0]
            content = reply.json() if kind in ONE_DOCUMENT else None
            faults += [f"{method} {path}: {fault}" for fault in document.faults(method, path, reply.status_code, kind, content)]
            assert reply.status_code != 500, asked
    assert sorted(set(faults)) == []


@pytest.mark.nightly
async def test_schemathesis_finds_no_answer_that_is_not_documented(served: Served, space: str) -> None:
    """Run with `make fuzz`, which installs it beside our environment: it would load itself into every test."""
    program = Path(__file__).parents[2] / ".venv-fuzz/bin/schemathesis"
    if not program.exists():
        pytest.skip("there is no Schemathesis; `make fuzz` installs it")
    token = served.token("fuzz", rights=tuple(Right), spaces=(Space(space),), users=(User("anna"),))
    checks = "status_code_conformance,content_type_conformance,response_schema_conformance"
    process = await asyncio.create_subprocess_exec(
        *(str(program), "run", f"{served.gateway.url}/openapi.json", "-H", f"authorization: Bearer {token}"),
        *("--checks", checks, "--seed", "18", "-n", "30", "--phases", "examples,coverage,fuzzing", "--continue-on-failure"),
        *(option for path in (*STREAMED, IMPORT) for option in ("--exclude-path", path)),
        *("--request-timeout", "40", "--max-time", "240", "--no-color"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()
