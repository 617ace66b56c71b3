"""Searches every byte under a data folder for words, in every form in which text is kept."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from tests.support.live_folder import look_through

_TELLING = 8
"""Bytes. Shorter forms stand by chance among hashes and times."""
_STEM = 5
"""The shortest part of a rare word that can be nothing else."""
_SHARED = 4


def found(root: Path, words: list[str]) -> list[str]:
    """Where any of the words still is: `<file>: <form>`."""
    return look_through(root, lambda folder: _found(folder, words))


def _found(root: Path, words: list[str]) -> list[str]:
    forms = {form for word in words for form in _forms(word) if len(form) >= _TELLING or form == word.encode()}
    places = []
    for path in sorted(root.rglob("*")):
        if not path.is_file():
            continue
        raw = path.read_bytes()
        lower = raw.lower()
        name = str(path.relative_to(root))
        places += [f"{name}: {form!r}" for form in forms if form in raw or form.lower() in lower]
        if "memories" in path.parts:  # its index holds stems, without the beginning that they share with the word before
            parts = {word[_SHARED : _SHARED + _STEM].lower().encode() for word in words}
            places += [f"{name}: {part!r}" for part in parts if len(part) == _STEM and part in lower]
    return places


def _forms(word: str) -> Iterator[bytes]:
    """As it stands, its stem, JSON-escaped, percent-encoded, UTF-16, hex, and base64 at each of the three alignments."""
    yield word.encode()
    yield word[:-2].encode()
    yield json.dumps(word)[1:-1].encode()
    yield quote(word).encode()
    yield from (word.encode("utf-16-le"), word.encode("utf-16-be"))
    yield word.encode().hex().encode()
    yield "".join(f"\\u{ord(each):04x}" for each in word).encode()
    yield "".join(f"%{each:02x}" for each in word.encode()).encode()
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + word.encode())
        yield encoded[4 if shift else 0 : -4]
