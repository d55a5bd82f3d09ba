"""Reduces a failing case: fewer calls, edges and vertices, simpler numbers and options."""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from fuzz import running, targets
from fuzz.cases import Case, Edges, Points

#: Attempts with a call that ends the process, since it may do so only sometimes.
ATTEMPTS = 20

#: Up to this number of vertices, edges are removed one by one.
_FEW_VERTICES = 60
#: Subjects with a row and a column for each item.
SQUARE = ("distances", "matrix")

Check = Callable[[Case], running.Failure | None]


def shrink(case: Case, check: Check, seconds: float) -> tuple[Case, running.Failure]:
    """Return the smallest case found within `seconds` that fails in the same target."""
    failure = check(case)
    if failure is None:
        raise ValueError("the case does not fail again")
    deadline = time.monotonic() + seconds
    smallest = [running.until(case, failure.call)]
    improved = True
    while improved:
        improved = False
        for candidate in _candidates(lambda: smallest[-1]):
            if time.monotonic() > deadline:
                return smallest[-1], failure
            found = _fails_alike(candidate, failure, check)
            if found is not None:
                failure, improved = found, True
                smallest.append(candidate)
    return smallest[-1], failure


def _fails_alike(candidate, failure, check) -> running.Failure | None:
    try:
        found = check(candidate)
    except Exception:  # the candidate is invalid, for example without its source
        return None
    if found is None or found.target != failure.target:
        return None
    if found.kind.split()[:2] != failure.kind.split()[:2]:
        return None
    return found if found.call == len(candidate.calls) - 1 else None


def _candidates(current: Callable[[], Case]) -> Iterator[Case]:
    """Yield smaller cases; `current` returns the smallest so far, which may change."""
    yield from _fewer_calls(current)
    yield from _fewer_items(current)
    if isinstance(current().subject, Edges):
        yield from _fewer_vertices(current)
        yield from _plainer_weights(current)
        if current().form != "edges":
            yield replace(current(), form="edges")
    else:
        yield from _fewer_columns(current)
        yield from _plainer_points(current)
    yield from _plainer_calls(current)


def _fewer_calls(current):
    for place in range(len(current().calls) - 1, -1, -1):
        calls = current().calls
        if len(calls) > 1 and place < len(calls) - 1:
            yield replace(current(), calls=calls[:place] + calls[place + 1 :])


def _chunks(count: Callable[[], int]) -> Iterator[tuple[int, int]]:
    """Yield ranges of halves, quarters, ... and single ones of the remaining items."""
    size = max(count() // 2, 1)
    while True:
        first = 0
        while first < count():
            before = count()
            yield first, min(first + size, before)
            first += size if count() == before else 0
        if size == 1:
            return
        size = max(size // 2, 1)


def _fewer_items(current):
    """Leave out edges, or points."""

    def items():
        subject = current().subject
        return len(subject.tail if isinstance(subject, Edges) else subject.array)

    for first, last in _chunks(items):
        subject = current().subject
        kept = np.r_[np.arange(first), np.arange(last, items())]
        if isinstance(subject, Edges):
            yield replace(current(), subject=subject.take(kept))
        elif current().form in SQUARE:
            yield replace(current(), subject=Points(subject.array[np.ix_(kept, kept)]))
        else:
            yield replace(current(), subject=Points(subject.array[kept]))


def _fewer_vertices(current):
    for first, last in _chunks(lambda: current().subject.n):
        n = current().subject.n
        number = np.full(n, -1)
        number[np.r_[:first, last:n]] = np.arange(n - (last - first))
        yield from _renumbered(current(), number)
    # The two ends of an edge become one vertex.
    if current().subject.n <= _FEW_VERTICES:
        entry = 0
        while entry < len(current().subject.tail):
            edges = current().subject
            u, v = int(edges.tail[entry]), int(edges.head[entry])
            number = np.arange(edges.n) - (np.arange(edges.n) > v)
            number[v] = number[u]
            if u != v:
                kept = np.r_[:entry, entry + 1 : len(edges.tail)]
                yield from _renumbered(replace(current(), subject=edges.take(kept)), number)
            entry += current().subject is edges


def _renumbered(case, number):
    """Yield the case with new numbers for its vertices; those with -1 are left out."""
    edges = case.subject
    tail, head = number[edges.tail], number[edges.head]
    inside = (tail >= 0) & (head >= 0)
    fewer = Edges(int(number.max(initial=-1)) + 1, tail[inside], head[inside], edges.weight[inside])
    new = {v: i for v, i in enumerate(number.tolist()) if i >= 0}
    calls = []
    for call in case.calls:
        args = targets.ALL[call.target].renumbered(call.args, new)
        if args is None:
            return
        calls.append(replace(call, args=args))
    yield replace(case, subject=fewer, calls=tuple(calls))


def _plainer_weights(current):
    for value in np.unique(current().subject.weight).tolist():
        for plain in (1, 0, 10, value // 2 if np.isfinite(value) else value):
            edges = current().subject
            is_there = edges.weight == value
            if is_there.any() and plain < value:
                weight = edges.weight.copy()
                weight[is_there] = plain
                yield replace(current(), subject=edges.with_weights(weight))
    edges = current().subject
    as_floats = edges.weight.astype(np.float64)
    if edges.weight.dtype != np.float64 and (edges.weight == as_floats).all():
        yield replace(current(), subject=edges.with_weights(as_floats))


def _fewer_columns(current):
    for first, last in _chunks(lambda: (*current().subject.array.shape, 1)[1]):
        array = current().subject.array
        if array.ndim == 2 and current().form not in SQUARE:
            kept = np.r_[np.arange(first), np.arange(last, array.shape[1])]
            yield replace(current(), subject=Points(np.ascontiguousarray(array[:, kept])))


def _plainer_points(current):
    for digits in (0, 1, 3):
        array = current().subject.array
        if array.dtype.kind == "f" and (np.round(array, digits) != array).any():
            yield replace(current(), subject=Points(np.round(array, digits)))


def _plainer_calls(current):
    for place in range(len(current().calls)):

        def with_call(place=place, **changes):
            calls = list(current().calls)
            calls[place] = replace(calls[place], **changes)
            return replace(current(), calls=tuple(calls))

        call = current().calls[place]
        if call.before:
            yield with_call(before="")
        for threads in (1, 2):
            if threads < current().calls[place].threads:
                yield with_call(threads=threads)
        for args in targets.ALL[call.target].simpler(current().calls[place].args):
            yield with_call(args=args)


def check_here(case: Case) -> running.Failure | None:
    """Run a case in this process, several times if it depends on threads."""
    for _ in range(3):
        failure = running.run(case)
        if failure is not None:
            return failure
    return None


def check_in_child(case: Case, seconds: float = 20.0) -> running.Failure | None:
    """Run a case in a child process again and again; a call that ends or stops it is a failure."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run_as_child(case, writing)
    os.close(writing)
    output = b""
    deadline = time.monotonic() + seconds
    while select.select([reading], [], [], max(deadline - time.monotonic(), 0))[0]:
        piece = os.read(reading, 1 << 16)
        if not piece:
            break
        output += piece
    else:
        os.kill(child, signal.SIGKILL)
    os.close(reading)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 0:
        return pickle.loads(output[output.rindex(b"\n\n") + 2 :])
    call = max(output.count(b"."), 1) - 1
    target = case.calls[call % len(case.calls)].target
    return running.Failure(call % len(case.calls), target, ending(status))


def _run_as_child(case, writing):
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        failure = None
        for _ in range(ATTEMPTS):
            failure = running.run(case, lambda call, target: os.write(writing, b"."))
            if failure is not None:
                break
        os.write(writing, b"\n\n" + pickle.dumps(failure))
        os._exit(0)
    finally:
        os._exit(99)


def ending(status: int) -> str:
    """Return in words how a process ended."""
    if status == -signal.SIGKILL:
        return "the call does not return"
    name = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    return f"the process ends: {name}"
