"""Headers are read as nats-py reads them, only faster."""

from __future__ import annotations

import pytest
from nats.aio.client import Client

from shared.runtime.connection import parse_header_lines


@pytest.mark.parametrize(
    ("raw", "headers"),
    [
        (b"", {}),
        (b"\r\n\r\n", {}),
        (b"Nats-Msg-Id: a\r\nMemstream-Sent: b.1\r\n\r\n", {"Nats-Msg-Id": "a", "Memstream-Sent": "b.1"}),
        (b"A:1\r\nB:\t2 \r\n C : 3\r\n", {"A": "1", "B": "2", "C": "3"}),
        (b"A: 1\r\nA: 2\r\n", {"A": "2"}),
        (b"A: x:y\r\n", {"A": "x:y"}),
        (b"no colon\r\nA: 1\r\n", {"A": "1"}),
        (b"with space: 1\r\nwith\ttab: 2\r\nA: 3\r\n", {"A": "3"}),
        ("Größe: 1\r\nA: für\r\n".encode(), {"A": "für"}),
        (b"A: \xff\r\n", {"A": "\ufffd"}),
        (b": 1\r\n", {"": "1"}),
    ],
)
def test_headers_are_read_as_nats_py_reads_them(raw: bytes, headers: dict[str, str]) -> None:
    assert parse_header_lines(raw) == headers


def test_every_connection_reads_headers_this_way() -> None:
    assert Client._parse_header_lines is parse_header_lines
