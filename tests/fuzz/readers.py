"""Fuzzes a reader of files with Atheris: the file is a graph, or a ValueError that names it.

    python tests/fuzz/readers.py FORMAT [-max_total_time=SECONDS] [other options of libFuzzer]

FORMAT is an ending (.gr .graph .mtx .csv .txt .txt.gz .npz) or "hierarchy". The Python part of the
readers is instrumented. libFuzzer writes a finding to a file; with that file as an argument it is
read again. Atheris is not among the packages of the tests: pip install atheris.
"""

from __future__ import annotations

import struct
import sys
import tempfile
import warnings
import zipfile
import zlib
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[1]))

with atheris.instrument_imports(include=["warpgraph"]):
    import warpgraph as wg

from files import read_or_refuse, samples

wg.set_num_threads(1)

FORMATS = samples()


def main(arguments: list[str]) -> None:
    if len(arguments) < 2 or arguments[1] not in FORMATS:
        sys.exit(f"usage: {arguments[0]} {{{' '.join(FORMATS)}}} [options of libFuzzer]")
    kind = arguments.pop(1)
    # Files in memory, where there are such: a disk allows a tenth of the executions.
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="fuzz", dir=memory if memory.is_dir() else None))
    corpus = folder / "corpus"
    corpus.mkdir()
    for k, text in enumerate(FORMATS[kind]):
        (corpus / str(k)).write_bytes(text)
    path = folder / f"a{kind if kind[0] == '.' else '.npz'}"

    def read(text: bytes) -> None:
        path.write_bytes(with_checksums(text) if kind in (".npz", "hierarchy") else text)
        read_or_refuse(path, kind)

    warnings.simplefilter("error")
    atheris.Setup([*arguments, "-max_len=8192", "-rss_limit_mb=2048", str(corpus)], read)
    atheris.Fuzz()


def with_checksums(text: bytes) -> bytes:
    """Return an archive with recomputed checksums, so that its contents are read."""
    changed = bytearray(text)
    at = text.find(b"PK\1\2")
    while 0 <= at <= len(text) - 46:
        method, packed = (
            struct.unpack_from("<H", text, at + 10)[0],
            struct.unpack_from("<I", text, at + 20)[0],
        )
        start = struct.unpack_from("<I", text, at + 42)[0]
        if start + 30 <= len(text):
            names = sum(struct.unpack_from("<HH", text, start + 26))
            body = text[start + 30 + names : start + 30 + names + packed]
            if method == zipfile.ZIP_DEFLATED:
                try:
                    body = zlib.decompressobj(-15).decompress(body, 1 << 20)
                except zlib.error:
                    body = b""
            for place in (at + 16, start + 14):
                struct.pack_into("<I", changed, place, zlib.crc32(body))
        at = text.find(b"PK\1\2", at + 1)
    return bytes(changed)


if __name__ == "__main__":
    main(sys.argv)
