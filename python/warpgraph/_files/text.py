"""Text files, perhaps compressed: read in blocks of whole lines, written all or nothing.

Memory: one block of text, and the arrays that are made of the text. The size of a compressed file
is that of its text. A line that never ends, or a header that announces more than follows, is
refused before anything of that size is allocated.
"""

from __future__ import annotations

import bz2
import contextlib
import functools
import gzip
import io
import lzma
import math
import os
import re
import shutil
import stat
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._files import decompress, zstd

Array = npt.NDArray[Any]

#: Size of a block: large enough to parse at full speed, small beside the resulting arrays.
_BLOCK_BYTES = 1 << 21
#: Bytes of the longest line that is read: as of the longest field that Python's csv reads. Lines
#: of numbers are far shorter.
LONGEST_LINE = 1 << 17
#: Vertices that a file of any size may announce; above that, one for each byte of its text.
FREE_VERTICES = 1 << 20

#: Sign and digits without leading zeros.
_WHOLE_NUMBER = re.compile(r"([-+]?)0*([0-9]*)")

_READERS: dict[str, Any] = {
    ".gz": gzip.open,
    ".bz2": decompress.open_bz2,
    ".xz": decompress.open_xz,
    ".zst": zstd.open_to_read,
}
#: First bytes of compressed data; no text begins with them.
_BEGINNINGS = {
    ".gz": rb"\x1f\x8b\x08",
    ".bz2": rb"BZh[1-9](1AY&SY|\x17rE8P\x90)",
    ".xz": rb"\xfd7zXZ\x00",
    ".zst": rb"\x28\xb5\x2f\xfd",
}
#: Functions that make a compressing file of an open one. Higher levels take several times as long
#: and save a few per cent. The name for gzip is empty: its header would have that of a temporary
#: file.
_WRITERS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": functools.partial(gzip.GzipFile, "", "wb", 6),
    ".bz2": functools.partial(bz2.BZ2File, mode="wb"),
    ".xz": functools.partial(lzma.LZMAFile, mode="wb", preset=1),
    ".zst": zstd.compressing,
}
COMPRESSIONS = tuple(_READERS)

#: The path that stands for stdin or stdout.
STANDARD = "-"

#: Errors of the decompressors for truncated or mislabelled files.
BROKEN = (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile)


def ending_of(path: str) -> str:
    """Return the ending of a file's name, which means the same in any case, in lower case."""
    return Path(path).suffix.lower()


def ending_within(path: str) -> str:
    """Return the ending of a file's name; of a compressed file, the one before that."""
    ending = ending_of(path)
    return ending_of(Path(path).stem) if ending in COMPRESSIONS else ending


def open_binary(path: str, report: Callable[[int, int], Any] | None = None) -> IO[bytes]:
    """Open a file to read, through the decompressor that its ending names.

    "-" is stdin, whose first bytes tell whether it is compressed. `report` is called with the
    number of bytes that were read so far and the size of the file.
    """
    if path == STANDARD:
        return _decompressed(open(0, "rb", closefd=False))
    suffix = ending_of(path)
    if suffix in _READERS and is_regular(path) and os.stat(path).st_size == 0:
        # gzip writes 20 bytes for an empty text, though it also reads an empty file as such a text.
        raise ValueError(f"{path} has no bytes; expected compressed data ({suffix})")
    if report is not None and is_regular(path):
        watched = io.BufferedReader(_Watched(path, report), _BLOCK_BYTES)
        readers: dict[str, Any] = {"": lambda file, _: file, **_READERS, ".gz": _GzipOfFile}
        watching: IO[bytes] = readers[suffix if suffix in _READERS else ""](watched, "rb")
        return watching
    file: IO[bytes] = _READERS.get(suffix, open)(path, "rb")
    return file


class _GzipOfFile(gzip.GzipFile):
    """The text of a compressed file that is open. Closing the text closes this file, too."""

    def __init__(self, file: IO[bytes], mode: str) -> None:
        super().__init__(fileobj=file, mode=mode)
        self._of_file = file

    def close(self) -> None:
        super().close()
        self._of_file.close()


class _Watched(io.FileIO):
    """A file that reports how much of it was read."""

    def __init__(self, path: str, report: Callable[[int, int], Any]) -> None:
        super().__init__(path, "rb")
        self._report, self._size, self._done = report, os.fstat(self.fileno()).st_size, 0

    def readinto(self, buffer: Any) -> int:
        n = super().readinto(buffer)
        self._add(n)
        return n

    def readall(self) -> bytes:
        text = super().readall()
        self._add(len(text))
        return text

    def _add(self, n: int) -> None:
        # Zip archives have their directory at the end, so that some bytes are read twice.
        before, self._done = self._done, min(self._done + n, self._size)
        if self._done > before:
            self._report(self._done, self._size)


def _decompressed(file: io.BufferedReader) -> IO[bytes]:
    """Return the text of an open file that may be compressed."""
    first = file.peek(16)
    suffix = next((s for s, begins in _BEGINNINGS.items() if re.match(begins, first)), None)
    text: IO[bytes] = file if suffix is None else _READERS[suffix](file, "rb")
    return text


def is_regular(path: str | int) -> bool:
    """Return whether a path or an open file is a file on a disk, not a pipe or a device."""
    return stat.S_ISREG(os.stat(path).st_mode)


def are_same_file(path: str, other: str) -> bool:
    """Return whether what is written to one path replaces what was written to the other."""
    target = os.path.realpath(path)
    is_file = path != STANDARD and (not os.path.exists(path) or is_regular(path))
    return is_file and target == os.path.realpath(other)


class Lines:
    """A text file that is read once, with the number of the current line."""

    def __init__(
        self, path: str, file: IO[bytes], comment: bytes, max_vertices: int | None = None
    ) -> None:
        self.path = path
        self.line = 0  #: number of the line that was read last, counted from 1
        self.n_bytes = 0  #: of text that was read, uncompressed
        self.max_vertices = max_vertices
        self.comments: list[str] = []  #: the lines above the first record of a table
        self.comment = comment  # any of these bytes begins a line that is not read
        self._file = file
        self._comment_lines = re.compile(rb"(?m)^[ \t]*[" + comment + rb"].*$")

    def check_vertices(self, n: int) -> int:
        """Return the announced number of vertices, or refuse it.

        Call it when the whole text was read, whose size bounds the number.
        """
        validate.count(n, "n_vertices", most=2**31 - 1)
        check_vertices(self.path, n, self.n_bytes, self.max_vertices)
        return n

    def banner(self, expected: str) -> str:
        """Return the next line, of any kind. `expected` describes it for the error at the end."""
        line = self._read(lambda: self._file.readline(LONGEST_LINE + 1))
        if not line:
            raise ValueError(f"{self.path} ends after line {self.line}; expected {expected}")
        self.line += 1
        if len(line) > LONGEST_LINE:
            raise too_long(self.path, self.line)
        return line.strip().decode(errors="replace")

    def header(self, expected: str) -> str:
        """Return the next line that is neither blank nor a comment."""
        while True:
            line = self.banner(expected)
            if line and line[0].encode() not in self.comment:
                return line

    def pieces(self, n_blocks: int = 1) -> Iterator[bytes]:
        """Yield the rest of the file in pieces of `n_blocks` blocks, cut anywhere."""
        while piece := self._read(lambda: self._file.read(n_blocks * _BLOCK_BYTES)):
            yield piece

    def blocks(self) -> Iterator[Block]:
        """Yield the rest of the file in blocks of whole lines, without comments."""
        rest = b""
        for piece in self.pieces():
            text, newline, rest_of_it = (rest + piece).rpartition(b"\n")
            rest = rest_of_it
            if newline:
                yield self._block(text + newline)
            if len(rest) > LONGEST_LINE:
                raise too_long(self.path, self.line + 1)
        if rest:
            yield self._block(rest)

    def _block(self, text: bytes) -> Block:
        first = self.line + 1
        self.line += text.count(b"\n") + (not text.endswith(b"\n"))
        if any(mark in text for mark in self.comment):
            text = self._comment_lines.sub(b"", text)
        return Block(self.path, first, text)

    def _read(self, step: Any) -> bytes:
        try:
            text = bytes(step())
        except BROKEN as problem:
            raise ValueError(
                f"{self.path}, after line {self.line}: the compressed data is cut off or damaged "
                f"({problem})"
            ) from None
        if self.n_bytes == 0 and text[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise ValueError(f"{self.path}: expected text in UTF-8, got a file in UTF-16")
        is_first = self.n_bytes == 0
        self.n_bytes += len(text)
        if is_first and text.startswith(b"\xef\xbb\xbf"):
            # Windows writes this byte-order mark at the start of UTF-8. The piece may end with it.
            return text[3:] or self._read(step)
        return text


def check_vertices(path: str, n: int, n_bytes: int, max_vertices: int | None) -> None:
    """Refuse a number of vertices that is out of proportion to the file."""
    most = max(FREE_VERTICES, n_bytes) if max_vertices is None else max_vertices
    if n > most:
        raise ValueError(
            f"{path} announces {n} vertices, which is more than the {most} expected at most of "
            f"{n_bytes} bytes; pass max_vertices={n} if it is right"
            if max_vertices is None
            else f"{path} has {n} vertices, but max_vertices is {max_vertices}"
        )


class Block:
    """Some whole lines of a file."""

    def __init__(self, path: str, first_line: int, text: bytes) -> None:
        self.path = path
        self.first_line = first_line
        self.text = text

    @property
    def is_blank(self) -> bool:
        """Return whether no line has anything on it."""
        return not self.text.strip()

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield (number, text) of the lines that have something on them."""
        number, counted = self.first_line, 0
        for found in re.finditer(rb"[^\n]+", self.text):
            if text := found.group().strip():
                number += self.text.count(b"\n", counted, found.start())
                counted = found.start()
                yield number, text

    def error(self, number: int, expected: str, got: bytes, why: str = "") -> ValueError:
        """Return the error for a malformed line."""
        return wrong_line(self.path, number, expected, got.decode(errors="replace"), why)


def wrong_line(path: str, number: int, expected: str, got: str, why: str = "") -> ValueError:
    """Return the error for a malformed line."""
    shown = got if len(got) <= 60 else got[:60] + "..."
    reason = f": {why}" if why else ""
    return ValueError(f"{path}, line {number}: expected {expected}, got {shown!r}{reason}")


def too_long(path: str, number: int) -> ValueError:
    """Return the exception for a line that does not end."""
    return ValueError(f"{path}, line {number}: the line is longer than {LONGEST_LINE} bytes")


def parse_table(
    text: bytes,
    dtypes: Sequence[str],
    delimiter: str | None = None,
    columns: Sequence[int] | None = None,
    *,
    encoding: str = "utf-8",
    quote: str | None = None,
) -> list[Array] | None:
    """Return the columns of a table, or None if it is not one of these dtypes.

    The last dtype may be ``"number"``: int64 if all of the column are integers, else float64.
    """
    try:
        characters = text.decode(encoding)
    except UnicodeDecodeError:
        return None
    # NumPy treats more characters as white space than bytes.strip() does, and warns if a table has
    # no others.
    if not characters.strip():
        return None
    variants = [list(dtypes)]
    if dtypes and dtypes[-1] == "number":
        variants = [[*dtypes[:-1], "i8"], [*dtypes[:-1], "f8"]]
    for variant in variants:
        fields = np.dtype([(f"column{i}", dtype) for i, dtype in enumerate(variant)])
        with contextlib.suppress(ValueError, DeprecationWarning), warnings.catch_warnings():
            # NumPy reads 1.5 as the integer 1, with this warning.
            warnings.simplefilter("error", DeprecationWarning)
            table = np.loadtxt(
                io.StringIO(characters),
                dtype=fields,
                delimiter=delimiter,
                comments=None,
                quotechar=quote,
                usecols=columns,
                ndmin=1,
            )
            return [np.ascontiguousarray(table[name]) for name in fields.names or ()]
    return None


def type_exceeded(word: str) -> str:
    """Return the type that is too small for a number: int64 for integers, else float64.

    If the number fits, the name is empty.
    """
    # "inf" and "nan" are no numbers that are too large; both have an n.
    if math.isinf(float(word)) and "n" not in word.lower():
        return "float64"
    found = _WHOLE_NUMBER.fullmatch(word.strip(" \t"))
    # Python refuses to convert thousands of digits. If they are not leading zeros, float() is inf.
    is_int64 = found is None or -(2**63) <= int(f"{found[1]}{found[2] or 0}") < 2**63
    return "" if is_int64 else "int64"


def may_exceed(values: Array) -> Array:
    """Return which numbers are so large that their text may be an integer beyond int64."""
    return np.abs(values) >= 2.0**63 if values.dtype.kind == "f" else np.zeros(len(values), bool)


def too_large(
    block: Block, values: Array, expected: str, *, are_reals: bool = False
) -> ValueError | None:
    """Return the exception for the first line whose last word its type does not hold, or None.

    If `are_reals`, integers are read as float64, too.
    """
    n_large = np.count_nonzero(may_exceed(values))
    if n_large == 0 or n_large == block.text.lower().count(b"inf"):
        return None
    for number, text in block.lines():
        kind = type_exceeded(text.split()[-1].decode())
        if kind == "float64" or (kind and not are_reals):
            what = "integer" if kind == "int64" else "number"
            return block.error(number, expected, text, f"the {what} is beyond the largest {kind}")
    return None


def narrowed(column: Array) -> Array:
    """Return a column of integers as the smallest type that holds it.

    This saves memory, since the columns of all blocks are kept until they are joined.
    """
    if column.dtype.kind != "i" or not len(column):
        return column
    ends = np.array([column.min(), column.max()])
    fits = (kind for kind in (np.int8, np.int16, np.int32) if (ends.astype(kind) == ends).all())
    return column.astype(next(fits, np.int64), copy=False)


def joined(parts: list[list[Array]], position: int, dtype: npt.DTypeLike) -> Array:
    """Return one column of all parts as one array, and free it in the parts meanwhile."""
    column = [part[position] for part in parts]
    whole = np.empty(sum(map(len, column)), dtype)
    first = 0
    for part, piece in zip(parts, column, strict=True):
        whole[first : first + len(piece)] = piece
        first += len(piece)
        part[position] = piece[:0]
    return whole


@contextlib.contextmanager
def written_whole(path: str, *, compressed: bool = True) -> Iterator[IO[bytes]]:
    """Open a file for writing that replaces `path` when complete; on an error it is removed.

    Its ending names a compressor unless `compressed` is false. "-" is stdout.
    """
    if path == STANDARD:
        with open(1, "wb", closefd=False) as file:
            yield file
        return
    compress = _WRITERS.get(ending_of(path)) if compressed else None
    # realpath() has no name for a pipe that is reached through /dev/stdout.
    if os.path.exists(path) and not is_regular(path):
        # A pipe or a device is written to as it is.
        with open(path, "wb") as raw, compress(raw) if compress else raw as file:
            yield file
        return
    target = os.path.realpath(path)
    # Not derived from the target's name, which may have the greatest length that is allowed.
    name = f".warpgraph-{os.getpid()}-{os.urandom(4).hex()}"
    temporary = os.path.join(os.path.dirname(target), name)
    try:
        with open(temporary, "xb") as raw, compress(raw) if compress else raw as file:
            yield file
        if os.path.exists(target):
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except OSError as problem:
        if problem.filename == temporary:
            # Users do not know the temporary name.
            problem.filename = path
            del problem.filename2
        raise
    finally:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(temporary)


def write_rows(file: IO[bytes], row: str, columns: Sequence[Array]) -> None:
    """Write a line for each entry of the columns; `row` is its format, as for the % operator."""
    rows_at_once = 1 << 16
    for first in range(0, len(columns[0]), rows_at_once):
        # Python numbers print the shortest text that reads back as the same number.
        parts = [column[first : first + rows_at_once].tolist() for column in columns]
        lines = (row % values for values in zip(*parts, strict=True))
        file.write("".join(lines).encode())
