"""Finds what several memories are about: clusters of vectors, by average linkage.

Source: ../reference/memory-upgrade-spec.md, "cluster older low-recency items".
"""

from collections.abc import Iterator, Sequence
from typing import Any

from shared.domain.arrays import Floats, np


def clusters(vectors: Floats, *, cosine: float, least: int, most: int) -> list[list[int]]:
    """The places of vectors that are about the same: float32[n, dimensions], of length 1; `least` to `most` of them each.

    Two groups join while the mean cosine between their members is at least `cosine`. Smaller groups are left out.
    When a group is taken away, the others stay the same; but of what joins to more than `most`, which is cut further down its
    tree, the parts that are left may then join otherwise.

    Worked: of four vectors of which the first three have cosines of 0.9 to each other and 0.1 to the last, with 0.5, 2 and 4
    the first three are one cluster.
    """
    if len(vectors) < max(least, 2):
        return []
    tree = _linked(vectors)
    found = [sorted(members) for members in _cut(tree, len(vectors), 1.0 - cosine, most) if len(members) >= least]
    return sorted(found)


def _linked(vectors: Floats) -> Sequence[Any]:
    """The tree in which they join, as scipy has it: of each of n - 1 joints two nodes, their distance, and how many leaves."""
    from scipy.cluster.hierarchy import linkage  # noqa: PLC0415 - 60 MB and half a second, for a job once a week
    from scipy.spatial.distance import pdist  # noqa: PLC0415

    distances = np.clip(pdist(vectors.astype(np.float64), "cosine"), 0.0, 2.0)
    return list(linkage(np.nan_to_num(distances, nan=1.0), method="average").tolist())


def _cut(tree: Sequence[Any], leaves: int, farthest: float, most: int) -> Iterator[list[int]]:
    """The members of each node that is near and small enough, from the root on down."""
    waiting = [leaves + len(tree) - 1]
    while waiting:
        node = waiting.pop()
        if node < leaves:
            continue
        left, right, distance, size = tree[node - leaves]
        if distance <= farthest and size <= most:
            yield _members(tree, leaves, node)
        else:
            waiting += (int(left), int(right))


def _members(tree: Sequence[Any], leaves: int, node: int) -> list[int]:
    found, waiting = [], [node]
    while waiting:
        each = waiting.pop()
        if each < leaves:
            found.append(each)
        else:
            left, right, *_ = tree[each - leaves]
            waiting += (int(left), int(right))
    return found
