"""Whatever stands in the headers of a request, it is answered: with a problem, and with the headers that protect browsers."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from starlette.types import ASGIApp

from services.gateway.web import make_app

APP: ASGIApp = make_app(None, version="0")
_NAMES = ["host", "origin", "content-length", "cookie", "authorization", "sec-fetch-site", "content-type"]
_LATIN = st.text(st.characters(codec="latin-1", exclude_characters="\r\n\0"), max_size=40)


async def _answered(headers: dict[str, bytes]) -> httpx.Response:
    transport = httpx.ASGITransport(app=APP, raise_app_exceptions=True)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        return await client.post("/nothing/is/here", headers=[(name.encode(), value) for name, value in headers.items()])


@pytest.mark.parametrize("origin", [b"http://[", b"http://[::1", b"//]", b"null", b"", "http://\u00b2".encode("latin-1")])
async def test_an_origin_that_is_no_address_is_refused_as_that_of_another_page(origin: bytes) -> None:
    answer = await _answered({"origin": origin})
    assert answer.status_code == 403
    assert answer.json()["code"] == "not_permitted"
    assert answer.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("length", [b"9" * 5_000, b"\xb2", b"-1", b"1e9", b"1048577"])
async def test_a_length_that_is_no_number_or_too_large_is_refused(length: bytes) -> None:
    answer = await _answered({"content-length": length})
    assert answer.status_code == 413
    assert answer.headers["x-frame-options"] == "DENY"


@for_all(headers=st.dictionaries(st.sampled_from(_NAMES), _LATIN))
async def test_whatever_stands_in_the_headers_no_error_reaches_the_server(headers: dict[str, str]) -> None:
    answer = await _answered({name: value.encode("latin-1") for name, value in headers.items()})
    assert answer.status_code in {403, 404, 413}
