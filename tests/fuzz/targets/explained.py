"""wg.explain beside the call that it explains: it changes nothing, and refuses the same."""

from __future__ import annotations

import re

import warpgraph as wg
from fuzz import structures
from fuzz.targets import clusters, forests, orders, pairs, paths, ranks
from fuzz.targets.base import Target, maybe, pick
from warpgraph._graph.plan import PUBLIC_NAMES

#: Limits between what small and large graphs take.
LIMITS = (1, 300, 3_000, 10_000, 30_000, 100_000, 300_000, 10**6, 10**7)
#: Errors of what is found by computing, which no plan knows of.
_OF_WORK = re.compile(
    "a weight is so small|the weight .* is beyond 62 bits|(a|the) distance|no path|"
    "no vertex reaches|no small hierarchy|weights are so large|"
    "finds predecessors where distances are exact"
)
#: Memory that depends on what is found.
_UNKNOWN_BEFORE = re.compile("distances found so far|building a hierarchy|joining the terminals")
#: Functions that make no form or copy of directed graphs: plans know what they ask for.
_READ_AS_IT_IS = (
    "accessibility",
    "bfs",
    "connected_components",
    "many_to_many",
    "sssp",
    "within",
)
_OTHERS = {
    target.name: target
    for module in (paths, pairs, ranks, orders, forests, clusters)
    for target in module.TARGETS
    if target.name in PUBLIC_NAMES.values() and target.subject == "graph"
}
_LINES = """
def explained():
    try:
        return wg.explain({call})
    except Exception as error:
        return error
is_kept = isinstance(graph, wg.Graph)
before = graph.nbytes if is_kept else 0
plans = [explained() for _ in range(4)]
after = graph.nbytes if is_kept else 0
try:
    wg.{name}({arguments})
    refusal = None
except Exception as error:
    refusal = error
result = before, after, plans, refusal
"""


def _call_of(name: str) -> str:
    return f"result = wg.{name}("


class Explain(Target):
    name = "explain"
    largest = structures.LARGE
    needed = (*Target.needed, "function")

    def draw(self, rng, subject, device):
        other = _OTHERS[pick(rng, sorted(_OTHERS))]
        args = other.draw(rng, subject, device)
        if args is None:
            return None
        args.pop("progress", None)
        maybe(rng, args, 0.6, "memory_limit", lambda: pick(rng, LIMITS))
        is_one_call = other.source(args, subject).splitlines()[-1].startswith(_call_of(other.name))
        return {**args, "function": other.name} if is_one_call else None

    def source(self, args, subject):
        name = args["function"]
        given = {key: value for key, value in args.items() if key != "function"}
        *lines, call = _OTHERS[name].source(given, subject).splitlines()
        arguments = call.removeprefix(_call_of(name)).removesuffix(")")
        lines.append(_LINES.format(call=f"wg.{name}, {arguments}", name=name, arguments=arguments))
        return "\n".join(lines)

    def judge(self, args, world, result, error):
        if error:
            return f"expected what explain returns and raises, got {error!r}"
        before, after, plans, refusal = result
        if before != after:
            return f"the graph took {before} bytes, and {after} when the call was explained"
        if len({repr(plan) for plan in plans}) > 1:
            return f"the same call has several plans: {plans}"
        return _judge_refusal(args, plans[0], refusal)


def _judge_refusal(args, plan, refusal) -> str | None:
    """Compare what the call raised with what explain has returned or raised."""
    lacks_memory = isinstance(refusal, MemoryError)
    of_sums = (wg.NegativeCycleError, wg.ConvergenceError, OverflowError)
    is_computed = isinstance(refusal, of_sums)
    is_computed |= bool(_OF_WORK.search(str(refusal)))
    if isinstance(plan, MemoryError):
        # Forms of the graph count as large as they may be.
        may_be_form = args.get("directed") is False or args["function"] not in _READ_AS_IT_IS
        is_right = lacks_memory or is_computed or (refusal is None and may_be_form)
        return None if is_right else _different(plan, refusal)
    if isinstance(plan, Exception):
        return None if type(plan) is type(refusal) else _different(plan, refusal)
    if plan.bytes > args.get("memory_limit", plan.bytes):
        return f"the plan takes {plan.bytes} bytes, beyond memory_limit"
    if refusal is None or is_computed:
        return None
    if lacks_memory and (plan.bytes == 0 or _UNKNOWN_BEFORE.search(str(refusal))):
        return None
    if plan.method in ("alt", "astar") and "searching from both ends" in str(refusal):
        return None  # a length did not fit, so that another search follows
    return _different(plan, refusal)


def _different(plan, refusal) -> str:
    return f"explain has {plan!r}, but the call {refusal!r}"


TARGETS = [Explain()]
