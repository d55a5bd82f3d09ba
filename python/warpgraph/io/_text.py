"""Text files, perhaps compressed: read in blocks of whole lines, written all or nothing."""

from __future__ import annotations

import bz2
import contextlib
import functools
import gzip
import io
import lzma
import os
import re
import shutil
import warnings
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: Large enough to parse at full speed, small beside the arrays that come of it.
_BLOCK_BYTES = 1 << 24

_READERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
# Higher levels take several times as long for a few per cent.
_WRITERS: dict[str, Any] = {
    ".gz": functools.partial(gzip.open, compresslevel=6),
    ".bz2": bz2.open,
    ".xz": functools.partial(lzma.open, preset=1),
}
COMPRESSIONS = tuple(_READERS)

#: What the decompressors raise for files that are cut off or not what their ending says.
BROKEN = (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile)


def open_binary(path: str) -> IO[bytes]:
    """Open a file to read, through the decompressor that its ending names."""
    file: IO[bytes] = _READERS.get(Path(path).suffix, open)(path, "rb")
    return file


class Lines:
    """A text file, read once from its beginning to its end; it knows the number of its line."""

    def __init__(self, path: str, file: IO[bytes], comment: bytes) -> None:
        self.path = path
        self.line = 0  #: number of the line that was read last, counted from 1
        self._file = file
        self._comment = comment  # any of these bytes begins a line that is not read
        self._comment_lines = re.compile(rb"(?m)^[ \t]*[" + comment + rb"].*$")

    def banner(self, expected: str) -> str:
        """Return the next line, whatever it is."""
        line = self._read(self._file.readline)
        if not line:
            raise ValueError(f"{self.path} ends after line {self.line}; expected {expected}")
        self.line += 1
        return line.strip().decode(errors="replace")

    def header(self, expected: str) -> str:
        """Return the next line that is neither blank nor a comment."""
        while True:
            line = self.banner(expected)
            if line and line[0].encode() not in self._comment:
                return line

    def blocks(self, comment_as: bytes = b"") -> Iterator[Block]:
        """Yield what is left in blocks of whole lines, comments replaced by `comment_as`."""
        rest = b""
        while read := self._read(lambda: self._file.read(_BLOCK_BYTES)):
            text, newline, rest_of_it = (rest + read).rpartition(b"\n")
            rest = rest_of_it
            if newline:
                yield self._block(text + newline, comment_as)
        if rest:
            yield self._block(rest, comment_as)

    def _block(self, text: bytes, comment_as: bytes) -> Block:
        first = self.line + 1
        self.line += text.count(b"\n") + (not text.endswith(b"\n"))
        if any(mark in text for mark in self._comment):
            text = self._comment_lines.sub(comment_as, text)
        return Block(self.path, first, text)

    def _read(self, step: Any) -> bytes:
        try:
            return bytes(step())
        except BROKEN as problem:
            raise ValueError(
                f"{self.path}, after line {self.line}: the compressed data is cut off or damaged "
                f"({problem})"
            ) from None
        except OSError as problem:
            if problem.errno is not None:
                raise
            # bz2 says so in an OSError without a number.
            raise ValueError(
                f"{self.path}, after line {self.line}: the compressed data is damaged ({problem})"
            ) from None


class Block:
    """Some whole lines of a file."""

    def __init__(self, path: str, first_line: int, text: bytes) -> None:
        self.path = path
        self.first_line = first_line
        self.text = text

    @property
    def is_blank(self) -> bool:
        """Whether no line has anything on it."""
        return not self.text.strip()

    @property
    def last_line(self) -> int:
        """Number of the last line."""
        ends_open = bool(self.text) and not self.text.endswith(b"\n")
        return self.first_line + self.text.count(b"\n") - 1 + ends_open

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield (number, text) of the lines that have something on them."""
        for number, line in enumerate(self.text.split(b"\n"), self.first_line):
            if text := line.strip():
                yield number, text

    def error(self, number: int, expected: str, got: bytes) -> ValueError:
        """Return the exception for a line that is not as it must be."""
        return wrong_line(self.path, number, expected, got.decode(errors="replace"))


def wrong_line(path: str, number: int, expected: str, got: str) -> ValueError:
    """Return the exception for a line that is not as it must be."""
    shown = got if len(got) <= 60 else got[:60] + "..."
    return ValueError(f"{path}, line {number}: expected {expected}, got {shown!r}")


def parse_table(
    text: bytes, dtypes: Sequence[str], delimiter: str | None = None
) -> list[Array] | None:
    """Return the columns of a table, or None if it is not one of these dtypes.

    The last dtype may be ``"number"``: int64 if all of the column are integers, else float64.
    """
    variants = [list(dtypes)]
    if dtypes and dtypes[-1] == "number":
        variants = [[*dtypes[:-1], "i8"], [*dtypes[:-1], "f8"]]
    for variant in variants:
        fields = np.dtype([(f"column{i}", dtype) for i, dtype in enumerate(variant)])
        with contextlib.suppress(ValueError, DeprecationWarning), warnings.catch_warnings():
            # NumPy still reads 1.5 as the integer 1, and warns.
            warnings.simplefilter("error", DeprecationWarning)
            table = np.loadtxt(
                io.StringIO(text.decode()),
                dtype=fields,
                delimiter=delimiter,
                comments=None,
                quotechar='"' if delimiter else None,
                ndmin=1,
            )
            return [np.ascontiguousarray(table[name]) for name in fields.names or ()]
    return None


@contextlib.contextmanager
def written_whole(path: str) -> Iterator[IO[bytes]]:
    """Open a file to write that takes its place when all is written; else nothing is left of it."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        # A pipe or a device is written to as it is.
        with open(target, "wb") as file:
            yield file
        return
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}")
    opener = _WRITERS.get(Path(path).suffix, open)
    try:
        with opener(temporary, "xb") as file:
            yield file
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except OSError as problem:
        if problem.filename == str(temporary):
            problem.filename = path  # users did not choose the other name
        raise
    finally:
        temporary.unlink(missing_ok=True)


def write_rows(file: IO[bytes], row: str, columns: Sequence[Array]) -> None:
    """Write a line for each entry of the columns; `row` is its format, as for the % operator."""
    rows_at_once = 1 << 16
    for first in range(0, len(columns[0]), rows_at_once):
        # Numbers of Python print the shortest text that reads back as the same number.
        parts = [column[first : first + rows_at_once].tolist() for column in columns]
        lines = (row % values for values in zip(*parts, strict=True))
        file.write("".join(lines).encode())
