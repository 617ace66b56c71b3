"""Sharing a tag with another space of the same person, and taking that back: the commands, and their events.

Source: ../reference/memory-upgrade-spec.md, "Stretch Goals"; docs/adr/0060-shared-by-tags.md.
"""

from typing import ClassVar

from pydantic import Field

from .command import Command
from .content import Plain, Trace
from .event import EventData
from .ids import Space
from .parts import MAX_ID_CHARACTERS, Identifier


class _OfShare(Command):
    """A command about a tag and a space."""

    tag: Identifier = Field(description="The tag, in any case.")
    with_space: Space = Field(
        min_length=1, max_length=MAX_ID_CHARACTERS, description="The other space; whoever asks there is given it."
    )

    @property
    def content(self) -> str:
        """The tag and the space."""
        return f"{self.tag} {self.with_space}"


class ShareTag(_OfShare):
    """Contexts of this person in another space may hold the memories of this space that have this tag, now and later."""


class UnshareTag(_OfShare):
    """From now on the other space is given nothing by this tag."""


class ShareChanged(EventData):
    """What is common to the events about a share. It goes when the last memory goes that has its tag."""

    is_exported = True
    goes_with_tag = True
    read_by: ClassVar = {"retriever": "by which tags what other space reads here"}

    tag: Trace
    with_space: Trace = Field(description="The other space.")
    recipient: Plain = Field(description="Keyed hash of that space and of the person.")

    @property
    def content(self) -> str:
        """The tag and the space."""
        return f"{self.tag} {self.with_space}"


class TagShared(ShareChanged):
    """The memories of this space that have this tag are read in another space of the person, too."""

    caused_by: ClassVar = ("share_tag", "import_memories")


class TagUnshared(ShareChanged):
    """What another space read by this tag, it reads no more."""

    caused_by: ClassVar = ("unshare_tag", "import_memories")
