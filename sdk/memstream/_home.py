"""Where `services` and `shared` are: in a wheel under `memstream/_bundle`, in a checkout at the repository's root."""

import sys
from pathlib import Path

_BUNDLE = Path(__file__).with_name("_bundle")
IS_BUNDLED = _BUNDLE.is_dir()
OURS = {"memstream", "services", "shared"}
HOME = str(_BUNDLE if IS_BUNDLED else Path(__file__).parents[2])


def open_home() -> None:
    """Put our folder first on `sys.path`. Only for processes that belong to memstream, never for a bot's."""
    sys.path[:] = [HOME, *(entry for entry in sys.path if entry != HOME)]


def is_open() -> bool:
    """Tell whether `services` and `shared` are ours in this process."""
    return HOME in sys.path
