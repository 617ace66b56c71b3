"""How much memory a process takes."""

import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_KB_IN_MB = 1024
_BYTES_IN_MB = _KB_IN_MB * 1024


def resident_mb() -> float:
    """Resident memory of this process in MB; where the system does not tell (macOS), the most that it ever was."""
    if not _STATUS.exists():
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return round(most / (_BYTES_IN_MB if sys.platform == "darwin" else _KB_IN_MB), 1)
    line = next(line for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines() if line.startswith("VmRSS"))
    return round(int(line.split()[1]) / _KB_IN_MB, 1)
