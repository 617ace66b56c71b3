"""Makes the recogniser that the settings ask for: `MEMSTREAM_NER_<NAME>`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from shared.runtime.ner.patterns import PatternFinder
from shared.runtime.ner.port import EntityFinder
from shared.runtime.ner.recogniser import Recogniser
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from shared.runtime.chat_models.chat_model import ChatModel

Provider = Literal["patterns", "spacy", "chat"]


class NerSettings(Settings):
    """What the strategy `accurate` asks; `fast` asks the patterns alone."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_NER_", frozen=True)

    providers: tuple[Provider, ...] = Field(
        default=("patterns", "spacy", "chat"),
        description="What finds names at night, as JSON. spacy counts where the extra `ner` is installed, chat where"
        " MEMSTREAM_LLM_MODEL names a model.",
    )


def make_recogniser(settings: NerSettings, model: "ChatModel | None") -> Recogniser:
    """The recogniser of these settings, with the providers that are there. `model`: the one that is asked, if there is one."""
    return Recogniser(list(_finders(settings, model)))


def told_of(settings: NerSettings, *, has_model: bool) -> str:
    """What finds names at night by these settings, and what is missing where only patterns do."""
    from shared.runtime.ner.spacy_model import is_installed  # noqa: PLC0415 - as below

    there = {"patterns": True, "spacy": is_installed(), "chat": has_model}
    asked = [name for name in settings.providers if there[name]]
    if set(asked) - {"patterns"}:
        return f"found at night by {', '.join(asked)}"
    return "found by patterns alone, the nightly job reads nothing: pip install 'memstream[ner]', or set MEMSTREAM_LLM_MODEL"


def _finders(settings: NerSettings, model: "ChatModel | None") -> Iterator[EntityFinder]:
    if "patterns" in settings.providers:
        yield PatternFinder()
    if "spacy" in settings.providers:
        from shared.runtime.ner.spacy_model import SpacyFinder, is_installed  # noqa: PLC0415 - numpy and more

        if is_installed():
            yield SpacyFinder()
    if "chat" in settings.providers and model is not None:
        from shared.runtime.ner.chat_finder import ChatFinder  # noqa: PLC0415 - few have a model

        yield ChatFinder(model)
