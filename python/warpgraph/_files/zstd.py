"""Zstandard: the module of Python 3.14, or the package `zstandard`."""

from __future__ import annotations

from typing import IO, Any

from warpgraph._files import decompress

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
    return decompress.opened(file, mode, decompress.Codec(make, (error,), _PIECE))


def compressing(file: IO[bytes]) -> IO[bytes]:
    """Return a file that compresses into an open one."""
    compressor: IO[bytes]
    try:
        from compression import zstd

        compressor = zstd.open(file, "wb")
    except ImportError:
        compressor = _package().open(file, "wb")
    return compressor
