"""The addresses of a cluster's servers, as one setting holds them."""


def addresses(url: str) -> list[str]:
    """Each of several addresses with commas between.

    >>> addresses("nats://a:4222, nats://b:4222")
    ['nats://a:4222', 'nats://b:4222']
    """
    return [each.strip() for each in url.split(",") if each.strip()]
