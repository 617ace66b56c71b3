"""Before anybody speaks, ingest has read and compiled what the first turn needs."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from services.ingest.domain.policy import SHIPPED
from services.ingest.rehearsal import rehearse
from shared.domain.made_once import made_once
from shared.language.commands import language
from shared.language.text import tokens
from tests.support.scopes import KEYS, T0


def test_a_rehearsal_reads_the_languages_and_compiles_the_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    make: Callable[[str], language.Language] = language._shipped

    def noted(code: str) -> language.Language:
        read.append(code)
        return make(code)

    monkeypatch.setattr(language, "_shipped", made_once(noted))
    tokens._pattern.cache_clear()
    rehearse(KEYS.digester, replace(SHIPPED, languages=("en", "de")), now=T0)
    assert sorted(read) == ["de", "en"]  # wishes not to be kept are read in all languages by one model, without their files
    assert tokens._pattern.cache_info().currsize > 0
