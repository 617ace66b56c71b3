"""Finds what several memories are about: clusters of vectors, by average linkage.

Source: ../reference/memory-upgrade-spec.md, "cluster older low-recency items".
"""

from collections.abc import Iterator

from shared.domain.arrays import Floats, np


def clusters(vectors: Floats, *, cosine: float, least: int, most: int) -> list[list[int]]:
    """Return the rows of vectors that are about the same: float32[n, dimensions], of length 1; `least` to `most` rows each.

    Two groups join while the mean cosine between their members is at least `cosine`. Smaller groups are left out.
    When a cluster is taken away, the others stay as they are. Only where more than `most` rows would join, and the group is cut
    further down its tree, may the rows that are left join differently.

    Worked: of four vectors of which the first three have cosines of 0.9 to each other and 0.1 to the last, with 0.5, 2 and 4
    the first three are one cluster.
    """
    groups, found = [[row] for row in range(len(vectors))], list[list[int]]()
    for kept, gone, mean in _joints(vectors):
        both = groups[kept] + groups[gone]
        if mean < cosine or len(both) > most or not (groups[kept] and groups[gone]):
            found += groups[kept], groups[gone]
            both = []  # of a joint above this one no part fits
        groups[kept], groups[gone] = both, []
    return sorted(sorted(each) for each in found + groups if len(each) >= max(least, 2))


def _joints(vectors: Floats) -> Iterator[tuple[int, int, float]]:
    """Yield each join of two groups: the row that stands for both from then on, the other row, and their mean cosine.

    A chain leads from a group to its nearest, and from there on, until two groups are nearest to each other: these join. Of
    equally near ones the first row counts. A group joins before any group that holds it.

    Source: Murtagh, "A survey of recent advances in hierarchical clustering algorithms" (1983), nearest-neighbour chain.
    """
    near = vectors.astype(np.float64) @ vectors.T.astype(np.float64)
    np.fill_diagonal(near, -np.inf)
    sizes, chain = np.ones(len(near)), list[int]()
    for _ in range(len(near) - 1):
        chain = chain or [int(sizes.argmax())]
        while True:
            nearest = int(near[chain[-1]].argmax())
            if len(chain) > 1 and near[chain[-1], chain[-2]] >= near[chain[-1], nearest]:
                break
            chain.append(nearest)
        gone, kept = sorted((chain.pop(), chain.pop()))
        yield kept, gone, float(near[kept, gone])
        near[kept] = near[:, kept] = np.average(near[[kept, gone]], axis=0, weights=sizes[[kept, gone]])
        near[gone] = near[:, gone] = -np.inf
        sizes[kept] += sizes[gone]
        sizes[gone] = 0
