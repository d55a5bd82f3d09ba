"""A process that runs cases one after the other and reports on standard output.

Before each call it writes the position of the call into its journal, a small file. If the process
ends, its parent reads there which call ended it.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import time
from collections import Counter

from fuzz import drawing, running

#: Contents of a journal: the numbers of the case and of the call.
JOURNAL = struct.Struct("qq")
_SECONDS_BETWEEN_REPORTS = 0.5


def work(options) -> None:
    """Run cases `first`, `first + step`, ... until the process is ended."""
    journal = os.open(options.journal, os.O_WRONLY)
    counts: Counter[str] = Counter()
    last_report = time.monotonic()
    index = options.first
    while True:

        def judged(call, target, index=index):
            os.pwrite(journal, JOURNAL.pack(index, call), 0)
            counts[target] += 1

        os.pwrite(journal, JOURNAL.pack(index, -1), 0)
        case = drawing.draw(options.seed, index, *options.drawn)
        failure = running.run(case, judged)
        if failure is not None:
            _tell({"case": index, "failure": failure})
        if time.monotonic() - last_report > _SECONDS_BETWEEN_REPORTS:
            _tell({"counts": counts, "case": index})
            counts.clear()
            last_report = time.monotonic()
        index += options.step


def _tell(message) -> None:
    print(json.dumps(message), file=sys.__stdout__, flush=True)


def target_of(options, index, call) -> str:
    """Return the name of the target of a call."""
    return drawing.draw(options.seed, index, *options.drawn).calls[max(call, 0)].target
