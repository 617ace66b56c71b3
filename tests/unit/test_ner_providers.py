"""Whatever finds names keeps the port's promises; of what several find in one place one is kept."""

import asyncio
from collections.abc import Callable
from itertools import pairwise

import pytest

from services.maintenance.jobs.enrichment import NightlyEnrichment
from services.maintenance.jobs.job import Budget, Limits
from shared.contracts.errors import Unavailable
from shared.contracts.parts import Entity
from shared.domain.model_tokens import TokenMeter, TokenUsage, Unmetered
from shared.language.text.entities import find_entities
from shared.runtime.chat_models.errors import AnswerInvalid, EndpointBusy, ModelRefused
from shared.runtime.ner.chat_finder import ChatFinder
from shared.runtime.ner.factory import NerSettings, make_recogniser, told_of
from shared.runtime.ner.patterns import PatternFinder
from shared.runtime.ner.port import EntityFinder, Strategy
from shared.runtime.ner.recogniser import Recogniser
from shared.runtime.ner.spacy_model import SpacyFinder, is_installed
from tests.support.names import FixedFinder, ScriptedChat

TEXT = "ffs, Whatever. We met Anna Smith in Lisbon, and Anna Smith liked the Gulbenkian Museum. LOL"
NAMED = (
    ("Anna Smith", "person"),
    ("Lisbon", "location"),
    ("Gulbenkian Museum", "organization"),
    ("LOL", "other"),
    ("Porto", "location"),
)

PROVIDERS: dict[str, Callable[[], EntityFinder]] = {
    "patterns": PatternFinder,
    "chat": lambda: ChatFinder(ScriptedChat(*NAMED)),
    "spacy": SpacyFinder,
}


@pytest.fixture(params=PROVIDERS)
def finder(request: pytest.FixtureRequest) -> EntityFinder:
    if request.param == "spacy" and not is_installed():
        pytest.skip("the extra `ner` is not installed")
    return PROVIDERS[request.param]()


def found_by(finder: EntityFinder, text: str, meter: TokenMeter | None = None) -> list[Entity]:
    async def ask() -> list[Entity]:
        try:
            return list(await finder.find(text, meter or Unmetered()))
        finally:
            await finder.close()

    return asyncio.run(ask())


def test_a_provider_names_what_stands_in_the_text_in_its_order(finder: EntityFinder) -> None:
    found = found_by(finder, TEXT)
    assert {"Anna Smith", "Lisbon"} <= {each.name for each in found}
    assert all(TEXT[each.start : each.end] == each.name for each in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert not {each.name.casefold() for each in found} & {"ffs", "whatever", "lol", "porto"}


@pytest.mark.parametrize("text", ["", "   ", "a" * 70_000], ids=["empty", "blank", "too long"])
def test_a_provider_names_nothing_where_nothing_is_read(finder: EntityFinder, text: str) -> None:
    assert found_by(finder, text) == []


def test_a_provider_names_at_most_64(finder: EntityFinder) -> None:
    assert len(found_by(finder, "We met Anna Smith in Lisbon. " * 100)) <= 64


@pytest.mark.parametrize("noise", ["ffs", "hes", "whatever", "lol", "gonna"])
def test_noise_is_no_entity_however_it_is_written(noise: str) -> None:
    for word in (noise, noise.capitalize(), noise.upper()):
        for text in (f"{word} is here.", f"{word} said so.", f"We met {word} there.", f"{word}, Anna went.", f"see #{word}"):
            assert word not in {each.name.lstrip("#") for each in find_entities(text)}, text


def test_what_a_model_names_counts_only_letter_by_letter() -> None:
    finder = ChatFinder(ScriptedChat(("anna", "person"), ("Ann", "person"), ("Oslo", "planet"), ("Anna in Oslo", "other")))
    assert [each.name for each in found_by(finder, "We saw Anna in Oslo.")] == ["Anna in Oslo"]
    assert found_by(ChatFinder(ScriptedChat(("Ann", "person"))), "We saw Anna in Oslo.") == []


@pytest.mark.parametrize("said", ["", "{", "[]", '{"entities": 3}', '{"entities": [{"name": "Anna"}]}'])
def test_an_answer_that_is_none_says_so(said: str) -> None:
    with pytest.raises(AnswerInvalid):
        found_by(ChatFinder(ScriptedChat(said=said)), "We saw Anna.")


def test_a_refusal_says_so() -> None:
    with pytest.raises(ModelRefused):
        found_by(ChatFinder(ScriptedChat(is_refusal=True)), "We saw Anna.")


def test_of_what_shares_a_place_the_surest_stays_then_the_longest() -> None:
    def at(start: int, end: int, confidence: float) -> Entity:
        return Entity(name="0123456789"[start:end], type="other", start=start, end=end, confidence=confidence)

    one = FixedFinder([at(0, 4, 0.7), at(6, 8, 0.8)])
    other = FixedFinder([at(2, 5, 0.9), at(5, 9, 0.8)])
    found = asyncio.run(Recogniser([one, other]).find("0123456789", Strategy.ACCURATE, Unmetered()))
    assert [(each.start, each.end) for each in found.entities] == [(2, 5), (5, 9)]
    assert found.confidence == 0.85


def test_fast_asks_no_accurate_provider() -> None:
    chat = ScriptedChat(*NAMED)
    found = asyncio.run(Recogniser([PatternFinder(), ChatFinder(chat)]).find(TEXT, Strategy.FAST, Unmetered()))
    assert (found.method, chat.asked) == ("ner/fast/patterns/2", [])


def test_one_provider_that_is_away_is_left_out_but_not_the_only_accurate_one() -> None:
    away = FixedFinder([], fails=EndpointBusy())
    found = asyncio.run(Recogniser([away, FixedFinder([])]).find(TEXT, Strategy.ACCURATE, Unmetered()))
    assert found.method == "ner/accurate/fixed/1"
    with pytest.raises(Unavailable):
        asyncio.run(Recogniser([PatternFinder(), away]).find(TEXT, Strategy.ACCURATE, Unmetered()))


def test_tokens_are_counted_also_where_the_answer_is_none() -> None:
    class Meter(Unmetered):
        used = TokenUsage()

        async def spent(self, usage: TokenUsage) -> None:
            self.used = usage

    meter = Meter()
    with pytest.raises(AnswerInvalid):
        found_by(ChatFinder(ScriptedChat(said="?")), "We saw Anna.", meter)
    assert meter.used.total == 7


def test_the_settings_say_which_providers_are_asked() -> None:
    assert not make_recogniser(NerSettings(providers=("patterns",)), None).is_accurate
    assert make_recogniser(NerSettings(), None).is_accurate == is_installed()
    assert not make_recogniser(NerSettings(providers=("chat",)), None).is_accurate
    assert told_of(NerSettings(), has_model=True).endswith("chat")
    assert "pip install" in told_of(NerSettings(providers=("patterns", "chat")), has_model=False)


class ReadOnPaper:
    """Memories of which each is read, or fails."""

    is_accurate = True

    def __init__(self, *ends: int | Exception) -> None:
        self.ends = ends

    async def due(self, limit: int) -> list[int | Exception]:
        """The memories, as they end."""
        return list(self.ends[:limit])

    async def read(self, memory: int | Exception) -> int:
        """How many it mentions."""
        if isinstance(memory, Exception):
            raise memory
        return memory


class NotAccurate(ReadOnPaper):
    """Patterns alone."""

    is_accurate = False


@pytest.mark.parametrize(
    ("naming", "counts"),
    [
        (ReadOnPaper(2, 0, 1), {"read": 3, "entities": 3}),
        (ReadOnPaper(2, ModelRefused(), 1), {"read": 2, "entities": 3, "refused": 1}),
        (ReadOnPaper(2, EndpointBusy(), 1), {"read": 1, "entities": 2, "postponed": 1}),
        (ReadOnPaper(*[0] * 60), {"read": 50, "entities": 0}),
        (NotAccurate(1), {"without_provider": 1}),
    ],
    ids=["all", "one is refused", "the model is away", "50 a night", "no provider"],
)
def test_the_job_reads_50_a_night_and_says_what_came_of_it(naming: ReadOnPaper, counts: dict[str, int]) -> None:
    assert asyncio.run(NightlyEnrichment(naming).run(Budget(Limits(seconds=60, items=100)))) == counts
