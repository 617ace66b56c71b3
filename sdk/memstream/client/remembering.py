"""What agents' tools need of one person's memories."""

from memstream.client.asking import Asking
from memstream.client.telling import Telling


class Remembering(Telling, Asking):
    """One person's memories as far as tools need them: telling and asking."""
