"""A rule that tells whether the first line of a table is a header or an edge.

It is one if columns are chosen by name. Else it is data if

- an end is a number, or begins as numbers and dates do: with a digit, perhaps after a sign or a
  point, in quotes or not;
- an end is NA, N/A, NaN, nan(ind), null, none, nil, true, false, yes or no, in any case, perhaps
  between marks as in #N/A and <NA>, or is empty or of such marks alone (``+-.?#!<>``);
- there is a weight that is such a word, has a digit, or does not begin with a letter or ``_``.

If it is none of these, it is a header where it has a weight. Without, it is one if its ends

- are known as source and target (`warpgraph._tables.columns`: by the whole label, else by its first
  or last word), or are words for two ends, in any case and not the same, neither of them a vertex
  further down; one may be a word for a weight, and then the header is refused; or
- stand above integers: ids on the next line are integers, and then all must be. Where they are read
  as names, because of ``id_dtype`` or of quotes on the next line, all further down must be.

If only one end is such a word, and neither is a vertex further down, the line is data, with a
warning.

Where source and target are among three or more columns by name, the line is a header wherever these
stand, unless the third of three may be a weight.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable

from warpgraph._arguments.nx_graphs import DEFAULT_WEIGHT
from warpgraph._arguments.validate import shown
from warpgraph._tables import columns, parsers

logger = logging.getLogger("warpgraph")

#: Words that occur in data only, without the marks around them, as in #N/A, <NA>, -nan or --.
_MISSING = {"", "na", "n/a", "nan", "nan(ind)", "null", "none", "nil"}
_MISSING |= {"true", "false", "yes", "no"}
_MARKS = "+-\N{MINUS SIGN}.?#!<>"
#: Separators and quotes, which a label would need quotes for.
_QUOTED = re.compile(r'[",;\t]')
#: Beginning of a number or a date.
_LIKE_NUMBER = re.compile(r"[-+\N{MINUS SIGN}]?\.?\d")


def header_to_write(weight: str) -> list[str]:
    """Return labels for a CSV file, with this name of the weights if the file is read so."""
    labels = list(columns.labels_to_write(weight))
    is_plain = labels[2] == labels[2].strip() and not _QUOTED.search(labels[2])
    if is_plain and is_header(labels):
        return labels
    return list(columns.labels_to_write(DEFAULT_WEIGHT))


def is_header(words: list[str]) -> bool | None:
    """Return whether the words of a first line are labels, or None if they do not decide that."""
    words = [word.strip() for word in words]
    ends = columns.ends(words) if len(words) > 2 else None
    if ends is not None and len(words) == 3:
        third = words[2]
        return 2 in ends or (_begins_as_name(third.lstrip(":~")) and not _is_missing(third))
    if len(words) > 3:
        # Data of so many columns has no meaning. Its first may be the labels of rows.
        return ends is not None or all(map(_may_title_ends, words[1:] if not words[0] else words))
    return is_header_by_position(words)


def is_header_by_position(words: list[str]) -> bool | None:
    """Return whether two ends and perhaps a weight are labels, or None if that is not decided."""
    words = [word.strip() for word in words]
    if not all(map(_may_title_ends, words[:2])):
        return False
    return _may_title_weights(words[2]) if len(words) == 3 else None


def is_header_above_names(
    words: list[str], names: Iterable[list[str]], *, are_chosen: bool, where: str
) -> bool:
    """Return whether two words that may be labels are those of columns, with these names below.

    If callers chose the columns by position, both must be words for ends. `where` is the file and
    line for a warning of a line that is data, but may be a header.
    """
    n_ends = sum(map(columns.is_end, words))
    has_weight = not are_chosen and any(map(columns.is_weight, words))
    is_known = len(set(words)) == 2 and (n_ends == 2 or (n_ends == 1 and has_weight))
    is_known = is_known or len(set(columns.ends(words) or ())) == 2
    is_vertex, all_integers, has_names = False, True, False
    for some in names:
        has_names = True
        all_integers = all_integers and all(map(parsers.is_integer, some))
        is_vertex = is_vertex or not set(words).isdisjoint(some)
    is_header = (has_names and all_integers) or (is_known and not is_vertex)
    if has_names and not (is_header or is_vertex or are_chosen):
        _warn_of_words_for_ends(words, where)
    return is_header


def _warn_of_words_for_ends(words: list[str], where: str) -> None:
    """Warn of data whose ends may be labels of columns; letters such as u are names, too."""
    word = next((word for word in words if len(word) > 1 and columns.may_be_end(word)), None)
    if word is not None:
        logger.warning(
            "%s: %s and %s are read as an edge, as %s alone is a word for an end; if they are a "
            "header, choose with columns=(%s)",
            where,
            *map(shown, words),
            shown(word),
            ", ".join(map(shown, words)),
        )


def warn_of_comment(comments: list[str], n_columns: int, where: str) -> None:
    """Warn if the comment above data names source and target, but in other places than these have.

    `where` is the file and line of the first data.
    """
    comment = "".join(comments[-1:]).strip(" \t#%,;")
    words = [word.strip('"') for word in re.split(r"[\s,;]+", comment)]
    ends = columns.ends(words) if len(words) == n_columns else None
    if ends is not None and ends != (0, 1) and len(set(ends)) == 2:
        weight = [k for k in range(n_columns) if k not in ends]
        logger.warning(
            "%s: the comment above names columns %s, but without a header they are source, target "
            "and weight, in this order; if it is a header, choose with columns=(%s)",
            where,
            ", ".join(map(shown, words)),
            ", ".join(map(str, [*ends, *weight])),
        )


def _may_title_ends(word: str) -> bool:
    """Return whether a header may have the word above the ends of edges."""
    is_like_number = _LIKE_NUMBER.match(word) or parsers.is_number(word)
    return not is_like_number and not _is_missing(word)


def _may_title_weights(word: str) -> bool:
    """Return whether a header may have the word above weights."""
    is_number = re.search(r"\d", word) or parsers.is_number(word)
    return _begins_as_name(word) and not is_number and not _is_missing(word)


def _begins_as_name(word: str) -> bool:
    is_like_name = word[:1].isalpha() or word[:1] == "_"
    return is_like_name and not parsers.is_number(word)


def _is_missing(word: str) -> bool:
    return word.lower().strip(_MARKS) in _MISSING
