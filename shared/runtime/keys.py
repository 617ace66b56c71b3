"""The installation's two secrets: the salt that hides names in subjects, and the key of all digests.

Both belong to the log: with other keys the same user would get another scope. Their fingerprint is in the log stream's
metadata, and every service compares it before it starts.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from shared.contracts.errors import Misconfigured
from shared.contracts.ids import Scope, Space, User
from shared.domain.digests import Digester
from shared.runtime.datadir import read_private, write_private
from shared.runtime.ids import new_key

_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Keys:
    """The salt for scopes and the key for digests, 32 bytes each."""

    salt: bytes
    digest_key: bytes

    @property
    def fingerprint(self) -> str:
        """Identifies these keys without revealing them."""
        return hashlib.blake2b(self.salt + self.digest_key, digest_size=16, person=b"memstream-keys").hexdigest()

    def scope_of(self, space: Space, user: User) -> Scope:
        """The scope of a space and user: a 128-bit digest of both ids and their lengths, keyed by the salt."""
        return Scope(Digester(self.salt).digest("scope", space, user).hex())

    @property
    def digester(self) -> Digester:
        """The digester that uses the digest key."""
        return Digester(self.digest_key)


def create_keys(path: Path) -> Keys:
    """Make new keys and write them to a file that only its owner can read."""
    keys = Keys(new_key(_KEY_BYTES), new_key(_KEY_BYTES))
    write_private(
        path,
        "# memstream's keys: without this file the log cannot be used. Keep it secret, and keep it with every backup.\n"
        f'salt = "{keys.salt.hex()}"\ndigest_key = "{keys.digest_key.hex()}"\n',
    )
    return keys


def load_keys(path: Path) -> Keys:
    """The keys in a file. Raises NotInitialised if there is none, Misconfigured if it is damaged."""
    keys = read_private(path, lambda document: Keys(*(bytes.fromhex(document[name]) for name in ("salt", "digest_key"))))
    if len(keys.salt) != _KEY_BYTES or len(keys.digest_key) != _KEY_BYTES:
        raise Misconfigured(f"{path.name} holds keys of a wrong length; put back the one from your backup")
    return keys
