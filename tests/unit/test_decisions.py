"""Decision records agree with the code: their figures are its constants, and what revises another is linked both ways."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from services.ingest.domain import capacity, echoes, policy, sessions
from services.maintenance.settings import MaintenanceSettings
from services.retriever import retrieval
from services.retriever.domain import budget, diversity, ranking, smoothing
from services.retriever.domain.weights import Weights
from services.retriever.store import memory_file
from services.retriever.store.search import word_search
from shared.contracts import parts
from shared.contracts.subjects import MAX_TOKEN_BYTES
from shared.language.text import shingles
from shared.runtime import rebuilding

RECORDS = {path.name[:4]: path for path in sorted((Path(__file__).parents[2] / "docs/adr").glob("*.md"))}
EVERY_RECORD = pytest.mark.parametrize("number", RECORDS)
SHIPPED = Weights()
MINUTES = {30: "half an hour", 1: "a minute"}
COUNTS = {5: "five"}


def figures() -> list[tuple[str, str]]:
    """What a record must say for each constant that it names."""
    near, before, further, _ = word_search._NEIGHBOURS_WEIGH
    cosines = smoothing._WEIGHTS
    defaults = {name: field.default for name, field in MaintenanceSettings.model_fields.items()}
    assert (near, cosines[1] / 2) == (before, cosines[3])
    day = f"{policy.SHIPPED.tombstone.total_seconds() / 3600:g} hours"
    return [
        ("0004", f"pages have {memory_file._PAGE_BYTES:,} bytes"),
        ("0005", f"limit of {MAX_TOKEN_BYTES} bytes"),
        ("0006", f"the turn and its tags weigh 1, the turns next to it {near:g}, and those one further {further:g}"),
        ("0006", f"`speaker`: {SHIPPED.speaker:g}."),
        ("0008", f"at most {parts.MAX_METADATA_BYTES // 1024} KiB"),
        ("0009", f"at most {sessions._MOST_COMPLETED}, the others at the next switch"),
        ("0009", f"by default {MINUTES[defaults['session_idle_minutes']]}"),
        ("0009", f"nothing more came for {MINUTES[defaults['session_settle_minutes']]}"),
        ("0081", f"some {rebuilding._PORTION:,} events each"),
        ("0011", f"the best {SHIPPED.candidates} by words and the best {SHIPPED.candidates} by cosine"),
        ("0011", f"the one before it {cosines[0]:g}, the one after it {cosines[1]:g}"),
        ("0011", f"by their signs {retrieval._COARSE} % of what a leg gives"),
        ("0011", f"left out until at most {word_search._MOST_MATCHES:,} match"),
        ("0013", f"| `lexical`, `vector` | {SHIPPED.lexical:g}, {SHIPPED.vector:g} |"),
        ("0013", f"| `speaker`, `entity`, `time` | {SHIPPED.speaker:g}, {SHIPPED.entity:g}, {SHIPPED.time:g} |"),
        ("0013", f"| `session` | {SHIPPED.session:g} |"),
        ("0013", f"| `question` | {SHIPPED.question:g} |"),
        ("0013", f"| `mmr_lambda` | {SHIPPED.mmr_lambda:g} | maximal marginal relevance, over the best {retrieval._POOL} |"),
        ("0013", f"| `abstain_below` | {SHIPPED.abstain_below:g} |"),
        ("0013", f"| {SHIPPED.alpha:g}, {SHIPPED.beta:g}, {SHIPPED.gamma:g}, {SHIPPED.tau_days:g} |"),
        ("0013", f"confidence below {ranking.CONFIDENCE_FLOOR:g}"),
        ("0014", f"For {day} only a save by hand"),
        ("0015", f"every {COUNTS[shingles.WORDS]} words in a row"),
        ("0015", f"at most {echoes._MOST_PASSAGES:,} of a memory"),
        ("0015", f"last {echoes.RECENT_RECALLS} recalls, for {echoes.RECENT.total_seconds() / 3600:g} hours"),
        ("0016", f"for {policy.STALE_AFTER.total_seconds() / 3600:g} hours"),
        ("0016", f"at most {capacity.MOST_TRIMMED}"),
        ("0017", f"cosine {diversity.NEARLY_THE_SAME:g} and more"),
        ("0017", f"{diversity.LEAST_SHARE:.0%}".replace("%", " %")),
        ("0017", f"{budget._SENTENCE_CHARACTERS} characters at least and {budget._LONGEST_CHARACTERS} at most"),
        ("0017", f"Below {budget._TIGHT_TOKENS} tokens"),
    ]


@pytest.mark.parametrize(("number", "phrase"), figures())
def test_a_figure_in_a_record_is_that_of_the_code(number: str, phrase: str) -> None:
    assert phrase in " ".join(RECORDS[number].read_text("utf-8").split())


@EVERY_RECORD
def test_a_record_bears_its_number_and_says_why_and_what(number: str) -> None:
    text = RECORDS[number].read_text("utf-8")
    assert text.startswith(f"# {number} ")
    assert "\n**Context.** " in text
    assert "\n**Decision.**" in text


@EVERY_RECORD
def test_a_record_that_is_revised_or_extended_is_linked_both_ways(number: str) -> None:
    text = RECORDS[number].read_text("utf-8")
    status = re.search(r"^\*\*Status\.\*\* (.*?)\n\n", text, re.DOTALL | re.MULTILINE)
    for other in re.findall(r"\]\((\d{4})-", status[1]) if status else ():
        back = re.search(r"^\*\*Status\.\*\* (.*?)\n\n", RECORDS[other].read_text("utf-8"), re.DOTALL | re.MULTILINE)
        assert back is not None, other
        assert f"]({RECORDS[number].name})" in back[1]
