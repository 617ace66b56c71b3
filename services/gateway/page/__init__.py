"""The page: what a person and an operator see in a browser. It is served under `/`, from here."""

from fastapi import APIRouter

from services.gateway.page import language, opening, overview, static_files

_ROUTERS = (overview.router, opening.router, language.router, static_files.router)


def page_router() -> APIRouter:
    """All routes of the page; none of them is part of the API."""
    router = APIRouter(include_in_schema=False)
    for each in _ROUTERS:
        router.include_router(each)
    return router
