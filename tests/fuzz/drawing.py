"""Drawing a case from a seed and a number."""

from __future__ import annotations

import numpy as np

from fuzz import clouds, structures, targets
from fuzz.cases import FORMS, KEPT, Call, Case, Points
from fuzz.targets.base import THREADS, pick

#: Largest number of calls with one graph: later ones reuse derived data of earlier ones.
MOST_CALLS = 4
#: Code that may run on a kept graph before a call.
BETWEEN = ("graph.clear()", "graph = pickle.loads(pickle.dumps(graph))")


def draw(
    seed: int,
    index: int,
    devices: list[str],
    only: list[str] | None = None,
    largest: int = structures.HUGE,
) -> Case:
    """Return case number `index` of a seed; `largest` is the class of the largest graphs."""
    rng = np.random.default_rng([seed, index])
    names = list(targets.ALL) if only is None else only
    shares = np.array([targets.ALL[name].share for name in names])
    while True:
        first = targets.ALL[names[int(rng.choice(len(names), p=shares / shares.sum()))]]
        case = _draw_about(rng, first, names, devices, largest)
        if case is not None:
            return case


def _draw_about(rng, first, names, devices, largest) -> Case | None:
    subject, form = _draw_subject(rng, first, min(largest, first.largest))
    calls = []
    is_kept = form in KEPT or isinstance(subject, Points)
    for _ in range(int(rng.integers(1, MOST_CALLS + 1)) if is_kept else 1):
        target = first
        if calls and rng.random() < 0.6:
            target = targets.ALL[pick(rng, names)]
        if target.subject != first.subject or target.largest < min(largest, first.largest):
            continue
        device = pick(rng, devices)
        args = target.draw(rng, subject, device)
        if args is not None:
            before = pick(rng, BETWEEN) if form in KEPT and rng.random() < 0.1 else ""
            calls.append(Call(target.name, args, int(pick(rng, THREADS)), before))
    return Case(subject, form, tuple(calls)) if calls else None


def _draw_subject(rng, first, largest):
    """Return the subject of the calls, and the form in which it is passed."""
    if first.subject != "graph":
        return getattr(clouds, first.subject)(rng, largest), first.subject
    negative = bool(rng.random() < 0.12)
    subject = structures.draw(rng, largest=largest, negative=negative)
    kind = subject.weight.dtype
    scipys = kind.isnative and kind != np.float16  # SciPy has no matrices of others
    forms = [form for form in FORMS if form in KEPT or scipys]
    return subject, pick(rng, forms) if rng.random() < 0.5 else "edges"
