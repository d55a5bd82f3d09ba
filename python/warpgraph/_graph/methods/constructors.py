"""Errors for constructors that other libraries' graphs have and wg.Graph lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from warpgraph._arguments import hints

_READ = "read(file)"
_TABLE = "from_dataframe(frame)"

#: Constructors, and their arguments, in place of names that the class lacks.
_USE = {
    "from_arrow": _TABLE,
    "from_csv": _READ,
    "from_file": _READ,
    "from_geopandas": _TABLE,
    "from_pandas": _TABLE,
    "from_pandas_edgelist": _TABLE,
    "from_polars": _TABLE,
    "from_sql": "from_dataframe(pandas.read_sql(query, connection))",
    "load": _READ,
    "read_csv": _READ,
    "read_sql": "from_dataframe(pandas.read_sql(query, connection))",
}


class WithHints(type):
    """Metaclass of wg.Graph: the error for a constructor that it lacks says what to use."""

    if not TYPE_CHECKING:  # type checkers know all names

        def __getattr__(cls, name: str) -> NoReturn:
            """Raise the error for a name that the class does not have."""
            sentence = f"type object {cls.__name__!r} has no attribute {name!r}"
            if name in _USE:
                sentence += f"; use {cls.__name__}.{_USE[name]}"
            elif not name.startswith("_"):
                sentence += hints.did_you_mean(name, [n for n in dir(cls) if n[0] != "_"])
            raise AttributeError(sentence)
