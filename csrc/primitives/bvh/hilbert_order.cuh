// Points in Hilbert order; of identical points, one or all.
#pragma once

#include "core/cuda/cub/scan.hpp"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/cuda/worklist.cuh"
#include "core/interrupt.hpp"
#include "primitives/bvh/hilbert_index.cuh"

#include <algorithm>

namespace warpgraph::bvh {
namespace detail {

/// Computes the box of all points, which is the box of run 0.
template <class T>
__global__ void compute_global_box(DevicePoints<T> points, RunBoxes<T> boxes) {
  using Key = order_key_t<T>;
  constexpr int max_dimension = max_fixed_dimension;
  Key low[max_dimension];
  Key inverted_high[max_dimension];
#pragma unroll
  for (int k = 0; k < max_dimension; ++k) low[k] = inverted_high[k] = ~Key{0};
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t p = cuda::global_index(); p < points.n; p += step) {
#pragma unroll
    for (int k = 0; k < max_dimension; ++k) {
      if (k >= points.dimension) break;
      const Key key = order_key(points.at(static_cast<vertex_t>(p), k));
      low[k] = min(low[k], key);
      inverted_high[k] = min(inverted_high[k], static_cast<Key>(~key));
    }
  }
#pragma unroll
  for (int k = 0; k < max_dimension; ++k) {
    if (k >= points.dimension) break;
    const Key warp_low = cuda::warp_min(low[k]);
    const Key warp_high = cuda::warp_min(inverted_high[k]);
    if (cuda::lane() != 0) continue;
    lower(boxes.low(0, k), warp_low);
    lower(boxes.inverted_high(0, k), warp_high);
  }
}

template <class T>
__global__ void compute_indices(DevicePoints<T> points, RunBoxes<T> boxes, hilbert_index_t* indices,
                                vertex_t* ids) {
  const std::int64_t p = cuda::global_index();
  if (p >= points.n) return;
  indices[p] = hilbert_index_of(points, static_cast<vertex_t>(p), boxes, 0);
  ids[p] = static_cast<vertex_t>(p);
}

/// State of the point at a position of the order.
enum class PointState : std::uint8_t {
  tied,      // has the same index as its predecessor, so far
  first,     // has an index of its own, or is the first of its run
  duplicate  // is identical to its predecessor
};

static __global__ void compare_indices(const hilbert_index_t* indices, vertex_t n,
                                       PointState* states, unsigned long long* n_ties) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const bool tied = i > 0 && indices[i] == indices[i - 1];
  states[i] = tied ? PointState::tied : PointState::first;
  if (tied) atomicAdd(n_ties, 1ull);
}

/// Marks positions in runs of equal indices by 1, others by 0.
static __global__ void mark_tied_runs(const PointState* states, vertex_t n, vertex_t* marks) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const bool in_run =
      states[i] == PointState::tied || (i + 1 < n && states[i + 1] == PointState::tied);
  marks[i] = in_run ? 1 : 0;
}

/// Lists the marked positions, given the prefix sums of the marks, and marks where runs begin.
static __global__ void list_tied_runs(const PointState* states, const vertex_t* sums, vertex_t n,
                                      vertex_t* positions, vertex_t* begins) {
  const std::int64_t i = cuda::global_index();
  if (i >= n || sums[i] == (i > 0 ? sums[i - 1] : 0)) return;
  const vertex_t at = sums[i] - 1;
  positions[at] = static_cast<vertex_t>(i);
  begins[at] = states[i] == PointState::first ? 1 : 0;
}

/// The points of all tied runs, in order: the i-th is at positions[i], in run runs[i] - 1.
struct TiedPoints {
  const vertex_t* positions;
  const vertex_t* runs;
  vertex_t n;
};

/// Computes the boxes of runs. A warp within one run reduces before it writes, since one run may
/// have almost all points.
template <class T>
__global__ void compute_run_boxes(DevicePoints<T> points, const vertex_t* ids,
                                  TiedPoints tied_points, RunBoxes<T> boxes) {
  using Key = order_key_t<T>;
  const std::int64_t i = cuda::global_index();
  const bool exists = i < tied_points.n;
  const vertex_t p = exists ? ids[tied_points.positions[i]] : 0;
  const vertex_t run = exists ? tied_points.runs[i] - 1 : 0;
  const vertex_t first = __shfl_sync(cuda::all_lanes, run, 0);
  const bool same_run = __all_sync(cuda::all_lanes, !exists || run == first);
  const bool writes = exists && (!same_run || cuda::lane() == 0);
  for (int k = 0; k < points.dimension; ++k) {
    Key low = exists ? order_key(points.at(p, k)) : ~Key{0};
    Key inverted_high = exists ? static_cast<Key>(~low) : ~Key{0};
    if (same_run) {
      low = cuda::warp_min(low);
      inverted_high = cuda::warp_min(inverted_high);
    }
    if (!writes) continue;
    lower(boxes.low(run, k), low);
    lower(boxes.inverted_high(run, k), inverted_high);
  }
}

template <class T>
__global__ void compute_run_indices(DevicePoints<T> points, const vertex_t* ids,
                                    TiedPoints tied_points, RunBoxes<T> boxes,
                                    hilbert_index_t* indices, vertex_t* permutation) {
  const std::int64_t i = cuda::global_index();
  if (i >= tied_points.n) return;
  indices[i] =
      hilbert_index_of(points, ids[tied_points.positions[i]], boxes, tied_points.runs[i] - 1);
  permutation[i] = static_cast<vertex_t>(i);
}

template <class Item>
__global__ void gather(const Item* from, const vertex_t* permutation, std::int64_t n, Item* to) {
  const std::int64_t i = cuda::global_index();
  if (i < n) to[i] = from[permutation[i]];
}

/// Moves tied points to their new places: permutation[i] is the index of the tied point that
/// becomes the i-th. A run keeps its positions.
template <class T>
__global__ void permute_runs(TiedPoints tied_points, RunBoxes<T> boxes, int dimension,
                             const vertex_t* permutation, const hilbert_index_t* indices,
                             const vertex_t* old_ids, vertex_t* ids, PointState* states,
                             unsigned long long* n_ties) {
  const std::int64_t i = cuda::global_index();
  if (i >= tied_points.n) return;
  const vertex_t run = tied_points.runs[i] - 1;
  const vertex_t position = tied_points.positions[i];
  ids[position] = old_ids[tied_points.positions[permutation[i]]];
  if (i == 0 || tied_points.runs[i - 1] != tied_points.runs[i]) return;
  bool identical = true;
  for (int k = 0; k < dimension; ++k) {
    identical =
        identical && boxes.low(run, k) == static_cast<order_key_t<T>>(~boxes.inverted_high(run, k));
  }
  const bool tied = indices[permutation[i]] == indices[permutation[i - 1]];
  states[position] = identical ? PointState::duplicate
                     : tied    ? PointState::tied
                               : PointState::first;
  if (!identical && tied) atomicAdd(n_ties, 1ull);
}

static __global__ void mark_first(const PointState* states, vertex_t n, vertex_t* marks) {
  const std::int64_t i = cuda::global_index();
  if (i < n) marks[i] = states[i] == PointState::first ? 1 : 0;
}

static __global__ void compact_first(const PointState* states, const vertex_t* sums,
                                     const vertex_t* ids, vertex_t n, vertex_t* kept) {
  const std::int64_t i = cuda::global_index();
  if (i < n && states[i] == PointState::first) kept[sums[i] - 1] = ids[i];
}

template <class Item, class ItemOf>
__global__ void append_duplicates(const PointState* states, const vertex_t* sums,
                                  const vertex_t* ids, const vertex_t* kept, vertex_t n,
                                  ItemOf item_of, cuda::WorklistView<Item> list) {
  const std::int64_t i = cuda::global_index();
  if (i >= n || states[i] != PointState::duplicate) return;
  list.push(item_of(kept[sums[i] - 1], ids[i]));
}

/// Ends the state `duplicate` of points at another distance than 0 from their k-th neighbour.
template <class T>
__global__ void keep_non_zero(const T* distance, vertex_t n, PointState* states) {
  const std::int64_t i = cuda::global_index();
  if (i < n && states[i] == PointState::duplicate && distance[i] > T(0)) {
    states[i] = PointState::first;
  }
}

}  // namespace detail

/// An order of points, computed on construction.
template <class T>
class HilbertOrder {
 public:
  HilbertOrder(const DevicePoints<T>& points, const cuda::Stream& stream)
      : points_(points), stream_(stream), ids_(size(), stream), counter_(1, stream) {
    sort_all();
    while (n_ties_ != 0) {
      poll();
      sort_tied_runs();
    }
  }

  /// Returns the peak bytes of ordering n points, the ids included.
  static std::size_t bytes(std::size_t n) {
    // bytes of a pair that is sorted
    constexpr std::size_t pair_bytes = sizeof(hilbert_index_t) + sizeof(vertex_t);
    const std::size_t all = n * (3 * pair_bytes + sizeof(vertex_t) + 1);
    const std::size_t ties = n * (3 * pair_bytes + 6 * sizeof(vertex_t)) + n / 2 * run_bytes;
    return n * (3 * sizeof(vertex_t) + 1) + std::max(all, ties);
  }

  /// Returns the bytes that remain in use after construction.
  static std::size_t kept_bytes(std::size_t n) { return n * (sizeof(vertex_t) + 1); }

  /// Returns whether some points may be identical.
  [[nodiscard]] bool may_have_duplicates() const noexcept { return had_ties_; }

  /// Keeps points with a positive number in `of_positions`. Identical points must have the same
  /// number.
  void keep_non_zero(const T* of_positions) {
    cuda::launch_for(stream_, points_.n, detail::keep_non_zero<T>, of_positions, points_.n,
                     states_.data());
  }

  /// Keeps only the first of identical points. Appends item_of(first, dropped), of their ids, to
  /// `dropped` for each of the others. Call this once.
  template <class Item, class ItemOf>
  void drop_duplicates(cuda::Worklist<Item>& dropped, ItemOf item_of) {
    if (!had_ties_) return;
    const vertex_t n = points_.n;
    const cuda::DeviceBuffer<vertex_t> sums(size(), stream_);
    cuda::launch_for(stream_, n, detail::mark_first, states_.data(), n, sums.data());
    cuda::inclusive_sum(sums.data(), n, stream_);
    const vertex_t n_kept = cuda::read_back(sums.data() + n - 1, stream_);
    if (n_kept == n) return;
    cuda::DeviceBuffer<vertex_t> kept(static_cast<std::size_t>(n_kept), stream_);
    cuda::launch_for(stream_, n, detail::compact_first, states_.data(), sums.data(), ids_.data(), n,
                     kept.data());
    cuda::launch_for(stream_, n, detail::append_duplicates<Item, ItemOf>, states_.data(),
                     sums.data(), ids_.data(), kept.data(), n, item_of, dropped.view());
    ids_ = std::move(kept);
  }

  /// Returns the ids of the points that are kept, in their order: at first all points. The next
  /// function returns their number.
  [[nodiscard]] const vertex_t* ids() const noexcept { return ids_.data(); }
  [[nodiscard]] vertex_t n_kept() const noexcept { return static_cast<vertex_t>(ids_.size()); }

 private:
  static constexpr std::size_t run_bytes = sizeof(order_key_t<T>) * RunBoxes<T>::size;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(points_.n); }
  void sort_all() {
    const vertex_t n = points_.n;
    const cuda::DeviceBuffer<order_key_t<T>> keys = empty_boxes(1);
    const RunBoxes<T> boxes{keys.data()};
    constexpr std::int64_t max_blocks = 1024;
    constexpr std::int64_t threads = cuda::threads_per_block;
    cuda::launch(stream_, std::min((n + threads - 1) / threads, max_blocks), threads, 0,
                 detail::compute_global_box<T>, points_, boxes);
    cuda::DeviceBuffer<hilbert_index_t> indices(size(), stream_);
    cuda::DeviceBuffer<hilbert_index_t> sorted(size(), stream_);
    cuda::DeviceBuffer<vertex_t> unsorted_ids(size(), stream_);
    cuda::launch_for(stream_, n, detail::compute_indices<T>, points_, boxes, indices.data(),
                     unsorted_ids.data());
    cuda::sort_pairs(indices.data(), sorted.data(), unsorted_ids.data(), ids_.data(),
                     std::int64_t{n}, bits_per_axis(points_.dimension) * points_.dimension,
                     stream_);
    states_ = cuda::DeviceBuffer<detail::PointState>(size(), stream_);
    cuda::fill_bytes(counter_.data(), 0, 1, stream_);
    cuda::launch_for(stream_, n, detail::compare_indices, sorted.data(), n, states_.data(),
                     counter_.data());
    n_ties_ = cuda::read_back(counter_.data(), stream_);
    had_ties_ = n_ties_ != 0;
  }
  /// Sorts every tied run along a Hilbert curve over its own box.
  void sort_tied_runs() {
    const vertex_t n = points_.n;
    cuda::DeviceBuffer<vertex_t> sums(size(), stream_);
    cuda::launch_for(stream_, n, detail::mark_tied_runs, states_.data(), n, sums.data());
    cuda::inclusive_sum(sums.data(), n, stream_);
    const vertex_t n_tied = cuda::read_back(sums.data() + n - 1, stream_);
    const auto tied_size = static_cast<std::size_t>(n_tied);
    const cuda::DeviceBuffer<vertex_t> positions(tied_size, stream_);
    cuda::DeviceBuffer<vertex_t> runs(tied_size, stream_);
    cuda::launch_for(stream_, n, detail::list_tied_runs, states_.data(), sums.data(), n,
                     positions.data(), runs.data());
    cuda::inclusive_sum(runs.data(), n_tied, stream_);
    const vertex_t n_runs = cuda::read_back(runs.data() + n_tied - 1, stream_);

    const cuda::DeviceBuffer<order_key_t<T>> keys = empty_boxes(n_runs);
    const RunBoxes<T> boxes{keys.data()};
    const detail::TiedPoints tied_points{positions.data(), runs.data(), n_tied};
    const cuda::DeviceBuffer<hilbert_index_t> indices(tied_size, stream_);
    const cuda::DeviceBuffer<hilbert_index_t> sorted_indices(tied_size, stream_);
    const cuda::DeviceBuffer<vertex_t> permutation(tied_size, stream_);
    const cuda::DeviceBuffer<vertex_t> by_index(tied_size, stream_);
    cuda::launch_for(stream_, n_tied, detail::compute_run_boxes<T>, points_, ids_.data(),
                     tied_points, boxes);
    cuda::launch_for(stream_, n_tied, detail::compute_run_indices<T>, points_, ids_.data(),
                     tied_points, boxes, indices.data(), permutation.data());
    cuda::sort_pairs(indices.data(), sorted_indices.data(), permutation.data(), by_index.data(),
                     std::int64_t{n_tied}, bits_per_axis(points_.dimension) * points_.dimension,
                     stream_);
    // A stable sort by run keeps each run in the order of its indices.
    const cuda::DeviceBuffer<vertex_t> run_by_index(tied_size, stream_);
    const cuda::DeviceBuffer<vertex_t> sorted_runs(tied_size, stream_);
    cuda::launch_for(stream_, n_tied, detail::gather<vertex_t>, runs.data(), by_index.data(),
                     n_tied, run_by_index.data());
    cuda::sort_pairs(run_by_index.data(), sorted_runs.data(), by_index.data(), permutation.data(),
                     std::int64_t{n_tied}, 32, stream_);
    const cuda::DeviceBuffer<vertex_t> old_ids(size(), stream_);
    cuda::copy(old_ids.data(), ids_.data(), size(), stream_);
    cuda::fill_bytes(counter_.data(), 0, 1, stream_);
    cuda::launch_for(stream_, n_tied, detail::permute_runs<T>, tied_points, boxes,
                     points_.dimension, permutation.data(), indices.data(), old_ids.data(),
                     ids_.data(), states_.data(), counter_.data());
    n_ties_ = cuda::read_back(counter_.data(), stream_);
  }
  [[nodiscard]] cuda::DeviceBuffer<order_key_t<T>> empty_boxes(std::int64_t n) const {
    cuda::DeviceBuffer<order_key_t<T>> keys(static_cast<std::size_t>(n) * RunBoxes<T>::size,
                                            stream_);
    cuda::fill_bytes(keys.data(), 0xff, keys.size(), stream_);
    return keys;
  }

  DevicePoints<T> points_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<vertex_t> ids_;
  cuda::DeviceBuffer<detail::PointState> states_;
  cuda::DeviceBuffer<unsigned long long> counter_;
  unsigned long long n_ties_ = 0;
  bool had_ties_ = false;
};

}  // namespace warpgraph::bvh
