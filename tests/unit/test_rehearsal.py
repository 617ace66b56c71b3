"""Before anybody speaks, ingest has read and compiled what the first turn needs."""

from dataclasses import replace

from services.ingest.domain.policy import SHIPPED
from services.ingest.rehearsal import rehearse
from shared.chat import language
from shared.text import tokens
from tests.support.scopes import KEYS, T0


def test_a_rehearsal_reads_the_languages_and_compiles_the_tokens() -> None:
    language._shipped.cache_clear()
    tokens._pattern.cache_clear()
    rehearse(KEYS.digester, replace(SHIPPED, languages=("en", "de")), now=T0)
    assert language._shipped.cache_info().currsize == len(language.SHIPPED_LANGUAGES)  # wishes not to be kept are read in all
    assert tokens._pattern.cache_info().currsize > 0
