"""A case as data: the subject of the calls, the calls, and the equivalent code.

A call is compiled from the source that is printed, so a failing case can be pasted and run.
"""

from __future__ import annotations

import functools
import pickle
import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

import warpgraph as wg
from fuzz.contraction import contracted

HEADER = (
    "import pickle\n\nimport numpy as np\nimport scipy.sparse as sp\n\nimport warpgraph as wg\n"
)

#: A function that copies an array to an odd address.
_ODD = "odd = lambda a: np.frombuffer(b'\\0' + a.tobytes(), np.uint8)[1:].view(a.dtype)"
#: How edges are passed, in lines of code. All forms keep the order of the list within a row.
FORMS = {
    "edges": ["graph = wg.Graph.from_edges(tail, head, weight, n_vertices=n)"],
    "csr": ["graph = wg.Graph.from_csr(indptr, indices, data)"],
    "wide indptr": ["graph = wg.Graph.from_csr(indptr.astype('int64'), indices, data)"],
    "wide": ["graph = wg.Graph.from_csr(indptr.astype('int64'), indices.astype('int64'), data)"],
    "csr, not aligned": [
        _ODD,
        "graph = wg.Graph.from_csr(odd(indptr), odd(indices), odd(data))",
    ],
    "scipy": ["graph = sp.csr_array((data, indices, indptr), shape=(n, n))"],
    "scipy, wide": [
        "graph = sp.csr_array((data, indices, indptr), shape=(n, n))",
        "graph.indptr, graph.indices = indptr.astype('int64'), indices.astype('int64')",
    ],
    "scipy, not aligned": [
        _ODD,
        "graph = sp.csr_array((data, indices, indptr), shape=(n, n))",
        "graph.indptr, graph.indices, graph.data = odd(indptr), odd(indices), odd(data)",
    ],
    "coo": ["graph = sp.coo_array((weight, (tail, head)), shape=(n, n))"],
}
#: Forms of graphs that keep derived data between calls.
KEPT = ("edges", "csr", "wide indptr", "wide", "csr, not aligned")


def literal(array) -> str:
    """Return an array as code."""
    values = np.asarray(array)
    if values.size > 8 and values.ndim == 1 and (values == values[0]).all():
        return f"np.full({values.size}, {number(values[0].item())}, {str(values.dtype)!r})"
    is_long = values.ndim == 1 and values.size > 8
    if is_long and values.dtype == np.int64 and (np.diff(values) == 1).all():
        return f"np.arange({values[0]}, {values[-1] + 1})"
    text = repr(values.tolist()).replace("inf", "np.inf").replace("nan", "np.nan")
    dtype = (
        "" if values.size and values.dtype in (np.int64, np.float64) else f", {values.dtype.str!r}"
    )
    return f"np.array({text}{dtype})"


def number(value) -> str:
    """Return a number, a string, None or a list of them as code."""
    if isinstance(value, Raw):
        return value
    text = repr(value)
    return text.replace("inf", "np.inf") if isinstance(value, (float, list)) else text


class Raw(str):
    """An argument that is code already."""


def keywords(options: dict[str, Any]) -> str:
    """Return ", name=value" for each option."""
    return "".join(f", {name}={number(value)}" for name, value in options.items())


@dataclass(frozen=True, eq=False)
class Edges:
    """A graph as a list of edges; entry e is the edge tail[e] -> head[e]."""

    n: int
    tail: np.ndarray
    head: np.ndarray
    weight: np.ndarray

    def with_weights(self, weight) -> Edges:
        return replace(self, weight=weight)

    def take(self, entries) -> Edges:
        return Edges(self.n, self.tail[entries], self.head[entries], self.weight[entries])

    @functools.cached_property
    def by_row(self) -> Edges:
        """The entries in the order in which a CSR matrix stores them."""
        return self.take(np.argsort(self.tail, kind="stable"))

    def scope(self, form: str) -> dict[str, Any]:
        """Return the variables that the lines of a form read."""
        if form in ("edges", "coo"):
            tail, head = self.tail.astype(np.int64), self.head.astype(np.int64)
            return {"n": self.n, "tail": tail, "head": head, "weight": self.weight}
        rows = self.by_row
        indptr = np.searchsorted(rows.tail, np.arange(self.n + 1)).astype(np.int32)
        indices = rows.head.astype(np.int32)
        return {"n": self.n, "indptr": indptr, "indices": indices, "data": rows.weight}

    def lines(self, form: str) -> list[str]:
        return FORMS[form]


@dataclass(frozen=True, eq=False)
class Points:
    """Points, one per row; or a square matrix, or another single array."""

    array: np.ndarray

    def scope(self, form: str) -> dict[str, Any]:
        return {form: self.array}

    def lines(self, form: str) -> list[str]:
        return []


@dataclass(frozen=True, eq=False)
class Call:
    """A call: the name of a target, its arguments, and the number of threads."""

    target: str
    args: dict[str, Any]
    threads: int = 1
    before: str = ""  # a line of code that runs first


@dataclass(frozen=True, eq=False)
class Case:
    """The subject of the calls, and the calls."""

    subject: Edges | Points
    form: str
    calls: tuple[Call, ...] = field(default=())


@functools.lru_cache(maxsize=512)
def _compiled(source: str) -> Any:
    return compile(source, "<case>", "exec")


class Session:
    """The variables that the calls of a case share; each call is run in turn."""

    def __init__(self, case: Case) -> None:
        self.scope = {
            "np": np,
            "sp": sp,
            "wg": wg,
            "pickle": pickle,
            "contracted": contracted,
            **case.subject.scope(case.form),
        }
        for line in case.subject.lines(case.form):
            exec(_compiled(line), self.scope)

    def run(self, call: Call, source: str) -> tuple[Any, Exception | None]:
        """Return the call's result, or what it raised."""
        wg.set_num_threads(call.threads)
        self.scope["result"] = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as those of clusters that are empty
            try:
                if call.before:
                    exec(_compiled(call.before), self.scope)
                exec(compile(source, "<call>", "exec"), self.scope)
            except Exception as error:
                return None, error
        return self.scope["result"], None


def code(case: Case, sources: list[str], failure: str, repeat: int = 1) -> str:
    """Return a program equivalent to the case; the last call is the one that fails."""
    lines = [HEADER]
    if any("contracted(" in source for source in sources):
        lines.append("from fuzz.contraction import contracted\n")
    for name, value in case.subject.scope(case.form).items():
        lines.append(f"{name} = {literal(value) if isinstance(value, np.ndarray) else value}")
    lines += case.subject.lines(case.form)
    threads = None
    for call, source in zip(case.calls, sources, strict=True):
        if call.threads != threads:
            lines.append(f"wg.set_num_threads({call.threads})")
        threads = call.threads
        lines += [call.before] * bool(call.before)
        body = source.splitlines()
        if repeat > 1:
            body = [f"for _ in range({repeat}):", *("    " + line for line in body)]
        lines += body
    lines.append("print(result)")
    lines += [f"# {line[:300]}" for line in failure.splitlines()]
    return "\n".join(lines) + "\n"
