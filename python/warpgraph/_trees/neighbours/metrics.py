"""The metrics of points, and the points as the core searches them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import foreign, validate
from warpgraph._arguments.new_array import Unpickled
from warpgraph._arguments.points import (
    MAX_POINTS,
    DevicePoints,
    first_not_finite,
    on_host,
    points_anywhere,
)
from warpgraph._trees.neighbours import squares
from warpgraph._trees.neighbours.functions import is_function

Array = npt.NDArray[Any]

#: Metrics that are Euclidean distances of other points, which a k-d tree and a GPU search.
EUCLIDEAN = ("euclidean", "cosine", "haversine")
#: Metrics by which cores search boxes of points, or all pairs, and a GPU all pairs.
BY_PAIRS = ("manhattan", "chebyshev", "minkowski", "hamming", "jaccard")
#: Metrics among these whose distances a GPU would round otherwise: powers differ there.
ON_CORES_ALONE = ("minkowski",)
METRICS = (*EUCLIDEAN, *BY_PAIRS)
#: Metrics whose distances are multiplied by what the coordinates are multiplied by.
_OF_LENGTHS = (*EUCLIDEAN, "manhattan", "chebyshev", "minkowski")
#: Other names that SciPy and scikit-learn have.
_OTHER_NAMES = {
    "l2": "euclidean",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "infinity": "chebyshev",
}
#: Metrics of SciPy and scikit-learn that are none here, and the functions that take their place.
_AS_FUNCTIONS = {
    **dict.fromkeys(
        (
            "braycurtis",
            "canberra",
            "correlation",
            "dice",
            "jensenshannon",
            "rogerstanimoto",
            "russellrao",
            "sokalsneath",
            "sqeuclidean",
            "yule",
        ),
        "scipy.spatial.distance.{}",
    ),
    "mahalanobis": "functools.partial(scipy.spatial.distance.{}, VI=...)",
    "seuclidean": "functools.partial(scipy.spatial.distance.{}, V=...)",
}
#: Integers up to this are numbers of float64.
_MOST_EXACT = 2**53


class Metric(NamedTuple):
    """A metric by its name here; `p` is that of "minkowski"; or a function of the caller."""

    name: str
    p: float = 2.0
    function: Any = None

    @property
    def is_euclidean(self) -> bool:
        """True for distances that are Euclidean ones of other points."""
        return self.name in EUCLIDEAN


@dataclass(frozen=True)
class MetricPoints(Unpickled):
    """Points as the core searches them under a metric."""

    metric: Metric
    searched: Array | DevicePoints
    n_coordinates: int
    dtype: np.dtype[Any]  # of the points themselves
    exponent: int = 0  # those searched are divided by 2 to the power of it, see `in_range`

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.searched)

    @property
    def of_core(self) -> tuple[str, float, int]:
        """The metric as the core takes it."""
        return self.metric.name, self.metric.p, self.n_coordinates


def metric_of_points(
    value: Any, p: Any = 2.0, others: Sequence[str] = (), *, allowed: Sequence[str] = METRICS
) -> Metric:
    """Return the metric of the arguments ``metric=`` and ``p=``; `others` are allowed besides."""
    if is_function(value):
        return Metric("function", function=value)
    names = {name: here for name, here in _OTHER_NAMES.items() if here in allowed}
    known = [*allowed, *names, *others]
    if isinstance(value, str) and value in _AS_FUNCTIONS:
        function = _AS_FUNCTIONS[value].format(value)
        raise ValueError(
            f"metric must be one of {', '.join(map(repr, known))}, or a function of two points, "
            f"got {value!r}; pass {function}"
        )
    given = validate.choice(value, known, "metric", "a function of two points")
    name = names.get(given, given)
    if name != "minkowski":
        return Metric(name)
    power = validate.as_float(p, "p")
    if not power >= 1:
        raise ValueError(f"p must be a number of at least 1, got {p}: below, there is no metric")
    named = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}
    return Metric(named[power]) if power in named else Metric("minkowski", power)


def points_of(X: Any, metric: Metric, *, fitted: MetricPoints | None = None) -> MetricPoints:
    """Return points as the core searches them.

    fitted: the points among which neighbours of these are searched; they must be alike.
    """
    points: Any
    if metric.name in ("hamming", "jaccard"):
        return _coded(X, metric, fitted)
    points = points_anywhere(X)
    if metric.name != "euclidean" or fitted is not None:
        points = on_host(points)
    n_coordinates = points.shape[1]
    if metric.function is not None:
        points = validate.in_place(points, np.float64)
    if metric.name == "cosine":
        # Queries in double before their conversion, in which rows may overflow or vanish.
        is_fitted = fitted is None
        given = points if is_fitted else points.astype(np.float64, copy=False)
        points = normalised(given, joins=is_fitted)
    if fitted is not None:
        points = _of_type(points, fitted.dtype)
    dtype = points.dtype
    if metric.name == "haversine":
        points = _on_sphere(points)
        if fitted is None:
            _core.join_places(points)
    found = MetricPoints(metric, points, n_coordinates, dtype)
    if fitted is not None:
        require_like(found, fitted)
        if metric.name in ("cosine", "haversine"):
            searched: Any = fitted.searched
            _core.take_near_rows(points, searched, metric.name == "haversine")
    return found


def in_range(
    *sets: MetricPoints, ledger: _core.Ledger = validate.NO_LIMIT
) -> tuple[MetricPoints, ...]:
    """Return points with a common factor, with which their distances are in the range of floats."""
    metric = sets[0].metric
    if metric.name not in _OF_LENGTHS:
        return sets
    searched = [points.searched for points in sets]
    scaled = squares.in_range(*searched, squares=metric.is_euclidean, ledger=ledger)
    found = zip(sets, scaled.sets, strict=True)
    return tuple(
        replace(points, searched=those, exponent=scaled.exponent) for points, those in found
    )


def distances_of(points: MetricPoints, distances: Array) -> Array:
    """Return the distances of a metric from those of the points that were searched, in place."""
    squares.scale_back(distances, points.exponent, points.metric.name)
    return from_euclidean(points.metric, distances)


def require_like(points: MetricPoints, fitted: MetricPoints) -> None:
    """Refuse points with another number of columns."""
    if points.n_coordinates != fitted.n_coordinates:
        raise ValueError(
            f"queries have {points.n_coordinates} columns, but the points have "
            f"{fitted.n_coordinates}"
        )


def from_euclidean(metric: Metric, distances: Array) -> Array:
    """Return the distances of a metric from Euclidean ones, in place."""
    if metric.name == "cosine":
        np.multiply(distances, distances, out=distances)
        distances /= 2
    elif metric.name == "haversine":
        distances /= 2
        np.minimum(distances, 1, out=distances)
        np.arcsin(distances, out=distances)
        distances *= 2
    return distances


def to_euclidean(metric: Metric, radius: float) -> float:
    """Return a Euclidean distance within which all points within a radius are."""
    largest = {"cosine": 2.0, "haversine": np.pi}.get(metric.name)
    if largest is None or radius >= largest:
        return radius if largest is None else np.inf
    chord = np.sqrt(2 * radius) if metric.name == "cosine" else 2 * np.sin(radius / 2)
    return float(chord * (1 + 1e-14))  # more than the rounding of both functions


def normalised(points: Array, *, joins: bool = True) -> Array:
    """Return points divided by their lengths, in their own type.

    The Euclidean distance of two is sqrt(2 - 2 cos) of their angle. Rows that are parallel are one;
    if `joins`, also where their type has rounded them.
    """
    points = validate.in_place(points)
    units = np.empty_like(points)
    row = _core.unit_rows(points, units, joins)
    if row < len(points):
        raise ValueError(f"row {row} of X is 0, which has no direction: metric 'cosine' needs one")
    return units


def _of_type(points: Array, dtype: np.dtype[Any]) -> Array:
    """Return points in the type of those among which they are searched."""
    if points.dtype == dtype:
        return points
    with np.errstate(over="ignore"):
        converted = points.astype(dtype)
    place = first_not_finite(converted)
    if place < converted.size:
        row, column = divmod(place, converted.shape[1])
        raise ValueError(
            f"row {row} of X has {points[row, column]:g} in column {column}, which is beyond the "
            f"largest {dtype}, the type of the points that are searched; pass those as float64"
        )
    return converted


def _on_sphere(points: Array) -> Array:
    """Return unit vectors of rows (latitude, longitude) in radians.

    What rounds to a pole is one, whatever its longitude.
    """
    if points.shape[1] != 2:
        raise ValueError(
            "metric 'haversine' takes rows (latitude, longitude), got "
            f"{points.shape[1]} columns of X"
        )
    latitude, longitude = points.astype(np.float64).T
    wrong = np.abs(latitude) > np.pi / 2 * (1 + 1e-6)  # float32 rounds a pole up
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"row {row} of X has the latitude {points[row, 0]:g}, but radians are in -pi/2..pi/2: "
            "metric 'haversine' takes radians, np.radians(X)"
        )
    wrong = np.abs(longitude) > 4 * np.pi
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"row {row} of X has the longitude {points[row, 1]:g}, which is more than two turns: "
            "metric 'haversine' takes radians, np.radians(X)"
        )
    is_pole = np.abs(latitude) >= points.dtype.type(np.pi / 2)
    across = np.where(is_pole, 0, np.cos(latitude))
    return np.stack(
        [across * np.cos(longitude), across * np.sin(longitude), np.sin(latitude)], axis=1
    )


def _coded(X: Any, metric: Metric, fitted: MetricPoints | None) -> MetricPoints:
    """Return rows of bits packed into words, or of any numbers for "hamming"."""
    if _are_bits(X) and (fitted is None or _is_packed(fitted)):
        found = MetricPoints(metric, _packed(X), X.shape[1], np.dtype(np.float64))
        if fitted is not None:
            require_like(found, fitted)
        return found
    given = None if foreign.is_on_device(X) else np.asarray(X)
    kind = np.dtype(np.float64) if given is None else given.dtype
    numbers = on_host(points_anywhere(X))
    if given is not None and kind.kind in "iu" and metric.name == "hamming":
        _check_codes(given)
    of_bits = metric.name == "jaccard" or (
        kind.kind == "b" if fitted is None else _is_packed(fitted)
    )
    if of_bits:
        searched = _packed(_bits_of(numbers, metric))
    else:
        searched = numbers if fitted is None else _of_type(numbers, fitted.searched.dtype)
    found = MetricPoints(metric, searched, numbers.shape[1], numbers.dtype)
    if fitted is not None:
        require_like(found, fitted)
    return found


def _are_bits(X: Any) -> bool:
    """Return whether these are rows of bits, which need no check as numbers."""
    is_plain = type(X) is np.ndarray and X.dtype == bool
    return is_plain and X.ndim == 2 and X.size > 0 and len(X) <= MAX_POINTS


def _check_codes(codes: Array) -> None:
    """Refuse integers that float64 would round to others."""
    for code in (int(codes.min()), int(codes.max())):
        if abs(code) > _MOST_EXACT:
            raise ValueError(
                f"X has the number {code}, which is beyond the integers that float64 holds "
                "exactly: metric 'hamming' takes codes of at most 2**53"
            )


def _bits_of(numbers: Array, metric: Metric) -> npt.NDArray[np.bool_]:
    is_bit = (numbers == 0) | (numbers == 1)
    if not is_bit.all():
        row, column = divmod(int(is_bit.argmin()), numbers.shape[1])
        raise ValueError(
            f"row {row} of X has {numbers[row, column]:g} in column {column}: metric "
            f"{metric.name!r} takes rows of 0 and 1 here, or of False and True"
        )
    return np.asarray(numbers, np.bool_)


def _is_packed(points: MetricPoints) -> bool:
    return points.searched.dtype == np.uint64


def _packed(bits: npt.NDArray[np.bool_]) -> Array:
    """Return rows of bits as rows of words."""
    n_words = -(-bits.shape[1] // 64)
    octets = np.zeros((len(bits), 8 * n_words), np.uint8)
    packed = np.packbits(bits, axis=1)
    octets[:, : packed.shape[1]] = packed
    return octets.view(np.uint64)
