"""Every setting of the environment, and the variables that are none."""

from difflib import get_close_matches
from importlib import import_module

from shared.runtime.settings import Settings, child_environment

_MODULES = """memstream.mcp.settings services.consolidator.settings services.gateway.settings services.ingest.settings
services.maintenance.settings services.retriever.settings shared.runtime.chat_models.settings shared.runtime.embedded.settings
shared.runtime.embedders.factory shared.runtime.ner.factory"""
_OF_BOTS = "URL BOT PASSWORD INBOX_PREFIX READER READER_PASSWORD READER_INBOX_PREFIX SPACE"


def every_settings() -> list[type[Settings]]:
    """Every class of settings that memstream reads."""
    for module in _MODULES.split():
        import_module(module)
    return [each for kind in Settings.__subclasses__() for each in (kind, *kind.__subclasses__())]


def unknown_settings() -> list[str]:
    """Return a warning for each `MEMSTREAM_` variable that is no setting."""
    known = {each.variable(field) for each in every_settings() for field in each.model_fields}
    known |= {f"MEMSTREAM_{name}" for name in _OF_BOTS.split()}
    given = {name.upper().partition("__")[0] for name in child_environment({})}
    unknown = sorted(name for name in given - known if name.startswith("MEMSTREAM_"))
    return [f"{name} is no setting; the most like it: {', '.join(get_close_matches(name, known))}" for name in unknown]
