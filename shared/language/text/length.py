"""How long a text is read. A longer one is recorded, found by its words and shown, but nothing is concluded from it."""

LONGEST_READ = 10_000
"""Characters: some 1,700 words, more than anybody types in one go. So no text costs those who wait behind it much."""

LONGEST_ASKED = 2_000
"""Characters of a question: it is read while somebody waits, and others behind."""


def is_read(text: str) -> bool:
    """Whether a text is short enough to be read for names, statements, commands, likeness and days."""
    return len(text) <= LONGEST_READ


def beginning(text: str) -> str:
    """What is embedded of a memory, and compared with others in an answer."""
    return text[:LONGEST_READ]


def asked(question: str) -> str:
    """What is read of a question: of a long one the beginning and the end, where it says what it is about."""
    return _edges(question, LONGEST_ASKED)


def edges(text: str) -> str:
    """Where a long text may ask something of the memory: its beginning and its end.

    >>> len(edges("a" * 65_536))
    10001
    """
    return _edges(text, LONGEST_READ)


def _edges(text: str, most: int) -> str:
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}\n{text[-half:]}"
