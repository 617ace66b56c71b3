"""Whether everything that is built from the log holds what it says."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from memstream.cli.projections import compared, digests
from shared.contracts.errors import ProjectionDamaged, Unavailable
from shared.contracts.ids import Scope
from shared.runtime.comparing import Comparison
from shared.runtime.projection_file import leaving_files
from shared.runtime.settings import RuntimeSettings

_AT_ONCE = 200


@dataclass(slots=True)
class Projections:
    """The digests of what is built from the log, how it compares with the log, and what is damaged."""

    digests: dict[str, dict[str, str | int]] = field(default_factory=dict)
    compared: dict[str, Comparison] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)

    def add(self, name: str, found: Comparison) -> None:
        """Add what comparing a projection with the log found."""
        self.compared[name] = found
        mend = f"stop memstream and run: memstream rebuild --projection {name}"
        self.damaged += [f"{file} does not hold what the log says; {mend}" for file in found.differing]

    def document(self) -> dict[str, Any]:
        """What `--json` prints of them."""
        compared = {name: found._asdict() for name, found in self.compared.items()}
        return {"digests": self.digests, "compared": compared, "damaged": self.damaged}


async def look_at(name: str, settings: RuntimeSettings, scopes: Sequence[Scope], found: Projections) -> None:
    """Compare what a projection holds of these people with the log, and note what is damaged."""
    try:
        with leaving_files():
            portions = [scopes[start : start + _AT_ONCE] for start in range(0, len(scopes), _AT_ONCE)]
            parts = [await compared(name, settings, portion) for portion in portions]
            differing = dict.fromkeys(file for part in parts for file in part.differing)
            found.add(
                name, Comparison(sum(part.compared for part in parts), list(differing), sum(part.untold for part in parts))
            )
            found.digests[name] = await digests(name, settings)
    except ProjectionDamaged as error:
        found.damaged.append(error.message)
    except Unavailable:  # there is no digest while a file is to be built again
        if name not in found.compared:
            raise
