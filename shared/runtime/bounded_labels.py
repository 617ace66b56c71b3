"""Bounds the values of a metric's label: each is a series that Prometheus keeps, and whoever sends may make up any number."""

OTHER = "other"


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
