"""Tables of edges in Parquet and Arrow, by pyarrow; columns are chosen by the rule of `_columns`.

Files of Arrow are those of Feather, of both versions, and streams.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from warpgraph._arguments import validate
from warpgraph._arguments.names import id_array
from warpgraph._arguments.nx_graphs import DEFAULT_WEIGHT
from warpgraph._files.text import Array, check_vertices, is_regular
from warpgraph._graph.graph import Graph
from warpgraph._tables import columns as _columns, comments, frames, mirrors, no_edge, not_edges
from warpgraph.io._choices import Choices


def _pyarrow(format_name: str = "Parquet") -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError:
        raise ImportError(
            f"{format_name} needs pyarrow, which is not installed: pip install 'warpgraph[io]'"
        ) from None
    return pyarrow, pyarrow.parquet


#: Pages that have checksums are compared with them: a bit that the disk has lost changes an edge.
CHECKED = {"page_checksum_verification": True}


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Name the file in errors of pyarrow."""
    pyarrow, _ = _pyarrow()
    try:
        yield
    except (pyarrow.ArrowException, OSError) as problem:
        if getattr(problem, "errno", None) is not None:
            raise
        raise ValueError(f"{path}: {str(problem).splitlines()[0]}") from None


def read(path: str, file: IO[bytes], choices: Choices) -> tuple[Graph, Array]:
    """Return the graph of a file of Parquet and the ids of its vertices, ascending."""
    _, parquet = _pyarrow()

    def table_of(columns: list[str]) -> Any:
        file.seek(0)
        return parquet.read_table(file, columns=columns, **CHECKED)

    _refuse_pipe(path, file, "Parquet")
    with naming(path):
        return _read(path, parquet.read_schema(file), table_of, choices)


def read_feather(path: str, file: IO[bytes], choices: Choices) -> tuple[Graph, Array]:
    """Return the graph of a file or stream of Arrow and the ids of its vertices, ascending."""
    pyarrow, _ = _pyarrow("Feather")
    _refuse_pipe(path, file, "Feather")
    beginning = file.read(6)
    file.seek(0)
    if beginning.startswith(b"FEA1"):
        raise ValueError(
            f"{path} is a file of Feather's first version, in which pyarrow finds no damage; write "
            "it again: pyarrow.feather.write_feather(pyarrow.feather.read_table(..), ..)"
        )
    with naming(path):
        try:
            is_file = beginning == b"ARROW1"
            opened = pyarrow.ipc.open_file(file) if is_file else pyarrow.ipc.open_stream(file)
            table = opened.read_all()
        except MemoryError:  # a damaged length asks for more than there is
            raise ValueError(f"{path}: a part of it asks for more memory than there is") from None
        table.validate(full=True)
        return _read(path, table.schema, table.select, choices)


def _refuse_pipe(path: str, file: IO[bytes], format_name: str) -> None:
    if not is_regular(file.fileno()):
        raise ValueError(f"{path} is a pipe or a device; {format_name} is read from files alone")


def _read(
    path: str, schema: Any, table_of: Callable[[list[str]], Any], choices: Choices
) -> tuple[Graph, Array]:
    """Return the graph of a table of Arrow and the ids of its vertices, ascending."""
    columns, _, max_vertices, decimal, *_, direction = choices
    chosen = _chosen(schema, columns, direction)
    read = [name for name in chosen[:4] if name is not None]
    table = _with_ids_of(table_of(read), read[:2], choices.id_kind)
    row, col, data, names, directions = frames.edges_of(table, chosen, decimal=decimal, where=path)
    if columns is None and chosen.weight is not None:
        cure = f"columns={chosen[:3]} reads weights, columns={chosen[:2]} none"
        data = frames.without_times(row, data, chosen.weight, cure)
    no_edge.warn_of_costs(chosen.weight, data)
    check_vertices(path, len(names), 2 * len(row), max_vertices)
    graph = Graph._of_own(*mirrors.arrays_of(row, col, data, len(names), directions=directions))
    graph.weight_name = chosen.weight or DEFAULT_WEIGHT
    if graph.n_edges == 0:
        comments.warn_of_no_edges(path)
    return graph, id_array(names) if names else np.empty(0, np.int64)


def _chosen(
    schema: Any, columns: Sequence[str | int] | None, direction: str | int | None
) -> frames.Chosen:
    """Return the names of the columns of ends, and perhaps of weights and directions."""
    known = schema.names

    def is_number(column: int) -> bool:
        return not_edges.is_type_of_numbers(schema.types[column])

    if columns is None:
        rows = _columns.labels_of_rows(known)
        if _columns.ends(known) is None and not all(map(is_number, rows)):
            raise ValueError(not_edges.MATRIX)
    given = [*(columns or ()), direction]
    if max((k for k in given if isinstance(k, int)), default=0) >= len(known):
        which = f"direction={direction}" if columns is None else f"columns={tuple(columns)}"
        raise ValueError(f"{which}, but the table has {len(known)} columns")
    *chosen, direction = [known[k] if isinstance(k, int) else k for k in given]
    missing = [name for name in chosen if name not in known]
    if missing:
        raise ValueError(_columns.not_one(known, missing[0]))
    source, target, weight = [*chosen, None][:3] if chosen else _columns.BY_RULE
    found = _columns.chosen_of(
        known, source, target, weight, direction, in_file=True, is_number=is_number
    )
    return frames.Chosen(*found, is_given=not _columns.is_auto(direction))


def _with_ids_of(table: Any, ends: list[str], id_kind: str | None) -> Any:
    """Return a table with ends of the type that the caller chose."""
    if id_kind is None:
        return table
    kind = "int64" if id_kind == "i" else "string"
    for name in ends:
        if name in table.column_names:
            k = table.column_names.index(name)
            table = table.set_column(k, name, table.column(k).cast(kind))
    return table


def _names(pyarrow: Any, ids: Array, format_name: str) -> Any:
    """Return ids as a column."""
    if ids.dtype.kind in "iu":
        return pyarrow.array(ids.tolist(), "int64")
    names = ids.tolist()
    if "" in names:
        raise ValueError(
            f"the vertex id '' cannot be written to {format_name}: it is read as missing"
        )
    return _texts(pyarrow, names, format_name)


def _texts(pyarrow: Any, names: list[str | None], format_name: str = "Parquet") -> Any:
    try:
        return pyarrow.array(names, "string")
    except UnicodeEncodeError as problem:
        raise ValueError(
            f"the vertex id {validate.shown(problem.object)} cannot be written to "
            f"{format_name}: it has a surrogate, which UTF-8 does not allow"
        ) from None


def write(file: IO[bytes], graph: Graph, ids: Array | None) -> None:
    """Write a file of Parquet."""
    _, parquet = _pyarrow()
    parquet.write_table(_table_of(graph, ids, "Parquet"), file)


def write_feather(file: IO[bytes], graph: Graph, ids: Array | None) -> None:
    """Write a file of Arrow, which is one of Feather."""
    pyarrow, _ = _pyarrow("Feather")
    pyarrow.feather.write_feather(_table_of(graph, ids, "Feather"), file)


def _table_of(graph: Graph, ids: Array | None, format_name: str) -> Any:
    """Return the columns source, target and weight, or as the graph calls it."""
    pyarrow, _ = _pyarrow(format_name)
    tail, head, weight = graph.to_edges()
    ends = [pyarrow.array(end) for end in (tail, head)]
    if ids is not None:
        names = _names(pyarrow, ids, format_name)
        ends = [names.take(end) for end in ends]
    labels = _columns.labels_to_write(graph.weight_name)
    columns = dict(zip(labels, [*ends, pyarrow.array(weight)], strict=True))
    return pyarrow.table(columns)


def require() -> None:
    """Raise what a Parquet file would, before work whose results are to be written to one."""
    _pyarrow()


def write_columns(file: IO[bytes], columns: dict[str, Array]) -> None:
    """Write columns of results; where a column of names is empty, its value is missing."""
    pyarrow, parquet = _pyarrow()
    arrays = {
        name: _texts(pyarrow, [text or None for text in column.tolist()])
        if column.dtype.kind in "OU"
        else pyarrow.array(column)
        for name, column in columns.items()
    }
    parquet.write_table(pyarrow.table(arrays), file)


def read_points(path: str) -> Array:
    """Return the rows of a file whose columns are numbers."""
    _, parquet = _pyarrow()
    with open(path, "rb") as file, naming(path):
        table = parquet.read_table(file, **CHECKED)
    for name, kind in zip(table.schema.names, table.schema.types, strict=True):
        if not not_edges.is_type_of_numbers(kind):
            raise ValueError(f"the column {name!r} has {kind} in place of numbers")
    columns = [column.to_numpy() for column in table.columns]
    return np.column_stack(columns) if columns else np.empty((table.num_rows, 0))
