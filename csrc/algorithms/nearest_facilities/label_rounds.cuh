// Kernels that compute the labels of vertices from those of the vertices before them.
#pragma once

#include "algorithms/nearest_facilities/labels.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/worklist.cuh"
#include "primitives/relaxation/relax.hpp"

#include <type_traits>

namespace warpgraph::nearest_facilities_detail {

using shortest_paths::weight_of;

/// k labels for each vertex in ascending order; after the last one, infinity and no_vertex.
template <class W>
struct LabelRows {
  W* distances;
  vertex_t* facilities;
  std::int64_t k;

  __device__ Label<W> at(vertex_t v, std::int64_t i) const {
    return {distances[k * v + i], facilities[k * v + i]};
  }
  __device__ void set(vertex_t v, std::int64_t i, const Label<W>& label) const {
    distances[k * v + i] = label.distance;
    facilities[k * v + i] = label.facility;
  }
  /// Inserts a label into a row where it comes before the last one, unless the row has its facility
  /// at a shorter distance.
  __device__ void insert(vertex_t v, const Label<W>& label) const {
    std::int64_t place = 0;
    for (; place < k && !(label < at(v, place)); ++place) {
      if (facilities[k * v + place] == label.facility) return;
    }
    // The labels from the place on move up, to the end or over a longer one of the facility.
    Label<W> moved = label;
    for (std::int64_t i = place; i < k; ++i) {
      const Label<W> before = at(v, i);
      set(v, i, moved);
      if (before.facility == label.facility || before.facility == no_vertex) return;
      moved = before;
    }
  }
};

/// Begins the search at the facilities.
template <class W>
struct BeginAt {
  const vertex_t* facilities;
  std::uint8_t* is_facility;
  W* keys;

  __device__ void operator()(std::int64_t i) const {
    is_facility[facilities[i]] = 1;
    keys[facilities[i]] = W{0};
  }
};

/// The arrays that kernels share.
template <class W>
struct SearchView {
  CsrView<W> leaving;   // the arcs that are searched
  CsrView<W> entering;  // their reverse: from heads to tails
  LabelRows<W> labels;
  LabelRows<W> computed;
  const std::uint8_t* is_facility;
  W* keys;               // the least distance that may change in a vertex's labels; infinite: none
  std::int32_t* queued;  // 1: it is in a list
  W* changes;            // the least distance that has changed in the last round
  W limit;
  std::int32_t* flag;  // an integer overflows
};

/// Adjacent lanes that compute the labels of a vertex.
template <int size>
struct LaneGroup {
  unsigned mask;
  int rank;

  __device__ LaneGroup()
      : mask(static_cast<unsigned>((1ull << size) - 1) << cuda::lane() / size * size),
        rank(cuda::lane() % size) {}
  template <class W>
  __device__ W min(W value) const {
    for (int step = size / 2; step > 0; step /= 2) {
      const W other = __shfl_xor_sync(mask, value, step);
      if (other < value) value = other;
    }
    return value;
  }
  /// Returns the first lane, of the warp, where the predicate holds.
  __device__ int first(bool holds) const {
    return cuda::first_lane(__ballot_sync(mask, holds) & mask);
  }
};

/// The labels that an arc extends, in ascending order of distances.
template <class W>
class ExtendedLabels {
 public:
  /// Begins with the first one; beyond the last arc there is none.
  __device__ ExtendedLabels(const SearchView<W>& search, edge_t arc, edge_t end) : search_(search) {
    if (arc >= end) return;
    tail_ = search.entering.heads[arc];
    weight_ = weight_of(search.entering, arc);
    left_ = search.labels.k;
  }
  /// Moves on to the next label that comes before `last`. Returns false if there is none.
  __device__ bool find(const Label<W>& last) {
    for (; left_ > 0; --left_) {
      const Label<W> from = search_.labels.at(tail_, search_.labels.k - left_);
      label_ = {extend(from.distance, weight_), from.facility};
      if (label_.distance == infinity<W>()) {
        if (std::is_integral_v<W> && from.facility != no_vertex && weight_ != infinity<W>()) {
          relaxed_store(*search_.flag, std::int32_t{1});
        }
        left_ = 0;
      } else if (search_.limit < label_.distance || last.distance < label_.distance) {
        left_ = 0;
      } else if (label_ < last) {
        return true;
      }
      if (left_ == 0) break;
    }
    return false;
  }
  [[nodiscard]] __device__ const Label<W>& label() const { return label_; }
  __device__ void pop() { --left_; }

 private:
  const SearchView<W>& search_;
  vertex_t tail_ = 0;
  W weight_{};
  std::int64_t left_ = 0;
  Label<W> label_;
};

/// Computes the labels of a vertex by a group of lanes, an arc each. The least label of the arcs is
/// inserted first, so that most others come after the last one.
template <class W, int size>
__device__ void compute_labels(const SearchView<W>& search, vertex_t v,
                               const LaneGroup<size>& group) {
  const LabelRows<W>& row = search.computed;
  for (std::int64_t i = group.rank; i < row.k; i += size) {
    row.set(v, i, i == 0 && search.is_facility[v] ? Label<W>{W{0}, v} : Label<W>{});
  }
  __syncwarp(group.mask);
  const edge_t end = search.entering.end(v);
  for (edge_t first = search.entering.begin(v); first < end; first += size) {
    ExtendedLabels<W> mine(search, first + group.rank, end);
    for (;;) {
      const bool has_one = mine.find(row.at(v, row.k - 1));
      const W distance = has_one ? mine.label().distance : infinity<W>();
      const W least = group.min(distance);
      if (least == infinity<W>()) break;
      if (cuda::lane() == group.first(has_one && distance == least)) {
        row.insert(v, mine.label());
        mine.pop();
      }
      __syncwarp(group.mask);
    }
  }
}

/// Computes the labels of the listed vertices, and the least distance among those that change.
template <class W, int size>
__global__ void compute_listed(SearchView<W> search, const vertex_t* listed, std::int64_t n) {
  const std::int64_t i = cuda::global_index() / size;
  if (i >= n) return;
  const LaneGroup<size> group;
  const vertex_t v = listed[i];
  compute_labels(search, v, group);
  W change = infinity<W>();
  for (std::int64_t j = group.rank; j < search.labels.k; j += size) {
    const Label<W> before = search.labels.at(v, j);
    const Label<W> now = search.computed.at(v, j);
    if (before.facility == now.facility && before.distance == now.distance) continue;
    change = min(change, min(before.distance, now.distance));
  }
  change = group.min(change);
  if (group.rank != 0) return;
  search.changes[v] = change;
  search.keys[v] = infinity<W>();
  search.queued[v] = 0;
}

/// Takes the labels of the i-th listed vertex over, if they have changed: the j-th in thread
/// k * i + j.
template <class W>
struct TakeOver {
  SearchView<W> search;
  const vertex_t* listed;

  __device__ void operator()(std::int64_t i) const {
    const vertex_t v = listed[i / search.labels.k];
    const std::int64_t j = i % search.labels.k;
    if (search.changes[v] != infinity<W>()) search.labels.set(v, j, search.computed.at(v, j));
  }
};

/// Marks the head of an arc whose tail's labels have changed, if its own may change by that.
template <class W>
struct MarkHead {
  SearchView<W> search;
  W bound;
  cuda::WorklistView<vertex_t> near;

  __device__ void operator()(vertex_t u, vertex_t v, edge_t arc) const {
    const W change = search.changes[u];
    if (change == infinity<W>()) return;
    const W weight = weight_of(search.leaving, arc);
    const W through = extend(change, weight);
    if (through == infinity<W>()) {
      if (std::is_integral_v<W> && weight != infinity<W>()) {
        relaxed_store(*search.flag, std::int32_t{1});
      }
      return;
    }
    if (search.limit < through || search.labels.at(v, search.labels.k - 1).distance < through) {
      return;
    }
    if (!lower(search.keys[v], through) || bound < through) return;
    if (exchange(search.queued[v], std::int32_t{1}) == 0) near.push(v);
  }
};

/// Lowers `least` to the least key of all.
template <class W>
__global__ void find_least_key(const W* keys, std::int64_t n, W* least) {
  const std::int64_t v = cuda::global_index();
  const W key = cuda::warp_min(v < n ? keys[v] : infinity<W>());
  if (cuda::lane() == 0) lower(*least, key);
}

/// Lists the vertices whose keys are within the bound.
template <class W>
struct ListNear {
  SearchView<W> search;
  W bound;
  cuda::WorklistView<vertex_t> near;

  __device__ void operator()(std::int64_t v) const {
    if (search.keys[v] == infinity<W>() || bound < search.keys[v]) return;
    search.queued[v] = 1;
    near.push(static_cast<vertex_t>(v));
  }
};

}  // namespace warpgraph::nearest_facilities_detail
