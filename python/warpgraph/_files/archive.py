"""Reads NumPy's .npz archives from untrusted sources: the announced arrays, or a ValueError.

NumPy's own reader evaluates the text of a header, allocates what it announces, and raises errors of
a dozen types. This reader accepts only headers that NumPy writes, and only arrays whose announced
size is that of their member of the archive. It loads no pickles.
"""

from __future__ import annotations

import math
import re
import sys
import zipfile
from collections.abc import Iterable
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate

Array = npt.NDArray[Any]

#: Text of a header: a dict as NumPy prints it.
_HEADER = re.compile(
    r"\{\s*'descr':\s*'(?P<descr>[<>|=][a-zA-Z]\d*)',\s*'fortran_order':\s*(?P<order>True|False),"
    r"\s*'shape':\s*\((?P<shape>[\d, ]*)\),?\s*\}\s*"
)
#: Bytes of the longest header that is read: NumPy's own limit.
_LONGEST_HEADER = 10_000
#: Largest ratio of unpacked to packed size of a member, by how it is compressed. Deflate can reach
#: 1032.
_RATIOS = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
#: Ratio that is allowed to bzip2 and LZMA, of which no exact bound is known.
_OTHER_RATIO = 1 << 20
#: Bytes of an array that are read at a time. Not all at once, since zipfile holds a copy of them.
_CHUNK = 1 << 20


def read_arrays(file: IO[bytes], names: Iterable[str]) -> dict[str, Array]:
    """Return the named arrays that the archive contains."""
    try:
        with zipfile.ZipFile(file) as archive:
            members = {info.filename: info for info in archive.infolist()}
            wanted = {name: members[f"{name}.npy"] for name in names if f"{name}.npy" in members}
            _check_sizes(file, wanted)
            return {name: _read_member(archive, name, info) for name, info in wanted.items()}
    except (ValueError, MemoryError):
        raise
    except Exception as problem:
        # On a damaged archive, zipfile and the decompressors raise errors of many types.
        raise ValueError(f"expected a .npz archive ({problem or type(problem).__name__})") from None


def names(file: IO[bytes]) -> list[str]:
    """Return the names of the arrays in an archive, in its order."""
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.namelist()
    except Exception as problem:
        raise ValueError(f"expected a .npz archive ({problem or type(problem).__name__})") from None
    return [name.removesuffix(".npy") for name in members if name.endswith(".npy")]


def _check_sizes(file: IO[bytes], wanted: dict[str, zipfile.ZipInfo]) -> None:
    """Refuse members that cannot be what they announce, or do not fit the free memory.

    Packed, they must not be larger than the file; unpacked, not larger than compression allows.
    """
    n_bytes = file.seek(0, 2)
    packed = sum(info.compress_size for info in wanted.values())
    for name, info in wanted.items():
        ratio = _RATIOS.get(info.compress_type, _OTHER_RATIO)
        if packed > n_bytes or info.file_size > ratio * (info.compress_size + 1):
            raise ValueError(
                f"the array {name!r} announces {info.file_size} bytes, packed into "
                f"{info.compress_size}, in a file of {n_bytes}"
            )
    # NumPy allocates these arrays, one after the other: nothing else states their bytes.
    unpacked = sum(info.file_size for info in wanted.values())
    validate.NO_LIMIT.require("reading the arrays", unpacked, "use a machine with more")


def _read_member(archive: zipfile.ZipFile, name: str, info: zipfile.ZipInfo) -> Array:
    """Return the array of a member, whose checksum must be right."""
    with archive.open(info) as member:
        array = read_array(member, name, info.file_size)
        member.read(1)  # zipfile compares the checksum when it finds the end
    return array


def read_array(file: IO[bytes], name: str, n_bytes: int) -> Array:
    """Return the array of a .npy file of `n_bytes` bytes."""
    dtype, shape, is_fortran, n_header = _read_header(file, name)
    n_items = math.prod(shape)
    if n_header + n_items * dtype.itemsize != n_bytes:
        raise ValueError(
            f"the array {name!r} announces shape {shape} of {dtype}, and has "
            f"{n_bytes - n_header} bytes"
        )
    array = np.empty(n_items, dtype)
    view = array.view(np.uint8)
    for first in range(0, len(view), _CHUNK):
        chunk = view[first : first + _CHUNK]
        if file.readinto(chunk.data) != len(chunk):  # type: ignore[attr-defined]
            raise ValueError(f"the array {name!r} is cut off")
    if dtype.kind == "U" and array.view(f"{dtype.str[0]}u4").max(initial=0) > sys.maxunicode:
        raise ValueError(f"the array {name!r} contains an invalid character")
    return array.reshape(shape, order="F" if is_fortran else "C")


def _read_header(file: IO[bytes], name: str) -> tuple[np.dtype[Any], tuple[int, ...], bool, int]:
    """Return the dtype, the shape, whether the order is Fortran's, and the bytes of the header."""
    magic = file.read(8)
    if magic[:6] != b"\x93NUMPY" or magic[6:7] not in (b"\1", b"\2", b"\3"):
        raise ValueError(f"{name!r} is not a NumPy array")
    size = 2 if magic[6] == 1 else 4  # of the header's length, by the version of the format
    length = int.from_bytes(file.read(size), "little")
    if length > _LONGEST_HEADER:
        raise ValueError(f"the header of the array {name!r} has {length} bytes")
    text = file.read(length).decode("latin-1")
    found = _HEADER.fullmatch(text)
    if found is None:
        raise ValueError(
            f"the array {name!r} has a header that NumPy does not write: {text[:60]!r}"
        )
    dtype = np.dtype(found["descr"])
    if dtype.hasobject:
        raise ValueError(f"the array {name!r} holds pickled objects, which are not loaded")
    if dtype.kind not in "biufcSU" or dtype.itemsize == 0:
        raise ValueError(f"the array {name!r} holds no numbers or strings, but {found['descr']}")
    shape = tuple(int(word) for word in found["shape"].replace(" ", "").split(",") if word)
    return dtype, shape, found["order"] == "True", 8 + size + length
