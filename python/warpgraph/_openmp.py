"""Loads the core, in the main interpreter only, so that its idle threads sleep, not spin.

OpenMP's threads spin for milliseconds at the end of every parallel loop, unless the variable
OMP_WAIT_POLICY says otherwise when its runtime is loaded. On an idle machine that saves
microseconds; where another program holds a core, the spinning thread blocks the thread that it
waits for, and a search of 6 ms takes 800. So idle threads sleep here, unless the user has set the
variable. The environment of other libraries does not change.

In a subinterpreter, loading the core would never end: pybind11 then waits for the lock of the main
interpreter (PyGILState_Ensure), which this thread holds.
"""

import importlib
import os
import sys

_POLICY = "OMP_WAIT_POLICY"


def _in_main_interpreter() -> bool:
    """Return whether this is the main interpreter; True if this Python does not say."""
    name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    try:
        interpreters = importlib.import_module(name)
        return bool(interpreters.get_current() == interpreters.get_main())
    except (ImportError, AttributeError):  # it may have no others
        return True


if not _in_main_interpreter():
    raise ImportError(
        "warpgraph cannot be imported in a subinterpreter: it runs in the main interpreter of a "
        "process only; use threads or processes instead"
    )

if _POLICY in os.environ:
    from warpgraph import _core
else:
    os.environ[_POLICY] = "passive"
    try:
        from warpgraph import _core
    finally:
        del os.environ[_POLICY]

__all__ = ["_core"]
