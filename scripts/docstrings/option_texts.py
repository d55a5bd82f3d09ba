"""Descriptions of the options that many functions have, which option_docs.py keeps in docstrings.

Where kinds of functions differ, an option has several variants. What needs more than two lines is
in docs/guide: devices.md, long_calls.md (progress, memory), graphs.md (weights, dtypes) and
gpu_arrays.md (results on a GPU). A word in braces stands for words of the function's own.
"""

from __future__ import annotations

from typing import NamedTuple


class Variant(NamedTuple):
    """The types and the text of an option in the functions of a kind."""

    kinds: tuple[str, ...]
    text: str


def of(*kinds: str, text: str) -> Variant:
    """Return the variant that has one of these types."""
    return Variant(kinds, text)


BOOL = "bool"
BYTES = "int, float or str, optional"
GRAPH = "sparse array or matrix, ndarray, networkx.Graph, or Graph"
TURNS = "sparse array or matrix, ndarray, networkx.Graph, Graph, or TurnGraph"
SCIPYS = "sparse array or matrix, ndarray, masked array, or list"
CONVERTED = "sparse array or matrix of format csr, csc or lil, ndarray, masked array, or list"
DTYPES = '{"float32", "float64", "int32", "int64"}'
OUT = "ndarray, or array on a CUDA device, optional"
VERTEX = "int, or name of a vertex"

OPTIONS: dict[str, list[Variant]] = {
    "ax": [of("matplotlib.axes.Axes, optional", text="Where to draw.")],
    "axes": [
        of("tuple of int", text="The two columns of the coordinates to draw."),
        of("tuple of int", text="The two columns of `X` to draw."),
        of(
            "tuple of int",
            text="The columns of the coordinates that lead to the east and to the north.",
        ),
    ],
    "csgraph": [
        of(SCIPYS, CONVERTED, text="Entry (i, j) is the edge i -> j."),
        of(
            SCIPYS,
            text="Entry (i, j) is an edge between i and j; of (i, j) and (j, i) the lighter "
            "counts.",
        ),
    ],
    "device": [
        of("str", "str or list of str", text="Where to run; see `warpgraph.devices`."),
        of("str", text='"auto" or "cpu": runs on the CPU only.'),
        of("str", text="Where workers run; see `warpgraph.devices`."),
        of("str", text='One GPU, such as ``"cuda"`` or ``"cuda:1"``.'),
    ],
    "directed": [
        of(BOOL, text="False: edges have no direction."),
        of(BOOL, text="False: edges have no direction; of (i, j) and (j, i) the lighter counts."),
        # Of a graph that is made.
        of(BOOL, text="False: store each edge both ways, loops once."),
        # Of an object that a graph becomes.
        of(BOOL, text="False: one edge for each pair of entries (i, j) and (j, i)."),
    ],
    "dtype": [
        of(
            f"{DTYPES}, optional",
            text="Type of distances. By default float32 for float32 weights, else float64; int64 "
            "is exact.",
        ),
        of(DTYPES, f"{DTYPES}, optional", "dtype, optional", text="Type of the weights."),
        of('{"float32", "float64"}', text="Type of the coordinates."),
        of("dtype", text="Type of the items, often a structured one."),
    ],
    "graph": [
        of(
            GRAPH,
            TURNS,
            text="Entry (i, j) is the edge i -> j. Stored zeros are edges of weight zero, of "
            "parallel edges the lightest counts, a weight of inf is an edge that is never used.",
        ),
        of(
            GRAPH,
            text="Entry (i, j) is the edge i -> j. Weights are lengths and must be positive.",
        ),
        of(
            GRAPH,
            text="Entry (i, j) is the edge i -> j. Stored zeros are edges of weight zero, parallel "
            "entries are parallel edges, in a COO matrix, too.",
        ),
        of(
            GRAPH,
            text="Entry (i, j) is an edge between i and j, whichever of (i, j) and (j, i) are "
            "stored.",
        ),
        of(GRAPH, text="Weights say how strongly vertices are tied."),
        of(GRAPH, text="The graph. Weights are not read, stored zeros are edges."),
        of(GRAPH, "PartitionedGraph", text="The graph."),
        of(GRAPH, text="Any graph."),
        of("Graph", text="A graph with coordinates."),
        of(
            "networkx.Graph",
            "igraph.Graph",
            text="Undirected edges are stored both ways, loops once.",
        ),
        of(
            "networkx.Graph or Graph, optional",
            text="The graph that the predecessors were found in, to look names up.",
        ),
        of(
            TURNS,
            text="The graph that it was made of, with the same edges and weights in the same "
            "order.",
        ),
        of(GRAPH, text="The new edges, among at least as many vertices as there are."),
    ],
    "limit": [
        of(
            "float",
            text="Vertices farther than this count as unreachable; a distance equal to it is kept.",
        ),
        of(
            "int, optional",
            text="Vertices more than this many edges away count as unreached; inf is no limit.",
        ),
    ],
    "memory_limit": [
        of(
            BYTES,
            text='Bytes for work and results, or a size such as "2GB"; by default, all free '
            "memory.",
        ),
        of(
            BYTES,
            text='Bytes for work beside the results, or a size such as "2GB"; by default, all free '
            "memory.",
        ),
        # Where results are small, or their size is known at the end.
        of(
            BYTES,
            text='Bytes that the call may take, or a size such as "2GB"; by default, all free '
            "memory.",
        ),
        of(BYTES, text='Bytes that a task may take, or a size such as "2GB".'),
    ],
    "metric": [
        of(
            "str or callable",
            text='"euclidean"; "manhattan", "chebyshev", or "minkowski" with `p`; "cosine", 1 - '
            'cos of the angle; "haversine", of rows (latitude, longitude) in radians, on a sphere '
            "of radius 1;",
        ),
        of(
            "str or callable",
            text='"precomputed": `X` is an array of distances of shape (n, n) (symmetric; 0 is a '
            "distance, inf is none), or condensed of shape (n (n - 1) / 2,) as SciPy's ``pdist`` "
            "has them, or a sparse graph",
        ),
    ],
    "out": [
        of(
            OUT,
            "pair of arrays, optional",
            text="Where to write {what}, on the host or on the GPU that computes.",
        ),
        of(
            "array on a CUDA device, optional",
            text="Where to write {what}, on the GPU that computes.",
        ),
    ],
    "p": [of("float", text='The exponent of the metric "minkowski", at least 1.')],
    "progress": [
        of(
            "bool or callable, optional",
            text="True for a progress bar, or a callable ``(done, total)``.",
        ),
        of(
            "bool or callable, optional",
            text="True for a progress bar, or a callable ``(done, total)``; counts {things}.",
        ),
    ],
    "quality": [
        of(
            '{"modularity", "cpm"}',
            text="What is increased: modularity, or that of the constant Potts model.",
        )
    ],
    "resolution": [of("float", text="With more, there are more communities, which are smaller.")],
    "return_predecessors": [of(BOOL, text="Return predecessors, too.")],
    "seed": [of("int", text="The same seed gives the same result.")],
    "source": [
        of(
            VERTEX,
            f"{VERTEX}; or a list, range or array of them",
            text="The vertex to start from: its name if the graph has names, else its number.",
        ),
        of("Endpoint", text="Who sends the first items, as a rule ``context.host``."),
    ],
    "unweighted": [of(BOOL, text="True: every edge weighs 1.")],
    "weight": [
        of(
            "str or None",
            text="Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.",
        ),
        # Of functions that make a graph.
        of(
            "str or None",
            text="Edge attribute that has the weights: numbers, or texts that are numbers. None: "
            "all edges weigh 1.",
        ),
        of('str, None or "auto"', text="The column of the weights: numbers of any kinds,"),
        of("str, optional", text="Name for the attribute; by default `weight_name`."),
    ],
    "y": [of("None", text="Ignored; there for scikit-learn's conventions.")],
}
