"""The contracts, as the SDK sees them.

A bot's project may have a `shared` or a `services` of its own, so in a bot's process the wheel's contracts are loaded
as `memstream._bundle.shared.contracts` and `sys.path` stays as it is. In a process of memstream's own they are
`shared.contracts`, the very same classes that the services use.
"""
# ruff: noqa: F403

from typing import TYPE_CHECKING

from memstream._home import IS_BUNDLED, is_open

if TYPE_CHECKING:
    # One of the two exists: the first for whoever type-checks against a wheel, the second in a checkout.
    from memstream._bundle.shared.contracts.command import *
    from memstream._bundle.shared.contracts.commands import *
    from memstream._bundle.shared.contracts.contract import *
    from memstream._bundle.shared.contracts.envelope import *
    from memstream._bundle.shared.contracts.errors import *
    from memstream._bundle.shared.contracts.event import *
    from memstream._bundle.shared.contracts.ids import *
    from memstream._bundle.shared.contracts.moving import *
    from memstream._bundle.shared.contracts.parts import *
    from memstream._bundle.shared.contracts.preferences import *
    from memstream._bundle.shared.contracts.privacy import *
    from memstream._bundle.shared.contracts.problems import *
    from memstream._bundle.shared.contracts.queries import *
    from memstream._bundle.shared.contracts.subjects import *
    from shared.contracts.command import *
    from shared.contracts.commands import *
    from shared.contracts.contract import *
    from shared.contracts.envelope import *
    from shared.contracts.errors import *
    from shared.contracts.event import *
    from shared.contracts.ids import *
    from shared.contracts.moving import *
    from shared.contracts.parts import *
    from shared.contracts.preferences import *
    from shared.contracts.privacy import *
    from shared.contracts.problems import *
    from shared.contracts.queries import *
    from shared.contracts.subjects import *
elif IS_BUNDLED and not is_open():
    from memstream._bundle.shared.contracts.command import *
    from memstream._bundle.shared.contracts.commands import *
    from memstream._bundle.shared.contracts.contract import *
    from memstream._bundle.shared.contracts.envelope import *
    from memstream._bundle.shared.contracts.errors import *
    from memstream._bundle.shared.contracts.event import *
    from memstream._bundle.shared.contracts.ids import *
    from memstream._bundle.shared.contracts.moving import *
    from memstream._bundle.shared.contracts.parts import *
    from memstream._bundle.shared.contracts.preferences import *
    from memstream._bundle.shared.contracts.privacy import *
    from memstream._bundle.shared.contracts.problems import *
    from memstream._bundle.shared.contracts.queries import *
    from memstream._bundle.shared.contracts.subjects import *
else:
    from shared.contracts.command import *
    from shared.contracts.commands import *
    from shared.contracts.contract import *
    from shared.contracts.envelope import *
    from shared.contracts.errors import *
    from shared.contracts.event import *
    from shared.contracts.ids import *
    from shared.contracts.moving import *
    from shared.contracts.parts import *
    from shared.contracts.preferences import *
    from shared.contracts.privacy import *
    from shared.contracts.problems import *
    from shared.contracts.queries import *
    from shared.contracts.subjects import *
