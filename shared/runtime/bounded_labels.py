"""Bounds the values of a metric's label: each is a series that Prometheus keeps, and whoever sends may make up any number."""

import re

OTHER = "other"
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}", re.IGNORECASE)


class BoundedLabels:
    """The values that came first have series of their own; those beyond `most` share `other`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: set[str] = set()

    def __call__(self, value: str) -> str:
        """The value as a label.

        >>> label = BoundedLabels(1)
        >>> label("shop"), label("home"), label("shop")
        ('shop', 'other', 'shop')
        """
        if value not in self._known:
            if len(self._known) >= self._most:
                return OTHER
            self._known.add(value)
        return value


class SpaceLabels(BoundedLabels):
    """As `BoundedLabels`, for spaces: a name that could be an address or a sentence shares `other` as well."""

    def __call__(self, value: str) -> str:
        """The space as a label.

        >>> label = SpaceLabels(2)
        >>> label("anna@example.org"), label("shop")
        ('other', 'shop')
        """
        return super().__call__(value) if _PLAIN.fullmatch(value) else OTHER
