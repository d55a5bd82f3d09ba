"""Files that are decompressed while they are read, to their last byte.

Python's bz2 and lzma ignore what follows the compressed data, so that a file which was damaged, or
to which plain lines were appended, would be read as a smaller graph.
"""

from __future__ import annotations

import bz2
import io
import lzma
from collections.abc import Callable
from typing import IO, Any, NamedTuple


class Codec(NamedTuple):
    """Decompression of one format."""

    make: Callable[[], Any]  #: a decompressor as those of bz2, for one frame
    errors: tuple[type[Exception], ...]  #: what it raises for other data
    n_bytes: int  #: that are read at a time
    limit: tuple[int, ...] = ()  #: of bytes that come out at a time, if it takes one


_MAX_OUT = 1 << 20
_BZ2 = Codec(bz2.BZ2Decompressor, (OSError, ValueError), 1 << 16, (_MAX_OUT,))
_XZ = Codec(lzma.LZMADecompressor, (lzma.LZMAError,), 1 << 16, (_MAX_OUT,))


def open_bz2(file: str | IO[bytes], mode: str) -> IO[bytes]:
    """Open a .bz2 file to read; it may be open already."""
    return opened(file, mode, _BZ2)


def open_xz(file: str | IO[bytes], mode: str) -> IO[bytes]:
    """Open a .xz file to read; it may be open already."""
    return opened(file, mode, _XZ)


def opened(file: str | IO[bytes], mode: str, codec: Codec) -> IO[bytes]:
    """Return the text of a compressed file; what is cut off or damaged is an EOFError."""
    if isinstance(file, str):
        return opened(open(file, mode), mode, codec)
    # The text is read in large blocks, and its banner by lines.
    return io.BufferedReader(_Decompressed(file, codec), 1 << 16)


class _Decompressed(io.RawIOBase):
    """The text of one or several frames, which may be followed by zeros, as on tapes."""

    def __init__(self, file: IO[bytes], codec: Codec) -> None:
        self._file, self._codec = file, codec
        self._decompressor: Any = None
        self._is_first = True
        self._input = self._output = b""

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        while not self._output:
            self._input = self._input or self._read()
            if not (self._input or self._has_more()):
                if self._decompressor is not None:
                    raise EOFError("the last frame is not complete")
                return 0
            self._decompress()
        n = min(len(view), len(self._output))
        view[:n] = self._output[:n]
        self._output = self._output[n:]
        return n

    def _has_more(self) -> bool:
        """Return whether text comes from the decompressor without more input."""
        return self._decompressor is not None and not getattr(
            self._decompressor, "needs_input", True
        )

    def _read(self) -> bytes:
        piece = b"" if self._has_more() else self._file.read(self._codec.n_bytes)
        while piece and self._decompressor is None and not self._is_first:
            padded, piece = piece, piece.lstrip(b"\0")
            if piece or not padded:
                break
            piece = self._file.read(self._codec.n_bytes)
        return piece

    def _decompress(self) -> None:
        if self._decompressor is None:
            self._decompressor = self._codec.make()
        try:
            self._output = self._decompressor.decompress(self._input, *self._codec.limit)
        except self._codec.errors as problem:
            what = "" if self._is_first else "something else follows the compressed data: "
            raise EOFError(f"{what}{problem}") from None
        self._input = b""
        if self._decompressor.eof:
            self._input = self._decompressor.unused_data.lstrip(b"\0")
            self._decompressor, self._is_first = None, False
