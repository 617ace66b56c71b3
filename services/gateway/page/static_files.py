"""The files beside the templates: style, script, letters and picture, each at an address that changes with its bytes."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from fastapi import APIRouter, Response

from shared.contracts.errors import NotFound

router = APIRouter()

_FOLDER = Path(__file__).parent / "static"
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
_FOR_EVER = "public, max-age=31536000, immutable"
_DIGITS = 12
_LETTERS = "newsreader.woff2"


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file as it is served."""

    content: bytes
    media_type: str
    mark: str
    """Changes with the bytes."""


@cache
def static_files() -> dict[str, StaticFile]:
    """The files by their names, read once; nothing else can be asked for."""
    letters = (_FOLDER / _LETTERS).read_bytes()
    address = _address(_LETTERS, _mark(letters)).encode()
    found = {}
    for path in sorted(_FOLDER.iterdir()):
        content = path.read_bytes()
        if path.suffix == ".css":
            content = content.replace(f"url({_LETTERS})".encode(), b"url(%s)" % address)
        found[path.name] = StaticFile(content, _KINDS[path.suffix], _mark(content))
    return found


def address_of(name: str) -> str:
    """Where a file is served."""
    return _address(name, static_files()[name].mark)


def _mark(content: bytes) -> str:
    return sha256(content).hexdigest()[:_DIGITS]


def _address(name: str, mark: str) -> str:
    return f"/static/{mark}/{name}"


@router.get("/static/{mark}/{name}")
async def static_file(mark: str, name: str) -> Response:
    """A file, to be kept by browsers for ever; of another mark there is none."""
    found = static_files().get(name)
    if found is None or found.mark != mark:
        raise NotFound
    return Response(found.content, media_type=found.media_type, headers={"cache-control": _FOR_EVER})
