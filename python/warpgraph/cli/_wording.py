"""Messages of the library in the words of a shell: options of commands in place of arguments."""

from __future__ import annotations

import ast
import csv
import io
import re
import shlex

_TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
#: An argument, perhaps with its value: none of a word in quotes, nor a column at the start, as in
#: "weight='km': the value in row 3 is missing".
_ARGUMENT = re.compile(
    r"(?<![\w'\"-])"
    r"(columns|comment|coordinates|decimal|device|direction|id_dtype|max_vertices|memory_limit|method|"
    rf"weight)=((?:\((?:{_TEXT}|[^()'\"])*\)|{_TEXT}|\d+|str\b)(?!:))?(?!\w|['\"(])"
)
#: Arguments that no other word of a sentence is like.
_NAMED = re.compile(r"(?<![\w'\"-])(max_vertices|memory_limit|id_dtype|max_iter)(?![\w'\"=])")
#: Arguments whose options have other names.
OTHER_NAMES = {
    "distance_threshold": "--threshold",
    "k": "-k",
    "n": "--count",
    "sources": "--sample",
}
#: Arguments that a clause begins with, as in "k must be at least 1, got 0".
SUBJECTS = (
    *("alpha", "columns", "device", "dim", "direction", "dtype", "edge_factor", "limit"),
    *("max_iter", "method", "min_cluster_size", "n_clusters", "resolution", "scale", "seed"),
    *("shape", "tol", *OTHER_NAMES),
)
_SUBJECT = re.compile(rf"(?:^|(?<=[,;] ))({'|'.join(SUBJECTS)})(?= must | is -?\d| = -?\d|=-?\d)")

#: Phrases about arguments that commands do not have, and what takes their place.
_PHRASES = {
    "header=True": "--header",
    "header=False": "--no-header",
    ", or pass weight=None": "",
    ", or pass shorter ids=": "",
    "direction=None": "--direction none",
    "; pass coordinates=": ", as .npz and .graphml do",
    ", or pass max_iter, after which a ConvergenceError has the scores": "",
    ", or a list such as ['cuda:0', 'cuda:1']": "",
    "ask for a smaller k": "ask for a smaller -k",
    "raise tol": "raise --tol",
    "use many_to_many with method='johnson', or sssp with method='bellman_ford'": (
        "use sssp with method='bellman_ford'"
    ),
}


def for_shell(sentence: str) -> str:
    """Return a message with options of commands in place of arguments of functions."""
    for phrase, other in _PHRASES.items():
        sentence = sentence.replace(phrase, other)
    sentence = _SUBJECT.sub(lambda found: _dashed(found[1]), sentence)
    sentence = _ARGUMENT.sub(_option, sentence)
    return _NAMED.sub(lambda found: _dashed(found[1]), sentence)


def _option(found: re.Match[str]) -> str:
    name, value = found.groups()
    if value is None:
        # A column of that name begins a message; other values are none that commands take.
        is_bare = found.end() == len(found.string) or found.string[found.end()] in " ,;:)"
        return _dashed(name) if is_bare else found[0]
    try:
        chosen = "str" if value == "str" else ast.literal_eval(value)
    except (SyntaxError, ValueError):  # a tuple whose end is left out
        return found[0]
    return f"{_dashed(name)} {_word(chosen)}"


def _dashed(name: str) -> str:
    return OTHER_NAMES.get(name, "--" + name.replace("_", "-"))


def _word(value: object) -> str:
    """Return a value as a word of a shell; a tuple is a list of names, in quotes where needed."""
    if isinstance(value, tuple):
        line = io.StringIO(newline="")
        csv.writer(line, lineterminator="").writerow(value)
        return shlex.quote(line.getvalue())
    return "','" if value == "," else shlex.quote(str(value))
