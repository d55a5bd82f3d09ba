"""Loads the core so that its idle threads sleep instead of spinning.

OpenMP's threads spin for milliseconds at the end of every parallel loop, unless the variable
OMP_WAIT_POLICY says otherwise when its runtime is loaded. On an idle machine that saves
microseconds; where another program holds a core, the spinning thread blocks the thread that it
waits for, and a search of 6 ms takes 800. So idle threads sleep here, unless the user has set the
variable. The environment of other libraries does not change.
"""

import os

_POLICY = "OMP_WAIT_POLICY"

if _POLICY in os.environ:
    from warpgraph import _core
else:
    os.environ[_POLICY] = "passive"
    try:
        from warpgraph import _core
    finally:
        del os.environ[_POLICY]

__all__ = ["_core"]
