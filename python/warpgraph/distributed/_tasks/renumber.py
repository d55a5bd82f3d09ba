"""Numbers for vertices that have names: the rank of each name among all.

Names are exchanged by ranges, as in a sample sort: no worker has the names of all vertices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph.distributed._engine import Engine, Handle, Tasks
from warpgraph.distributed._tasks.blocks import Block, Chunk, divided

Array = npt.NDArray[Any]

#: Names of a block in the sample, for each range.
_SAMPLED = 64


def renumbered(engine: Engine, blocks: Sequence[Block]) -> tuple[list[Block], Array, list[Handle]]:
    """Return blocks with numbers, the offsets of ranges of vertices, and the names of each."""
    n_ranges = engine.slots
    chunk = _core.edges_at_a_time("renumbering", engine.memory_limit)
    if engine.memory_limit:  # a numbered block is kept whole
        blocks = divided(blocks, chunk)
    with Tasks(engine) as tasks:
        found = [
            tasks.submit(_distinct, chunk, n_ranges, block.read, *block.arguments, pieces=2)
            for block in blocks
        ]
        names = [pair[0] for pair in found]
        marks = _splitters(tasks.gather([pair[1] for pair in found]), n_ranges)
        del found
        cut = [tasks.split(_cut, n_ranges, marks, part, pieces=n_ranges) for part in names]
        united = [
            tasks.submit(_united, *(pieces[r] for pieces in cut), pieces=2) for r in range(n_ranges)
        ]
        counts = tasks.gather([pair[1] for pair in united])
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        _check_number(int(offsets[-1]))
        ranks = [
            tasks.split(_ranks, int(offsets[r]), pair[0], *(p[r] for p in cut), pieces=len(cut))
            for r, pair in enumerate(united)
        ]
        numbered = [
            tasks.submit(
                _with_numbers, chunk, part, n_ranges, *(r[i] for r in ranks), block.read,
                *block.arguments,
            )
            for i, (part, block) in enumerate(zip(names, blocks, strict=True))
        ]  # fmt: skip
        tasks.finish(numbered)
        return [Block(_read, (part,)) for part in numbered], offsets, [p[0] for p in united]


def _check_number(n: int) -> None:
    if n > 2**31 - 1:
        raise ValueError(f"the edges have {n} distinct vertices; at most {2**31 - 1} are possible")


def _distinct(
    chunk: int, n_ranges: int, read: Callable[..., Iterator[Chunk]], *arguments: Any
) -> tuple[Array, Array]:
    """Return the distinct names of a block, ascending, and a sample of them."""
    names: Array | None = None
    for tails, heads, _ in read(chunk, *arguments):
        if not len(tails):
            continue
        parts = [tails, heads] if names is None else [names, tails, heads]
        _check_alike(parts)
        names = np.unique(np.concatenate(parts))
    if names is None:
        names = np.empty(0, np.int64)
    n_sampled = min(len(names), _SAMPLED * n_ranges)
    return names, names[np.arange(n_sampled) * len(names) // max(n_sampled, 1)]


def _check_alike(parts: Sequence[Array]) -> None:
    kinds = {part.dtype.kind for part in parts if len(part)}
    if len(kinds) > 1:
        text = next(part[0] for part in parts if part.dtype.kind == "O")
        number = next(part[0] for part in parts if part.dtype.kind != "O")
        raise TypeError(
            f"vertices must be named alike, all by integers or all by strings, but one is "
            f"{validate.shown(text)} and another {int(number)}"
        )


def _splitters(samples: Sequence[Array], n_ranges: int) -> Array:
    """Return the first names of all ranges but the first."""
    samples = [sample for sample in samples if len(sample)]
    if not samples:
        return np.empty(0, np.int64)
    _check_alike(samples)
    sample = np.unique(np.concatenate(samples))
    return sample[np.arange(1, n_ranges) * len(sample) // n_ranges]


def _cut(n_ranges: int, marks: Array, names: Array) -> list[Array]:
    """Return the names of each range."""
    if not len(names):
        return [names] * n_ranges
    return np.split(names, np.searchsorted(names, marks))


def _united(*pieces: Array) -> tuple[Array, int]:
    """Return the distinct names of a range, ascending, and how many there are."""
    parts = [piece for piece in pieces if len(piece)]
    names = np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int64)
    return names, len(names)


def _ranks(offset: int, names: Array, *pieces: Array) -> list[Array]:
    """Return the numbers of the names of each piece."""
    return [
        (np.searchsorted(names, piece) + offset).astype(np.int32)
        if len(piece)
        else np.empty(0, np.int32)
        for piece in pieces
    ]


def _with_numbers(chunk: int, names: Array, n_ranges: int, *others: Any) -> list[Chunk]:
    """Return the edges of a block with numbers in place of names."""
    ranks, read, arguments = others[:n_ranges], others[n_ranges], others[n_ranges + 1 :]
    numbers = np.concatenate(ranks)
    return [
        (numbers[np.searchsorted(names, tails)], numbers[np.searchsorted(names, heads)], weights)
        for tails, heads, weights in read(chunk, *arguments)
        if len(tails)
    ]


def _read(chunk: int, edges: list[Chunk]) -> Iterator[Chunk]:
    """Yield the edges of a numbered block."""
    for arrays in edges:
        for first in range(0, len(arrays[0]), chunk):
            tails, heads, weights = (array[first : first + chunk] for array in arrays)
            yield tails, heads, weights


def numbers_of(
    engine: Engine, ranges: Sequence[Handle], offsets: Array, names: list[Any], argument: str
) -> Array:
    """Return the numbers of the vertices of these names, int32."""
    numbers = np.full(len(names), -1, np.int64)
    found = engine.gather([engine.submit(_find, part, names) for part in ranges])
    for offset, places in zip(offsets[:-1], found, strict=True):
        numbers = np.where(places >= 0, offset + places, numbers)
    if len(names) and numbers.min() < 0:
        absent = names[int(np.argmax(numbers < 0))]
        raise ValueError(f"{argument} has {validate.shown(absent)}, but no vertex has that name")
    return numbers.astype(np.int32)


def _find(known: Array, names: list[Any]) -> Array:
    """Return the positions of names among those of a range, -1 where they are not."""
    return np.array([_place(known, name) for name in names], np.int64)


def _place(known: Array, name: Any) -> int:
    if not len(known) or (known.dtype.kind == "O") != isinstance(name, str):
        return -1
    place = int(np.searchsorted(known, name))
    return place if place < len(known) and known[place] == name else -1
