"""How long a text is read. A longer one is recorded, found by its words and shown, but nothing is concluded from it."""

LONGEST_READ = 10_000
"""Characters: some 1,700 words, more than anybody types in one go. So no text costs those who wait behind it much."""


def is_read(text: str) -> bool:
    """Whether a text is short enough to be read for names, statements, commands, likeness and days."""
    return len(text) <= LONGEST_READ


def beginning(text: str) -> str:
    """What is read of a question, and what is embedded of a memory."""
    return text[:LONGEST_READ]


def edges(text: str) -> str:
    """Where a long text may ask something of the memory: its beginning and its end.

    >>> len(edges("a" * 65_536))
    10001
    """
    half = LONGEST_READ // 2
    return text if is_read(text) else f"{text[:half]}\n{text[-half:]}"
