"""The command line, as `memstream` and as `python -m memstream`."""

from memstream._home import open_home


def main() -> None:
    """Run the command line in memstream's own home."""
    open_home()
    from memstream.cli import app  # noqa: PLC0415 - only now is `shared` ours

    app(prog_name="memstream")


if __name__ == "__main__":
    main()
