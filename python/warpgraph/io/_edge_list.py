"""Edge lists: ``TAIL HEAD [WEIGHT]`` per line, as in SNAP and spreadsheets.

The first line determines the separator of columns: a tab if there is one, else a comma or a
semicolon, else blanks. A first line of numbers separated by both tabs and blanks is refused as
ambiguous. Lines above it that begin with ``#`` or ``%`` are comments. Fields that hold a separator,
a quote or the end of a line are in double quotes, in which a quote is doubled.

Vertex ids are integers if both on the first line of data are, without quotes, plus sign or leading
zeros, and then all must be; else all are names.

Whether the first line is a header, `_headers` says; its columns are taken by name (`_columns`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from warpgraph._arguments.nx_graphs import DEFAULT_WEIGHT
from warpgraph._arguments.validate import shown, warn
from warpgraph._files.text import Array, Lines, joined, narrowed
from warpgraph._graph.graph import Graph
from warpgraph._tables import (
    columns as _columns,
    comments,
    directions as _directions,
    headers,
    mirrors,
    names as _names,
    no_edge,
    not_edges,
    parsers,
    times,
)
from warpgraph._tables.directions import BOTH, Directions
from warpgraph._tables.integer_ids import number_integers
from warpgraph._tables.records import Records, records
from warpgraph.io import _faults
from warpgraph.io._direction_column import DirectionColumn, not_one, position_given, refuse_common

COMMENT = b"#%"
_EDGE = "two vertex ids and perhaps a weight"

Columns = Sequence[str | int]


def read(
    lines: Lines,
    columns: Columns | None = None,
    id_kind: str | None = None,
    decimal: str = ".",
    comment: str | None = None,
    header: bool | None = None,
    direction: str | int | None = _columns.AUTO,
) -> tuple[Graph, Array]:
    """Return the graph and the ids of its vertices, ascending."""
    first: Records | None = None
    table: _Table | None = None
    for block in records(lines, decimal, comment):
        if first is None:
            first, block = block.split_first()
        if first is None:
            continue
        if table is None:
            second = block.split_first()[0]
            if second is None:
                continue
            table = _Table(first, second, columns, id_kind, decimal, header, direction)
        table.add(block)
    if first is None:
        comments.warn_of_no_edges(lines.path, lines.comments if comment is None else ())
        return Graph.from_edges([], [], [], n_vertices=0), np.empty(0, np.int64)
    table = table or _Table(first, None, columns, id_kind, decimal, header, direction)
    graph, ids = table.graph(lines, may_have_comments=comment is None)
    if graph.n_edges == 0:
        comments.warn_of_no_edges(lines.path)
    return graph, ids


class _Table:
    """The edges of a file, block by block; `is_header` is None until it is decided."""

    def __init__(
        self,
        first: Records,
        second: Records | None,
        columns: Columns | None,
        id_kind: str | None,
        decimal: str,
        header: bool | None,
        direction: str | int | None,
    ) -> None:
        self._first = first
        self._below = second
        self._words = next(first.rows())[1]
        self._second = [] if second is None else next(second.rows())[1]
        self._chosen = columns is not None
        self._decimal = decimal
        self._where = f"{first.path}, line {first.first_line}"
        self._header = header
        self.is_header = header
        self._direction = direction
        self._given = position_given(first, self._words, direction)
        self._names_direction = self._given is not None and isinstance(direction, str)
        self.columns = self._by_rule() if columns is None else self._choose(columns)
        self._id_kind = id_kind
        self.integers: bool | None = None if id_kind is None else id_kind == "i"
        self._parts: list[parsers.Edges] = []
        self._is_bipartite = False  # as a comment says
        self._look_below(second)
        self._tells = self._direction_column()
        if self.is_header is False:
            self._add_first()

    def _look_below(self, second: Records | None) -> None:
        """Decide by the second line, if that says whether the first is a header."""
        if second is None:
            return
        if self.is_header is None and self._heads_other_numbers():
            self._take_header()
        if self.is_header is False and self._header is None and self._counts_names(second):
            self._take_header()
            why = "though they are numbers, since names are below"
            headers.warn_of_numbers(self._chosen_words, why, self._where, is_header=True)
        if self.integers is None and self.is_header is not False:
            self.integers = self._has_integers(second)
        if self.is_header is None and self.integers:
            # Otherwise words on the first line of two columns are names, or a header above names.
            self._take_header()

    @property
    def _chosen_words(self) -> list[str]:
        return [self._words[k] for k in self.columns]

    def _take_header(self) -> None:
        self.is_header = True
        if not self._chosen:
            self.columns = self._of_header()

    def _heads_other_numbers(self) -> bool:
        """Return whether columns are known by their labels, or others have words above numbers."""
        rest = self._but_direction()
        if len(rest) == len(self.columns) or len(self._second) != len(self._words):
            return False
        if len(rest) == 3:
            return bool(headers.is_header([self._words[k] for k in rest]))
        others = set(rest) - set(self.columns)
        return _columns.ends(self._words) is not None or any(
            headers.may_title_weights(self._words[k]) and self._is_number(k) for k in others
        )

    def _counts_names(self, second: Records) -> bool:
        """Return whether 0, 1, .. stand above names, as pandas labels the columns of an array."""
        if not headers.are_counted(self._words) or len(self._second) != len(self._words):
            return False
        return not any(map(parsers.is_integer, self._second[:2]))

    def _is_number(self, column: int) -> bool:
        """Return whether the second line has a number in a column."""
        word = self._second[column] if column < len(self._second) else ""
        return parsers.is_number(parsers.with_point(word, self._decimal))

    def _by_rule(self) -> list[int]:
        """Return the columns by the labels in a header, or the first ones if there is none yet."""
        rest = self._but_direction()
        if self._names_direction:
            self.is_header = True
        if self.is_header is None:
            self.is_header = headers.is_header([self._words[k] for k in rest])
        if self.is_header:
            return self._of_header()
        if len(rest) not in (2, 3):
            why = self._why_other_columns() or ("choose with columns=" if len(rest) > 3 else "")
            raise self._first.error(self._first.first_line, _EDGE, why)
        return rest

    def _why_other_columns(self) -> str:
        """Return why the first line may have other columns than the table, or nothing."""
        advice = comments.advice_on_first(self._first, self._below)
        return advice or _faults.of_first(self._words)

    def _of_header(self) -> list[int]:
        """Return the columns of source, target and perhaps weight by their labels."""
        try:
            if self._is_matrix():
                raise ValueError(not_edges.MATRIX)
            found = _columns.positions(
                self._words, in_file=True, but=self._given, is_number=self._is_number
            )
        except ValueError as problem:
            advice = comments.advice_on_first(self._first, self._below)
            raise ValueError(f"{self._where}: {problem}{'; ' * bool(advice)}{advice}") from None
        return [k for k in found if k is not None]

    def _is_matrix(self) -> bool:
        """Return whether the first column has the names of rows, beside columns that have names."""
        if len(self._words) < 3 or not self._second or _columns.ends(self._words) is not None:
            return False
        if headers.are_counted(self._words[1:]):
            return False
        name = self._second[0]
        has_numbers = all(map(self._is_number, range(1, len(self._words))))
        # A matrix of two columns may have integers as names of its rows; pandas' index begins at 0.
        may_count = name == "0" or len(self._words) > 3 or not has_numbers
        if 0 in _columns.labels_of_rows(self._words):
            return not (may_count and parsers.is_integer(name))
        return name == self._words[1] and has_numbers

    def _choose(self, columns: Columns) -> list[int]:
        """Return the positions of the columns that the caller chose."""
        n = len(self._words)
        chosen = []
        for column in columns:
            if isinstance(column, str):
                if self._words.count(column) != 1:
                    why = self._why_other_columns()
                    raise not_one(self._first, self._words, column, why)
                chosen.append(self._words.index(column))
            elif column >= n:
                expected = f"at least {column + 1} columns, of which {n} are there"
                raise self._first.error(self._first.first_line, expected, self._why_other_columns())
            else:
                chosen.append(column)
        if len(set(chosen)) < len(chosen):
            raise ValueError(f"columns must differ, got {tuple(columns)}")
        has_names = self._names_direction or any(isinstance(column, str) for column in columns)
        words = [self._words[k] for k in chosen]
        if has_names:
            self.is_header = True
        elif self.is_header is None:
            self.is_header = headers.is_header_by_position(words)
        return chosen

    def _direction_column(self) -> DirectionColumn | None:
        """Return the column that tells directions, if there is one."""
        position = self._given
        if position is None and _columns.is_auto(self._direction) and self.is_header is not False:
            try:
                position = _columns.direction_column(self._words, self.columns)
            except ValueError as problem:
                raise ValueError(f"{self._where}: {problem}") from None
        if position is None:
            return None
        if position in self.columns:
            raise ValueError(f"direction={self._direction!r} is a column of ends or weights")
        is_given = self._given is not None
        return DirectionColumn(self._first.path, position, self._words[position], is_given)

    def _but_direction(self) -> list[int]:
        """Return all columns but the one of directions that the caller chose."""
        return [k for k in range(len(self._words)) if k != self._given]

    def _has_integers(self, record: Records) -> bool:
        """Return whether both ends are integers and not in quotes."""
        words, quoted = next(record.rows())[1], record.quoted()
        if max(self.columns) >= len(words):
            return False
        return all(parsers.is_integer(words[k]) and not quoted[k] for k in self.columns[:2])

    def _add_first(self) -> None:
        if self.integers is None:
            self.integers = self._has_integers(self._first)
        self._parts.insert(0, self._parse(self._first))

    def add(self, block: Records) -> None:
        """Read a block."""
        if block.split_first()[0] is None:
            return
        block.check_columns(len(self._words), self._expected(), self._why_other_columns())
        self._parts.append(self._parse(block))

    def _parse(self, block: Records) -> parsers.Edges:
        plain = self._with_points(block)
        found = None
        if plain is not None:
            found = parsers.parse(plain, self.columns, integers=bool(self.integers))
        if found is None:
            raise self._fault(block)
        if self._tells is not None:
            found = found._replace(direction=self._tells.words_of(block))
        if found.names is None:
            return found._replace(tail=narrowed(found.tail), head=narrowed(found.head))
        return found

    def _with_points(self, block: Records) -> Records | None:
        """Return the records with points as decimal marks, or None if there are points already."""
        if self._decimal == "." or len(self.columns) < 3:
            return block
        return block.with_points(self.columns[2])

    def _fault(self, block: Records) -> ValueError:
        """Return the exception for the first invalid record."""
        advice = "if this line is a header, choose columns= by name"
        if block is not self._first:
            ends = tuple(self._words[k] if self.is_header else k for k in self.columns[:2])
            advice = f"columns={ends} reads no weights"
        return _faults.first_of(
            block,
            self.columns,
            integers=bool(self.integers),
            decimal=self._decimal,
            expected=self._expected(),
            advice="" if self._chosen else advice,
        )

    def _expected(self) -> str:
        if self._chosen or self.columns != list(range(len(self._words))):
            rest = "two vertex ids" + (" and a weight" if len(self.columns) == 3 else "")
            return f"{len(self._words)} columns as on the first line, among them {rest}"
        kind = "integer ids" if self.integers else "ids"
        weight = " and a weight" if len(self.columns) == 3 else ""
        return f"two vertex {kind}{weight} as on the first line of data"

    def graph(self, lines: Lines, *, may_have_comments: bool) -> tuple[Graph, Array]:
        """Return the graph of all edges and its ids.

        `may_have_comments`: lines above the first record may be comments, as callers do not say.
        """
        if self.is_header is None:
            self._decide_header()
        n, integers = len(self._words), bool(self.integers)
        if not (self.is_header or self._chosen):
            comments.warn_of_order(lines.comments, n, self._where)
        if may_have_comments and not self.is_header:
            layout = comments.Layout(self._first.separator, n, self.columns, self._decimal)
            comments.warn_of_rows(lines.comments, self._first, layout, integers=integers)
        self._check_first(lines)
        self._check_whole()
        self._check_fractions()
        parts = self._parts
        directions = self._directions(lines)
        has_weights = len(self.columns) == 3
        weights = [[part.weight] for part in parts if part.weight is not None]
        kind = np.result_type(np.int64, *(w[0].dtype for w in weights))
        self._parts = parts = [part._replace(weight=None, direction=None) for part in parts]
        weight = joined(weights, 0, kind) if has_weights else None
        found = [part.names for part in parts if part.names is not None]
        columns = [[part.tail, part.head] for part in parts]
        parts.clear()
        if found:
            ids, tail, head = _names.numbered_parts(found, columns, lines.n_bytes)
        else:
            ids, tail, head = number_integers(columns)
        if lines.max_vertices is not None:
            lines.check_vertices(len(ids))
        weight = self._without_times(weight, tail, lines)
        if self._is_bipartite:
            refuse_common(ids, tail, head, lines)
        arrays = mirrors.arrays_of(tail, head, weight, len(ids), directions=directions)
        graph = Graph._of_own(*arrays)
        if self.is_header and weight is not None:
            graph.weight_name = self._words[self.columns[2]].strip() or DEFAULT_WEIGHT
            no_edge.warn_of_costs(graph.weight_name, weight)
        return graph, ids

    def _directions(self, lines: Lines) -> Directions | None:
        """Return the directions that a column tells, else what a comment above says of all."""
        if self._tells is not None:
            words = [part.direction for part in self._parts]
            found = self._tells.directions(words, is_labelled=bool(self.is_header))
            if found is not None:
                return found
        said = _directions.said_by(lines.comments) if _columns.is_auto(self._direction) else ""
        if said not in ("undirected", "bipartite"):
            return None
        self._is_bipartite = said == "bipartite"
        n_edges = sum(len(part.tail) for part in self._parts)
        found = Directions(np.full(n_edges, BOTH, np.int8))
        _directions.log(found, f"{lines.path}, a comment above")
        return found

    def _decide_header(self) -> None:
        """Decide whether words above two columns of names are a header."""
        words = self._chosen_words
        found = headers.below(words, self._parts)
        self.is_header = headers.is_header_above_names(words, found, self._where)
        if not self.is_header:
            self._add_first()
        elif not self._chosen and self._of_header() == [1, 0]:
            self._parts = [part._replace(tail=part.head, head=part.tail) for part in self._parts]

    def _check_first(self, lines: Lines) -> None:
        """Warn of a first edge that may be labels, as 0 and 1 of pandas, and of its index."""
        if self.is_header is not False or self._chosen:
            return
        # Blanks, and comments above, are not those of pandas.
        is_plain = self._first.separator == " " or any(map(str.strip, lines.comments))
        may_be_of_pandas = bool(self.integers) and not is_plain
        if may_be_of_pandas and headers.warned_of_index(self._parts, self._where):
            return
        if self._header is not None:
            return
        if not self.integers and len(self._words) == 3:
            headers.warn_of_ends(self._words, self._parts[1:], self._where)
        if not (may_be_of_pandas and headers.are_counted(self._words) and len(self._parts) > 1):
            return
        why = headers.why_labels(self._parts)
        if why:
            headers.warn_of_numbers(self._words, why, self._where, is_header=False)

    def _check_whole(self) -> None:
        """Refuse ids as 1.0 where all are integers: pandas makes floats of some columns."""
        row = self._below if self.is_header else self._first
        if self._id_kind is not None or self.integers or row is None:
            return
        words, quoted = next(row.rows())[1], row.quoted()
        ends = [words[k] for k in self.columns[:2] if not quoted[k]]
        floats = list(filter(parsers.is_whole_float, ends))
        if floats and not_edges.are_whole(self._parts):
            why = (
                f"{shown(floats[0])} is no integer id, as pandas writes one in a column of floats; "
                "write integers, or id_dtype='str' reads names"
            )
            raise row.error(row.first_line, self._expected(), why)

    def _check_fractions(self) -> None:
        """Refuse ends that are numbers with fractions below labels, else warn of them."""
        is_said = self._chosen or self._id_kind is not None or self.integers
        if is_said or (self.is_header and _columns.ends(self._words) is not None):
            return
        side = not_edges.with_fractions(self._parts)
        if side is None:
            return
        column = self.columns[side]
        label = shown(self._words[column]) if self.is_header else f"column {column}"
        what = f"{self._where}: {label} has numbers with fractions, as coordinates, and no vertices"
        if self.is_header:
            raise ValueError(f"{what}; choose the columns of edges with columns=")
        warn(f"{what}; id_dtype='str' reads them as names")

    def _without_times(self, weight: Array | None, tail: Array, lines: Lines) -> Array | None:
        """Return the weights, unless these are times."""
        if weight is None or self._chosen:
            return weight
        column = self.columns[2]
        label = self._words[column] if self.is_header else ""
        if not _columns.may_be_times(label):
            return weight
        chosen = [self._words[k] if self.is_header else k for k in self.columns]
        what = f"{self._where}: {shown(label) if label else f'column {column}'}"
        cure = f"columns={tuple(chosen)} reads weights, columns={tuple(chosen[:2])} none"
        return times.weights_unless_times(
            weight, tail, what, cure, lines.comments, has_label=not times.may_be_label(label)
        )
