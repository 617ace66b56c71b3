"""Rebuilds feed.db from the log."""

from functools import partial

from services.feed.store import FeedStore
from shared.runtime.worklist import digests_of, rebuild_worklist
from shared.runtime.worklist_comparing import compare_worklist

rebuild = partial(rebuild_worklist, FeedStore)
digests = partial(digests_of, FeedStore)
compare = partial(compare_worklist, FeedStore)
