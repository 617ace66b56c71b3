"""The routes under /v1/memory: one module a noun."""

from fastapi import APIRouter

from services.gateway.api import (
    audits,
    controls,
    conversations,
    entries,
    events,
    forgettings,
    jobs,
    links,
    moving,
    operations,
    questions,
    searching,
    shares,
    summaries,
    turns,
)
from services.gateway.problems import documented
from services.gateway.rooms import SCHEMES

PREFIX = "/v1/memory"
_ROUTERS = (
    summaries.router,
    entries.router,
    searching.router,
    turns.router,
    controls.router,
    shares.router,
    forgettings.router,
    questions.router,
    conversations.router,
    audits.router,
    operations.router,
    moving.router,
    events.router,
    links.router,
    jobs.router,
)


def memory_router() -> APIRouter:
    """All routes of the API."""
    router = APIRouter(prefix=PREFIX, dependencies=SCHEMES, responses=documented(401, 403, 404, 409, 413, 422, 429, 500, 503))
    for each in _ROUTERS:
        router.include_router(each)
    return router
