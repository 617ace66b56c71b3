"""Searches every byte under a data folder for words, in every form in which text is kept."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from tests.support.live_folder import look_through

_TELLING = 8
"""Bytes. Shorter forms stand by chance among hashes and times."""
_STEM = 5
"""The shortest beginning of a rare word that can be nothing else."""


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
        if "memories" in path.parts and path.suffix in {".db", ".new"}:  # its index holds stems, a part of each where it lies
            places += [f"{name}: {word[:_STEM]}" for word in words if _is_indexed(path, word[:_STEM].lower())]
    return places


def _is_indexed(path: Path, beginning: str) -> bool:
    """Whether a person's file has a word in its index that begins like this; False of one that is just being replaced."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            db.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, memory_words, row)")
            return bool(db.execute("SELECT count(*) FROM temp.terms WHERE term GLOB ?", (f"{beginning}*",)).fetchone()[0])
    except sqlite3.Error:
        return False


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
