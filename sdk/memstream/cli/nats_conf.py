"""`nats-conf`: the configuration of a NATS server of one's own, with the accounts that memstream needs."""

from pathlib import Path
from typing import Annotated

import typer

from memstream.cli.session import session_of
from shared.runtime.credentials import complete_credentials
from shared.runtime.datadir import write_private
from shared.runtime.embedded.accounts import render_accounts, render_own_config
from shared.runtime.embedded.settings import ServerSettings


def nats_conf(
    ctx: typer.Context,
    *,
    listen: Annotated[str, typer.Option("--listen", help="Address and port on which it listens.")] = "127.0.0.1:4222",
    store: Annotated[
        Path | None,
        typer.Option("--store-dir", help="Where it keeps the streams. (default: nats in the data folder)", show_default=False),
    ] = None,
    accounts: Annotated[bool, typer.Option("--accounts", help="Only what stands within `accounts { }`.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write it to this file, which only its owner may read.")
    ] = None,
) -> None:
    """Print the configuration of a NATS server of your own, with the passwords of this data folder.

    Of a server of a cluster, MEMSTREAM_SERVER_NAME and MEMSTREAM_SERVER_ROUTES say which one.
    """
    files, server = session_of(ctx).files, ServerSettings()
    credentials = complete_credentials(files.credentials)
    folder = store or files.of_server(server.name).store
    text = (
        render_accounts(credentials)
        if accounts
        else render_own_config(credentials=credentials, listen=listen, store=folder, server=server)
    )
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_private(output.absolute(), text)
