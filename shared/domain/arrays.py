"""numpy, imported when something is first reckoned with it: a start does without, and is the sooner done for it."""

from typing import TYPE_CHECKING, Any, TypeAlias

__all__ = ["ArrayLike", "Floats", "NDArray", "np"]


class _Numpy:
    def __getattr__(self, name: str) -> object:
        import numpy  # noqa: ICN001, PLC0415

        found = getattr(numpy, name)
        setattr(self, name, found)  # from now on an attribute like any other
        return found


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float32]
else:
    ArrayLike = Floats = NDArray = Any
    np = _Numpy()
