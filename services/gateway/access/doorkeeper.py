"""Finds out what a request may do, by what it bears: a token or a JWT in its header, or a cookie."""

from dataclasses import replace
from datetime import datetime, timedelta

from services.gateway.access.spent import SpentPasses
from services.gateway.access.watched_file import WatchedFile
from services.gateway.settings import GatewaySettings
from shared.contracts.access import Grant
from shared.contracts.errors import Unauthenticated
from shared.contracts.ids import Space, User
from shared.runtime.clock import Clock
from shared.runtime.credentials import load_credentials
from shared.runtime.datadir import DataDir
from shared.runtime.http_tokens import Tokens, granted, load_tokens
from shared.runtime.links import OPENING
from shared.runtime.passes import Pass, Passes, PassKind, new_pass

_SCHEME = "bearer"


class Doorkeeper:
    """Knows every token, JWT and pass that is good now."""

    def __init__(self, files: DataDir, settings: GatewaySettings, clock: Clock) -> None:
        self._tokens: WatchedFile[Tokens] = WatchedFile(files.http_tokens, lambda _: load_tokens(files.http_tokens))
        self._jwts = None
        if settings.jwks:
            from services.gateway.access.jwts import Jwts  # noqa: PLC0415 - 10 MB of cryptography, which few need

            self._jwts = Jwts(settings.jwks, issuer=settings.jwt_issuer, audience=settings.jwt_audience)
        self._passes = Passes(load_credentials(files.credentials))
        self._spent = SpentPasses(files.spent_passes)
        self._link_lasts = timedelta(minutes=settings.link_minutes)
        self._cookie_lasts = timedelta(hours=settings.cookie_hours)
        self._clock = clock

    def granted(self, authorization: str | None, cookie: str | None) -> Grant:
        """What a request may do. Raises Unauthenticated, in the same words whatever is wrong."""
        grant = self._of_header(authorization) if authorization is not None else self._of_cookie(cookie)
        if grant is None:
            raise Unauthenticated
        return grant

    def opened(self, sealed: str) -> tuple[str, Pass] | None:
        """The cookie for a link, with its pass; None if the link is not good, or was opened before."""
        now = self._clock.now()
        link = self._passes.opened(PassKind.LINK, sealed, now=now)
        if link is None or not self._spent.spend(link, now=now):
            return None
        made = replace(new_pass(link.space, link.user, now=now, lasts=self._cookie_lasts), operates=link.operates)
        return self._passes.sealed(PassKind.COOKIE, made), made

    def stamp(self, *parts: str) -> str:
        """What only gateways of this installation can put beside a text."""
        return self._passes.stamp(*parts)

    def sealed_words(self, words: str, *about: str) -> str:
        """Words as text that fits a URL, for whoever this is about."""
        return self._passes.sealed_words(words, *about)

    def opened_words(self, text: str, *about: str) -> str | None:
        """The words of such a text; None where it is none, or about somebody else."""
        return self._passes.opened_words(text, *about)

    def linked(self, space: Space, user: User) -> tuple[str, datetime]:
        """The path of a new link for this person in this space, and until when it can be opened."""
        made = new_pass(space, user, now=self._clock.now(), lasts=self._link_lasts)
        return f"{OPENING}{self._passes.sealed(PassKind.LINK, made)}", made.expires_at

    def could_open(self, sealed: str) -> bool:
        """Whether a link is good and was not opened yet."""
        link = self._passes.opened(PassKind.LINK, sealed, now=self._clock.now())
        return link is not None and not self._spent.is_spent(link)

    def give_back(self, cookie: str | None) -> None:
        """Have a cookie be good for nothing from now on."""
        now = self._clock.now()
        if cookie and (shown := self._passes.opened(PassKind.COOKIE, cookie, now=now)):
            self._spent.spend(shown, now=now)

    def _of_header(self, authorization: str) -> Grant | None:
        scheme, _, text = authorization.partition(" ")
        if scheme.lower() != _SCHEME:
            return None
        text = text.strip()
        return granted(self._tokens.now(), text, now=self._clock.now()) or (self._jwts.granted(text) if self._jwts else None)

    def _of_cookie(self, cookie: str | None) -> Grant | None:
        shown = self._passes.opened(PassKind.COOKIE, cookie, now=self._clock.now()) if cookie else None
        return shown.grant if shown is not None and not self._spent.is_spent(shown) else None
