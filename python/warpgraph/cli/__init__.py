"""The command line: ``warpgraph <command> ...``, or ``python -m warpgraph <command> ...``.

Results go to stdout, as text or with ``--json`` as one JSON object; all else goes to stderr. Exit
status: 0, 2 for a mistake in the call or its input, 1 for what else went wrong, 130 after Ctrl-C,
143 after SIGTERM.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import warpgraph as wg
from warpgraph._files.text import STANDARD
from warpgraph.cli._parser import build_parser
from warpgraph.cli._report import Explained
from warpgraph.cli._wording import for_shell
from warpgraph.cli._write import check_output

__all__ = ["main"]

#: Errors that callers can fix in the command line or the input file.
_MISTAKES = (ValueError, TypeError, OverflowError, FileNotFoundError, IsADirectoryError)
#: Errors that a correct call may raise.
_MISHAPS = (OSError, MemoryError, ImportError, RuntimeError)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; `argv` defaults to the arguments of this process. Return the exit status."""
    try:
        arguments = build_parser().parse_args(argv)
        _log_to_stderr(logging.INFO if arguments.verbose else logging.WARNING)
        with warnings.catch_warnings(), _unwound_by_signals():
            warnings.showwarning = _warn
            return _run(arguments)
    except KeyboardInterrupt:
        return _complain(KeyboardInterrupt("interrupted"), 130)
    except BrokenPipeError:  # the reader of the output has closed it
        _drop_unwritten_output()
        return 1
    except _MISTAKES as mistake:
        return _complain(mistake, 2)
    except _MISHAPS as mishap:
        _drop_unwritten_output()
        return _complain(mishap, 1)


class _Sentences(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return for_shell(super().format(record))


def _log_to_stderr(level: int) -> None:
    """Show what the library logs, unless the program that calls `main` has a log of its own."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Sentences("%(message)s"))
    logging.basicConfig(level=level, handlers=[handler])


@contextlib.contextmanager
def _unwound_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does, without a file that is half-written."""

    def end(number: int, _: Any) -> None:
        sys.exit(128 + number)

    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        signals = []  # only the main thread may set what they do
    # Another choice, such as that of nohup, stays.
    changed = [number for number in signals if signal.getsignal(number) == signal.SIG_DFL]
    for number in changed:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.threads is not None:
        wg.set_num_threads(arguments.threads)
    report: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
    if hasattr(arguments, "writes") and arguments.output is not None:
        points = getattr(arguments, "kind", None) == "points"
        kind = "points" if points else arguments.writes
        check_output(arguments.output, kind, format=getattr(arguments, "output_format", None))
    if STANDARD in (getattr(arguments, name, None) for name in ("output", "predecessors")):
        report = contextlib.redirect_stdout(sys.stderr or io.StringIO())
    status = 0
    with report, contextlib.suppress(Explained):
        status = arguments.run(arguments) or 0
    if sys.stdout is not None:
        sys.stdout.flush()
    return status


def _drop_unwritten_output() -> None:
    """Drop the output that cannot be written. Else Python fails to flush it at exit, once more."""
    if sys.stdout is None:  # closed before this process began
        return
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    _tell(str(message))


def _complain(error: BaseException, status: int) -> int:
    sentence = str(error)
    if isinstance(error, OSError) and error.strerror and error.filename:
        sentence = f"{error.filename}: {error.strerror}"
    _tell(sentence)
    return status


def _tell(sentence: str) -> None:
    if sys.stderr is not None:  # else print() would write to stdout, among the results
        print(f"warpgraph: {for_shell(sentence)}", file=sys.stderr)
