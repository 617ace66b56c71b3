"""Of whom it cannot be told whether rows agree with the log: a service that runs looks again, for a moment."""

from __future__ import annotations

from shared.contracts.ids import Scope
from shared.runtime.comparing import Comparison, compare

ANNA, BEN = Scope("aa"), Scope("bb")


async def test_whose_rows_are_made_anew_in_a_moment_is_compared_then() -> None:
    looks: dict[Scope, list[bool | None]] = {ANNA: [None, None, False], BEN: [True, True, True]}

    async def differs(scope: Scope) -> bool | None:
        return looks[scope].pop(0)

    assert await compare(looks, differs, str, patience_s=60) == Comparison(2, [BEN], 0)


async def test_whoever_stays_untold_is_counted_when_the_patience_ends() -> None:
    looks: list[Scope] = []

    async def differs(scope: Scope) -> bool | None:
        looks.append(scope)
        return None

    assert await compare([ANNA], differs, str, patience_s=0) == Comparison(0, [], 1)
    assert looks == [ANNA]
    assert await compare([ANNA], differs, str, patience_s=0.06) == Comparison(0, [], 1)
    assert len(looks) > 2
