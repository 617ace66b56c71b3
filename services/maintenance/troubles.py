"""What the embedder would not do: for the job, and for whoever asks how it goes."""

from __future__ import annotations

from dataclasses import dataclass, field

from shared.runtime.setbacks import Setbacks


@dataclass(frozen=True, slots=True)
class Troubles:
    """Of this process only: after the next start everything is tried again."""

    setbacks: Setbacks
    set_aside: dict[str, str] = field(default_factory=dict)  # memory id to the code of its error
