"""Columns of a table that are the source, the target and the weight of its edges, by their labels.

One rule for every kind of table: CSV, edge lists, Parquet, data frames, and blocks of these.

1. Columns are taken by name wherever they stand, in any case: source and target by one of the words
   in `_ENDS`; if a whole label is none of them, by its first or last word (``from_station``, but
   not ``from_date``).
2. The weight is the column called ``weight`` (or as in `_WEIGHTS`); else the one whose label has a
   word for a length, a duration or a cost; else the one that remains. Columns that number or
   describe edges (``id``, ``key``, ``type``, ``name``) are no weights, nor are those that tell
   their directions (``oneway``, ``directed``; see `directions`), nor labels of rows.
3. If neither end is known, two or three columns are source, target and weight, in this order.
4. All else is an error: columns are never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from warpgraph._arguments import hints, validate
from warpgraph._arguments.nx_graphs import DEFAULT_WEIGHT
from warpgraph._tables import not_edges
from warpgraph._tables.not_edges import words_of as _words


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: Value of `weight` or `direction` for the column that the rule chooses; there may be none.
AUTO = "auto"

_ROLES = ("source", "target")
_ENDS = (
    _set("source src from tail u i start origin orig initnode"),
    _set("target tgt to dst dest destination head v j end sink termnode"),
)
#: Words that may follow these: FromNodeId, source_id, start vertex.
_NUMBERED = ("", "id", "node", "nodeid", "vertex", "vertexid")
_WEIGHTS = _set("weight weights w wgt wt edgeweight")
_MEASURES = _set(
    "weight weights wgt length len distance dist cost costs time traveltime duration km miles "
    "meters metres minutes seconds hours value price toll impedance"
)
#: May tell when an edge was as well as how long it takes.
_TIME = "time"
_NO_WEIGHTS = _set(
    "id key edge edgeid edgekey index osmid label type name kind relationship timeset timestamp "
    "datetime date year ts since epoch epochtime unixtime unixts unixtimestamp"
)
#: A label with such a word says when an edge is, as valid_from and to_date.
_WHEN = _set("date datetime timestamp ts epoch day month year valid")
#: Labels of columns that tell which edges lead both ways, by what "true" says there.
_DIRECTIONS = {
    "directed": _set("directed isdirected"),
    "undirected": _set("undirected isundirected"),
    "oneway": _set("oneway isoneway"),
    "bidirectional": _set("bidirectional isbidirectional twoway istwoway"),
}
#: May have the words Directed and Undirected, as in tables of Gephi, or be anything else.
KIND = "type"
_RELATIONS = _set("relation rel predicate")
#: The labels of rows, as pandas writes them: without a name, or as columns of Parquet.
_ROWS = re.compile(r"|Unnamed: \d+|__index_level_\d+__|level_\d+")
#: Two of these, which pandas' stack().reset_index() makes of a matrix, have the ends of edges.
_LEVELS = ["level_0", "level_1"]


#: Arguments for source, target and weight that the rule chooses.
BY_RULE = (None, None, AUTO)


class Chosen(NamedTuple):
    """Positions of columns; weight None: all edges weigh 1."""

    source: int
    target: int
    weight: int | None


def positions(
    labels: Sequence[Any],
    source: Any = None,
    target: Any = None,
    weight: Any = AUTO,
    *,
    in_file: bool = False,
    but: int | None = None,
    is_number: not_edges.IsNumber = not_edges.all_numbers,
) -> Chosen:
    """Return which columns are source, target and weight.

    Parameters
    ----------
    labels : sequence
        The labels of all columns.
    source, target, weight : label, optional
        What the caller has chosen. The weight ``"auto"`` is the one that the rule chooses.
    in_file : bool
        Whether callers choose by ``columns=`` rather than by ``source=, target=, weight=``.
    but : int, optional
        A column that is none of them: the one that has the directions.
    is_number : callable
        Whether the column at a position has numbers, as coordinates are.
    """
    return _Table(labels, in_file, is_number, but).chosen(source, target, weight)


def chosen_of(
    labels: Sequence[Any],
    source: Any,
    target: Any,
    weight: Any,
    direction: Any = None,
    *,
    in_file: bool = False,
    is_number: not_edges.IsNumber = not_edges.all_numbers,
) -> tuple[Any, Any, Any, Any]:
    """Return the labels of source, target, and of weight and direction, which may be None."""
    is_given = direction is not None and not is_auto(direction)
    but = position(labels, direction, "direction") if is_given else None
    if source is None or target is None or is_auto(weight):
        found = positions(
            labels, source, target, weight, in_file=in_file, but=but, is_number=is_number
        )
        source, target = labels[found.source], labels[found.target]
        weight = None if found.weight is None else labels[found.weight]
    taken = [k for k, label in enumerate(labels) if label in (source, target, weight)]
    if is_auto(direction):
        but = direction_column(labels, taken)
    elif but in taken:
        raise ValueError(f"direction={validate.shown(direction)} is the source, target or weight")
    return source, target, weight, None if but is None else labels[but]


def labels_to_write(weight: str) -> tuple[str, str, str]:
    """Return labels of source, target and weight, with this name if the rule finds it there."""
    labels = (*_ROLES, weight)
    try:
        is_found = weight.isprintable() and positions(labels) == (0, 1, 2)
    except ValueError:
        is_found = False
    return labels if is_found else (*_ROLES, DEFAULT_WEIGHT)


def position(labels: Sequence[Any], label: Any, argument: str) -> int:
    """Return where the column is that a caller chose."""
    if labels.count(label) != 1:
        advice = "; weight=None: all edges weigh 1" if argument == "weight" else ""
        sentence = not_one(labels, label)
        raise ValueError(f"{argument}={validate.shown(label)}: {sentence}{advice}")
    return labels.index(label)


def not_one(labels: Sequence[Any], label: Any) -> str:
    """Return why a column is not found by its name, in the words of all kinds of tables."""
    if label in labels:
        return f"there are two columns of that name; the columns are {_listed(labels)}"
    meant = hints.did_you_mean(label, labels)
    return f"there is no column {validate.shown(label)}; the columns are {_listed(labels)}{meant}"


def direction_named(label: Any) -> str | None:
    """Return what "true" says in a column of this label: "oneway" or the like, `KIND`, or None."""
    word = _joined(label)
    found = next((name for name, words in _DIRECTIONS.items() if word in words), None)
    return KIND if word == KIND else found


def direction_within(label: Any) -> str | None:
    """Return what "true" says in a column that a caller chose, if a word of its label tells."""
    named = {direction_named(word) for word in (label, *_words(label))} - {None}
    joined = "".join(_words(label))
    ending = next((name for name in _DIRECTIONS if joined.endswith(name)), None)
    # "undirected" ends in "directed".
    ending = "undirected" if joined.endswith("undirected") else ending
    return named.pop() if len(named) == 1 else ending


def direction_column(labels: Sequence[Any], taken: Sequence[int | None]) -> int | None:
    """Return the column that tells directions by its label; `taken` are ends and weight."""
    named = {k: direction_named(label) for k, label in enumerate(labels) if k not in taken}
    found = [k for k, name in named.items() if name not in (None, KIND)]
    found = found or [k for k, name in named.items() if name == KIND]
    if len(found) > 1:
        listed = " and ".join(validate.shown(labels[k]) for k in found)
        raise ValueError(
            f"{listed} may each tell the directions of edges: choose with "
            f"direction={validate.shown(labels[found[0]])}, or direction=None for neither"
        )
    return found[0] if found else None


def is_end(label: str) -> bool:
    """Return whether a whole label is known as that of an end of edges."""
    word = _joined(label)
    return _is_end(word, 0) or _is_end(word, 1)


def may_be_end(label: str) -> bool:
    """Return whether a whole label, or its first or last word, is known as that of an end."""
    return is_end(label) or any(_speaks_of_end(label, side) for side in range(2))


def may_be_times(label: Any) -> bool:
    """Return whether a column of this label that is no end may tell when an edge was."""
    return _joined(label) == _TIME or not _measures(label)


def is_weight(label: str) -> bool:
    """Return whether a whole label, longer than a letter, is known as that of weights."""
    word = _joined(label)
    return len(word) > 1 and word in _WEIGHTS | _MEASURES


def names_rows(label: Any) -> bool:
    """Return whether a column is called as the labels of rows are by pandas."""
    return isinstance(label, str) and _ROWS.fullmatch(label) is not None


def levels(labels: Sequence[Any]) -> list[int]:
    """Return the two levels of pandas' index that are ends, or none.

    They are if there is at most one other column, so that these are no labels of rows.
    """
    rows = [k for k, label in enumerate(labels) if names_rows(label)]
    found = [k for k in rows if labels[k].startswith("level_")]
    are_ends = [labels[k] for k in found] == _LEVELS and len(labels) - len(rows) < 2
    return found if are_ends else []


def labels_of_rows(labels: Sequence[Any]) -> list[int]:
    """Return the columns that have the labels of rows, as pandas writes them."""
    ends = levels(labels)
    return [k for k, label in enumerate(labels) if names_rows(label) and k not in ends]


def ends(labels: Sequence[str]) -> tuple[int, int] | None:
    """Return the positions of source and target if both are known by their labels."""
    found = _Table(labels, True, not_edges.all_numbers).known_ends
    if len(found[0]) != 1 or len(found[1]) != 1:
        return None
    return found[0][0], found[1][0]


class _Table:
    """The labels of the columns of a table."""

    def __init__(
        self,
        labels: Sequence[Any],
        in_file: bool,
        is_number: not_edges.IsNumber,
        but: int | None = None,
    ) -> None:
        self._labels = list(labels)
        self._in_file = in_file
        self._is_number = is_number
        #: Positions of all columns but labels of rows and the column of directions.
        rows = labels_of_rows(self._labels)
        self._columns = [k for k in range(len(self._labels)) if k not in rows and k != but]
        self._words_of_ends: set[int] = set()
        self.known_ends = [self._candidates(side) for side in range(2)]

    def chosen(self, source: Any, target: Any, weight: Any) -> Chosen:
        """Return the positions of the columns."""
        given = [
            None if label is None else position(self._labels, label, role)
            for label, role in zip((source, target), _ROLES, strict=True)
        ]
        if weight is None or is_auto(weight):
            ends = self._ends(given, None)
            return Chosen(*ends, None if weight is None else self._weight(ends))
        column = position(self._labels, weight, "weight")
        return Chosen(*self._ends(given, column), column)

    def _candidates(self, side: int) -> list[int]:
        """Return the columns that may be an end: by their labels, else by a word of them."""
        words = {k: _joined(self._labels[k]) for k in self._columns}
        exact = [k for k, word in words.items() if _is_end(word, side)]
        self._words_of_ends |= set(exact)
        if exact:
            return [k for k in exact if words[k] == _ROLES[side]] or exact
        return [k for k in words if _speaks_of_end(self._labels[k], side)]

    def _ends(self, given: list[int | None], weight: int | None) -> tuple[int, int]:
        """Return both ends; those not None are given, and so may be the weight."""
        known = [
            [k for k in some if k not in (*given, weight)] if one is None else [one]
            for some, one in zip(self.known_ends, given, strict=True)
        ]
        if not any(known):
            return self._first_two(weight)
        for role, some in zip(_ROLES, known, strict=True):
            if len(some) > 1:
                if len({self._labels[k] for k in some}) == 1:
                    position(self._labels, self._labels[some[0]], role)
                raise self._error(f"{self._named(some)} may each be the {role}", known)
        for side, role in enumerate(_ROLES):
            if not known[side]:
                other = f"{self._named(known[1 - side])} is the {_ROLES[1 - side]}"
                raise self._error(f"{other}, but no column is known as the {role}", known)
        if given == [None, None]:
            self._refuse_triples(known)
        return known[0][0], known[1][0]

    def _refuse_triples(self, known: list[list[int]]) -> None:
        """Refuse (head, relation, tail) of knowledge graphs, whose head others call tail."""
        ends = {_joined(self._labels[some[0]]) for some in known}
        relations = [k for k in self._columns if _joined(self._labels[k]) in _RELATIONS]
        if ends == {"head", "tail"} and relations:
            reason = (
                "an arc leads from its tail to its head, but a triple with "
                f"{self._named(relations)} from its head to its tail"
            )
            raise self._error(reason, known)

    def _first_two(self, weight: int | None) -> tuple[int, int]:
        """Return the first two columns, if there is nothing but a weight beside them."""
        columns = [k for k in self._columns if k != weight]
        are_edges = any(_joined(self._labels[k]) in _WEIGHTS for k in columns)
        reason = "" if are_edges else not_edges.refused(self._labels, columns, self._is_number)
        if reason:
            raise self._error(reason, [[], []], weight)
        if len(columns) not in ((2, 3) if weight is None else (2,)):
            few = "a table of edges has two columns or more"
            many = "no column is known as the source or as the target"
            raise self._error(few if len(columns) < 2 else many, [[], []], weight)
        others = [
            k
            for k in columns[:2]
            if _measures(self._labels[k]) or (len(columns) == 3 and _is_no_weight(self._labels[k]))
        ]
        if others:
            reason = f"{self._named(others)} is no end of an edge, and no column is known as one"
            raise self._error(reason, [[], []])
        return columns[0], columns[1]

    def _weight(self, ends: tuple[int, int]) -> int | None:
        """Return the column of the weights, if there is one."""
        rest = [k for k in self._columns if k not in ends]
        others = [k for k in rest if not _describes(self._labels[k])]
        named = [k for k in others if _joined(self._labels[k]) in _WEIGHTS]
        measures = named or [k for k in others if _measures(self._labels[k])]
        known = [[end] for end in ends]
        if len(measures) > 1:
            raise self._error(f"{self._named(measures)} may each be the weight", known, measures[0])
        if measures and (named or self._is_clear(others, measures[0])):
            return measures[0]
        if len(others) > 1 or not self._words_of_ends.isdisjoint(others):
            which = "which of" if len(others) > 1 else "whether"
            reason = f"cannot tell {which} {self._named(others)} is the weight"
            raise self._error(reason, known, (measures or others)[0])
        return others[0] if others else None

    def _is_clear(self, others: list[int], weight: int) -> bool:
        """Return whether a column is the weight though there are others, which are ignored."""
        is_time = _joined(self._labels[weight]) == _TIME
        return len(others) == 1 or not is_time

    def _named(self, columns: Sequence[int]) -> str:
        *most, last = (validate.shown(self._labels[k]) for k in columns)
        return f"{', '.join(most)} and {last}" if most else last

    def _error(self, reason: str, known: list[list[int]], weight: int | None = None) -> ValueError:
        """Return the exception, which shows how to choose."""
        used = {k for some in known for k in some[:1]} | {weight}
        free = [k for k in self._columns if k not in used]
        free.sort(key=lambda k: _measures(self._labels[k]) or _describes(self._labels[k]))
        ends = [some[0] if some else (free.pop(0) if free else None) for some in known]
        if weight is None:
            weight = next((k for k in free if _measures(self._labels[k])), None)
        shown = [validate.shown(self._labels[k]) for k in (*ends, weight) if k is not None]
        names = ("source", "target", "weight")
        example = ", ".join(f"{name}={label}" for name, label in zip(names, shown, strict=False))
        if self._in_file:
            example = f"columns=({', '.join(shown)})"
        sentence = f"{reason}; the columns are {_listed(self._labels)}"
        return ValueError(f"{sentence}: choose with {example}" if len(shown) > 1 else sentence)


def _listed(labels: Sequence[Any]) -> str:
    listed = ", ".join(map(validate.shown, labels[:10]))
    return (listed or "none") + (", ..." if len(labels) > 10 else "")


def _joined(label: Any) -> str:
    """Return the letters and digits of a label: From_Node-ID is fromnodeid."""
    return re.sub(r"[\W_]+", "", label).lower() if isinstance(label, str) else ""


def _is_end(word: str, side: int) -> bool:
    """Return whether a word is known as an end. A uid or vid is something else."""
    bases = {word.removesuffix(more) for more in _NUMBERED}
    return any(base in _ENDS[side] and (base == word or len(base) > 1) for base in bases)


def _speaks_of_end(label: Any, side: int) -> bool:
    """Return whether the first or last word of a label is that of an end, such as from_station."""
    words = _words(label)
    if _measures(label) or len(words) < 2 or not _WHEN.isdisjoint(words):
        return False
    return any(len(word) > 1 and word in _ENDS[side] for word in (words[0], words[-1]))


def _measures(label: Any) -> bool:
    """Return whether a label speaks of a length, a duration, a cost or a weight."""
    word = _joined(label)
    return word in _WEIGHTS or not _MEASURES.isdisjoint([word, *_words(label)])


def _describes(label: Any) -> bool:
    """Return whether a column numbers or describes edges, so that it has no weights."""
    return _is_no_weight(label) or _words(label)[-1:] in (["id"], ["name"], ["type"])


def _is_no_weight(label: Any) -> bool:
    return _joined(label) in _NO_WEIGHTS or direction_named(label) is not None


def is_auto(column: Any) -> bool:
    """Return whether the rule shall choose the column of weights, or that of directions."""
    return isinstance(column, str) and column == AUTO
