"""Lines above a table of text that are read as comments, or should be: warnings and advice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from warpgraph._arguments.validate import shown, warn
from warpgraph._tables import columns, directions, headers, parsers
from warpgraph._tables.records import Records

_MARKS = "#%"
#: Marks of comments in other languages, such as // and --.
_OTHER_MARK = re.compile(r'[^\w\s"#%.+]+')


def warn_of_order(comments: list[str], n_columns: int, where: str) -> None:
    """Warn if the line above data is a comment that may be a header in another order.

    `where` is the file and line of the first data.
    """
    comment = "".join(comments[-1:]).strip()
    words = [word.strip('"') for word in re.split(r"[\s,;]+", comment.strip(" \t#%,;"))]
    ends = columns.ends(words) if len(words) == n_columns else None
    if ends is not None and ends != (0, 1) and len(set(ends)) == 2:
        weight = [k for k in range(n_columns) if k not in ends]
        warn(
            f"{where}: the comment above names columns {', '.join(map(shown, words))}, but without "
            "a header they are source, target and weight, in this order; if it is a header, choose "
            f"with columns=({', '.join(map(str, [*ends, *weight]))})"
        )


class Layout(NamedTuple):
    """The fields of a record of data."""

    separator: str
    n_columns: int
    chosen: Sequence[int]  #: the columns of source, target and perhaps weight
    decimal: str


def warn_of_rows(comments: list[str], first: Records, layout: Layout, *, integers: bool) -> None:
    """Warn if comments above the first record of data may be edges.

    Above vertices that are `integers`, edges are those that have a mark at both ends.
    """
    lines = [line.strip("\ufeff \t\r") for line in comments]
    rows = [k for k, line in enumerate(lines) if _may_be_edge(line, layout, integers)]
    if not rows:
        return
    # Of many lines, only the first ones and the last are kept.
    number = first.first_line - 1 if rows[0] == len(lines) - 1 else rows[0] + 1
    more = f", and {len(rows) - 1} more," if len(rows) > 1 else ""
    verb = "are read as comments" if more else "is read as a comment"
    warn(
        f"{first.path}, line {number}: {shown(lines[rows[0]])}{more} {verb}, but may be data; "
        "comment='' reads it so"
    )


def _may_be_edge(line: str, layout: Layout, integers: bool) -> bool:
    """Return whether a comment has the fields of an edge, and no blank after its mark."""
    is_comment = line[:1] in _MARKS and line.lstrip(_MARKS)[:1].strip() != ""
    if not is_comment or directions.said_by([line]):
        return False
    words = line.split() if layout.separator == " " else line.split(layout.separator)
    words = [word.strip(' \t"') for word in words]
    chosen = layout.chosen
    if len(words) != layout.n_columns or not all(words[k] for k in chosen[:2]):
        return False
    if integers and not all(words[k][0] in _MARKS for k in chosen[:2]):
        return False
    if len(chosen) == 3:
        return parsers.is_number(parsers.with_point(words[chosen[2]], layout.decimal))
    words = [word.lstrip(_MARKS) for word in words]
    return columns.ends(words) is None and not headers.are_known([words[k] for k in chosen])


def warn_of_no_edges(path: str, comments: Sequence[str] = ()) -> None:
    """Warn of a table without edges; `comments` are its lines if all may be such."""
    have_marks = any(line.strip("\ufeff \t\r") for line in comments)
    why = ": all its lines begin with # or %, as comments do; comment='' reads them as data"
    warn(f"{path} has no edges, so the graph has no vertices{why if have_marks else ''}")


def advice_on_first(first: Records, second: Records | None) -> str:
    """Return advice if the first line may be a comment above a table with another separator."""
    line = first.text.decode().strip()
    mark = _OTHER_MARK.match(line)
    if mark is None or second is None or first.separator != " ":
        return ""
    if not any(separator in second.hidden for separator in (b",", b";")):
        return ""
    return f"if line {first.first_line} is a comment, comment={mark.group()!r} leaves it out"
