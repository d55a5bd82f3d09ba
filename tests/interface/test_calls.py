"""The table of calls has every public function, and each entry works."""

import inspect
import operator

import numpy as np
import pytest

import calls
import warpgraph as wg
from warpgraph._graph import explain, plan
from without_calls import WITHOUT_ENTRY


def public_functions():
    """Return the names of all functions and classes of the package but errors.

    Those of `csgraph` have SciPy's signatures; test_csgraph*.py compare them with SciPy.
    """
    modules = [(wg, "")]
    lazy = [name for name in wg.__all__ if inspect.ismodule(getattr(wg, name))]
    modules += [(getattr(wg, name), name + ".") for name in lazy if name != "csgraph"]
    for module, prefix in modules:
        for name in module.__all__:
            if callable(getattr(module, name)) and not name.endswith("Error"):
                yield prefix + name


def test_every_public_function_has_an_entry():
    entries = [call.name for call in calls.CALLS]
    assert sorted([*entries, *WITHOUT_ENTRY]) == sorted(public_functions())


@pytest.mark.parametrize("call", calls.calls("device"), ids=str)
def test_explain_knows_every_function_of_graphs_that_has_devices(call):
    function = call.function
    name = function.__qualname__
    names = {name, f"{name}.fit"} if inspect.isclass(function) else {name}
    known = plan.PUBLIC_NAMES.keys() | explain._UNPLANNED.keys()
    assert {(function.__module__, name) for name in names} & known, (
        f"{call.name} needs @planned(...) of _graph/plan.py, or an entry of explain._UNPLANNED"
    )


def test_functions_that_explain_plans_are_public():
    for (module, name), public in plan.PUBLIC_NAMES.items():
        function = operator.attrgetter(public)(wg)
        assert (function.__module__, function.__qualname__) == (module, name)


def test_parameters_are_read_from_signatures():
    by_name = {call.name: call for call in calls.CALLS}
    assert by_name["sssp"].flags == ["directed", "unweighted", "return_predecessors"]
    assert by_name["cluster.MSTClustering"].choices == ["cut", "metric"]
    found = {c.name for c in calls.calls("source")}
    orders = {"breadth_first_order", "depth_first_order"}
    paths = {"sssp", "shortest_path", "shortest_path_dag", "k_shortest_paths"}
    assert found == {"bfs", *paths, *orders}


@pytest.mark.parametrize("call", calls.CALLS, ids=str)
def test_entries_return_arrays(call):
    result = call.run(calls.small_input(call))
    assert result
    assert all(isinstance(part, np.ndarray) for part in result)
