"""How a space of a person is named where something is shared with it, without its name."""

import hashlib

from shared.domain.digests import Digester


def recipient(space: str, user: str, digester: Digester) -> str:
    """The keyed hash, in hex, of a space that is given something of this person."""
    return digester.digest("recipient", space, user).hex()


def share_id(recipient_key: str, key: str) -> str:
    """The id of a share, by its recipient and by the tag as `tag_key` has it. It tells neither."""
    hashed = hashlib.blake2b(f"{recipient_key}\0{key}".encode(), digest_size=12)
    return f"shr_{hashed.hexdigest()}"


def tag_key(tag: str) -> str:
    """What is equal for two ways to write a tag.

    >>> tag_key("Food") == tag_key("food")
    True
    """
    return tag.casefold()
