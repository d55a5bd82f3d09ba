"""Arguments of every kind: what counts as a vertex, a number or a flag, and what is refused."""

import decimal
import fractions
import inspect
import operator

import numpy as np
import pytest

import warpgraph as wg
from checks import raises_sentence
from test_errors import from_a_source, triangle

# Vertices.


@pytest.mark.parametrize(
    ("targets", "error", "parts"),
    [
        ([0.5], TypeError, ["integers", "float64"]),
        ([True, False, True], TypeError, ["integers", "bool", "flatnonzero"]),
        (["Rome"], TypeError, ["integers", "no names"]),
        ("Rome", TypeError, ["integers", "no names"]),
        ([None], TypeError, ["integers", "object"]),
        ([[0, 1]], ValueError, ["list of vertices", "(1, 2)"]),
        ([[0], [1, 2]], ValueError, ["targets", "[[0], [1, 2]]"]),
        ({0, 1}, TypeError, ["a set"]),
        ({0: 1}, TypeError, ["a dict"]),
        (iter([0]), TypeError, ["a list_iterator"]),
        (np.ma.array([0, 1], mask=[False, True]), ValueError, ["targets[1]", "masked"]),
        (np.array([0, 2**64 - 1], np.uint64), ValueError, ["targets[1]", 2**64 - 1]),
        (np.array([0], "m8[s]"), TypeError, ["integers", "timedelta64"]),
    ],
)
def test_targets_that_are_no_vertices(targets, error, parts):
    with raises_sentence(error, "targets", *parts):
        wg.sssp(triangle(), 0, targets=targets)
    with raises_sentence(
        error, "sources", *(str(part).replace("target", "source") for part in parts)
    ):
        wg.many_to_many(triangle(), targets)


@pytest.mark.parametrize("dtype", [">i4", ">i8", "i1", "u8", "u2", object])
def test_targets_of_other_dtypes(dtype):
    targets = np.array([2, 0, 2], dtype)
    assert wg.sssp(triangle(), 0, targets=targets).tolist() == [3, 0, 3]
    assert wg.many_to_many(triangle(), targets)[:, 0].tolist() == [3, 0, 3]
    unmasked = np.ma.array([2, 0], mask=False)
    assert wg.many_to_many(triangle(), unmasked)[:, 0].tolist() == [3, 0]
    assert wg.many_to_many(triangle(), 2).tolist() == [[3, 2, 0]]


# Limits.


@from_a_source
@pytest.mark.parametrize("limit", ["3", b"3", True, [1], {}, 1j])
def test_limit_that_is_no_number(call, limit):
    with raises_sentence(TypeError, "limit", repr(limit)):
        call(triangle(), 0, limit=limit)


def test_limits_of_other_kinds():
    for limit in (2, 2.5, np.float32(2), np.int8(2), fractions.Fraction(5, 2), decimal.Decimal(2)):
        assert wg.sssp(triangle(), 0, limit=limit).tolist() == [0, 1, np.inf]


# Flags.


FLAGS = {
    "sssp": ("directed", "unweighted", "return_predecessors"),
    "many_to_many": ("directed", "unweighted", "return_predecessors"),
    "apsp": ("directed", "unweighted", "return_predecessors"),
    "bfs": ("directed", "return_predecessors"),
    "connected_components": ("directed",),
    "minimum_spanning_forest": ("maximum",),
    "local_forest": ("maximum",),
    "merge_forests": ("maximum",),
    "extend_forest": ("maximum",),
    "Hierarchy": ("directed", "unweighted"),
    "Hierarchy.load": ("directed",),
    "transform.sort_by_weight": ("descending",),
    "generators.rmat": ("relabel", "directed", "keep_loops", "keep_duplicates"),
    "generators.ssca2": ("relabel", "keep_duplicates"),
    "generators.random_points": ("return_labels",),
}


def arguments_of(name, folder):
    """Return what the function can be called with."""
    forest = wg.minimum_spanning_forest(triangle())
    hierarchy = wg.Hierarchy(triangle())
    hierarchy.save(folder / "saved.npz")
    arguments = {
        "sssp": (triangle(), 0),
        "bfs": (triangle(), 0),
        "many_to_many": (triangle(), [0]),
        "merge_forests": (forest,),
        "extend_forest": (forest, [[0, 1]], [1.0], [8]),
        "Hierarchy.load": (folder / "saved.npz", triangle()),
        "generators.rmat": (2,),
        "generators.ssca2": (2,),
        "generators.random_points": (3, 2),
    }.get(name, (triangle(),))
    return arguments, {"rows": (0, 2)} if name == "local_forest" else {}


@pytest.mark.parametrize(
    ("name", "option"), [(name, option) for name, options in FLAGS.items() for option in options]
)
def test_flags_are_true_or_false(name, option, tmp_path):
    function = operator.attrgetter(name)(wg)
    arguments, options = arguments_of(name, tmp_path)
    for value in ("no", "False", "", None, 2, 0.0, [], [False], np.array([True]), np.array("no")):
        with raises_sentence(TypeError, option, "True or False"):
            function(*arguments, **options, **{option: value})
    for value in (True, False, np.True_, np.False_):
        if not (name == "Hierarchy.load" and not value):  # it was saved as a directed one
            function(*arguments, **options, **{option: value})


def test_all_flags_are_among_those():
    found = {}
    for module, prefix in ((wg, ""), (wg.transform, "transform."), (wg.generators, "generators.")):
        for name in module.__all__:
            value = getattr(module, name)
            if not callable(value) or name.endswith("Error"):
                continue
            parameters = inspect.signature(value).parameters.values()
            flags = tuple(p.name for p in parameters if isinstance(p.default, bool))
            if flags:
                found[prefix + name] = flags
    assert found == {name: flags for name, flags in FLAGS.items() if name != "Hierarchy.load"}
