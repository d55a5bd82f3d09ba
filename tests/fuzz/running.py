"""Running and judging a case."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fuzz import oracles, targets
from fuzz.cases import Case, Session, code


class Failure(NamedTuple):
    """The call that failed, by its position in the case, and the error."""

    call: int
    target: str
    message: str

    @property
    def kind(self) -> str:
        """A key for failures of one cause: the message without numbers."""
        message = re.sub(r"\(\d+ of \d+ differ\)|[-+]?\d[\d.e+-]*", "", self.message)
        return re.sub(r"\W+", " ", message)[:60].strip()


def run(case: Case, judged: Callable[[int, str], None] = lambda call, target: None):
    """Run the calls one after the other; return the first failure, or None.

    `judged` is called before each call with its position and target.
    """
    session = Session(case)
    world = oracles.World(case.subject)
    for place, call in enumerate(case.calls):
        target = targets.ALL[call.target]
        judged(place, call.target)
        result, error = session.run(call, target.source(call.args, case.subject))
        with np.errstate(all="ignore"):
            wrong = target.judge(call.args, world, result, error)
        if wrong:
            return Failure(place, call.target, wrong)
    return None


def program(case: Case, message: str, repeat: int = 1) -> str:
    """Return the code of a case."""
    sources = [targets.ALL[call.target].source(call.args, case.subject) for call in case.calls]
    return code(case, sources, message, repeat)


def until(case: Case, call: int) -> Case:
    """Return the case without what comes after a call."""
    return replace(case, calls=case.calls[: call + 1])
