"""Blocks of edges: parts of a table that one task reads, in chunks that fit its memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import convert, validate
from warpgraph._tables import columns as _columns, directions as _directions, frames, not_edges
from warpgraph._tables.directions import Directions

Array = npt.NDArray[Any]
#: Tails, heads and weights of consecutive edges.
Chunk = tuple[Array, Array, Array]

#: The most edges of a block. The key of edge i of block b is ``b * MAX_EDGES_OF_A_BLOCK + i``: keys
#: ascend in the order of the input, whatever the lengths of other blocks.
MAX_EDGES_OF_A_BLOCK = 1 << 40
#: Bytes of a column that are read from a file at a time.
_BUFFER = 1 << 20


class Columns(NamedTuple):
    """Names of the columns of a table of edges; weight None: all edges weigh 1.

    Of each table, the rule of `warpgraph._tables.columns` chooses those that are None or "auto";
    direction None: each edge leads from its source to its target.
    """

    source: Any
    target: Any
    weight: Any | None
    direction: Any | None = None

    def of(self, labels: list[Any], is_number: not_edges.IsNumber) -> Columns:
        """Return the labels of a table's columns; that of directions stays as the caller gave it.

        So each table decides itself whether its words tell directions.
        """
        chosen = _columns.chosen_of(labels, *self, is_number=is_number)
        return Columns(*chosen[:3], self.direction)

    def read_of(self, labels: list[Any]) -> list[Any]:
        """Return the labels of all columns that are read."""
        return [label for label in _columns.chosen_of(labels, *self) if label is not None]


class Block(NamedTuple):
    """A part of the edges: ``read(chunk, *arguments)`` yields at most `chunk` edges at a time.

    Arguments may be handles of an engine, for which a task gets results.
    """

    read: Callable[..., Iterator[Chunk]]
    arguments: tuple[Any, ...]


class RowGroup(NamedTuple):
    """A part of a Parquet file."""

    file: str
    number: int
    n_rows: int


def of_values(values: Sequence[Any], columns: Columns) -> list[Block]:
    """Return a block for each of several tables, tuples of arrays, or handles of such."""
    return [Block(read_value, (columns, value)) for value in values]


def read_value(chunk: int, columns: Columns, value: Any) -> Iterator[Chunk]:
    """Yield the edges of a table, or of arrays of tails, heads and perhaps weights."""
    tails, heads, weights = _arrays(columns, value)
    for first in range(0, max(len(tails), 1), chunk):  # without edges once, for the dtypes
        part = slice(first, first + chunk)
        yield tails[part], heads[part], weights[part]


def _arrays(columns: Columns, value: Any) -> Chunk:
    """Return all tails, heads and weights of a table, a dictionary, or a tuple of arrays."""
    weights: Array | None
    directions: Directions | None = None
    if type(value).__name__ in ("DataFrame", "Table"):
        tails, heads, weights, directions = frames.columns_of(value, *columns)
    elif isinstance(value, dict):
        kinds = [np.asarray(column).dtype for column in value.values()]
        *chosen, direction = _columns.chosen_of(
            list(value), *columns, is_number=lambda k: kinds[k].kind in "iuf"
        )
        names = [name for name in chosen if name is not None]
        if absent := [name for name in names if name not in value]:
            raise ValueError(f"a block has no column {absent[0]!r}, but {list(value)}")
        tails, heads = (_ends(value[name]) for name in names[:2])
        weights = None
        if len(names) > 2:
            weights = frames.numbers(f"weight={names[2]!r}", np.asarray(value[names[2]]))
        if direction is not None:
            is_given = not _columns.is_auto(columns.direction)
            words = np.asarray(value[direction], object)
            directions = _directions.of_values(direction, words, is_given, "a block")
    else:
        tails, heads, weights = _of_sequence(value, columns.weight is not None)
    if directions is not None:
        _refuse_other_directions(directions)
    if weights is None:
        weights = np.ones(len(tails))
    lengths = len(tails), len(heads), len(weights)
    if len(set(lengths)) > 1:
        raise ValueError(f"tails, heads and weights of a block have {lengths} entries, not as many")
    return (
        _vertex_ids(tails, "tails"),
        _vertex_ids(heads, "heads"),
        convert.normalise_weights(weights),
    )


def _refuse_other_directions(directions: Directions) -> None:
    """Refuse edges that lead both ways or backwards: their mirrors may be in other blocks."""
    n_others = np.count_nonzero(directions.codes != _directions.ALONG)
    if n_others:
        raise ValueError(
            f"a column says that {n_others} of {len(directions.codes)} edges of a block lead both "
            "ways or from target to source, which blocks do not keep: store these edges as they "
            "lead, and pass direction=None, for which each leads from its source to its target"
        )


def _of_sequence(value: Any, is_weighted: bool) -> tuple[Array, Array, Array | None]:
    """Return the arrays of a tuple of arrays, or of a list of edges."""
    width = 3 if is_weighted else 2
    what = "(tail, head, weight)" if is_weighted else "(tail, head)"
    if not isinstance(value, Iterable):
        raise TypeError(
            "a block must be a table, a dictionary or a tuple of arrays, or a list of edges "
            f"{what}, got {validate.shown(value)}"
        )
    parts = list(value)
    if not (isinstance(value, tuple) and all(np.ndim(part) == 1 for part in parts)):
        if any(not isinstance(edge, tuple | list) or len(edge) < width for edge in parts):
            refused = next(e for e in parts if not isinstance(e, tuple | list) or len(e) < width)
            raise TypeError(f"a block must have edges {what}, got {validate.shown(refused)}")
        parts = [[edge[i] for edge in parts] for i in range(width)]
    if len(parts) < width:
        raise ValueError(f"a block must be arrays of {what}, got {len(parts)} arrays")
    tails, heads = (_ends(part) for part in parts[:2])
    weights = validate.unmasked(parts[2], "weights") if is_weighted else None
    if weights is not None and weights.dtype.kind not in "biuf" and weights.size:
        raise TypeError(f"weights must be real numbers, got an array of {weights.dtype}")
    return tails, heads, weights


def _ends(values: Any) -> Array:
    """Return the ends of edges as an array. Strings stay as they are: NumPy's would lose NULs."""
    if isinstance(values, list | tuple) and any(isinstance(value, str) for value in values):
        names = np.empty(len(values), object)
        names[:] = values
        return names
    return validate.unmasked(values, "ends")


def _vertex_ids(ends: Array, name: str) -> Array:
    """Return numbers or names of vertices as an array of int64 or of Python's strings."""
    if ends.dtype.kind in "UO" and len(ends):
        values = ends.tolist()
        refused = [value for value in values if not isinstance(value, str)]
        if not refused and "" in values:
            raise ValueError(f"{name}: the name of edge {values.index('')} of a block is empty")
        if not refused:
            return np.array(values, object)
        raise TypeError(
            f"{name} must hold the names of vertices, all integers or all strings, "
            f"but has {validate.shown(refused[0])}"
        )
    return convert.as_index_array(ends, name).astype(np.int64, copy=False)


def of_parquet(path: str, columns: Columns, n_blocks: int) -> list[Block]:
    """Return blocks of about as many row groups each of a file, or of all files of a folder."""
    from warpgraph.io._parquet import _pyarrow, naming

    _, parquet = _pyarrow()
    if Path(path).is_dir():
        files = sorted(str(file) for file in Path(path).glob("**/*.parquet"))
    else:
        files = [path]
    groups: list[RowGroup] = []
    chosen: dict[Columns, str] = {}
    for file in files:
        with naming(file):
            metadata = parquet.read_metadata(file)
        chosen.setdefault(_chosen(file, metadata.schema.to_arrow_schema(), columns), file)
        if len(chosen) > 1:
            (columns, first), (other_columns, other) = chosen.items()
            raise ValueError(
                f"{first} has the edges in columns {columns}, but {other} in {other_columns}: "
                "choose with source=, target= and weight="
            )
        counts = (metadata.row_group(i).num_rows for i in range(metadata.num_row_groups))
        groups += [RowGroup(file, i, n_rows) for i, n_rows in enumerate(counts)]
    if not groups:
        raise ValueError(f"{path} has no row groups of Parquet: expected files *.parquet there")
    columns = next(iter(chosen))
    first_rows = np.cumsum([0, *(group.n_rows for group in groups)])
    # Each block ends with the group in which its share of the rows ends. Groups without rows at
    # both ends of the files belong to the first and to the last block.
    shares = np.linspace(0, first_rows[-1], min(n_blocks, len(groups)) + 1)
    cuts = np.unique(np.searchsorted(first_rows, shares))
    cuts[0], cuts[-1] = 0, len(groups)
    return [
        Block(read_parquet, (columns, groups[first:last]))
        for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
    ]


def _chosen(file: str, schema: Any, columns: Columns) -> Columns:
    """Return which columns of a file are read."""

    def is_number(column: int) -> bool:
        return not_edges.is_type_of_numbers(schema.types[column])

    try:
        return columns.of(schema.names, is_number)
    except ValueError as problem:
        raise ValueError(f"{file}: {problem}") from None


def divided(blocks: Sequence[Block], max_edges: int) -> list[Block]:
    """Return the same edges in blocks of at most `max_edges`, where they are read from files.

    Blocks that the engine keeps or computes stay as they are: it loads them whole anyway.
    """
    result: list[Block] = []
    for block in blocks:
        if block.read is read_parquet:
            columns, groups = block.arguments
            result += (
                Block(read_parquet, (columns, *part)) for part in _runs_of_groups(groups, max_edges)
            )
        else:
            result.append(block)
    return result


def _runs_of_groups(groups: Sequence[RowGroup], max_rows: int) -> Iterator[tuple[Any, ...]]:
    """Yield arguments of `read_parquet` after the columns, each for at most `max_rows` rows.

    These are runs of row groups, and parts of groups that are larger.
    """
    run: list[RowGroup] = []
    n_rows = 0
    for group in groups:
        if run and n_rows + group.n_rows > max_rows:
            yield (run,)
            run, n_rows = [], 0
        if group.n_rows <= max_rows:
            run.append(group)
            n_rows += group.n_rows
        else:
            for first in range(0, group.n_rows, max_rows):
                yield [group], first, min(max_rows, group.n_rows - first)
    if run:
        yield (run,)


def read_parquet(
    chunk: int,
    columns: Columns,
    groups: Sequence[RowGroup],
    first: int = 0,
    count: int | None = None,
) -> Iterator[Chunk]:
    """Yield the edges of row groups; with a count those from position `first` of a single group."""
    batches = _batches(chunk, columns, groups)
    if count is None:
        yield from batches
        return
    for arrays in batches:
        part = slice(first, first + count)
        tails, heads, weights = (array[part] for array in arrays)
        yield tails, heads, weights
        first, count = max(first - len(arrays[0]), 0), count - len(tails)
        if not count:
            return


def _batches(chunk: int, columns: Columns, groups: Sequence[RowGroup]) -> Iterator[Chunk]:
    """Yield the edges of row groups, at most `chunk` at a time."""
    from warpgraph.io._parquet import CHECKED, _pyarrow, naming

    pyarrow, parquet = _pyarrow()
    by_file: dict[str, list[int]] = {}
    for group in groups:
        by_file.setdefault(group.file, []).append(group.number)
    for name, numbers in by_file.items():
        # With its buffers ahead, pyarrow would read all of the row groups at once.
        how = {"pre_buffer": False, "buffer_size": _BUFFER, **CHECKED}
        with naming(name), parquet.ParquetFile(name, **how) as file:
            chosen = columns.read_of(file.schema_arrow.names)
            batches = file.iter_batches(
                chunk, row_groups=numbers, columns=chosen, use_threads=False
            )
            for batch in batches:
                yield from read_value(chunk, columns, pyarrow.Table.from_batches([batch]))


def check_types(weights: Iterable[Array]) -> None:
    """Refuse blocks whose weights have several types."""
    kinds = sorted({str(part.dtype) for part in weights})
    if len(kinds) > 1:
        raise ValueError(f"blocks have weights of {' and '.join(kinds)}; convert them to one")


def check_ends(tails: Array, heads: Array, n_vertices: int) -> None:
    """Refuse names, and numbers that no vertex has."""
    for name, ends in (("source", tails), ("target", heads)):
        if ends.dtype.kind == "O" and len(ends):
            raise TypeError(
                f"{name} holds the name {ends[0]!r}, but n_vertices was given, so vertices are "
                "numbers; leave n_vertices out"
            )
        if len(ends) and (ends.min() < 0 or ends.max() >= n_vertices):
            bad = int(ends[np.argmax((ends < 0) | (ends >= n_vertices))])
            raise ValueError(
                f"{name} holds {bad}, but with n_vertices={n_vertices} vertices are the numbers "
                f"0 .. {n_vertices - 1}; leave n_vertices out if they are names"
            )
