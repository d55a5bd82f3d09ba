"""wg.leiden_communities, wg.louvain_communities and wg.label_propagation_communities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.hints.other_names import Hinted
from warpgraph._communities.structure import both_ways
from warpgraph._graph.graph import names_of
from warpgraph._graph.named_errors import errors_by_name
from warpgraph._graph.plan import planned

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from warpgraph._arguments import types


@dataclass(frozen=True, eq=False)
class Communities(Hinted):
    """Communities of a graph, as `leiden_communities` and `louvain_communities` return them.

    Attributes
    ----------
    labels : ndarray of int32, shape (n_vertices,)
        The community of each vertex. They are numbered from 0 in the order of their smallest
        vertices.
    n_communities : int
        Their number.
    quality : float
        The modularity of the partition, or what `quality=` named.
    names : ndarray, shape (n_vertices,), or None
        The names that the graph had for its vertices: ``names[v]`` is in community ``labels[v]``.

    Examples
    --------
    >>> import warpgraph as wg
    >>> found = wg.leiden_communities(wg.Graph.from_edges([0, 0, 1, 3, 3, 4], [1, 2, 2, 4, 5, 5]))
    >>> found
    Communities(n_communities=2, quality=0.5)
    >>> found.sizes.tolist()
    [3, 3]
    >>> found.members()
    [array([0, 1, 2], dtype=int32), array([3, 4, 5], dtype=int32)]
    >>> len(found), [members.tolist() for members in found]
    (2, [[0, 1, 2], [3, 4, 5]])
    """

    labels: types.Int32Array
    n_communities: int
    quality: float
    names: npt.NDArray[Any] | None = None

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of vertices in each community."""
        return np.bincount(self.labels, minlength=self.n_communities)

    def members(self) -> list[npt.NDArray[Any]]:
        """Return the vertices of each community, ascending: their names if the graph has names."""
        order = np.argsort(self.labels, kind="stable").astype(np.int32)
        vertices = order if self.names is None else self.names[order]
        return np.split(vertices, np.cumsum(self.sizes)[:-1]) if self.n_communities else []

    def __len__(self) -> int:
        """Return the number of communities."""
        return self.n_communities

    def __iter__(self) -> Iterator[npt.NDArray[Any]]:
        """Iterate over the vertices of each community, as `members` returns them."""
        return iter(self.members())

    def __repr__(self) -> str:
        return f"Communities(n_communities={self.n_communities}, quality={self.quality:.6g})"


@planned("leiden_communities")
@errors_by_name
def leiden_communities(
    graph: types.GraphLike,
    *,
    quality: types.PartitionQuality = "modularity",
    resolution: float = 1.0,
    n_iterations: int = 2,
    seed: int = 0,
    unweighted: bool = False,
    weight: str | None = "weight",
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> Communities:
    """Divide a graph into communities, by the method of Leiden.

    A community has more edges inside than chance would have; its vertices are connected in it.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Weights say how strongly vertices are tied. They may not be negative or infinite. If each
        edge is stored both ways with equal weights, both entries are one edge; else each entry is
        an edge of its own. Weights of parallel edges are added.
    quality : {"modularity", "cpm"}
        What is increased: modularity, or that of the constant Potts model. See Notes.
    resolution : float
        With more, there are more communities, which are smaller.
    n_iterations : int
        How often the method runs, from the second time on beginning with the communities that it
        has found. It ends when nothing changes.
    seed : int
        The same seed gives the same result. Another may give others of about the same quality.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    device : str
        "auto" or "cpu": runs on the CPU only.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    Communities
        ``labels``, ``n_communities``, ``quality``, and ``names`` if the graph has names.

    Raises
    ------
    ValueError
        A weight is negative or infinite; it is named. An unknown quality, a resolution that is
        negative or no number.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not the CPU.

    See Also
    --------
    louvain_communities : Faster, but communities may fall apart.
    connected_components : Parts without an edge between them.

    Notes
    -----
    For the weight m of all edges, and for each community the weight e of the edges inside, the sum
    K of its vertices' weighted degrees and their number n: modularity [2]_ is the sum of ``e / m -
    resolution * (K / (2 * m)) ** 2``, and the quality of the constant Potts model [3]_ is the sum
    of ``e - resolution * n * (n - 1) / 2``. A loop counts twice in a degree.

    The method is that of Traag, Waltman and van Eck [1]_. Vertices move between communities, these
    are divided into well connected parts, and the parts become the vertices of a smaller graph. All
    cores look for moves; they are made in an order that depends on `seed` alone, with sums of
    integers, so that the communities are the same for every number of threads. To be integers,
    weights are rounded: those below about 1e-18 of the sum of all count as 0.

    References
    ----------
    .. [1] Traag, Waltman and van Eck, "From Louvain to Leiden: guaranteeing well-connected
       communities", Scientific Reports 9, 2019.
    .. [2] Newman and Girvan, "Finding and evaluating community structure in networks", Physical
       Review E 69, 2004.
    .. [3] Traag, Van Dooren and Nesterov, "Narrow scope for resolution-limit-free community
       detection", Physical Review E 84, 2011.

    Examples
    --------
    >>> import warpgraph as wg
    >>> two_triangles = wg.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> found = wg.leiden_communities(two_triangles)
    >>> found.labels.tolist(), round(found.quality, 3)
    ([0, 0, 0, 1, 1, 1], 0.357)
    """
    n_iterations = validate.count(n_iterations, "n_iterations", least=1, most=2**31 - 1)
    options = {"method": "leiden", "n_iterations": n_iterations}
    how = quality, resolution, seed, unweighted, weight, device, memory_limit, progress
    return _find("leiden_communities", graph, options, *how)


@planned("louvain_communities")
@errors_by_name
def louvain_communities(
    graph: types.GraphLike,
    *,
    quality: types.PartitionQuality = "modularity",
    resolution: float = 1.0,
    seed: int = 0,
    unweighted: bool = False,
    weight: str | None = "weight",
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> Communities:
    """Divide a graph into communities, by the method of Louvain.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        As for `leiden_communities`.
    quality : {"modularity", "cpm"}
        What is increased: modularity, or that of the constant Potts model.
    resolution : float
        With more, there are more communities, which are smaller.
    seed : int
        The same seed gives the same result. Another may give others of about the same quality.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    device : str
        "auto" or "cpu": runs on the CPU only.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    Communities
        ``labels``, ``n_communities``, ``quality``, and ``names`` if the graph has names.

    Raises
    ------
    ValueError
        A weight is negative or infinite; it is named. An unknown quality, a resolution that is
        negative or no number.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not the CPU.

    See Also
    --------
    leiden_communities : Communities whose vertices are connected, of a higher quality.

    Notes
    -----
    The method is that of Blondel et al. [1]_: vertices move between communities while the quality
    increases, then the communities become the vertices of a smaller graph. The answer is the same
    for every number of threads.

    References
    ----------
    .. [1] Blondel, Guillaume, Lambiotte and Lefebvre, "Fast unfolding of communities in large
       networks", J. Statistical Mechanics, 2008.

    Examples
    --------
    >>> import warpgraph as wg
    >>> two_triangles = wg.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> wg.louvain_communities(two_triangles).labels.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    options = {"method": "louvain", "n_iterations": 1}
    how = quality, resolution, seed, unweighted, weight, device, memory_limit, progress
    return _find("louvain_communities", graph, options, *how)


@planned("label_propagation_communities")
@errors_by_name
def label_propagation_communities(
    graph: types.GraphLike,
    *,
    seed: int = 0,
    unweighted: bool = False,
    weight: str | None = "weight",
    device: types.Device = "auto",
    memory_limit: validate.MemoryLimitLike = None,
    progress: validate.ProgressLike = None,
) -> Communities:
    """Divide a graph into communities, by propagation of labels.

    Each vertex takes the label that weighs most among its neighbours, until none changes.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        As for `leiden_communities`.
    seed : int
        The same seed gives the same result. Another may give other communities.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    device : str
        "auto" or "cpu": runs on the CPU only.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``.

    Returns
    -------
    Communities
        ``labels``, ``n_communities``, ``names`` if the graph has names and, as ``quality``, the
        modularity.

    Raises
    ------
    ValueError
        A weight is negative or infinite; it is named.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not the CPU.

    See Also
    --------
    leiden_communities : Communities of a higher modularity, in more time.

    Notes
    -----
    The method is that of Raghavan, Albert and Kumara [1]_. A vertex keeps its label if no other
    weighs more, so that the weight of edges inside communities increases with every change, and the
    changes end. The answer is the same for every number of threads.

    References
    ----------
    .. [1] Raghavan, Albert and Kumara, "Near linear time algorithm to detect community structures
       in large-scale networks", Physical Review E 76, 2007.

    Examples
    --------
    >>> import warpgraph as wg
    >>> two_triangles = wg.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> wg.label_propagation_communities(two_triangles).labels.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    options = {"method": "label_propagation", "n_iterations": 1}
    how = "modularity", 1, seed, unweighted, weight, device, memory_limit, progress
    return _find("label_propagation_communities", graph, options, *how)


def _find(
    function: str,
    graph: types.GraphLike,
    options: dict[str, Any],
    quality: Any,
    resolution: Any,
    seed: Any,
    unweighted: Any,
    weight: Any,
    device: Any,
    memory_limit: Any,
    progress: Any,
) -> Communities:
    options["quality"] = validate.choice(quality, ("modularity", "cpm"), "quality")
    options["resolution"] = validate.as_float(resolution, "resolution")
    if not 0 <= options["resolution"] < np.inf:
        raise ValueError(f"resolution must be a number that is at least 0, got {resolution!r}")
    options["seed"] = validate.seed(seed, 2**63 - 1)
    unweighted = validate.flag(unweighted, "unweighted")
    report = validate.progress(progress, function)
    how = device, memory_limit, np.int32
    reads: dict[str, Any] = {"weight": weight, "reads_weights": not unweighted}
    reads["method"] = options["method"]
    form, ledger, (labels,) = both_ways(function, "communities", graph, *how, **reads)
    n_communities, found = _core.communities(
        form._handle, form.dtype, unweighted, labels, report, ledger=ledger, **options
    )
    names = names_of(graph)
    return Communities(labels, n_communities, found, None if names is None else names.array)
