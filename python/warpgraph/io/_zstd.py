"""Zstandard: the module of Python 3.14, or the package `zstandard`."""

from __future__ import annotations

import io
from typing import IO, Any

#: Bytes that are decompressed at a time: as few may stand for megabytes of text.
_PIECE = 512


def _library() -> tuple[Any, Any]:
    """Return a function that makes decompressors, and the error that these raise."""
    try:
        from compression import zstd
    except ImportError:
        zstandard = _package()
        return lambda: zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError
    return zstd.ZstdDecompressor, zstd.ZstdError


def _package() -> Any:
    try:
        import zstandard
    except ImportError:
        raise ImportError(
            "files that end in .zst need Python 3.14 or the package zstandard: "
            "pip install 'warpgraph[io]'"
        ) from None
    return zstandard


def open_to_read(file: str | IO[bytes], mode: str) -> IO[bytes]:
    """Open a file to read; it may be open already."""
    make, error = _library()  # or an ImportError, before the file is open
    if isinstance(file, str):
        return open_to_read(open(file, mode), mode)
    # The text is read in large blocks, and its banner by lines.
    return io.BufferedReader(_Decompressed(file, make, error), 1 << 16)


def compressing(file: IO[bytes]) -> IO[bytes]:
    """Return a file that compresses into an open one."""
    compressor: IO[bytes]
    try:
        from compression import zstd

        compressor = zstd.open(file, "wb")
    except ImportError:
        compressor = _package().open(file, "wb")
    return compressor


class _Decompressed(io.RawIOBase):
    """The text of one or several frames; a frame that is cut off or damaged is an EOFError."""

    def __init__(self, file: IO[bytes], make: Any, error: Any) -> None:
        self._file, self._make, self._error = file, make, error
        self._decompressor: Any = None
        self._input = self._output = b""

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        while not self._output:
            self._input = self._input or self._file.read(_PIECE)
            if not self._input:
                if self._decompressor is not None:
                    raise EOFError("the last frame is not complete")
                return 0
            self._decompress()
        n = min(len(view), len(self._output))
        view[:n] = self._output[:n]
        self._output = self._output[n:]
        return n

    def _decompress(self) -> None:
        if self._decompressor is None:
            self._decompressor = self._make()
        try:
            self._output = self._decompressor.decompress(self._input)
        except self._error as problem:
            raise EOFError(str(problem)) from None
        self._input = b""
        if self._decompressor.eof:
            self._input, self._decompressor = self._decompressor.unused_data, None
