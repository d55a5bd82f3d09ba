"""Tables of edges in Parquet, by pyarrow; columns are chosen by the rule of `_columns`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from warpgraph._arguments import validate
from warpgraph._arguments.names import id_array
from warpgraph._arguments.nx_graphs import DEFAULT_WEIGHT
from warpgraph._files.text import Array, check_vertices, is_regular
from warpgraph._graph.graph import Graph
from warpgraph._tables import columns as _columns, frames, no_edge, not_edges


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError(
            "Parquet needs pyarrow, which is not installed: pip install 'warpgraph[io]'"
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


def read(
    path: str,
    file: IO[bytes],
    columns: Sequence[str | int] | None,
    id_kind: str | None,
    max_vertices: int | None,
    decimal: str,
) -> tuple[Graph, Array]:
    """Return the graph and the ids of its vertices, ascending."""
    if not is_regular(file.fileno()):
        raise ValueError(f"{path} is a pipe or a device; Parquet is read from files alone")
    with naming(path):
        row, col, data, names, weight_name = _edges(file, columns, id_kind, decimal)
    check_vertices(path, len(names), 2 * len(row), max_vertices)
    graph = Graph.from_edges(row, col, data, n_vertices=len(names))
    graph.weight_name = weight_name or DEFAULT_WEIGHT
    return graph, id_array(names) if names else np.empty(0, np.int64)


def _edges(
    file: IO[bytes], columns: Sequence[str | int] | None, id_kind: str | None, decimal: str
) -> tuple[Array, Array, Array | None, list[Any], str | None]:
    """Return (row, col, data, names) of a file, and the name of its weights."""
    pyarrow, parquet = _pyarrow()
    schema = parquet.read_schema(file)
    file.seek(0)
    chosen = _chosen(schema, columns)
    table = parquet.read_table(file, columns=chosen, **CHECKED)
    if id_kind is not None:
        table = _with_ids_of(table, chosen[:2], pyarrow.int64() if id_kind == "i" else "string")
    source, target, weight = [*chosen, None][:3]
    row, col, data, names = frames.edges_of(table, source, target, weight, decimal=decimal)
    if columns is None:
        cure = f"columns={tuple(chosen)} reads weights, columns={tuple(chosen[:2])} none"
        data = frames.without_times(row, data, weight, cure)
    no_edge.warn_of_costs(weight, data)
    return row, col, data, names, weight


def _chosen(schema: Any, columns: Sequence[str | int] | None) -> list[str]:
    """Return the names of the columns of ends and perhaps weights."""
    known = schema.names
    if columns is None:

        def is_number(column: int) -> bool:
            return not_edges.is_type_of_numbers(schema.types[column])

        rows = [k for k, label in enumerate(known) if _columns.names_rows(label)]
        if _columns.ends(known) is None and not all(map(is_number, rows)):
            raise ValueError(not_edges.MATRIX)
        chosen = _columns.chosen_of(known, *_columns.BY_RULE, in_file=True, is_number=is_number)
        return [name for name in chosen if name is not None]
    if max((k for k in columns if isinstance(k, int)), default=0) >= len(known):
        raise ValueError(f"columns={tuple(columns)}, but the table has {len(known)} columns")
    return [known[k] if isinstance(k, int) else k for k in columns]


def _with_ids_of(table: Any, ends: list[str], kind: Any) -> Any:
    for name in ends:
        if name in table.column_names:
            k = table.column_names.index(name)
            table = table.set_column(k, name, table.column(k).cast(kind))
    return table


def _names(pyarrow: Any, ids: Array) -> Any:
    """Return ids as a column."""
    try:
        return pyarrow.array(ids.tolist(), "int64" if ids.dtype.kind in "iu" else "string")
    except UnicodeEncodeError as problem:
        raise ValueError(
            f"the vertex id {validate.shown(problem.object)} cannot be written to Parquet: it has "
            "a surrogate, which UTF-8 does not allow"
        ) from None


def write(file: IO[bytes], graph: Graph, ids: Array | None) -> None:
    """Write the columns source, target and weight, or as the graph calls it."""
    pyarrow, parquet = _pyarrow()
    tail, head, weight = graph.to_edges()
    ends = [pyarrow.array(end) for end in (tail, head)]
    if ids is not None:
        names = _names(pyarrow, ids)
        ends = [names.take(end) for end in ends]
    labels = _columns.labels_to_write(graph.weight_name)
    columns = dict(zip(labels, [*ends, pyarrow.array(weight)], strict=True))
    parquet.write_table(pyarrow.table(columns), file)
