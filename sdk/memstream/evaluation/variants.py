"""Rankings to compare: sets of `RankingOptions`, one change at a time or every combination."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from pydantic import ValidationError

from shared.contracts.errors import Malformed
from shared.contracts.preferences import Fusion, RankingOptions

USUAL: Mapping[str, tuple[str, ...]] = {
    "fusion": ("convex", "rrf", "cosine"),
    "alpha": ("0.5", "2"),
    "beta": ("0", "0.3", "1"),
    "gamma": ("0", "0.3", "1"),
    "tau_days": ("1", "30", "365"),
    "rrf_k": ("10", "30", "100"),
    "candidates": ("20", "50", "200"),
    "mmr_lambda": ("0.5", "0.7", "0.9", "1"),
    "vector": ("0.3", "0.7"),
    "speaker": ("0", "0.2", "0.6"),
    "session": ("0", "0.2"),
}
"""The values that a sweep tries by default, around those that are shipped."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A ranking by the options in which it differs from the shipped one."""

    options: RankingOptions

    @property
    def changes(self) -> dict[str, Any]:
        """The options that are set, with their values."""
        return self.options.model_dump(mode="json", exclude_none=True)

    @property
    def label(self) -> str:
        """The options that are set, in one line for people.

        >>> Variant(RankingOptions(beta=0.5, fusion=Fusion.RRF)).label
        'fusion=rrf beta=0.5'
        """
        return " ".join(f"{name}={value}" for name, value in self.changes.items()) or "shipped"


def values(options: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The values of each option, from words such as `beta=0,0.5`. Raises Malformed.

    >>> values(["beta=0,0.5", "fusion=rrf"])
    {'beta': ('0', '0.5'), 'fusion': ('rrf',)}
    """
    given: dict[str, tuple[str, ...]] = {}
    for option in options:
        name, equals, listed = option.partition("=")
        name = {"tau": "tau_days", "lambda": "mmr_lambda", "k": "rrf_k", "N": "candidates"}.get(name, name)
        if not equals or not listed or name not in RankingOptions.model_fields:
            raise Malformed(
                f"{option} is no option; write NAME=VALUE,VALUE with one of {', '.join(RankingOptions.model_fields)}"
            )
        given[name] = (*given.get(name, ()), *(value.strip() for value in listed.split(",")))
    return given


def variants(given: Mapping[str, Sequence[str]], *, is_grid: bool) -> list[Variant]:
    """The shipped ranking, then one change at a time, or every combination. Each once. Raises Malformed.

    >>> [each.label for each in variants({"beta": ["0", "1"]}, is_grid=False)]
    ['shipped', 'beta=0.0', 'beta=1.0']
    """
    if is_grid:
        sets = [dict(zip(given, chosen, strict=True)) for chosen in product(*given.values())]
    else:
        sets = [{name: value} for name, listed in given.items() for value in listed]
    made = [Variant(RankingOptions()), *(Variant(options(changes)) for changes in sets)]
    return list(dict.fromkeys(made))


def options(changes: Mapping[str, str]) -> RankingOptions:
    """Options from words. `rrf_k` counts in one fusion only, so that it implies it. Raises Malformed."""
    implied = {"fusion": Fusion.RRF.value} if "rrf_k" in changes and "fusion" not in changes else {}
    try:
        return RankingOptions.model_validate({**implied, **changes})
    except ValidationError as error:
        first = error.errors()[0]
        raise Malformed(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
