"""The start of KMeans: parameters checked, and random numbers drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import foreign, validate
from warpgraph._arguments.points import DevicePoints, OneColumn, as_float64, on_host
from warpgraph._trees.neighbours import squares
from warpgraph.cluster import _cut

Array = npt.NDArray[Any]
Points = Array | DevicePoints
Source = np.random.Generator | np.random.RandomState

STARTS = ("k-means++", "farthest", "random", "first")
#: Runs from different starts with ``n_init="auto"``, as in scikit-learn, where starts vary much.
_RUNS = 10


class Start(NamedTuple):
    """The centres of one run: as they are, or rows of the points, or how to find these."""

    centres: Array | None = None
    rows: Array | None = None
    uniforms: Array | None = None  # random numbers of k-means++

    def rows_of(
        self, points: Any, weights: Array | None, k: int, where: str, ledger: _core.Ledger
    ) -> Array:
        """Return the rows of `points`, as the core takes them, from which centres start."""
        if self.rows is not None:
            return self.rows
        if self.uniforms is None:
            return _core.farthest_points(points, weights, k, where)
        return _core.plus_plus_points(points, weights, k, self.uniforms, where, ledger)


def in_range(
    points: Points, starts: list[Start], ledger: _core.Ledger
) -> tuple[squares.Scaled, list[Start]]:
    """Return points, and centres of starts, whose squared distances are in range."""
    given = [start.centres for start in starts if start.centres is not None]
    scaled = squares.in_range(points, *given, ledger=ledger)
    centres = iter(scaled.sets[1:])
    return scaled, [
        start if start.centres is None else start._replace(centres=next(centres))
        for start in starts
    ]


def facts(starts: list[Start]) -> dict[str, int]:
    """Return what a plan knows of the starts."""
    first = starts[0]
    return {
        "n_runs": len(starts),
        "finds_start": first.centres is None and first.rows is None,
        "n_uniforms": 0 if first.uniforms is None else len(first.uniforms),
    }


def weights_of(sample_weight: Any, n: int) -> Array | None:
    """Return the weight of each point as float64; None: all are 1."""
    if sample_weight is None:
        return None
    if foreign.is_on_device(sample_weight):
        sample_weight = on_host(DevicePoints(OneColumn(sample_weight)))[:, 0]
    if np.ma.is_masked(sample_weight):
        raise ValueError("sample_weight has masked entries, but every point needs a weight")
    given = np.asarray(validate.as_array(sample_weight, "sample_weight"))
    if given.dtype.kind not in "biufO":
        raise TypeError(f"sample_weight must be real numbers, got an array of {given.dtype}")
    weights = validate.in_place(as_float64(given, "sample_weight"))
    if given.ndim == 0:
        weights = np.full(n, weights[0])
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got shape {weights.shape}")
    if weights.shape != (n,):
        raise ValueError(
            f"sample_weight must have a weight for each of the {n} points, got shape "
            f"{weights.shape}"
        )
    good = (weights >= 0) & (weights < np.inf)
    if not good.all():
        row = int(np.argmin(good))
        raise ValueError(
            f"sample_weight must be finite numbers of at least 0, got {weights[row]} for row {row}"
        )
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not total > 0:
        raise ValueError(f"sample_weight is zero for all {n} points")
    if total == np.inf:
        raise ValueError("the sum of sample_weight overflows: divide it by a number")
    return weights


def check_number(n_clusters: int, n: int, weights: Array | None) -> None:
    """Refuse more centres than there are points to start from."""
    _cut.refuse_more("n_clusters", n_clusters, n)
    counted = n if weights is None else int(np.count_nonzero(weights))
    if n_clusters > counted:
        raise ValueError(
            f"n_clusters={n_clusters} is more than there are points of positive weight: {counted}"
        )


def check_tolerance(tol: Any) -> float:
    """Return the parameter `tol`."""
    number = validate.as_float(tol, "tol")
    if not number >= 0:
        raise ValueError(f"tol must be at least 0, got {number}")
    return number


def mean_variance(points: Points, weights: Array | None) -> float:
    """Return the mean of the variances of the columns."""
    array = on_host(points)
    with np.errstate(all="ignore"):  # overflows are checked in the result
        if weights is None:
            return float(np.mean(np.var(array, axis=0, dtype=np.float64)))
        mean = np.average(array, axis=0, weights=weights)
        return float(np.mean(np.average(np.square(array - mean), axis=0, weights=weights)))


def starts(
    init: Any, n_init: Any, random_state: Any, points: Points, weights: Array | None, k: int
) -> list[Start]:
    """Return the start of each run that parameters ask for, with all random numbers drawn."""
    is_name, n = isinstance(init, str), len(points)
    if is_name:
        validate.choice(init, STARTS, "init")
    is_drawn = callable(init) or (is_name and init in ("k-means++", "random"))
    runs = _number_of_runs(n_init, _RUNS if callable(init) or init_is(init, "random") else 1)
    if not is_drawn:  # all runs would be the same
        return [_fixed(init, points, weights, k)]
    if callable(init):
        given, source = on_host(points), _source(random_state, for_caller=True)
        return [Start(centres=_called(init, given, k, source)) for _ in range(runs)]
    source = _source(random_state)
    if init == "random":
        return [Start(rows=_draw(source, n, k, weights)) for _ in range(runs)]
    n_draws = 1 + (k - 1) * (2 + int(np.log(k)))
    return [Start(uniforms=source.random(n_draws)) for _ in range(runs)]


def init_is(init: Any, name: str) -> bool:
    """Return whether `init` is this name; it may be an array."""
    return isinstance(init, str) and init == name


def _number_of_runs(n_init: Any, of_auto: int) -> int:
    if isinstance(n_init, str):
        validate.choice(n_init, ("auto",), "n_init")
        return of_auto
    return validate.positive(n_init, "n_init")


def _fixed(init: Any, points: Points, weights: Array | None, k: int) -> Start:
    if not isinstance(init, str):
        return Start(centres=_given_centres(init, (k, points.shape[1]), points.dtype, "init"))
    if init == "farthest":
        return Start()
    return Start(rows=np.arange(k) if weights is None else np.flatnonzero(weights)[:k])


def _called(init: Callable[..., Any], points: Array, k: int, source: Source) -> Array:
    found = init(points, k, random_state=source)
    return _given_centres(found, (k, points.shape[1]), points.dtype, "the result of init")


def _given_centres(init: Any, shape: tuple[int, int], dtype: np.dtype[Any], name: str) -> Array:
    if np.ma.is_masked(init):
        raise ValueError(f"{name} has masked entries, but every centre must be there")
    try:
        given = np.asarray(init)
    except ValueError:  # rows of different lengths
        given = np.array(None)
    if given.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} must be one of {', '.join(map(repr, STARTS))}, a callable, or an array of "
            f"centres, got {validate.shown(init)}"
        )
    with np.errstate(over="ignore"):
        centres = np.array(given, dtype, order="C")
    if centres.shape != shape:
        raise ValueError(
            f"{name} must have a row for each of the {shape[0]} clusters and a column for each of "
            f"the {shape[1]} features, got shape {centres.shape}"
        )
    if not np.isfinite(centres).all():
        row = int(np.argmin(np.isfinite(centres).all(axis=1)))
        raise ValueError(f"row {row} of {name} is not finite: {centres[row].tolist()}")
    return centres


def _source(random_state: Any, *, for_caller: bool = False) -> Source:
    """Return a source of random numbers; callers' functions expect a RandomState, if anything."""
    if isinstance(random_state, (np.random.RandomState, np.random.Generator)):
        return random_state
    try:
        if isinstance(random_state, (bool, np.bool_)):
            raise TypeError
        source = np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise type(error)(
            "random_state must be an integer >= 0, a numpy.random.Generator or RandomState, or "
            f"None, got {validate.shown(random_state)}"
        ) from None
    if not for_caller:
        return source
    is_seed = isinstance(random_state, (int, np.integer)) and random_state < 2**32
    return np.random.RandomState(int(random_state) if is_seed else np.random.MT19937(random_state))


def _draw(source: Source, n: int, k: int, weights: Array | None) -> Array:
    """Return k different numbers below n, drawn by weights if there are any."""
    if weights is not None:
        return source.choice(n, k, replace=False, p=weights / weights.sum())
    if isinstance(source, np.random.RandomState):
        return source.permutation(n)[:k]
    return source.choice(n, k, replace=False, shuffle=True)
