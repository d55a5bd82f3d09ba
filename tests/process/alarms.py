"""Functions that a timer's signal calls, as Ctrl-C would arrive: within a call."""

import contextlib
import signal

_handler = None


def _call_handler(signum, frame):
    if _handler is not None:
        _handler(signum, frame)


@contextlib.contextmanager
def alarms(handler, after=0.0, interval=0.0):
    """Let SIGALRM call a function, first after some seconds: 0 sets no timer.

    The signal handler stays when this ends, and calls nothing from then on: another thread may have
    taken a signal just before the timer stopped, and tells the main thread of it later.
    """
    global _handler
    before, _handler = _handler, handler
    signal.signal(signal.SIGALRM, _call_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, after, interval)
        yield
    finally:
        _handler = before
        signal.setitimer(signal.ITIMER_REAL, 0)


def interrupt(signum, frame):
    """Do as Ctrl-C does."""
    raise KeyboardInterrupt
