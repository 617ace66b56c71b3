"""Nobody phones home: said to a library before it is imported, in the only way that it hears, its environment."""

from __future__ import annotations

import os


def disable_telemetry() -> None:
    """Turn off onnxruntime's; 1.28 sends nothing on Linux and macOS, from 1.30 on it does unless told so."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
