"""maintenance.db: which memories, facts and sessions need work."""

from services.maintenance.store.ageing import AgeingLimits, OldMemory, RolledUp
from services.maintenance.store.decaying import Falling
from services.maintenance.store.facts import Sparse
from services.maintenance.store.job_runs import PastRun
from services.maintenance.store.memories import Backlog, Unembedded
from services.maintenance.store.mentions import Unread
from services.maintenance.store.people import PersonChoices
from services.maintenance.store.reflections import LostReflection
from services.maintenance.store.sessions import IdleSession
from services.maintenance.store.worklist import MaintenanceStore

__all__ = [
    "AgeingLimits",
    "Backlog",
    "Falling",
    "IdleSession",
    "LostReflection",
    "MaintenanceStore",
    "OldMemory",
    "PastRun",
    "PersonChoices",
    "RolledUp",
    "Sparse",
    "Unembedded",
    "Unread",
]
