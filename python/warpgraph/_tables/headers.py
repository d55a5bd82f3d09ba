"""A rule that tells whether the first line of a table is a header or an edge.

It is a header if callers say so, or choose columns by name. Else it is data if

- an end is a number, or begins as numbers and dates do: with a digit, perhaps after a sign or a
  point, in quotes or not;
- an end is NA, N/A, NaN, nan(ind), null, none, nil, true, false, yes or no, in any case, perhaps
  between marks as in #N/A and <NA>, or is empty or of such marks alone (``+-.?#!<>``);
- there is a weight that is such a word, has a digit, or does not begin with a letter or ``_``.

Exceptions are labels of pandas: 0, 1 and perhaps 2 above two columns of names, what is behind an
empty field (the label of the index), and level_0 and level_1 of a matrix that was stacked.

If it is none of these, it is a header where it has a weight. Without, it is one if its ends

- stand above numbers: ids on the next line are integers, and then all must be; where they are read
  as names, all further down must be numbers, or those of one column, with a warning;
- are no vertices further down, and are known as source and target (`warpgraph._tables.columns`: by
  the whole label, else by its first or last word), as words for two ends, in any case and not the
  same, of which one may be a word for a weight, as a pair such as parent and child, as a vertex
  and what it is called (such tables are refused), or are numbered alike, as gene1 and gene2 where
  no other vertex is;
- are whole words for source and target, longer than a letter, one of them a vertex further down;
  or have no digit while all names below have one. Both give a warning.

Otherwise it is an edge. A warning says so if its words are known and a vertex is called so, as u
and v, or if both its ends are in no other row and no vertex is like them: differs from one in
numbers alone, or is a letter, too.

Where source and target are among three or more columns by name, the line is a header wherever these
stand, unless the third of three may be a weight.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from warpgraph._arguments.nx_graphs import DEFAULT_WEIGHT
from warpgraph._arguments.validate import shown, warn
from warpgraph._tables import columns, names as _names, not_edges, parsers

#: Words that occur in data only, without the marks around them, as in #N/A, <NA>, -nan or --.
_MISSING = {"", "na", "n/a", "nan", "nan(ind)", "null", "none", "nil"}
_MISSING |= {"true", "false", "yes", "no"}
_MARKS = "+-\N{MINUS SIGN}.?#!<>"
#: Separators and quotes, which a label would need quotes for.
_QUOTED = re.compile(r'[",;\t]')
#: Beginning of a number or a date.
_LIKE_NUMBER = re.compile(r"[-+\N{MINUS SIGN}]?\.?\d")
_DIGIT = re.compile(r"\d")
_DIGITS = re.compile(r"\d+")
#: A word and what tells it from another of its kind: gene1, node_b, Interactor A.
_COUNTED = re.compile(r"(.*[^\W\d_].*?)[ _-]?([12]|(?<=[ _-])[ab])", re.IGNORECASE)
#: Pairs of words for the two ends, in either order.
_PAIRS = {
    frozenset(pair.split())
    for pair in (
        "parent child",
        "buyer seller",
        "sender receiver",
        "sender recipient",
        "follower followee",
        "follower following",
        "follower followed",
        "citing cited",
        "caller callee",
        "user item",
        "customer product",
        "author paper",
        "employee manager",
        "predecessor successor",
        "subject object",
        "upstream downstream",
        "regulator target",
        "drug target",
    )
}
#: A few rows count by chance.
_ROWS_THAT_COUNT = 3
#: Advice on saying what the first line is.
_CURE = "header=True reads it as a header, header=False as an edge"


class Below(NamedTuple):
    """The names that stand below two words that may be labels."""

    has_names: bool
    has_words: bool  #: one of the words is the name of a vertex
    has_alike: bool  #: a vertex is like a word: gene7 below gene1, c below a and b
    are_numbers: tuple[bool, bool]  #: all names at this end
    have_digits: bool  #: all names


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
    if columns.levels(words):
        return True
    if len(words) > 2 and not words[0]:
        # An empty first label is that of pandas' index: as a name, it would be an error.
        return are_counted(words[1:]) or all(map(_may_title_ends, words[1:]))
    ends = columns.ends(words) if len(words) > 2 else None
    if ends is not None and len(words) == 3:
        third = words[2]
        return 2 in ends or (_begins_as_name(third.lstrip(":~")) and not _is_missing(third))
    if len(words) > 3:
        # Data of so many columns has no meaning.
        return ends is not None or all(map(_may_title_ends, words))
    return is_header_by_position(words)


def is_header_by_position(words: list[str]) -> bool | None:
    """Return whether two ends and perhaps a weight are labels, or None if that is not decided."""
    words = [word.strip() for word in words]
    if not all(map(_may_title_ends, words[:2])):
        return False
    return may_title_weights(words[2]) if len(words) == 3 else None


def are_counted(words: list[str]) -> bool:
    """Return whether these are 0, 1 and so on, as pandas labels the columns of an array."""
    return words == [str(k) for k in range(len(words))]


def below(words: list[str], parts: Iterable[parsers.Edges]) -> Below:
    """Return what is below two words, of edges that have names."""
    is_alike = _likeness(words)
    has_names, has_words, has_alike, have_digits = False, False, False, True
    are_numbers = [True, True]
    for part in parts:
        if part.names is None or not len(part.tail):
            continue
        names = _names.listed(part.names)
        has_names = True
        has_words = has_words or not set(words).isdisjoint(names)
        has_alike = has_alike or any(map(is_alike, names))
        have_digits = have_digits and all(map(_DIGIT.search, names))
        for side, ends in enumerate((part.tail, part.head)):
            # One name tells in most files.
            are_numbers[side] = are_numbers[side] and parsers.is_number(names[ends[0]])
        if any(are_numbers):
            is_number = np.fromiter(map(parsers.is_number, names), bool, len(names))
            for side, ends in enumerate((part.tail, part.head)):
                are_numbers[side] = are_numbers[side] and bool(is_number[ends].all())
    tail, head = are_numbers
    return Below(has_names, has_words, has_alike, (tail, head), has_names and have_digits)


def is_header_above_names(words: list[str], found: Below, where: str) -> bool:
    """Return whether two words that may be labels are those of columns, with these names below.

    `where` is the file and line for a warning.
    """
    words = [word.strip() for word in words]
    if not found.has_names:
        return are_known(words)
    if all(found.are_numbers):
        return True
    if found.has_words:
        is_header = _are_ends_in_full(words)
        if is_header or are_known(words):
            how = "a header, though" if is_header else "an edge, since"
            _warn(words, f"{how} a vertex further down is called so", where)
        return is_header
    if are_known(words):
        return True
    if found.has_alike:
        return False
    if _are_numbered(words):
        return True
    if any(found.are_numbers) or (found.have_digits and not any(map(_DIGIT.search, words))):
        _warn(words, "a header, since what is below has digits", where)
        return True
    _warn(words, "an edge, though they may be labels of columns: no other row has them", where)
    return False


def warn_of_ends(words: list[str], parts: list[parsers.Edges], where: str) -> None:
    """Warn of an edge between words for source and target that no other row has.

    The number beside them may be the label of weights, such as a year.
    """
    if parts and _are_ends_in_full(words[:2]) and not below(words[:2], parts).has_words:
        _warn(words, "an edge, since the last is a number, though they may be labels", where)


def why_labels(parts: list[parsers.Edges]) -> str:
    """Return why a first edge from 0 to 1, the first of these parts, may be labels, or nothing."""
    tails = [part.tail for part in parts]
    ascend = all(bool((tail[1:] >= tail[:-1]).all()) for tail in tails)
    ascend = ascend and all(a[-1] <= b[0] for a, b in itertools.pairwise(tails))
    if not ascend:
        return "the first of rows whose ends do not ascend"
    if any(((part.tail == 0) & (part.head == 1)).any() for part in parts[1:]):
        return "and again further down"
    if not any(((end == 0) | (end == 1)).any() for part in parts[1:] for end in part[:2]):
        return "though no other row has them"
    below = [part.weight for part in parts[1:]]
    if all(weight is not None and weight.dtype.kind == "f" for weight in below):
        return "whose weight is an integer, unlike all further down"
    return ""


def warned_of_index(parts: list[parsers.Edges], where: str) -> bool:
    """Warn, and return true, if three columns of integers may be pandas' index and two ends."""
    counts = _count_rows(parts)
    if counts:
        warn(
            f"{where}: column 0 counts the rows, as pandas' index does, and is read as source; if "
            "it is an index, choose the others with columns=(1, 2)"
        )
    return counts


def _count_rows(parts: list[parsers.Edges]) -> bool:
    """Return whether the first of three columns of integers may count the rows.

    It ascends from 0 by 1, and half of the numbers in the third column are in the second, too.
    """
    n_rows, is_chain = 0, True
    for part in parts:
        count = np.arange(n_rows, n_rows + len(part.tail))
        if part.weight is None or part.weight.dtype.kind != "i" or (part.tail != count).any():
            return False
        is_chain = is_chain and bool((part.head == count + 1).all())
        n_rows += len(count)
    if n_rows < _ROWS_THAT_COUNT or is_chain:
        return False
    head, weight = (np.concatenate([part[k] for part in parts]) for k in (1, 2))
    return bool(2 * np.count_nonzero(np.isin(weight, head)) >= n_rows)


def warn_of_numbers(words: list[str], why: str, where: str, *, is_header: bool) -> None:
    """Warn that 0, 1 and perhaps 2 may be labels."""
    _warn(words, f"{'a header' if is_header else 'an edge'}, {why}", where)


def _warn(words: list[str], how: str, where: str) -> None:
    listed = ", ".join(map(shown, words[:-1]))
    warn(f"{where}: {listed} and {shown(words[-1])} are read as {how}; {_CURE}")


def are_known(words: list[str]) -> bool:
    """Return whether two words are known as labels of a table that has two columns."""
    if len(set(words)) < 2:
        return False
    n_ends = sum(map(columns.is_end, words))
    if n_ends == 2 or (n_ends == 1 and any(map(columns.is_weight, words))):
        return True
    if len(set(columns.ends(words) or ())) == 2 or not_edges.describe_vertices(words):
        return True
    first = frozenset(re.split(r"[\W_]+", word.lower())[0] for word in words)
    return first in _PAIRS and not any(map(_DIGIT.search, words))


def _are_ends_in_full(words: list[str]) -> bool:
    """Return whether two words, longer than letters, are those of a source and of a target."""
    are_long = all(columns.is_end(word) and len(word) > 1 for word in words)
    return are_long and len(set(columns.ends(words) or ())) == 2


def _are_numbered(words: list[str]) -> bool:
    """Return whether two words are alike but for 1 and 2, or A and B behind them."""
    found = [_COUNTED.fullmatch(word) for word in words]
    if found[0] is None or found[1] is None or len(found[0][1]) < 2:
        return False
    counts = found[0][2].lower() + found[1][2].lower()
    return found[0][1] == found[1][1] and counts in ("12", "21", "ab", "ba")


def _likeness(words: list[str]) -> Callable[[str], bool]:
    """Return a function that tells whether a name is like one of two words."""
    if max(map(len, words)) == 1:
        return lambda name: len(name) == 1 and name.isalpha()
    shapes = {_shape(word) for word in words if _DIGIT.search(word)}
    return lambda name: bool(shapes) and _shape(name) in shapes


def _shape(word: str) -> str:
    """Return a word with 0 for each number: gene0 for gene12."""
    return _DIGITS.sub("0", word)


def _may_title_ends(word: str) -> bool:
    """Return whether a header may have the word above the ends of edges."""
    is_like_number = _LIKE_NUMBER.match(word) or parsers.is_number(word)
    return not is_like_number and not _is_missing(word)


def may_title_weights(word: str) -> bool:
    """Return whether a header may have the word above weights."""
    is_number = re.search(r"\d", word) or parsers.is_number(word)
    return _begins_as_name(word) and not is_number and not _is_missing(word)


def _begins_as_name(word: str) -> bool:
    is_like_name = word[:1].isalpha() or word[:1] == "_"
    return is_like_name and not parsers.is_number(word)


def _is_missing(word: str) -> bool:
    return word.lower().strip(_MARKS) in _MISSING
