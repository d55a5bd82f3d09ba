"""memory_limit= is a number of bytes or a size with a unit, everywhere; errors name what lacks."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import calls
import warpgraph as wg
from checks import raises_sentence
from limited_inputs import convex_of
from warpgraph import _core
from warpgraph._arguments import validate

#: The units that the guide lists, and what each means.
UNITS = {
    "B": 1,
    "kB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "TB": 1000**4,
    "PB": 1000**5,
    "KiB": 1024,
    "MiB": 1024**2,
    "GiB": 1024**3,
    "TiB": 1024**4,
    "PiB": 1024**5,
}


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (None, 0),  # no limit
        ("2GB", 2_000_000_000),
        ("512 MiB", 536_870_912),
        ("1.5e9", 1_500_000_000),
        (2e9, 2_000_000_000),
        (1500.75, 1500),
        ("0.5KiB", 512),
        (" 7 ", 7),
        (np.float32(2.0**31), 2**31),
        (np.uint64(12), 12),
        (np.array(12), 12),
        (Fraction(25, 2), 12),
        (Decimal("1e3"), 1000),
        ("9e99", 2**63 - 1),  # more than can be addressed
    ],
)
def test_sizes(size, expected):
    assert validate.memory_limit(size) == expected


@given(st.decimals(0, 10**6, places=3), st.sampled_from([*UNITS, ""]), st.booleans(), st.data())
def test_every_unit(number, unit, blank, data):
    written = data.draw(st.sampled_from([unit, unit.lower(), unit.upper()]))
    text = f"{number}{' ' * blank}{written}"
    expected = min(int(Fraction(number) * UNITS.get(unit, 1)), 2**63 - 1)
    if expected:
        assert validate.memory_limit(text) == expected
    else:
        with raises_sentence(ValueError, "a positive number of bytes"):
            validate.memory_limit(text)


_NUMBERS = [0, -1, 0.5, np.nan, np.inf, -np.inf]
_TEXTS = ["", "2G", "2K", "GB", "-2GB", "1,5GB", "2 apples", "2ib", "nan", "inf", "0 GB", "0.4B"]
_TEXTS += ["2GB3", "2 G B", "1e-3", "0x10", "1_000", "2 GiBs"]


@pytest.mark.parametrize(
    "size",
    [*_NUMBERS, *_TEXTS],
)
def test_sizes_that_are_none(size):
    with raises_sentence(ValueError, "memory_limit must be", "'2GB' (2 * 1000**3)", repr(size)):
        validate.memory_limit(size)


@pytest.mark.parametrize(
    "size",
    [10**5000, -(10**5000), "9" * 4301, "0." + "9" * 4301],
    ids=["integer", "negative", "text", "fraction"],
)
def test_sizes_of_many_digits(size):
    with raises_sentence(ValueError, "memory_limit must be a positive number of bytes"):
        validate.memory_limit(size)


@pytest.mark.parametrize("size", [True, np.True_, b"2GB", [1], np.array([1, 2]), 1j, {}])
def test_sizes_of_other_types(size):
    with raises_sentence(TypeError, "memory_limit must be a positive number of bytes", "'512 MiB'"):
        validate.memory_limit(size)


@calls.every("call", calls.calls("memory_limit", takes="any"))
def test_every_function_takes_sizes(call):
    given = calls.small_input(call)
    expected = calls.run_on("cpu", call, given, {"memory_limit": 64_000_000})
    for size in ("64MB", "64 mb", 6.4e7, "6.4e7", "62500 KiB"):
        found = calls.run_on("cpu", call, given, {"memory_limit": size})
        for part, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(part, other)
    for wrong in ("2 apples", "2G", 0.25):
        with raises_sentence(ValueError, "memory_limit must be", repr(wrong)):
            calls.run_on("cpu", call, given, {"memory_limit": wrong})


def _input(call):
    made = {
        "graph": lambda: convex_of(200),
        "points": lambda: np.random.default_rng(0).random((3000, 3)),
    }
    return made.get(call.takes, lambda: calls.small_input(call))()


def _sentences(call, options):
    """Return what a call says about limits from one byte on until one is enough."""
    given, limit, sentences = _input(call), 1, []
    for _ in range(12):
        try:
            calls.run_on("cpu", call, given, {**options, "memory_limit": limit})
            return sentences
        except MemoryError as error:
            sentences.append(str(error))
            needed, left = (int(n) for n in re.findall(r"(\d+) bytes", str(error))[:2])
            limit += needed - left
    raise AssertionError(sentences)


_EXPANDED = [
    pytest.param(call, options, id=name)
    for kind in ("variants", "methods")
    for name, call, options in calls.expanded(kind, "memory_limit", takes="any")
]
_FUNCTIONS = {name for name in dir(wg) if callable(getattr(wg, name))} - {"Graph"}


@pytest.mark.parametrize(("call", "options"), _EXPANDED)
def test_errors_name_the_limit_and_no_other_function(call, options):
    for sentence in _sentences(call, options):
        cause, _, way_out = sentence.partition("; ")
        assert " are left of memory_limit" in cause
        assert way_out.startswith("raise memory_limit")
        assert "free" not in sentence
        # The advice may name another function.
        assert not (_FUNCTIONS - {call.name}) & {*re.findall(r"\w+", cause)}, sentence


@pytest.mark.parametrize(("call", "options"), _EXPANDED)
def test_errors_advise_what_the_call_can_do(call, options):
    for sentence in _sentences(call, options):
        if "predecessors" in sentence.partition("; ")[2]:
            assert options.get("return_predecessors")


def test_errors_of_paths_and_neighbours_are_sentences():
    graph = wg.generators.grid(60, 60, seed=1)
    points = np.random.default_rng(0).random((5000, 3))
    for call, begin in (
        (lambda: wg.sssp(graph, 0, memory_limit=1000), "finding shortest paths needs"),
        (lambda: wg.k_shortest_paths(graph, 0, 9, 3, memory_limit=70_000), "finding shortest"),
        (
            lambda: wg.cluster.kneighbors_graph(points, 5, memory_limit=1000, device="cpu"),
            "finding the neighbours of 5000 points needs",
        ),
    ):
        with raises_sentence(MemoryError, begin, "memory_limit") as caught:
            call()
        assert "predecessors" not in str(caught.value)
    with raises_sentence(MemoryError, "leave out the predecessors"):
        wg.sssp(graph, 0, return_predecessors=True, memory_limit=40_000)


def test_free_memory_is_named_where_that_was_the_cause():
    huge = 1 << 62
    for limit in (0, 1 << 62):  # none, and more than the machine has
        with pytest.raises(MemoryError) as caught:
            _core.ledger(limit).require("all", huge + 1, "pass less")
        assert re.search(r"bytes\) are free; free memory, or pass less$", str(caught.value))
        assert "memory_limit" not in str(caught.value)
    with pytest.raises(MemoryError) as caught:
        _core.ledger(7).require("all", 8, "")
    assert str(caught.value) == (
        "all needs 8 bytes on cpu, but 7 bytes are left of memory_limit; raise memory_limit"
    )


# Results that do not count: those of wg.bfs.


def _least(call):
    limit = 1
    for _ in range(12):
        try:
            call(limit)
            return limit
        except MemoryError as error:
            sentence = str(error)
        assert "many_to_many" not in sentence
        needed, left = (int(n) for n in re.findall(r"(\d+) bytes", sentence)[:2])
        limit += needed - left
    raise AssertionError("no limit was enough")


@pytest.mark.parametrize(
    "options",
    [{}, {"return_predecessors": True}, {"targets": range(50)}, {"directed": False}, {"limit": 3}],
)
def test_results_of_bfs_from_many_sources_do_not_count(options):
    graph = wg.generators.grid(60, 60, weights=None)
    few, many = (
        _least(lambda m, n=n: wg.bfs(graph, range(n), memory_limit=m, device="cpu", **options))
        for n in (100, 1000)
    )
    result = 4 * 900 * (50 if "targets" in options else 3600)
    assert many - few < max(result // 4, 100_000)
    expected = wg.bfs(graph, range(100), device="cpu", **options)
    found = wg.bfs(graph, range(100), memory_limit=few, device="cpu", **options)
    np.testing.assert_array_equal(found, expected)


def test_a_result_of_bfs_that_no_machine_holds():
    graph = wg.Graph.from_edges([0], [1], n_vertices=2**22)
    with raises_sentence(MemoryError, "the result of bfs needs", "are free; free memory, or"):
        wg.bfs(graph, range(2**22), memory_limit="1TB", device="cpu")
