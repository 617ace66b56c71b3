"""Rebuilds maintenance.db from the log, without asking a model."""

from functools import partial

from services.maintenance.store import MaintenanceStore
from shared.runtime.worklist import digests_of, rebuild_worklist
from shared.runtime.worklist_comparing import compare_worklist

rebuild = partial(rebuild_worklist, MaintenanceStore)
digests = partial(digests_of, MaintenanceStore)
compare = partial(compare_worklist, MaintenanceStore)
