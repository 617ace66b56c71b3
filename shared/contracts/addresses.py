"""The addresses of a cluster's servers, as one setting holds them."""

from collections.abc import Mapping

PINGS_IN_CLUSTER: Mapping[str, int] = {"ping_interval": 2, "max_outstanding_pings": 2}
"""nats-py's options: a server that says nothing for six seconds counts as gone, where there is another to go to."""


def addresses(url: str) -> list[str]:
    """Each of several addresses with commas between.

    >>> addresses("nats://a:4222, nats://b:4222")
    ['nats://a:4222', 'nats://b:4222']
    """
    return [each.strip() for each in url.split(",") if each.strip()]
