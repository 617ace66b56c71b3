"""The console script: opens memstream's own home, then hands over to the command line."""

import sys

from memstream._home import open_home

_OURS = {"memstream", "services", "shared"}


def main() -> None:
    """Run the command line; without the extra `server`, say in one line what is missing and exit with 2."""
    open_home()
    try:
        from memstream.cli import app  # noqa: PLC0415 -- only now is `shared` ours; typer may not be installed

        app(prog_name="memstream")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in _OURS:
            raise
        sys.stderr.write(
            f"memstream[server] is needed for this command: pip install 'memstream[server]' (no module named {error.name!r})\n"
        )
        sys.exit(2)
