"""Checks of arguments; each error names the value and what was expected."""

from __future__ import annotations

import decimal
import math
import numbers
import operator
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import foreign, hints

#: The dtypes that weights and distances can have, by the name that ``dtype=`` takes: those of the
#: list of csrc/core/types.hpp.
DISTANCE_DTYPES = _core.weight_dtypes()
#: Dtypes of these names in native byte order; the name of a dtype takes microseconds to compute.
NUMBERS = tuple(map(np.dtype, DISTANCE_DTYPES))
#: Dtypes of points, which are no integers.
REALS = tuple(kind for kind in NUMBERS if kind.kind == "f")
_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)

_LARGEST_INT32 = 2**31 - 1
_LARGEST_INT64 = 2**63 - 1

ProgressLike = bool | Callable[[int, int], Any] | None
MemoryLimitLike = int | float | str | None

#: The ledger of all calls without a limit: it counts nothing, so they can share it.
NO_LIMIT = _core.ledger()


_LONGEST_SHOWN = 80
#: Types of NumPy's scalars that Python has, too; a timedelta64 is an integer of NumPy.
_OF_NUMPY = (np.str_, np.bool_, np.integer, np.float64)


def plain(value: Any) -> Any:
    """Return Python's string or number for NumPy's, which equals it and has the same hash."""
    is_plain = isinstance(value, _OF_NUMPY) and not isinstance(value, np.timedelta64)
    return value.item() if is_plain else value


def shown(value: Any) -> str:
    """Return a value that a caller passed as text for messages: one line, not too long."""
    try:
        text = " ".join(repr(plain(value)).split())
    except ValueError:  # Python writes integers of at most 4300 digits
        text = "a number of more than 4300 digits"
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def type_name(value: Any) -> str:
    """Return the name of a value's type, with its module's public part unless that is Python's."""
    kind = type(value)
    module = kind.__module__.partition("._")[0]
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"


def warn(sentence: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside this package, and outside NetworkX, that made the call."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in (
        "warpgraph",
        "networkx",
    ):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, category, stacklevel=level)


def name(value: Any, argument: str) -> str:
    """Return `value` if it is a string."""
    if not isinstance(value, str):
        raise TypeError(f"{argument} must be a name, got {shown(value)}")
    return value


def flag(value: Any, name: str) -> bool:
    """Return `value` if it is True or False, or the integers 1 or 0, which equal them.

    Other values are true or false, too, but may mean the opposite: ``directed="no"``.
    """
    if value is True or value is False:
        return value
    if isinstance(value, (np.bool_, int, np.integer)) and value in (0, 1):
        return bool(value)
    raise TypeError(f"{name} must be True or False, got {shown(value)}")


def items(
    values: Any, name: str, what: str, of_text: str = "for one alone, pass a list of it"
) -> list[Any]:
    """Return the items of a sequence, or ``[values]`` if it is no container.

    of_text: what to do instead of passing a text.
    """
    if isinstance(values, (str, bytes)):
        given = shown(values) + (of_text and f"; {of_text}")
        raise TypeError(f"{name} must be a sequence of {what}, got the text {given}")
    if isinstance(values, np.ndarray):
        if values.ndim > 1:
            raise ValueError(
                f"{name} must be a list of {what}, got an array of shape {values.shape}"
            )
        return list(np.atleast_1d(unmasked(values, name)))
    refuse_unordered(values, name)
    if hasattr(values, "to_pylist"):  # pyarrow's arrays have scalars of their own
        return list(values.to_pylist())
    return list(values) if isinstance(values, Iterable) else [values]


def refuse_unordered(values: Any, name: str) -> None:
    """Refuse values that have no order or can be read only once."""
    if isinstance(values, (Set, Mapping)) or hasattr(values, "__next__"):
        raise TypeError(
            f"{name} must be an array or a sequence, got a {type(values).__name__}; pass a list"
        )


def unmasked(values: Any, name: str) -> npt.NDArray[Any]:
    """Return `values` as an array without masked entries."""
    refuse_unordered(values, name)
    if np.ma.is_masked(values):
        place = np.argwhere(np.ma.getmaskarray(values))[0].tolist()
        raise ValueError(f"{name}{place} is masked, but every entry must be there")
    return np.asarray(as_array(values, name))


def as_array(values: Any, name: str) -> npt.NDArray[Any]:
    """Return `values` as an array; a masked array stays masked."""
    values = foreign.to_numpy(values, name)
    try:
        return np.asanyarray(values)
    except ValueError:  # rows of different lengths
        raise ValueError(
            f"{name} must be an array, but rows have different lengths: {shown(values)}"
        ) from None


def in_place(array: npt.NDArray[Any], dtype: Any = None) -> npt.NDArray[Any]:
    """Return `array` itself if the core can read it in place: contiguous and aligned; else a copy.

    Arrays in files and packets begin anywhere, and loops of vector instructions may not.
    """
    contiguous = np.ascontiguousarray(array, dtype)
    return contiguous if contiguous.flags.aligned else contiguous.copy()


def vertex(value: Any, n_vertices: int, name: str) -> int:
    """Return `value` as a vertex number in ``0 .. n_vertices - 1``."""
    number = _index_or_none(value)
    if number is None:
        hint = "; vertices have no names here" if isinstance(value, str) else ""
        hint = "; pass place.vertex" if _is_place(value) else hint
        raise TypeError(f"{name} must be one vertex number, got {shown(value)}{hint}")
    if not 0 <= number < n_vertices:
        raise ValueError(f"{name} is {number}, but {_vertices_of(n_vertices)}")
    return number


def vertices(values: Any, n_vertices: int, name: str) -> npt.NDArray[np.int32]:
    """Return `values` as a new int32 array of vertex numbers, shape (k,).

    The core reads it without a check, while a progress callable or another thread may write to the
    caller's array.
    """
    array = np.array(unmasked(values, name), ndmin=1)
    if array.ndim != 1:
        hint = "; pass [place.vertex for place in places]" if _is_place(values) else ""
        raise ValueError(
            f"{name} must be a list of vertices, got an array of shape {array.shape}{hint}"
        )
    if array.size == 0:
        return np.empty(0, np.int32)
    # NumPy stores integers beyond 64 bits as objects.
    is_integer = array.dtype.kind in "iu"
    if not is_integer and not all(type(value) is int for value in array):
        hint = "; vertices have no names here" if array.dtype.kind in "US" else ""
        hint = "; np.flatnonzero turns a mask into them" if array.dtype.kind == "b" else hint
        hint = "; pass [place.vertex]" if _is_place(values) else hint
        hint = _first_that_is_none(array) or hint
        raise TypeError(f"{name} must be integers, got an array of {array.dtype}{hint}")
    is_bad = (array < 0) | (array >= n_vertices)
    bad = is_bad.argmax()  # the first, if there is one
    if is_bad[bad]:
        raise ValueError(f"{name}[{bad}] is {array[bad]}, but {_vertices_of(n_vertices)}")
    return in_place(array, np.int32)


def _is_place(values: Any) -> bool:
    """Return whether a value, or the first of some, is a place of `datasets.places`."""
    first = values[0] if isinstance(values, list) and values else values
    return isinstance(first, tuple) and hasattr(first, "vertex")


def _first_that_is_none(array: npt.NDArray[Any]) -> str:
    """Return the end of a sentence that names the first entry that is no integer, as a gap is."""
    kind = array.dtype.kind
    with np.errstate(invalid="ignore"):
        bad = array % 1 if kind == "f" else [kind == "O" and type(v) is not int for v in array]
    places = np.flatnonzero(bad)  # NaN, too
    return f" with {shown(array[places[0]])} at {places[0]}" if len(places) else ""


def positions(
    values: Any, n_entries: int, name: str, expected: str = "integers"
) -> npt.NDArray[np.int64]:
    """Return `values` as a new int64 array of positions in ``0 .. n_entries - 1``, shape (k,)."""
    array = np.array(unmasked(values, name))
    if array.ndim != 1:
        raise ValueError(f"{name} must be a list of positions, got an array of shape {array.shape}")
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be {expected}, got an array of {array.dtype}")
    bad = np.flatnonzero((array < 0) | (array >= n_entries))
    if bad.size:
        raise ValueError(
            f"{name}[{bad[0]}] is {array[bad[0]]}, but the graph has {n_entries} entries"
        )
    return array.astype(np.int64, copy=False)


def _vertices_of(n_vertices: int) -> str:
    if n_vertices == 0:
        return "the graph has no vertices"
    return f"the graph's vertices are 0..{n_vertices - 1}"


def real(value: Any, name: str) -> Any:
    """Return `value` if it is one real number."""
    # To ask whether a type was registered as a real number takes longer: the usual ones come first.
    is_number = isinstance(value, (float, int, numbers.Real, decimal.Decimal))
    if not is_number or isinstance(value, (bool, np.timedelta64)):
        raise TypeError(f"{name} must be a number, got {shown(value)}")
    if isinstance(value, decimal.Decimal) and value.is_snan():
        return math.nan  # which compares, and converts to float
    return value


def exact(value: Any) -> Any:
    """Return a real number as one of Python, which compares exactly with all others."""
    if isinstance(value, np.longdouble):  # item() returns it as it is
        return Fraction(*value.as_integer_ratio()) if np.isfinite(value) else float(value)
    return value.item() if isinstance(value, np.generic) else value


def as_float(value: Any, name: str) -> float:
    """Return a real number as float."""
    try:
        return float(real(value, name))
    except OverflowError:
        raise ValueError(f"{name} is beyond the largest float: {shown(value)}") from None


def infinity(dtype: np.dtype[Any]) -> Any:
    """Return the distance of unreachable vertices."""
    return np.inf if dtype.kind == "f" else int(np.iinfo(dtype).max)


def limit_as(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return the largest number of `dtype` that is at most a distance limit: >= 0, or inf."""
    try:
        number = float(real(value, "limit"))
    except OverflowError:  # an integer beyond the largest float
        number = math.inf if value > 0 else -math.inf
    if not (number >= 0 and value >= 0):  # a fraction below 0 may be -0.0 as a float
        raise ValueError(f"limit must be at least 0, got {shown(value)}")
    most = infinity(dtype)
    if number == math.inf and isinstance(value, float):
        return most
    bound = exact(value)  # the conversion to float may have changed it
    if dtype.kind == "i":
        return most if bound >= most else math.floor(bound)
    with np.errstate(over="ignore", under="ignore"):
        rounded = dtype.type(number)
        return float(rounded if float(rounded) <= bound else np.nextafter(rounded, dtype.type(0)))


def hop_limit(value: Any) -> int:
    """Return a limit on the number of hops, at most the largest int32; None and inf: no limit."""
    is_none = value is None or (isinstance(value, (float, np.floating)) and value == math.inf)
    number = _LARGEST_INT32 if is_none else _as_count(value, "limit")
    if number < 0:
        raise ValueError(f"limit must be at least 0, got {number}")
    return min(number, _LARGEST_INT32)


def choice(value: Any, allowed: Sequence[str], name: str, besides: str = "") -> str:
    """Return `value` if it is one of `allowed`; `besides`: what callers could pass instead."""
    if not isinstance(value, str) or value not in allowed:
        listed = ", ".join(map(repr, allowed))
        hint = hints.did_you_mean(value, allowed)
        other = f", or {besides}" if besides else ""
        raise ValueError(f"{name} must be one of {listed}{other}, got {shown(value)}{hint}")
    return str(value)


def distance_dtype(dtype: Any, weights: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of distances: the requested one, else the default for the weights."""
    if dtype is None:
        return _FLOAT32 if weights == _FLOAT32 else _FLOAT64
    return weight_dtype(dtype)


def weight_dtype(dtype: Any, name: str = "dtype") -> np.dtype[Any]:
    """Return `dtype` as one of the four dtypes that weights and distances can have."""
    requested = dtype_or_none(dtype)
    if requested is None or requested not in NUMBERS:
        raise TypeError(f"{name} must be one of {', '.join(DISTANCE_DTYPES)}, got {shown(dtype)}")
    return requested


def dtype_or_none(dtype: Any) -> np.dtype[Any] | None:
    """Return what NumPy takes for a dtype; None: it is none, or is None."""
    try:
        return None if dtype is None else np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        return None


def memory_limit(value: Any) -> int:
    """Return a memory limit in bytes; 0: no limit. A fraction of a byte is left off."""
    if value is None:
        return 0
    number = _bytes_of_text(value) if isinstance(value, str) else _number_or_none(value)
    if number is None:
        raise TypeError(_SIZES.format(shown(value)))
    if not 1 <= number <= sys.float_info.max:  # NaN is not either; inf is beyond all floats
        raise ValueError(_SIZES.format(shown(value)))
    return min(int(number), _LARGEST_INT64)  # no machine has more


def ledger(value: Any) -> _core.Ledger:
    """Return the ledger of a call with this memory limit, or that of another call, passed on."""
    if value is None:
        return NO_LIMIT
    return value if isinstance(value, _core.Ledger) else _core.ledger(memory_limit(value))


_SIZES = (
    "memory_limit must be a positive number of bytes, such as 2e9, '2GB' (2 * 1000**3) or "
    "'512 MiB' (512 * 1024**2), got {}"
)
_SIZE = re.compile(r"(?ai)(\d{1,400}\.?\d{0,400}(?:e[+-]?\d{1,3})?)\s*(?:([kmgtp]?)(i?)b)?")


def _bytes_of_text(text: str) -> Any:
    """Return the bytes that "2GB", "512 MiB" or "1.5e9" means, exactly."""
    found = _SIZE.fullmatch(text.strip())
    if found is None or (found[3] and not found[2]):
        raise ValueError(_SIZES.format(shown(text)))
    exponent = "kmgtp".index(found[2].lower()) + 1 if found[2] else 0
    return Fraction(found[1]) * (1024 if found[3] else 1000) ** exponent


def positive(value: Any, name: str) -> int:
    """Return `value` as an integer >= 1."""
    return at_least(1, value, name)


def at_least(least: int, value: Any, name: str, reason: str = "") -> int:
    """Return `value` as an integer >= `least`."""
    number = _as_count(value, name)
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {number}{reason}")
    return number


def count(value: Any, name: str, *, least: int = 0, most: int) -> int:
    """Return `value` as an integer in ``least .. most``."""
    number = _as_count(value, name)
    if not least <= number <= most:
        raise ValueError(f"{name} must be in {least}..{most}, got {number}")
    return number


def _as_count(value: Any, name: str) -> int:
    number = _index_or_none(value)
    if number is None:
        raise TypeError(f"{name} must be an integer, got {shown(value)}")
    return number


def seed(value: Any, most: int = 2**64 - 1) -> int:
    """Return the seed of random numbers, an integer in ``0 .. most``."""
    return count(value, "seed", most=most)


def is_integer(value: Any) -> bool:
    """Return whether `value` is one integer, as an array without dimensions may be."""
    return getattr(value, "ndim", 0) == 0 and _index_or_none(value) is not None


def _index_or_none(value: Any) -> int | None:
    try:
        return None if isinstance(value, bool) or np.ma.is_masked(value) else operator.index(value)
    except TypeError:
        return None


def _number_or_none(value: Any) -> Any:
    try:
        return exact(real(value, ""))
    except TypeError:
        return _index_or_none(value)


def progress(value: ProgressLike, description: str) -> Callable[[int, int], Any] | None:
    """Return a callable ``(done, total)`` for the argument ``progress=``."""
    if value is None:
        return None
    if isinstance(value, (bool, np.bool_)):
        return _Bar(description) if value else None
    if not callable(value):
        raise TypeError(
            f"progress must be True, False or a callable (done, total), got {shown(value)}"
        )
    return value


class _Bar:
    """A tqdm bar that opens with the first report and closes with the last."""

    def __init__(self, description: str) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise ImportError(
                "progress=True draws its bar with tqdm, which is not installed: "
                "pip install 'warpgraph[progress]', or pass a callable (done, total)"
            ) from None
        self._open = tqdm
        self._description = description
        self._bar: Any = None

    def __call__(self, done: int, total: int) -> None:
        if self._bar is None:
            self._bar = self._open(total=total, desc=self._description, leave=False)
        self._bar.update(done - self._bar.n)
        if done >= total:
            self._bar.close()
