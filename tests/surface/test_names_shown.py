"""dir() shows what is for users: of the public modules and of the public classes."""

import inspect

import numpy as np
import pytest

import warpgraph as wg

MODULES = [wg, *(v for name in wg.__all__ if inspect.ismodule(v := getattr(wg, name)))]
CLASSES = {
    value
    for module in MODULES
    for name in module.__all__
    if inspect.isclass(value := getattr(module, name))
    and value.__module__.startswith("warpgraph")
    and not issubclass(value, BaseException)
}
OF_GRAPHS = """
    clear coordinates data degrees dtype from_csr from_dataframe from_edges from_igraph
    from_networkx has_negative_weights has_parallel_edges has_self_loops indices indptr is_directed
    n_edges n_vertices names nbytes neighbors number_of read reverse shape subgraph to to_csr
    to_dataframe to_edges to_igraph to_networkx weight_name with_turns with_weights write
"""


def shown(value):
    return [name for name in dir(value) if not name.startswith("_")]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_modules_show_their_public_names(module):
    assert dir(module) == sorted(module.__all__)
    assert len(set(module.__all__)) == len(module.__all__)


def test_graphs_show_what_users_expect():
    assert shown(wg.Graph(np.eye(3))) == OF_GRAPHS.split()


def test_a_graph_shows_no_more_after_calls():
    graph = wg.Graph(np.eye(3))
    wg.sssp(graph, 0, dtype="float32", directed=False)
    wg.minimum_spanning_forest(graph)
    assert shown(graph) == OF_GRAPHS.split()


def test_graphs_with_turns_show_what_users_expect():
    names = "expanded graph n_edges n_vertices names nbytes origins shape starts"
    turns = wg.generators.grid(2, 2).with_turns([], [])
    assert shown(turns) == names.split()


@pytest.mark.parametrize("kind", sorted(CLASSES, key=str), ids=lambda kind: kind.__name__)
def test_methods_and_properties_of_classes_have_docstrings(kind):
    for name in shown(kind):
        member = inspect.getattr_static(kind, name)
        if inspect.isroutine(member) or isinstance(member, (property, classmethod, staticmethod)):
            assert inspect.getdoc(member), f"{kind}.{name}"
