"""Reads pages as a browser without JavaScript does: their words, their forms, and how these are sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

import httpx

_SILENT = {"script", "style"}


@dataclass
class HtmlForm:
    """A form, with what it would send as it stands."""

    action: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)


class HtmlPage(HTMLParser):
    """A page that was read."""

    def __init__(self, reply: httpx.Response) -> None:
        super().__init__()
        self.reply = reply
        self.path = reply.url.path
        self.forms: list[HtmlForm] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.words = ""
        self._inside: list[str] = []
        self.feed(reply.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a tag up."""
        given = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.attributes |= given.keys()
        if tag in _SILENT:
            self._inside.append(tag)
        if tag == "form" and given.get("method") == "post":
            self.forms.append(HtmlForm(given["action"]))
        if tag == "a":
            self.links.append(given.get("href", ""))
        if tag in {"input", "textarea", "button"} and "name" in given and self.forms:
            where = self.forms[-1].buttons if tag == "button" else self.forms[-1].fields
            where.append((given["name"], given.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        """Leave a tag."""
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        """Take words up."""
        if not self._inside:
            self.words += f" {data.strip()}" if data.strip() else ""

    def form(self, action: str) -> HtmlForm:
        """The first form that is sent there."""
        found = [form for form in self.forms if form.action == action]
        assert found, (action, [form.action for form in self.forms])
        return found[0]

    def link(self, beginning: str) -> str:
        """The first link that begins so."""
        return next(link for link in self.links if link.startswith(beginning))


class Browser:
    """A browser without JavaScript."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.origin = str(client.base_url).rstrip("/")

    async def get(self, path: str) -> HtmlPage:
        """Look at a page."""
        return HtmlPage(await self.client.get(path, follow_redirects=True))

    async def open(self, url: str) -> HtmlPage:
        """Open a link by the button on its page."""
        page = await self.get(url)
        return await self.send(page, httpx.URL(url).path)

    async def send(self, page: HtmlPage, action: str, **filled: str) -> HtmlPage:
        """Fill a form of a page in, and send it."""
        form = page.form(action)
        fields = dict(form.fields) | filled
        reply = await self.client.post(action, data=fields, headers={"origin": self.origin}, follow_redirects=True)
        return HtmlPage(reply)
