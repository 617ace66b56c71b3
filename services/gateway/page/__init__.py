"""The page: what a person and an operator see in a browser. It is served under `/`, from here."""

from fastapi import APIRouter

from services.gateway.page import (
    activity,
    conversations,
    finding,
    forgetting,
    language,
    memories,
    opening,
    operator,
    overview,
    questions,
    settings,
    sharing,
    static_files,
    timeline,
    why,
)

ROUTERS = (
    overview.router,
    timeline.router,
    memories.router,
    finding.router,
    questions.router,
    why.router,
    conversations.router,
    activity.router,
    forgetting.router,
    settings.router,
    sharing.router,
    operator.router,
    opening.router,
    language.router,
    static_files.router,
)
"""The routes of the page, a module for each noun."""


def page_router() -> APIRouter:
    """All routes of the page; none of them is part of the API."""
    router = APIRouter(include_in_schema=False)
    for each in ROUTERS:
        router.include_router(each)
    return router
