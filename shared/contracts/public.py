# ruff: noqa: F403 - the one door to all that the SDK needs
"""Every contract that the SDK uses, in one module, because the SDK knows `shared` under two names."""

from .addresses import *
from .command import *
from .commands import *
from .conflicts import *
from .consolidating import *
from .contract import *
from .entities import *
from .errors import *
from .feedback import *
from .following import *
from .ids import *
from .moving import *
from .parts import *
from .portions import *
from .preferences import *
from .privacy import *
from .problems import *
from .prompt_safety import *
from .queries import *
from .reflecting import *
from .sharing import *
from .subjects import *
from .undoing import *
