// Kernels that find labels which only support each other.
#pragma once

#include "algorithms/nearest_facilities/label_rounds.cuh"

namespace warpgraph::nearest_facilities_detail {

/// Sets a flag if an arc's weight may be so small that a sum of it with the distance of a label
/// rounds to that distance: if half of it vanishes beside the longest of the tail, which has the
/// coarsest rounding.
template <class W>
struct FindVanishing {
  SearchView<W> search;

  __device__ void operator()(vertex_t u, vertex_t, edge_t arc) const {
    std::int64_t last = search.labels.k - 1;
    while (last >= 0 && search.labels.at(u, last).facility == no_vertex) --last;
    if (last < 0) return;
    const W distance = search.labels.at(u, last).distance;
    if (distance + weight_of(search.leaving, arc) / 2 == distance) {
      relaxed_store(*search.flag, std::int32_t{1});
    }
  }
};

/// Marks labels that have a support: the facility itself, a label of a smaller distance that is
/// extended to them, or one of the same distance that has a support. `supported` has an item for
/// each label, and the flag is set if one is marked.
template <class W>
struct MarkSupported {
  SearchView<W> search;
  std::int32_t* supported;

  __device__ void operator()(vertex_t v, vertex_t u, edge_t arc) const {
    const LabelRows<W>& labels = search.labels;
    const W weight = weight_of(search.entering, arc);
    for (std::int64_t i = 0; i < labels.k; ++i) {
      const Label<W> label = labels.at(v, i);
      if (label.facility == no_vertex) return;
      std::int32_t& mark = supported[labels.k * v + i];
      if (relaxed_load(mark) != 0) continue;
      for (std::int64_t j = 0; j < labels.k; ++j) {
        const Label<W> from = labels.at(u, j);
        if (label.distance < from.distance) break;
        if (from.facility != label.facility || extend(from.distance, weight) != label.distance) {
          continue;
        }
        if (from.distance < label.distance || relaxed_load(supported[labels.k * u + j]) != 0) {
          relaxed_store(mark, std::int32_t{1});
          relaxed_store(*search.flag, std::int32_t{1});
        }
      }
    }
  }
};

/// Marks the label of each facility of itself.
template <class W>
struct MarkFacilities {
  SearchView<W> search;
  std::int32_t* supported;

  __device__ void operator()(std::int64_t i) const {
    const auto v = static_cast<vertex_t>(i);
    for (std::int64_t j = 0; j < search.labels.k; ++j) {
      const Label<W> label = search.labels.at(v, j);
      supported[search.labels.k * v + j] = label.facility == v && label.distance == W{0};
    }
  }
};

/// Removes the labels without a support from a vertex, and lists it.
template <class W>
struct RemoveUnsupported {
  SearchView<W> search;
  const std::int32_t* supported;
  cuda::WorklistView<vertex_t> changed;

  __device__ void operator()(std::int64_t i) const {
    const auto v = static_cast<vertex_t>(i);
    const LabelRows<W>& labels = search.labels;
    W least = infinity<W>();
    std::int64_t n_kept = 0;
    std::int64_t n_labels = 0;
    for (; n_labels < labels.k; ++n_labels) {
      const Label<W> label = labels.at(v, n_labels);
      if (label.facility == no_vertex) break;
      if (supported[labels.k * v + n_labels] != 0) {
        labels.set(v, n_kept++, label);
      } else {
        least = min(least, label.distance);
      }
    }
    if (least == infinity<W>()) return;
    for (; n_kept < n_labels; ++n_kept) labels.set(v, n_kept, Label<W>{});
    search.changes[v] = least;
    search.keys[v] = min(search.keys[v], least);
    changed.push(v);
  }
};

}  // namespace warpgraph::nearest_facilities_detail
