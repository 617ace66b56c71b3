"""`init`, `up` and `run`: making an installation, and running it."""

from typing import Annotated

import typer

from memstream.cli.copyable import command
from memstream.cli.locks import SERVER
from memstream.cli.services import SERVICES
from memstream.cli.session import run, session_of

ROLES = (SERVER, *SERVICES)

PortOption = Annotated[int | None, typer.Option("--port", help="The server's port; 0: a free one. (default: 4222)")]
HttpPortOption = Annotated[
    int | None, typer.Option("--http-port", help="Port of health, metrics and AsyncAPI; 0: none. (default: 8642)")
]

GatewayPortOption = Annotated[
    int | None, typer.Option("--gateway-port", help="Port of the API and the page for people; 0: none. (default: 8643)")
]


def init(ctx: typer.Context) -> None:
    """Make the data folder, its keys and passwords, and the streams. Replaces nothing."""
    from memstream.cli import launching  # noqa: PLC0415 - here and below: it takes a while, and --help does without

    session = session_of(ctx)
    made = run(launching.init(session))
    root = session.files.root
    words = f"{'Ready' if made else 'Already set up'}: {root}\nStart it with `{command('up', root)}`."
    session.show({"data_dir": str(root), "made": made}, lambda console: console.print(words, markup=False, soft_wrap=True))


def up(ctx: typer.Context, port: PortOption = None, http: HttpPortOption = None, gateway: GatewayPortOption = None) -> None:
    """Run the server and all services in this process; on an empty data folder, make the installation first."""
    from memstream.cli import launching  # noqa: PLC0415

    run(launching.up(session_of(ctx), port, http, gateway))


def run_one(
    ctx: typer.Context,
    *,
    what: Annotated[str, typer.Argument(help=f"One of: {', '.join(ROLES)}.", autocompletion=lambda: ROLES)],
    port: PortOption = None,
    http: Annotated[int, typer.Option("--http-port", help="Port of health and metrics; 0: none.")] = 0,
) -> None:
    """Run the server, or one service, as this process."""
    from memstream.cli import launching  # noqa: PLC0415

    session = session_of(ctx)
    if what not in ROLES:
        raise typer.BadParameter(f"there is no {what}; choose one of {', '.join(ROLES)}")
    run(launching.run_server(session, port) if what == SERVER else launching.run_service(session, what, http))
