"""How a space of a person is named where something is shared with it, without its name."""

from shared.domain.digests import Digester


def recipient(space: str, user: str, digester: Digester) -> str:
    """The keyed hash, in hex, of a space that is given something of this person."""
    return digester.digest("recipient", space, user).hex()


def tag_key(tag: str) -> str:
    """What is equal for two ways to write a tag.

    >>> tag_key("Food") == tag_key("food")
    True
    """
    return tag.casefold()
