"""Renders the templates of the page. Everything that is put into one is escaped; a name that it is not given is an error."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from services.gateway.page.static_files import address_of

_TEMPLATES = Path(__file__).parent / "templates"


def render(template: str, values: Mapping[str, Any]) -> str:
    """A template with these values."""
    return environment().get_template(template).render(values)


def compile_all() -> None:
    """Compile every template now."""
    for name in environment().list_templates():
        environment().get_template(name)


@cache
def environment() -> Environment:
    """The templates, read and compiled once."""
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals["static"] = address_of
    return made
