"""Tables of edges: DataFrames of pandas and polars, and pyarrow.Table, none of which is imported.

Vertices are numbered in the ascending order of their names, as in edge lists from files.
"""

from __future__ import annotations

import importlib
import numbers as abstract
import sys
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import convert, nx_graphs, validate
from warpgraph._tables import columns as _columns, directions as _directions, not_edges, times

Array = npt.NDArray[Any]

_TABLES = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "Table"}
LIBRARIES = tuple(_TABLES)


class Ends(NamedTuple):
    """One end of every edge: the vertex named ``labels[codes]``."""

    title: str  #: for messages
    labels: Array  #: all integers or all strings, perhaps repeated or unused
    codes: Array | None  #: None: ``labels`` has the name for each edge

    @property
    def are_strings(self) -> bool:
        """True if vertices are named by strings; empty tables have no names of either kind."""
        return self.labels.dtype.kind == "O"

    def each(self) -> Array:
        """Return the name at the end of every edge."""
        return self.labels if self.codes is None else self.labels[self.codes]


class Chosen(NamedTuple):
    """Labels of columns; weight None: all edges weigh 1; direction None: each leads to target."""

    source: Any
    target: Any
    weight: Any = None
    direction: Any = None
    is_given: bool = False  #: whether the caller chose the direction


def edges_of(
    frame: Any, columns: Chosen, *, decimal: str | None = None, where: str = "df"
) -> tuple[Array, Array, Array | None, list[Any], _directions.Directions | None]:
    """Return (row, col, data, names, directions) of a table; data is None without weights.

    `where` is the file, or the argument that is the table.
    """
    table = _Table(frame, decimal)
    source, target, data = table.edges(*columns[:3])
    directions = table.directions(columns, where)
    row, col, names = numbered(source, target)
    return row, col, data, names, directions


def chosen(frame: Any, source: Any, target: Any, weight: Any, direction: Any = None) -> Chosen:
    """Return the labels of the columns, by the rule where the caller chose none."""
    return _Table(frame).chosen(source, target, weight, direction)


def columns_of(
    frame: Any, source: Any, target: Any, weight: Any, direction: Any
) -> tuple[Array, Array, Array | None, _directions.Directions | None]:
    """Return the names at both ends of all edges, weights and directions, if there are such."""
    table = _Table(frame)
    columns = table.chosen(source, target, weight, direction)
    source, target, data = table.edges(*columns[:3])
    return source.each(), target.each(), data, table.directions(columns, "a block")


def without_times(row: Array, data: Array | None, label: Any, cure: str) -> Array | None:
    """Return the weights that the rule has chosen, or None if they are times."""
    if data is None or not _columns.may_be_times(label):
        return data
    what, has_label = f"column {validate.shown(label)}", not times.may_be_label(label)
    return times.weights_unless_times(data, row, what, cure, has_label=has_label)


class _Table:
    """A table of any of the libraries."""

    def __init__(self, frame: Any, decimal: str | None = None) -> None:
        self._frame = frame
        self._decimal = decimal
        self._library = _library_of(frame)
        self._labels = list(frame.column_names if self._library == "pyarrow" else frame.columns)

    def chosen(self, source: Any, target: Any, weight: Any, direction: Any) -> Chosen:
        """Return the labels of the columns, by the rule where the caller chose none."""
        if source is None and target is None and self._is_matrix():
            raise ValueError(not_edges.MATRIX_OF_FRAME)
        try:
            found = _columns.chosen_of(
                self._labels, source, target, weight, direction, is_number=self._is_number
            )
        except ValueError as problem:
            raise ValueError(f"{problem}{self._in_index()}") from None
        return Chosen(*found, is_given=not _columns.is_auto(direction))

    def _is_number(self, column: int) -> bool:
        """Return whether a column has numbers by its type."""
        types = self._frame.schema.types if self._library == "pyarrow" else list(self._frame.dtypes)
        return not_edges.is_type_of_numbers(types[column])

    def _is_matrix(self) -> bool:
        """Return whether the rows have the labels of the columns, in the index or before them."""
        labels = self._labels
        if self._library == "pandas" and len(labels) > 1 and len(self._frame) == len(labels):
            index = self._frame.index
            return type(index).__name__ != "RangeIndex" and index.tolist() == labels
        if len(labels) < 3 or len(self._frame) != len(labels) - 1:
            return False
        first = self._frame[labels[0]] if labels.count(labels[0]) == 1 else []
        return [str(name) for name in first] == labels[1:]

    def _in_index(self) -> str:
        """Return advice if pandas has ends in the index, as edges of OSMnx are."""
        names = list(self._frame.index.names) if self._library == "pandas" else []
        found = [name for name in names if isinstance(name, str) and _columns.is_end(name)]
        if not found:
            return ""
        return f"; {' and '.join(map(validate.shown, found))} are in the index: call reset_index()"

    def edges(self, source: Any, target: Any, weight: Any) -> tuple[Ends, Ends, Array | None]:
        """Return both ends and perhaps the weights."""
        ends = [self._ends(name, role) for name, role in ((source, "source"), (target, "target"))]
        return ends[0], ends[1], None if weight is None else self._weights(weight)

    def _column(self, label: Any, argument: str) -> tuple[str, Any]:
        """Return the text for a column in messages, and the column; no value in it is missing."""
        _columns.position(self._labels, label, argument)
        title = f"{argument}={validate.shown(label)}"
        column = self._frame[label]
        self._refuse(title, "missing", self._is_missing(column))
        return title, column

    def _is_missing(self, column: Any) -> Array:
        try:
            missing = column.isna() if self._library == "pandas" else column.is_null()
        except InvalidOperation:  # pandas compares a signalling NaN
            missing = [isinstance(value, Decimal) and value.is_snan() for value in column]
        return np.asarray(missing, bool)

    def _refuse(self, title: str, what: str, is_bad: Array) -> None:
        if is_bad.any():
            raise ValueError(f"{title}: the value in row {self._row(is_bad)} is {what}")

    def _row(self, is_bad: Array) -> str:
        """Return how callers know the first of some rows: by pandas' label, or by its number."""
        k = int(is_bad.argmax())
        is_labelled = self._library == "pandas"
        return validate.shown(self._frame.index[k : k + 1].tolist()[0]) if is_labelled else str(k)

    def directions(self, columns: Chosen, where: str) -> _directions.Directions | None:
        """Return what a column says of the directions of edges, if there is one that does."""
        if columns.direction is None:
            return None
        column = self._frame[columns.direction]
        given = _objects(column.to_pylist() if self._library == "pyarrow" else column.to_list())
        given[self._is_missing(column)] = None
        label, row = columns.direction, lambda is_bad: f"row {self._row(is_bad)}"
        return _directions.of_values(label, given, columns.is_given, where, row)

    def _ends(self, label: Any, argument: str) -> Ends:
        title, column = self._column(label, argument)
        if not len(column):
            return Ends(title, np.empty(0, object), None)
        codes, labels = _FACTORISED[self._library](column)
        ends = Ends(title, checked(title, labels), codes)
        if ends.are_strings and "" in (found := ends.labels.tolist()):
            self._refuse(title, "an empty name", codes == found.index(""))
        return ends

    def _weights(self, label: Any) -> Array:
        title, column = self._column(label, "weight")
        values = numbers(title, _values(column), self._row, self._decimal)
        if values.dtype.kind == "f":
            self._refuse(title, "NaN", np.isnan(values))
        return values


def numbers(
    title: str,
    values: Array,
    row: Callable[[Array], str] = lambda is_bad: str(int(is_bad.argmax())),
    decimal: str | None = None,
) -> Array:
    """Return weights, which may be text or decimals as databases export them, as numbers.

    `row` returns how callers know the first of some rows; decimal None: callers have no such
    argument.
    """
    if not values.size:
        return values if values.dtype.kind in "biuf" else values.astype(np.float64)
    given = values.tolist() if values.dtype.kind in "OUT" else []
    if given or values.ndim > 1:
        return _numbers_of_objects(title, given or list(values), row, decimal)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{title} must hold real numbers, got an array of {values.dtype}")
    return values


def _numbers_of_objects(
    title: str, given: list[Any], row: Callable[[Array], str], decimal: str | None
) -> Array:
    """Return numbers of any kinds, as those of NetworkX."""
    from warpgraph._tables import parsers

    words = [parsers.with_point(x, decimal or ".") if isinstance(x, str) else x for x in given]
    is_bad = np.array(
        [not (parsers.is_number(x) if isinstance(x, str) else _is_number(x)) for x in words]
    )
    if is_bad.any():
        refused = given[int(is_bad.argmax())]
        what = f"has {validate.shown(refused)} in row {row(is_bad)}{_advice(refused, decimal)}"
        raise TypeError(f"{title} must hold real numbers, but {what}")
    if all(isinstance(word, str) for word in words):
        return _numbers_of_text(title, words, row)
    rows = np.arange(len(given))
    return nx_graphs.real_numbers(words, lambda k: f"{title} in row {row(rows == k)}")


def _is_number(value: Any) -> bool:
    # NumPy's durations are integers by their class.
    kinds = (abstract.Real, Decimal, np.bool_)
    return isinstance(value, kinds) and not isinstance(value, np.timedelta64)


def _advice(refused: Any, decimal: str | None) -> str:
    """Return what to do about text that may be a number with a decimal comma."""
    from warpgraph._tables import parsers

    if (
        not isinstance(refused, str)
        or "," not in refused
        or not parsers.is_number(refused.replace(",", "."))
    ):
        return ""
    if decimal is not None:
        return "; pass decimal=',' if its comma is a decimal mark"
    return "; if its comma is a decimal mark, replace it first: column.str.replace(',', '.')"


def _numbers_of_text(title: str, words: list[str], row: Callable[[Array], str]) -> Array:
    from warpgraph._files import text
    from warpgraph._tables import parsers

    kinds = list(map(text.type_exceeded, words))
    found = parsers.numbers(words)
    if found is None or any(kinds):
        kind = next(filter(None, kinds), "float64")
        where = row(np.array(kinds) != "")
        raise ValueError(f"{title}: the value in row {where} is beyond the largest {kind}")
    return found


def _library_of(frame: Any) -> str:
    for library, name in _TABLES.items():
        module = sys.modules.get(library)
        if module is not None and isinstance(frame, getattr(module, name, ())):
            return library
    kind = type(frame).__name__
    advice = "; call its collect() first" if kind == "LazyFrame" else ""
    if kind == "Cursor":  # of a database
        advice = "; pass pandas.read_sql_query(..), or Graph.from_edges(*zip(*cursor))"
    raise TypeError(
        f"df must be a DataFrame of pandas or polars, or a pyarrow.Table, got {kind}{advice}"
    )


def _values(column: Any) -> Array:
    """Return a column as an array."""
    return _objects(column.to_list()) if _is_wide(column) else np.asarray(column.to_numpy())


def _is_wide(column: Any) -> bool:
    """Return whether a column has integers of polars that NumPy has no type for."""
    return str(getattr(column, "dtype", "")).endswith("Int128")


def _objects(values: list[Any]) -> Array:
    return np.fromiter(values, object, len(values))


def _of_pandas(column: Any) -> tuple[Array | None, Array]:
    if column.dtype.kind in "iu":
        return None, column.to_numpy()
    if column.dtype.kind == "O" and _ends_strings_at_nul() and _has_nul(column):
        found: dict[Any, int] = {}
        codes = np.array([found.setdefault(value, len(found)) for value in column], np.int64)
        return codes, _objects(list(found))
    codes, labels = column.factorize()
    return codes, labels.to_numpy()


def _ends_strings_at_nul() -> bool:
    """Return whether pandas takes strings for equal that differ after a NUL, as pandas 2.2 does."""
    strings = _objects(["", "\0"])
    return len(sys.modules["pandas"].factorize(strings)[1]) < len(strings)


def _has_nul(column: Any) -> bool:
    return any("\0" in value for value in column if isinstance(value, str))


def _of_polars(column: Any) -> tuple[Array | None, Array]:
    if column.dtype.is_numeric() and not _is_wide(column):
        return None, column.to_numpy()
    polars = sys.modules["polars"]
    if column.dtype not in (polars.String, polars.Categorical, polars.Enum):
        return None, _objects(column.to_list())
    strings = column.cast(polars.String)
    labels = strings.unique()
    numbers = polars.int_range(len(labels), dtype=polars.UInt32, eager=True)
    return strings.replace_strict(labels, numbers).to_numpy(), labels.to_numpy()


def _of_pyarrow(column: Any) -> tuple[Array | None, Array]:
    if str(column.type).startswith(("int", "uint")):
        return None, column.to_numpy()
    if not str(column.type).startswith(("string", "large_string", "dictionary")):
        return None, _objects(column.to_pylist())
    encoded = column.dictionary_encode().unify_dictionaries().combine_chunks()
    return encoded.indices.to_numpy(), encoded.dictionary.to_numpy(zero_copy_only=False)


#: Functions that return (codes, labels), as in Ends, of a column of each library.
_FACTORISED = {"pandas": _of_pandas, "polars": _of_polars, "pyarrow": _of_pyarrow}


def checked(title: str, labels: Array) -> Array:
    """Return names as an array of integers or of Python's strings."""
    if labels.dtype.kind in "iu":
        return labels
    # tolist() makes integers of dates and durations in nanoseconds.
    values = list(labels) if labels.dtype.kind in "mM" else labels.tolist()
    if all(isinstance(value, str) for value in values):
        return np.array(values, object)
    integer, others = (int, np.integer), (bool, np.timedelta64)
    if all(isinstance(value, integer) and type(value) not in others for value in values):
        return convert.as_index_array(np.array(values), title)
    refused = next(value for value in values if not isinstance(value, str))
    raise TypeError(
        f"{title} must hold the names of vertices, all integers or all strings, "
        f"but has {validate.shown(refused)}"
    )


def numbered(source: Ends, target: Ends) -> tuple[Array, Array, list[Any]]:
    """Return both ends of all edges as numbers, and the names in ascending order."""
    if not len(source.labels):
        return np.empty(0, np.int32), np.empty(0, np.int32), []
    if source.are_strings != target.are_strings:
        strings, integers = (source, target) if source.are_strings else (target, source)
        raise TypeError(
            f"{strings.title} holds strings and {integers.title} integers; both must name vertices "
            "alike"
        )
    if source.are_strings:
        return _numbered_strings(source, target)
    from warpgraph._tables.integer_ids import number_integers

    columns = [convert.as_index_array(end.each(), end.title) for end in (source, target)]
    ids, row, col = number_integers([columns])
    return row, col, ids.tolist()


def _numbered_strings(source: Ends, target: Ends) -> tuple[Array, Array, list[Any]]:
    used = [
        end.labels[np.bincount(end.codes, minlength=len(end.labels)) > 0]
        for end in (source, target)
        if end.codes is not None
    ]
    names = sorted(set().union(*(labels.tolist() for labels in used)))
    number = {name: i for i, name in enumerate(names)}
    ends = [
        np.array([number.get(label, 0) for label in end.labels.tolist()], np.int32)[end.codes]
        for end in (source, target)
    ]
    return ends[0], ends[1], names


def table_of(
    library: str, ends: dict[str, Array], names: list[Any] | None, others: dict[str, Array]
) -> Any:
    """Return a table of `library`: the names of the vertices in `ends`, and other columns."""
    try:
        module = importlib.import_module(library)
    except ImportError:
        raise ImportError(
            f"Graph.to_dataframe makes a table of {library}, which is not installed: pip install "
            f"{library}; Graph.to_edges returns the same as arrays of vertex numbers"
        ) from None
    columns: dict[str, Any] = dict(ends)
    if names is not None:
        columns = {name: _NAMED[library](module, names, ends[name]) for name in ends}
    make = module.table if library == "pyarrow" else module.DataFrame
    return make(columns | others)


def _named_in_pandas(pandas: Any, names: list[Any], vertices: Array) -> Any:
    # pandas chooses the type of a column: integers, strings or objects. Of names of several types
    # it would change some: 1 and 0.5 to floats, None to NaN.
    if len(set(map(type, names))) == 1:
        return pandas.Series(names).array.take(vertices)
    return pandas.Series(_objects(names)[vertices], dtype=object)


def _named_in_polars(polars: Any, names: list[Any], vertices: Array) -> Any:
    dtype = polars.String if not names else None
    return polars.Series(_of_one_type(names, "polars"), dtype=dtype).gather(vertices)


def _named_in_pyarrow(pyarrow: Any, names: list[Any], vertices: Array) -> Any:
    dtype = pyarrow.string() if not names else None
    return pyarrow.array(_of_one_type(names, "pyarrow"), dtype).take(pyarrow.array(vertices))


_NAMED = {
    "pandas": _named_in_pandas,
    "polars": _named_in_polars,
    "pyarrow": _named_in_pyarrow,
}


def _of_one_type(names: list[Any], library: str) -> Any:
    """Return names that a typed column keeps as they are: all strings, or integers of 64 bits."""
    if all(isinstance(name, str) for name in names):
        return [str(name) for name in names]
    if all(isinstance(name, (int, np.integer)) and type(name) is not bool for name in names):
        integers = np.array(names)
        if integers.dtype.kind in "iu":
            return integers
    refused = next((name for name in names if type(name) is not type(names[0])), names[0])
    raise ValueError(
        f"a column of {library} needs names that are all strings or all integers of 64 bits, but "
        f"one is {validate.shown(refused)}; library='pandas' keeps names of all kinds"
    )
