"""What agents' tools need of one person's memories."""

from memstream.client.consolidating import Consolidating
from memstream.client.forgetting import ForgettingAndIncognito
from memstream.client.merging import Merging
from memstream.client.telling import Telling


class Remembering(Telling, Consolidating, Merging, ForgettingAndIncognito):
    """One person's memories as far as tools need them: telling, asking, consolidating and forgetting."""
