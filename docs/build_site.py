"""Builds the documentation as a site, in `build/site`, and follows every link in it: `make docs-site`.

Pages are written for whoever reads the repository. What they link to outside of docs/ is no page: its name is told.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

DOCS = Path(__file__).parent
ROOT = DOCS.parent
BUILD = ROOT / "build"
SITE = BUILD / "site"
PAGES = BUILD / "docs"
_BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md")
_KEPT = (".md", ".svg", ".json", ".webp")
_OUTWARD = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+)([^)#]+)(?:#[^)]*)?\)")
_INWARD = re.compile(r"\]\(docs/")


def stage(into: Path) -> None:
    """Copy what is to be a page, with the links that a site can follow."""
    shutil.rmtree(into, ignore_errors=True)
    sources = [(path, into / path.relative_to(DOCS)) for path in DOCS.rglob("*") if path.suffix in _KEPT]
    sources += [(ROOT / name, into / name.lower()) for name in _BESIDE]
    for source, target in sources:
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            target.write_text(_as_page(source.read_text("utf-8"), target.relative_to(into)), "utf-8")
        else:
            target.write_bytes(source.read_bytes())
    decisions = sorted((into / "adr").glob("*.md"))
    rows = [f"- [{path.read_text('utf-8').partition(chr(10))[0].removeprefix('# ')}]({path.name})" for path in decisions]
    (into / "adr" / "index.md").write_text("\n".join(["# Decisions", "", *rows, ""]), "utf-8")


def build() -> None:
    """Have Zensical build the site. Raises CalledProcessError if it warns of anything."""
    shutil.rmtree(SITE, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "zensical", "build", "--strict", "--clean"], cwd=ROOT, check=True)


def dead_links(site: Path) -> list[str]:
    """The links of the site that lead nowhere: to no file of it, or to no place in the page."""
    pages = {path.resolve(): _Page.of(path) for path in site.rglob("*.html")}
    return [
        f"{path.name}: {link}"
        for path, page in pages.items()
        if path.name != "404.html"  # its links are those of the root
        for link in page.links
        if not _leads(path, link, pages)
    ]


class _Page(HTMLParser):
    """The places of a page, and its links."""

    def __init__(self) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []

    @classmethod
    def of(cls, path: Path) -> _Page:
        """As the file has them."""
        page = cls()
        page.feed(path.read_text("utf-8"))
        return page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note its name, and where it leads."""
        found = dict(attrs)
        self.places |= {name for name in (found.get("id"), found.get("name")) if name}
        link = found.get("href") if tag in {"a", "link"} else found.get("src")
        if link and not urlsplit(link).scheme and not link.startswith("//"):
            self.links.append(link)


def _leads(path: Path, link: str, pages: dict[Path, _Page]) -> bool:
    parts = urlsplit(link)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    place = unquote(parts.fragment)
    if not place or place == "__top" or target not in pages:
        return target.exists()
    return place in pages[target].places


def _as_page(text: str, page: Path) -> str:
    up = "../" * (len(page.parts) - 1)
    text = _INWARD.sub("](", text) if page.name in {name.lower() for name in _BESIDE} else text
    return _OUTWARD.sub(lambda link: _outward(link, up), text)


def _outward(link: re.Match[str], up: str) -> str:
    """A link out of docs/ as a site has it: to the page beside, or as a name."""
    words, ascent, target = link.groups()
    if len(ascent) <= len(up):
        return link[0]
    return f"[{words}]({up}{target.lower()})" if target in _BESIDE else f"{words} (`{target}` in the repository)"


def problems() -> Iterator[str]:
    """Build it; what is wrong with it."""
    stage(PAGES)
    build()
    yield from dead_links(SITE)


if __name__ == "__main__":
    if wrong := list(problems()):
        sys.exit("\n".join(["links that lead nowhere:", *wrong]))
    print(f"{len(list(SITE.rglob('*.html')))} pages in {SITE.relative_to(ROOT)}")
