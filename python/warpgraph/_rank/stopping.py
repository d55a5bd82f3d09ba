"""End of the iterations of PageRank: bounds on the L1 error of its scores.

An iteration computes F(x) of the scores x. F multiplies L1 distances by alpha at most, so that the
change ``|F(x) - x|`` bounds the errors of both: ``|F(x) - x| / (1 - alpha)`` that of x, which
accelerated iterations return, and alpha times as much that of F(x). Besides, k iterations reduce
the error of any scores to alpha ** k times as much, whatever the changes are, so that a number of
them always suffices. ``pagerank.hpp`` has the proofs.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from warpgraph._arguments import validate

_MAX_ITERATIONS = 2**31 - 1
#: Number of iterations where walks never start again, so that nothing bounds it.
_ITERATIONS_WITHOUT_BOUND = 1000

#: Rounding error of an iteration: a part of the sum of the scores, and one a vertex (pagerank.hpp).
_ROUNDING = 2.0**-44
_ROUNDING_OF_A_VERTEX = 2.0**-72
#: Error that a vertex may add if residuals are pushed, whose unit this is (push.hpp).
_UNIT = 2.0**-62
#: The least part of the residuals that a round pushes, and the power of its rate after which an
#: accelerated iteration ends (residuals.hpp, chebyshev.hpp).
_LEAST_PUSHED = 0.75
_LEAST_RATE_POWER = 2.0**-60


class ChangePerVertex(NamedTuple):
    """A `tol` as NetworkX has it: iterations end if scores change by less than this on average."""

    tol: Any


class Stopping(NamedTuple):
    """The bounds that end a call."""

    change: float  # of the scores in an iteration whose result is returned
    change_accelerated: float  # in one that returns the scores that it began with
    error_pushed: float  # of scores by pushes, beside the rounding that all methods have
    iterations: int  # at most
    iterations_accelerated: int
    iterations_suffice: bool  # for the error, whatever the last change was
    iterations_accelerated_suffice: bool
    rounds: int
    reason: str  # why iterations have not ended
    may_end: bool = True  # False: rounding alone exceeds the bound, as `reason` says

    def pulled(self, accelerated: bool) -> tuple[float, int]:
        """Return the change, and the largest number of iterations."""
        if accelerated:
            return self.change_accelerated, self.iterations_accelerated
        return self.change, self.iterations

    def suffice(self, accelerated: bool) -> bool:
        """Return whether the largest number of iterations proves that the error is small."""
        return self.iterations_accelerated_suffice if accelerated else self.iterations_suffice

    def not_pulled(self, iterations: int, change: float, accelerated: bool) -> str:
        """Return the sentence of the error after the last iteration."""
        if not self.may_end:
            return self._never(iterations)
        bound, _ = self.pulled(accelerated)
        return (
            f"the scores have not converged in {iterations} iterations: the last one changed them "
            f"by {change:.3g} in sum, not by less than {bound:.3g}, {self.reason}"
        )

    def not_pushed(self, rounds: int, error: float) -> str:
        """Return the sentence of the error after the last round."""
        if not self.may_end:
            return self._never(rounds)
        return (
            f"the scores have not converged in {rounds} iterations: all that is known of their "
            f"L1 error is that it is below {error:.3g}, not below {self.error_pushed:.3g}, "
            f"{self.reason}"
        )

    def _never(self, iterations: int) -> str:
        return (
            f"the scores have not converged in {iterations} iterations, and more iterations would "
            f"not help: {self.reason}"
        )


def damping(alpha: Any) -> float:
    """Return `alpha` if it is a probability."""
    given = validate.real(alpha, "alpha")
    if not 0 <= given <= 1:
        raise ValueError(f"alpha must be from 0 to 1, got {alpha}")
    return float(given)


def stopping(
    n_vertices: int, alpha: float, tol: Any, max_iter: Any, rounding: float = _ROUNDING
) -> Stopping:
    """Check the arguments of a call that say when it ends.

    rounding: of an iteration, as a part of the sum of the scores.
    """
    per_vertex = isinstance(tol, ChangePerVertex)
    tolerance = _tolerance(tol.tol if per_vertex else tol)
    most = None
    if max_iter is not None:
        most = validate.count(max_iter, "max_iter", least=1, most=_MAX_ITERATIONS)
    if per_vertex or alpha == 1:
        change = tolerance * n_vertices if per_vertex else tolerance
        most = most or _ITERATIONS_WITHOUT_BOUND
        reason = "which is n_vertices * tol" if per_vertex else "which is tol"
        reason += "; raise max_iter or tol"
        return Stopping(change, change, 0.0, most, most, False, False, most, reason)
    return _by_error(n_vertices, alpha, tolerance, most, rounding)


@functools.lru_cache(maxsize=64)
def _by_error(
    n_vertices: int, alpha: float, tol: float, most: int | None, rounding: float
) -> Stopping:
    rounding += n_vertices * _ROUNDING_OF_A_VERTEX
    least = rounding / (1 - alpha)
    left = tol * (1 - alpha) - rounding
    if left <= 0:
        sentence = (
            f"tol = {tol:.3g} is not above {least:.2g}, which rounding float64 numbers may add to "
            f"the error of the scores with alpha = {alpha:.6g}"
        )
        if most is None:
            raise ValueError(
                f"{sentence}; raise tol, or pass max_iter, after which a ConvergenceError has "
                "the scores"
            )
        reason = f"{sentence}; raise tol"
        return Stopping(0.0, 0.0, 0.0, most, most, False, False, most, reason, may_end=False)
    change = left / alpha if alpha > 0 else math.inf
    pushed = tol - least - n_vertices * _UNIT
    allowed = most or _MAX_ITERATIONS
    enough = _power_iterations(alpha, change)
    enough_accelerated = _accelerated_iterations(alpha, left)
    return Stopping(
        change,
        left,
        pushed,
        min(enough, allowed),
        min(enough_accelerated, allowed),
        enough <= allowed,
        enough_accelerated <= allowed,
        most or min(_rounds(alpha, pushed), _MAX_ITERATIONS),
        f"which bounds their L1 error by tol = {tol:.3g}; raise max_iter or tol",
    )


def _power_iterations(alpha: float, bound: float, first: float = 2.0) -> int:
    """Return how many iterations reduce the change from `first` to a half of the bound.

    The other half is for rounding. The first iteration changes the scores by 2 at most, each
    later one by `alpha` times the change before. Where rounding sustains changes above the bound,
    the error is small all the same: it is at most ``first / (1 - alpha)`` before these iterations,
    and each reduces it by the same factor, to a half of ``alpha * bound / (1 - alpha)``.
    """
    return 1 + _steps(alpha, bound / 2 / first)


def _accelerated_iterations(alpha: float, bound: float) -> int:
    """Return the same for accelerated iterations.

    They measure the rate, accelerate with that and then with alpha, both until the rate's power is
    as small as it may become, and continue as the power iteration from three times the first
    change at most.
    """
    accelerated = _steps(alpha / (1 + math.sqrt(1 - alpha * alpha)), _LEAST_RATE_POWER)
    return 2 * accelerated + _power_iterations(alpha, bound, first=6.0) + 12


def _rounds(alpha: float, bound: float) -> int:
    """Return how many rounds of pushes suffice for a half of the bound."""
    return 1 + _steps(1 - _LEAST_PUSHED * (1 - alpha), bound / 2 / 2)


def _steps(factor: float, ratio: float) -> int:
    """Return how often 1 is multiplied by a factor below 1 until it is not above a ratio."""
    if ratio >= 1:
        return 0
    if ratio <= 0 or factor >= 1:
        return _MAX_ITERATIONS
    if factor <= 0:
        return 1
    return min(math.ceil(math.log(ratio) / math.log(factor)), _MAX_ITERATIONS)


def _tolerance(tol: Any) -> float:
    try:
        number = float(validate.real(tol, "tol"))
    except OverflowError:  # an integer beyond the largest float
        number = np.inf if tol > 0 else -np.inf
    if not number >= 0:
        raise ValueError(f"tol must be at least 0, got {tol}")
    return number
