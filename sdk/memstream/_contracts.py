# ruff: noqa: F403 - names are listed once, where they are defined
"""The contracts, as the SDK sees them.

A bot's project may have a `shared` or a `services` of its own, so in a bot's process the wheel's contracts are loaded
as `memstream._bundle.shared.contracts` and `sys.path` stays as it is. In a process of memstream's own they are
`shared.contracts`, the very same classes that the services use.
"""

from typing import TYPE_CHECKING

from memstream._home import IS_BUNDLED, is_open

if TYPE_CHECKING:
    # One of the two exists: the first for whoever type-checks against a wheel, the second in a checkout.
    from memstream._bundle.shared.contracts.public import *
    from shared.contracts.public import *
elif IS_BUNDLED and not is_open():
    from memstream._bundle.shared.contracts.public import *
else:
    from shared.contracts.public import *
