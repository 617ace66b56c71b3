"""A year of one person within seconds: fifty conversations, and what a naive model says must be left of them.

The model is a dictionary and four rules of arithmetic. It knows nothing of the code but the four rules of docs/decay.md,
docs/reflection.md and docs/ageing.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import exp
from pathlib import Path
from typing import Any

import pytest

from shared.contracts.ids import Space, User
from tests.support.lifetime import Life, living

WEEKS = 50
HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(days=7)
RATE, LEAST = 0.1, 0.05
FACTS_OF_A_REFLECTION, DAYS_OF_A_REFLECTION = 3, 7
DAYS_OF_AGEING, TURNS_OF_A_ROLL_UP = 90, 4
DAYS_OF_RETENTION = 180
SERVICES = ("ingest", "retriever", "consolidator", "maintenance")
SUNDAYS = "enrichment=off; consolidation=off; reflection_renewal=off; decay=0 4 * * 0; retention=30 5 * * 0"
"""The nights that matter here; the others find nothing to do."""

HOBBIES = [
    "archery",
    "baking",
    "canoeing",
    "darts",
    "embroidery",
    "fencing",
    "gardening",
    "hiking",
    "icing",
    "judo",
    "karate",
    "lacrosse",
    "mosaics",
    "netball",
    "origami",
    "pottery",
    "quilting",
    "rowing",
    "sailing",
    "tennis",
    "unicycling",
    "volleyball",
    "weaving",
    "yoga",
    "zumba",
    "astronomy",
    "beekeeping",
    "calligraphy",
    "dancing",
    "engraving",
    "falconry",
    "genealogy",
    "hockey",
    "ironing",
    "juggling",
    "kayaking",
    "locksmithing",
    "magic",
    "needlepoint",
    "orienteering",
    "painting",
    "quizzing",
    "robotics",
    "sculpture",
    "taxidermy",
    "upholstery",
    "violin",
    "welding",
    "xylophone",
    "yodelling",
]
SKIES = "falls soaks drips pours drums whispers patters splashes"


@dataclass
class NaiveFact:
    """A fact, and what became of it."""

    anchor: datetime
    told: datetime
    is_exempt: bool = False
    is_live: bool = True

    def confidence(self, now: datetime) -> float:
        return 1.0 if self.is_exempt else exp(-RATE * ((now - self.anchor) / DAY))


@dataclass
class NaiveMemory:
    """What must be remembered, told by a clock and a dictionary."""

    facts: dict[str, NaiveFact] = field(default_factory=dict)
    turns: dict[str, datetime] = field(default_factory=dict)
    rolled_up: dict[str, datetime] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    reflected: list[datetime] = field(default_factory=list)
    roll_ups: int = 0

    def told(self, text: str, now: datetime) -> None:
        if text in self.facts and self.facts[text].is_live:
            self.facts[text].anchor = now
        else:
            self.facts[text] = NaiveFact(now, now)

    def sunday(self, midnight: datetime, *, is_fourth: bool) -> None:
        """Reflection at three, decay at four; every fourth time ageing at five and retention at half past five."""
        self._reflect(midnight + timedelta(hours=3))
        for fact in self.facts.values():
            fact.is_live &= fact.confidence(midnight + timedelta(hours=4)) >= LEAST
        if is_fourth:
            self._age(midnight + timedelta(hours=5))
            self._forget(midnight + timedelta(hours=5.5))

    def _reflect(self, now: datetime) -> None:
        recent = [fact for fact in self.facts.values() if fact.is_live and fact.told > now - DAYS_OF_A_REFLECTION * DAY]
        if len(recent) >= FACTS_OF_A_REFLECTION:
            self.reflected.append(now)

    def _age(self, now: datetime) -> None:
        old = [text for text, said in self.turns.items() if now - said > DAYS_OF_AGEING * DAY and text not in self.rolled_up]
        if len(old) >= TURNS_OF_A_ROLL_UP:
            self.rolled_up |= dict.fromkeys(old, now)
            self.roll_ups += 1

    def _forget(self, now: datetime) -> None:
        self.erased |= {text for text, at in self.rolled_up.items() if now - at > DAYS_OF_RETENTION * DAY}

    def live_facts(self, now: datetime) -> dict[str, float]:
        return {text: round(fact.confidence(now), 3) for text, fact in self.facts.items() if fact.is_live}

    @property
    def live_turns(self) -> set[str]:
        return set(self.turns) - set(self.rolled_up)


@pytest.mark.nightly  # a minute
@pytest.mark.timeout(240)
async def test_a_year_of_one_person_is_as_a_naive_model_computes(tmp_path: Path) -> None:
    async with living(tmp_path / "life", environment={"MEMSTREAM_MAINTENANCE_SCHEDULES": SUNDAYS}, is_still=True) as life:
        year, months = NaiveMemory(), dict[datetime, dict[str, float]]()
        for week in range(WEEKS):
            await converse(life, year, week)
            await through_the_week(life, year, is_fourth=week % 4 == 0)
            if week % 4 == 1:
                now = life.clock.now()
                assert await facts(life) == year.live_facts(now), week
                assert await turns(life) == year.live_turns, week
                assert len(await listed(life, "reflection")) == len(year.reflected), week
                assert len(await listed(life, "rollup")) == year.roll_ups, week
                months[now - HOUR] = year.live_facts(now - HOUR)
                await require_equal_digests(life)

        assert year.roll_ups > 2
        assert len(year.erased) >= TURNS_OF_A_ROLL_UP
        assert len(year.reflected) > WEEKS / 4
        said = " ".join(item["text"] for item in await listed(life, "rollup"))
        gone = {odd(text) for text in year.erased if odd(text) not in said}  # what a roll-up says stays
        assert len(gone) >= TURNS_OF_A_ROLL_UP
        assert without_a_byte(life, gone) == gone
        assert without_a_byte(life, set(map(odd, year.live_turns))) == set()
        for then, known in months.items():
            assert await facts(life, as_of=then.isoformat()) == known, then


async def converse(life: Life, year: NaiveMemory, week: int) -> None:
    """One conversation: small talk, one to four new facts, and something about older ones."""
    now = life.clock.now()
    words = SKIES.split()
    talk = f"The rain in the rainy garden {words[week % 8]} and {words[week // 8]} today. Or is it {odd_word(week)}?"
    await life.bot.say("anna", talk, session=f"s{week}", message_id=f"turn{week}")
    year.turns[talk] = now
    told = [f"Friend {place} of Anna likes {HOBBIES[week]}" for place in range(1 + week % 4)]
    if week % 5 == 2:  # told again two weeks later
        told.append(f"Friend 0 of Anna likes {HOBBIES[week - 2]}")
    for text in told:
        await life.bot.send("anna", "remember_fact", {"text": text})
        year.told(text, now)
    if week % 10 == 4:
        await decide(life, year, "confirm_fact", f"Friend 0 of Anna likes {HOBBIES[week]}")
    if week % 10 == 6:
        await decide(life, year, "pin", f"Friend 0 of Anna likes {HOBBIES[week]}")


async def decide(life: Life, year: NaiveMemory, what: str, text: str) -> None:
    """Confirm or pin a fact: it does not fade."""
    await life.at_rest()
    [memory_id] = [item["memory_id"] for item in await listed(life, "fact") if item["text"] == text]
    await life.bot.outcome("anna", sequence=await life.bot.send("anna", what, {"memory_id": memory_id}))
    year.facts[text].is_exempt = True


async def through_the_week(life: Life, year: NaiveMemory, *, is_fourth: bool) -> None:
    """To the next Monday at eight, with the jobs of the Sunday between."""
    now = life.clock.now()
    await life.nights.to(now + WEEK, only={"reflection", "decay"} | ({"ageing", "retention"} if is_fourth else set()))
    year.sunday((now + 6 * DAY).replace(hour=0), is_fourth=is_fourth)


async def listed(life: Life, kind: str, **then: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    answer = await life.bot.ask("anna", "list", {"kinds": [kind], "limit": 100, **then})
    found += answer["items"]
    while answer["items"] and len(answer["items"]) == 100:
        before = {"before_number": answer["items"][-1]["number"]}
        answer = await life.bot.ask("anna", "list", {"kinds": [kind], "limit": 100, **before, **then})
        found += answer["items"]
    return found


async def facts(life: Life, **then: object) -> dict[str, float]:
    return {item["text"]: item["confidence"] for item in await listed(life, "fact", **then)}


async def turns(life: Life) -> set[str]:
    return {item["text"] for item in await listed(life, "episode")}


def odd_word(week: int) -> str:
    return "quix" + "".join("abcdefghij"[int(digit)] for digit in f"{week:02}") + "zorb"


def odd(talk: str) -> str:
    """The word of some small talk that stands nowhere else."""
    return talk.removesuffix("?").split()[-1]


async def require_equal_digests(life: Life) -> None:
    """What each service holds is what it would build from the log now."""
    scope = life.installation.keys.scope_of(Space(life.bot.space), User("anna"))
    for service in SERVICES:
        compared = await life.admin(f"admin.{service}.compare", {"scopes": [scope]})
        assert compared == {"compared": 1, "differing": [], "untold": 0}, service


def without_a_byte(life: Life, texts: set[str]) -> set[str]:
    """Those of the texts that no file of the installation holds."""
    root = life.installation.settings.files.root
    held = [path.read_bytes() for path in root.rglob("*") if path.is_file()]
    return {text for text in texts if not any(text.encode() in each for each in held)}
