"""Rebuilds consolidator.db from the log, without asking a model."""

from functools import partial

from services.consolidator.store import ConsolidatorStore
from shared.runtime.worklist import digests_of, rebuild_worklist
from shared.runtime.worklist_comparing import compare_worklist

rebuild = partial(rebuild_worklist, ConsolidatorStore)
digests = partial(digests_of, ConsolidatorStore)
compare = partial(compare_worklist, ConsolidatorStore)
