"""Turns telemetry of libraries off, before they are imported, by environment variables: they read nothing else."""

import os


def disable_telemetry() -> None:
    """Turn off the telemetry of onnxruntime: from 1.30 on it sends by default, also on Linux and macOS."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
