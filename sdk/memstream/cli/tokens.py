"""`token create`, `token list`, `token revoke` and `link`: who may ask over HTTP."""

from datetime import timedelta
from typing import Annotated, Any

import typer
from rich.console import Console

from memstream.cli.session import CliSession, session_of
from shared.contracts.access import OF_A_PERSON, Right
from shared.contracts.errors import Malformed, NotInitialised, Unavailable
from shared.contracts.ids import Space, User
from shared.contracts.subjects import encode_token
from shared.runtime.clock import SystemClock
from shared.runtime.http_tokens import HttpToken, Tokens, load_tokens, new_http_token, save_tokens, without
from shared.runtime.links import Links, LinkSettings

_RIGHTS = tuple(right.value for right in Right)
_USUAL = tuple(sorted(OF_A_PERSON))


def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="The token's name, for the audit and to revoke it by.")],
    *,
    spaces: Annotated[list[str] | None, typer.Option("--space", help="Only this space; may be repeated.")] = None,
    users: Annotated[list[str] | None, typer.Option("--user", help="Only this person; may be repeated.")] = None,
    rights: Annotated[
        list[str] | None,
        typer.Option(
            "--right",
            help=f"One of {', '.join(_RIGHTS)}; may be repeated. (default: {', '.join(_USUAL)})",
            autocompletion=lambda: list(_RIGHTS),
        ),
    ] = None,
    days: Annotated[
        float | None, typer.Option("--days", min=0.0, help="Good for so many days; without it until revoked.")
    ] = None,
) -> None:
    """Make a token for the HTTP API, and show it, this once: only its hash is kept."""
    session = session_of(ctx)
    tokens = _known(session)
    if name in {token.name for token in tokens.values()}:
        raise Malformed(f"{name} exists already; choose another name, or revoke it")
    for space in spaces or ():
        encode_token(space, "space")  # raises InvalidToken
    for user in users or ():
        encode_token(user, "user id")
    now = SystemClock().now()
    text, kept = new_http_token(
        name=name,
        rights=[_right(each) for each in rights or _USUAL],
        spaces=[Space(space) for space in spaces or ()],
        users=[User(user) for user in users or ()],
        now=now,
        expires_at=None if days is None else now + timedelta(days=days),
    )
    save_tokens(session.files.http_tokens, {**tokens, kept.token_id: kept})
    session.show({**_shown(kept), "token": text}, lambda console: console.print(text, markup=False, soft_wrap=True))


def list_(ctx: typer.Context) -> None:
    """List the tokens: what each may do, where and for whom."""
    session = session_of(ctx)
    tokens = [_shown(token) for token in _known(session).values()]

    def human(console: Console) -> None:
        for token in tokens:
            where = ", ".join(token["spaces"]) or "all spaces"
            whom = ", ".join(token["users"]) or "all people"
            until = token["expires_at"] or "until revoked"
            console.print(f"{token['name']:20} {' '.join(token['rights'])}; {where}; {whom}; {until}", markup=False)

    session.show(tokens, human)


def revoke(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="The token's name, or its id as `token list --json` tells it.")],
) -> None:
    """Revoke a token: from the next request on it is good for nothing."""
    session = session_of(ctx)
    save_tokens(session.files.http_tokens, without(_known(session), name))
    session.show({"revoked": name}, lambda console: console.print(f"{name} is good for nothing any more", markup=False))


def link(
    ctx: typer.Context,
    *,
    space: Annotated[str, typer.Option("--space", help="The namespace of the memories.")] = "default",
    user: Annotated[str, typer.Option("--user", help="The person who is remembered.")] = "me",
    operator: Annotated[bool, typer.Option("--operator", help="To the operator's page, which shows nobody's memory.")] = False,
) -> None:
    """Make a link by which one person opens their memory in a browser: once, and within minutes."""
    session = session_of(ctx)
    encode_token(space, "space")
    encode_token(user, "user id")
    links, now = Links(session.files, LinkSettings()), SystemClock().now()
    made = links.made_for_operator(now=now) if operator else links.made(Space(space), User(user), now=now)
    if made is None:
        raise Unavailable(
            "the gateway does not run on this data folder; start it with `memstream up`, or set MEMSTREAM_GATEWAY_URL"
        )
    document = {"url": made.url, "expires_at": made.expires_at.isoformat()}
    session.show(document, lambda console: console.print(made.url, markup=False, soft_wrap=True))


def _known(session: CliSession) -> Tokens:
    if not session.files.credentials.exists():
        raise NotInitialised
    return load_tokens(session.files.http_tokens)


def _right(text: str) -> Right:
    if text not in _RIGHTS:
        raise Malformed(f"there is no right {text}; choose of {', '.join(_RIGHTS)}")
    return Right(text)


def _shown(token: HttpToken) -> dict[str, Any]:
    return {
        "id": token.token_id,
        "name": token.name,
        "rights": list(token.rights),
        "spaces": list(token.spaces),
        "users": list(token.users),
        "created_at": token.created_at.isoformat(),
        "expires_at": token.expires_at.isoformat() if token.expires_at else None,
    }
