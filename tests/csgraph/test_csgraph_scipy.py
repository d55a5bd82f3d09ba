"""SciPy's own tests of csgraph, those of the SciPy that is installed, call warpgraph.csgraph.

Each test function of SciPy's test modules is collected here under the name of its module. While it
runs, the names of csgraph that its module has imported are those of this library.
"""

import functools
import importlib
import inspect
import sys
import types

import pytest
import scipy.sparse
import scipy.sparse.csgraph as theirs

import swapped_tests
import warpgraph as wg
import warpgraph.csgraph as ours

pytest.importorskip("scipy.sparse.csgraph.tests", reason="SciPy is installed without its tests")

# SciPy's tests decide on warnings themselves.
pytestmark = pytest.mark.filterwarnings("default")

_MODULES = (
    "test_connected_components",
    "test_conversions",
    "test_flow",
    "test_graph_laplacian",
    "test_matching",
    "test_pydata_sparse",
    "test_reordering",
    "test_shortest_path",
    "test_spanning_tree",
    "test_traversal",
)
#: What SciPy's tests call by names that are not public: SciPy's own functions, in these tests too.
#: They are helpers of maximum_flow, which is SciPy's here, and an alias of laplacian.
_PRIVATE = {"_add_reverse_edges", "_make_edge_pointers", "_make_tails", "_laplacian"}
#: Functions that have device= only to say that there is no GPU's form of them.
_ON_CORES = {
    "yen",
    "breadth_first_order",
    "breadth_first_tree",
    "depth_first_order",
    "depth_first_tree",
}


def functions_of(device):
    """Return our functions that are not SciPy's, by name; those with device= get this one."""
    found = {}
    for name in ours.__all__:
        function = getattr(ours, name)
        if function is getattr(theirs, name, None):
            continue
        is_on_device = device == "cpu" or name not in _ON_CORES
        if "device" in inspect.signature(function).parameters and is_on_device:
            function = functools.partial(function, device=device)
        found[name] = function
    return found


def swap(monkeypatch, module, functions):
    """Let the names of csgraph in a module mean our functions."""
    package = types.SimpleNamespace(**{**vars(theirs), **functions})
    for name, value in list(vars(module).items()):
        if value is theirs:
            monkeypatch.setattr(module, name, package)
        elif name in functions and value is getattr(theirs, name, None):
            monkeypatch.setattr(module, name, functions[name])
    # A test imports this name itself.
    private = sys.modules["scipy.sparse.csgraph._min_spanning_tree"]
    monkeypatch.setattr(private, "minimum_spanning_tree", functions["minimum_spanning_tree"])


@pytest.fixture(autouse=True)
def swapped(request, device, monkeypatch):
    """Swap our functions in where SciPy's test functions look names up."""
    module = sys.modules[request.function.__module__]
    if module.__name__ == __name__:
        return
    # With device="auto", small graphs take a shorter way through the core.
    functions = functions_of("auto" if wg.get_num_threads() == 1 else device)
    swap(monkeypatch, module, functions)
    # A function may be a parameter of a test.
    call = getattr(request.node, "callspec", None)
    for name, value in list(call.params.items()) if call else ():
        function = getattr(value, "__name__", None)
        if function in functions and value is getattr(theirs, function, None):
            monkeypatch.setitem(call.params, name, functions[function])


def _collect():
    for module_name in _MODULES:
        try:
            module = importlib.import_module(f"scipy.sparse.csgraph.tests.{module_name}")
        except ModuleNotFoundError:  # an older SciPy
            continue
        marks = getattr(module, "pytestmark", [])
        marks = marks if isinstance(marks, list) else [marks]
        for name, function in vars(module).items():
            if swapped_tests.is_fixture(function):
                assert name not in globals(), f"two modules of SciPy's tests have {name}"
                globals()[name] = function
            elif name.startswith("test") and inspect.isfunction(function):
                globals()[f"{module_name}_{name}"] = swapped_tests.with_marks(function, marks)


_collect()


def test_every_public_name_is_here():
    missing = [name for name in theirs.__all__ if not hasattr(ours, name)]
    assert missing == []
    assert set(theirs.__all__) <= {*ours.__all__, *dir(ours)}
    assert scipy.sparse.csgraph is theirs


#: Functions whose methods can be chosen, which SciPy has none of.
HAVE_METHODS = {"dijkstra", "bellman_ford", "floyd_warshall", "minimum_spanning_tree"}
#: SciPy's functions behind a check, which have no device.
PASSED_ON = {
    "construct_dist_matrix",
    "csgraph_to_dense",
    "csgraph_to_masked",
    "laplacian",
    "maximum_bipartite_matching",
    "maximum_flow",
    "min_weight_full_bipartite_matching",
    "reconstruct_path",
    "reverse_cuthill_mckee",
    "structural_rank",
}


@pytest.mark.parametrize("name", sorted(set(ours.__all__) & set(theirs.__all__)))
def test_signatures_are_those_of_scipy(name):
    mine, its = getattr(ours, name), getattr(theirs, name)
    if mine is its:
        return
    expected = list(inspect.signature(its).parameters.values())
    found = list(inspect.signature(mine).parameters.values())
    extra = found[len(expected) :]
    assert [(p.name, p.kind, p.default) for p in found[: len(expected)]] == [
        (p.name, p.kind, p.default) for p in expected
    ]
    names = [] if name in PASSED_ON else ["method", "device"]
    names = names if name in HAVE_METHODS else names[1:]
    assert [(p.name, p.kind) for p in extra] == [(n, inspect.Parameter.KEYWORD_ONLY) for n in names]
