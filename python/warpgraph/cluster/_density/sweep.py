"""The clusters of one fit for many values of `min_cluster_size`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.new_array import new_arrays
from warpgraph.cluster._density import hdbscan_options, missing
from warpgraph.cluster._density.device_fit import DensityFit, results_for

if TYPE_CHECKING:
    from warpgraph.cluster._density.hdbscan_options import Selection


class Sweep(NamedTuple):
    """The clusters of many least sizes: row i is for ``min_cluster_sizes[i]``."""

    min_cluster_sizes: npt.NDArray[np.int32]
    n_clusters: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int32]
    probabilities: npt.NDArray[np.float64]


def sweep_sizes(
    model: DensityFit,
    min_cluster_sizes: Any,
    selection: Selection,
    out: Any,
    progress: validate.ProgressLike,
) -> Sweep | npt.NDArray[np.int32]:
    """Return what `HDBSCAN.sweep` does; the size of `selection` is not used."""
    if model._copies is not None and out is not None:
        raise ValueError("out has no place for the copies of rows that sample_weight makes")
    sizes = np.array(hdbscan_options.cluster_sizes(min_cluster_sizes), np.int32)
    ledger = validate.ledger(model.memory_limit)
    report = validate.progress(progress, "HDBSCAN")
    # The selection on a device has no persistence.
    fit = model._device_fit if selection.persistence == 0 else None
    shape = (len(sizes), len(model.linkage_) + 1 if fit is None else fit.n)
    results = results_for(out, shape, "cpu" if fit is None else fit.where)
    if results is None:
        results = _room(shape, ledger if fit is None else ledger.on_host())
    if fit is not None:
        n_clusters = fit.sweep(sizes, selection, ledger, results, report)
    else:
        rows = model._rows
        linkage = missing.finite_linkage(model.linkage_, rows)
        # Where points are missing, the results of the others are found first, and then spread.
        found = results if rows is None else _room((len(sizes), len(linkage) + 1), ledger)
        n_clusters = _core.sweep_cluster_sizes(
            linkage, sizes, selection.persistence, *found, report, **selection.options
        )
        for place, part in zip(results, missing.with_missing(found, rows, shape[1]), strict=True):
            if part is not place:
                np.copyto(place, part)
    if out is not None:
        return n_clusters
    labels, probabilities = results
    return Sweep(sizes, n_clusters, model._of_rows(labels, -1), model._of_rows(probabilities, 0))


def _room(shape: tuple[int, int], ledger: _core.Ledger) -> tuple[Any, Any]:
    """Return arrays for labels and probabilities."""
    advice = "pass fewer sizes at a time"
    wanted = (shape, np.int32), (shape, np.float64)
    labels, probabilities = new_arrays(ledger, "storing the labels", advice, *wanted)
    return labels, probabilities
