"""The keys that seal what the log holds of people, one for each person and space: once it is erased, nobody can read that.

A file of entries of 64 bytes, named by their number: the scope, the key, a check. An entry is on disk before the first event
that it seals. It is erased by overwriting it in its place, and its number is never given again. No process keeps keys in
memory, so what is erased here is erased for all that read this file. The file is no part of a backup of the log.
"""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import ENOSPC
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from nats.aio.client import Client

from shared.contracts.errors import Misconfigured
from shared.contracts.ids import Scope
from shared.runtime.ciphers import aes_gcm, invalid_tag
from shared.runtime.file_lock import one_at_a_time
from shared.runtime.ids import new_key, new_token
from shared.runtime.private_files import FILE

SEALED = b"\x01"
"""The first byte of a sealed event; others are JSON, and begin with a brace."""
OVERHEAD_BYTES = 39
"""What a sealed event has more than a plain one."""

_MAGIC = b"memstream keys 1"
_ENTRY = 64
_SCOPE, _KEY, _CHECK = 16, 32, 16
_STORE, _NUMBER, _NONCE = 4, 6, 12
_ERASED = bytes(_ENTRY)
_LOST = (
    "the log is sealed with keys that are not in {name}; put their copy back with `memstream keys restore`. Without them nobody"
    " can read what they sealed"
)


class ErasedKey(NamedTuple):
    """A key that was erased, while whoever erases what it sealed still reads it."""

    scope: Scope
    key: bytes


class PersonKeys:
    """The keys in one file. Whoever has the file can read what is sealed; only ingest makes keys and erases them."""

    def __init__(self, path: Path) -> None:
        self.seals = False
        """Whether what is appended is sealed; what is sealed is opened in any case."""
        self._path = Path(os.path.realpath(path))  # of a link, what it leads to is made
        self._file: int | None = None
        self._store = b""
        self._numbers: dict[Scope, list[int]] = {}
        self._entries = 1  # so many are known
        self._withheld: dict[int, ErasedKey] = {}

    @property
    def is_used(self) -> bool:
        """Whether events are sealed, or may have been."""
        return self.seals or self.is_there

    @property
    def is_there(self) -> bool:
        """Whether there is a file of keys."""
        return self._file is not None or self._path.exists()

    def key(self, number: int) -> bytes | None:
        """The key of an entry; None if it was erased. Raises Misconfigured if there is none, or the file is another."""
        if number in self._withheld:
            return self._withheld[number].key
        entry = os.pread(self._opened(), _ENTRY, number * _ENTRY)
        if entry == _ERASED:
            return None
        if len(entry) < _ENTRY or _checked(number, entry[:-_CHECK]) != entry:
            raise Misconfigured(_LOST.format(name=self._path.name))
        return entry[_SCOPE : _SCOPE + _KEY]

    def opened(self, data: bytes, event_id: str, subject: str) -> bytes | None:
        """The event in the bytes of a message of the log, sealed or not; None if its key was erased.

        What was changed, or lies in another place than where it was sealed, stays as it is, and nobody can decode it. Raises
        Misconfigured where the keys are not those of the log.
        """
        if data[:1] != SEALED:
            return data
        store, number = data[1 : 1 + _STORE], int.from_bytes(data[1 + _STORE : 1 + _STORE + _NUMBER], "big")
        self._opened()
        if store != self._store:
            raise Misconfigured(_LOST.format(name=self._path.name))
        if (key := self.key(number)) is None:
            return None
        nonce_at = 1 + _STORE + _NUMBER
        nonce, said = data[nonce_at : nonce_at + _NONCE], data[nonce_at + _NONCE :]
        try:
            return aes_gcm()(key).decrypt(nonce, said, _beside(event_id, subject))
        except invalid_tag():
            return data

    def sealed(self, number: int, data: bytes, event_id: str, subject: str) -> bytes:
        """An event as it lies in the log, to be opened at this place and under this id only."""
        key = self.key(number)
        if key is None:
            msg = "the key of a person was erased while it is used"
            raise RuntimeError(msg)
        nonce = new_key(_NONCE)
        head = SEALED + self._store + number.to_bytes(_NUMBER, "big") + nonce
        return head + aes_gcm()(key).encrypt(nonce, data, _beside(event_id, subject))

    @property
    def people(self) -> int:
        """How many people and spaces there are keys of."""
        self._learn()
        return sum(any(map(self._is_there, numbers)) for numbers in self._numbers.values())

    def check(self) -> None:
        """Raises Misconfigured where the file is none of keys."""
        self._opened()

    def numbers_of(self, scope: Scope) -> Sequence[int]:
        """The entries of a person that are not erased, oldest first."""
        self._learn()
        return tuple(number for number in self._numbers.get(scope, ()) if self._is_there(number))

    def make(self, scopes: Sequence[Scope]) -> list[int]:
        """Make a new key for each of these people, on disk when this returns; the numbers of their entries. Raises OSError."""
        if not self._path.exists():
            _create(self._path)
        with one_at_a_time(self._path.with_suffix(".lock")), _writing(self._path) as handle:
            first = -(-os.fstat(handle).st_size // _ENTRY)  # after a crash within an entry the rest of it is left
            entries = (bytes.fromhex(scope) + new_key(_KEY) for scope in scopes)
            _write(handle, b"".join(map(_checked, count(first), entries)), first * _ENTRY)
        self._learn()
        return list(range(first, first + len(scopes)))

    def erase(self, scope: Scope, numbers: Collection[int]) -> None:
        """Overwrite entries of a person, on disk when this returns. Until `let_go` this object still reads what they sealed."""
        if not numbers:
            return
        self._withheld |= {number: ErasedKey(scope, key) for number in numbers if (key := self.key(number)) is not None}
        with _writing(self._path) as handle:
            for number in numbers:
                _write(handle, _ERASED, number * _ENTRY)

    def let_go(self, scope: Scope) -> None:
        """Read nothing any more of what was erased of a person."""
        self._withheld = {number: each for number, each in self._withheld.items() if each.scope != scope}

    def _is_there(self, number: int) -> bool:
        """Whether an entry is not erased; another process may have done that."""
        return os.pread(self._opened(), _ENTRY, number * _ENTRY) != _ERASED

    def _learn(self) -> None:
        """Learn of the entries that were made since it last looked, perhaps by another ingest."""
        try:
            size = self._path.stat().st_size
        except FileNotFoundError:
            return
        first, end = self._entries, size // _ENTRY
        if end <= first:
            return
        raw = os.pread(self._opened(), (end - first) * _ENTRY, first * _ENTRY)
        for number, entry in enumerate(_entries(raw), start=first):
            if entry != _ERASED and _checked(number, entry[:-_CHECK]) == entry:
                self._numbers.setdefault(Scope(entry[:_SCOPE].hex()), []).append(number)
        self._entries = end

    def _opened(self) -> int:
        if self._file is None:
            try:
                self._file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError as error:
                raise Misconfigured(_LOST.format(name=self._path.name)) from error
            head = os.pread(self._file, _ENTRY, 0)
            if head[: len(_MAGIC)] != _MAGIC:
                raise Misconfigured(f"{self._path.name} holds no keys of people; put back its copy")
            self._store = head[len(_MAGIC) : len(_MAGIC) + _STORE]
        return self._file

    def __del__(self) -> None:
        if self._file is not None:
            os.close(self._file)


_LENT: "WeakKeyDictionary[Client, PersonKeys]" = WeakKeyDictionary()


def lend(client: Client, keys: PersonKeys) -> None:
    """Have the events that this connection reads of the log be opened with these keys."""
    _LENT[client] = keys


def keys_of(client: Client) -> PersonKeys:
    """The keys that were lent to a connection; without any it can read no sealed event."""
    return _LENT.get(client) or PersonKeys(Path("people.keys"))


def number_of(data: bytes) -> int | None:
    """The entry of the key that sealed an event; None if it is not sealed."""
    return int.from_bytes(data[1 + _STORE : 1 + _STORE + _NUMBER], "big") if data[:1] == SEALED else None


def _beside(event_id: str, subject: str) -> bytes:
    """What an event is sealed beside: another place or id does not open it."""
    return f"{event_id} {subject}".encode()


def _checked(number: int, entry: bytes) -> bytes:
    """An entry with its check, by which a torn or shifted one is known."""
    return entry + blake2b(number.to_bytes(_NUMBER, "big") + entry, digest_size=_CHECK).digest()


@contextmanager
def _writing(path: Path) -> Iterator[int]:
    """The file, to be written in its place; what was written is on disk after the block."""
    handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        yield handle
        os.fsync(handle)
    finally:
        os.close(handle)


def _write(handle: int, data: bytes, at: int) -> None:
    """Write all of it. Raises OSError, also where the disk takes a part of it only."""
    if os.pwrite(handle, data, at) < len(data):
        raise OSError(ENOSPC, os.strerror(ENOSPC))


def _entries(raw: bytes) -> Iterator[bytes]:
    return (raw[start : start + _ENTRY] for start in range(0, len(raw), _ENTRY))


def _create(path: Path) -> None:
    """Make an empty file of keys; of several that try it one makes it."""
    new = path.with_suffix(f".{new_token()}")
    try:
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE)
        try:
            os.write(handle, (_MAGIC + new_key(_STORE)).ljust(_ENTRY, b"\0"))
            os.fsync(handle)
        finally:
            os.close(handle)
        with suppress(FileExistsError):
            os.link(new, path)
    finally:
        new.unlink(missing_ok=True)
