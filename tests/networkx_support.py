"""Registers the NetworkX backend where the package runs from a source tree, not installed."""

import os
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import networkx as nx
import pytest
from networkx.utils import backends as registry

import _warpgraph_nx
import warpgraph as wg

#: As in pyproject.toml; test_nx_backend.py compares.
ENTRY_POINTS = {
    "networkx.backends": "warpgraph.nx_backend",
    "networkx.backend_info": "_warpgraph_nx:get_info",
}


#: The first version with whose interface the backend is tested.
FIRST = (3, 5)


class SortedKeys(dict):
    """Lists its keys in ascending order; items() and values() have the order of insertion."""

    def __iter__(self):
        return iter(sorted(super().__iter__()))


class SortedDict(SortedKeys):
    """Lists its items in ascending order of their keys."""

    def keys(self):
        return dict.fromkeys(self).keys()

    def values(self):
        return [self[key] for key in self]

    def items(self):
        return [(key, self[key]) for key in self]


#: Members of subclasses of NetworkX's graphs that have an order of nodes, rows or neighbours which
#: is not that of insertion.
ORDERS = {
    "nodes": {"__iter__": lambda graph: iter(sorted(graph._node))},
    **{
        f"{which} in {kind.__name__}": {f"{which}_dict_factory": kind}
        for which in ("node", "adjlist_outer", "adjlist_inner")
        for kind in (SortedKeys, SortedDict)
    },
}


def in_own_order(make, members):
    """Return a random graph of integer weights, of a subclass of `make` with these members."""
    graph = type("Ordered", (make,), members)(kind="integers")
    pairs = [(7 * i % 9, 5 * i % 11) for i in range(0, 60, 2)]
    graph.add_weighted_edges_from((*pair, i % 13 + 1) for i, pair in enumerate(pairs))
    graph.add_weighted_edges_from([(20, 3, 2), (1, 15, 4)])
    return graph


def require():
    """Skip the module that calls this where NetworkX is older."""
    if tuple(map(int, nx.__version__.split(".")[:2])) < FIRST:
        pytest.skip("the backend is tested from NetworkX 3.5 on", allow_module_level=True)


def is_installed():
    """Return whether the installed package brings the entry points."""
    return bool(entry_points(group="networkx.backends", name="warpgraph"))


def register():
    """Let NetworkX in this process know the backend."""
    require()
    if "warpgraph" in registry.backends:
        return
    group, value = next(iter(ENTRY_POINTS.items()))
    registry.backends["warpgraph"] = EntryPoint("warpgraph", value, group)
    registry.backend_info["warpgraph"] = _warpgraph_nx.get_info()
    config = nx.utils.Config
    nx.config.backends = config(warpgraph=config(), **nx.config.backends)
    dispatchable = registry._dispatchable
    dispatchable.__call__ = dispatchable._call_if_any_backends_installed


def environment(folder, **variables):
    """Return the environment of a process whose NetworkX finds the backend.

    Parameters
    ----------
    folder : Path
        Where to write entry points, if they are not installed.
    """
    paths = [str(Path(wg.__file__).parents[1])]
    if not is_installed():
        metadata = folder / "warpgraph_source-0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: warpgraph-source\n")
        groups = (f"[{group}]\nwarpgraph = {value}\n" for group, value in ENTRY_POINTS.items())
        (metadata / "entry_points.txt").write_text("\n".join(groups))
        paths.append(str(folder))
    paths += filter(None, [os.environ.get("PYTHONPATH")])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **variables}
