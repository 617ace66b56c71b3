import tomllib
from pathlib import Path

import pytest

from shared.language.statements.reading import read_slots
from shared.language.statements.slots import ReadSlot

TABLES = Path(__file__).parent.parent / "support" / "everyday"
SENTENCES = {table.stem: tomllib.loads(table.read_text(encoding="utf-8")) for table in sorted(TABLES.glob("*.toml"))}
LEAST_READ = 0.85


def told(slot: ReadSlot) -> str:
    return f"{'not ' * slot.negated}{slot.subject}: {slot.attribute} = {slot.value}"


def read(sentence: str, language: str) -> set[str]:
    return {told(slot) for slot in read_slots(sentence, language=language)}


@pytest.mark.parametrize("language", SENTENCES)
def test_no_slot_is_read_that_a_sentence_does_not_state(language: str) -> None:
    table = SENTENCES[language]
    sentences = [*table["states"], *([sentence] for sentence in table["nothing"])]
    assert [(sentence, wrong) for sentence, *stated in sentences if (wrong := read(sentence, language) - set(stated))] == []


@pytest.mark.parametrize("language", SENTENCES)
def test_most_everyday_sentences_are_read_in_full(language: str) -> None:
    states = SENTENCES[language]["states"]
    assert sum(read(sentence, language) == set(stated) for sentence, *stated in states) >= LEAST_READ * len(states)
