// Points in the order of a Hilbert curve, and without twins.
//
// Any 32 consecutive points of a Hilbert curve lie together: the curve, unlike Morton's, never
// jumps, so boxes around runs of consecutive points are small wherever the runs begin. Points are
// sorted by their places on the curve of a grid over the box of all.
//
// Where points crowd, one grid is too coarse and many share a place. Each such run gets a grid of
// its own, over its own box, until every run is of identical points. Splitting is certain, since
// the ends of a run's longest side fall into different cells. Identical points thus end side by
// side, in the order of their ids: the first stays, the others are its twins, edges of the tree
// already.
#pragma once

#include "algorithms/emst/bvh/curve_place.cuh"
#include "algorithms/emst/pair_order.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/scratch.cuh"
#include "core/cuda/warp.cuh"
#include "core/cuda/worklist.cuh"
#include "core/interrupt.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>

namespace warpgraph::emst {
namespace detail {

/// The box of all points, as run 0.
template <class T>
__global__ void box_all(DeviceRows<T> points, RunBoxes<T> boxes) {
  using Key = order_key_t<T>;
  constexpr int most = most_tree_dimensions;
  Key low[most];
  Key inverted_high[most];
#pragma unroll
  for (int k = 0; k < most; ++k) low[k] = inverted_high[k] = ~Key{0};
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t p = cuda::global_index(); p < points.n; p += step) {
#pragma unroll
    for (int k = 0; k < most; ++k) {
      if (k >= points.dimension) break;
      const Key key = order_key(points.at(static_cast<vertex_t>(p), k));
      low[k] = min(low[k], key);
      inverted_high[k] = min(inverted_high[k], static_cast<Key>(~key));
    }
  }
#pragma unroll
  for (int k = 0; k < most; ++k) {
    if (k >= points.dimension) break;
    const Key warp_low = cuda::warp_min(low[k]);
    const Key warp_high = cuda::warp_min(inverted_high[k]);
    if (cuda::lane() != 0) continue;
    lower(boxes.low(0, k), warp_low);
    lower(boxes.inverted_high(0, k), warp_high);
  }
}

template <class T>
__global__ void place_all(DeviceRows<T> points, RunBoxes<T> boxes, place_t* places, vertex_t* ids) {
  const std::int64_t p = cuda::global_index();
  if (p >= points.n) return;
  places[p] = place_of(points, static_cast<vertex_t>(p), boxes, 0);
  ids[p] = static_cast<vertex_t>(p);
}

/// What is known of the point at a position of the order.
enum class Standing : std::uint8_t {
  follows,  // shares its place with the one before, so far
  first,    // has a place of its own, or is the first of those that share it
  twin      // identical to the one before
};

static __global__ void compare_places(const place_t* places, vertex_t n, Standing* standings,
                                      unsigned long long* n_follow) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const bool follows = i > 0 && places[i] == places[i - 1];
  standings[i] = follows ? Standing::follows : Standing::first;
  if (follows) atomicAdd(n_follow, 1ull);
}

/// 1 for positions in runs that share a place, else 0.
static __global__ void mark_shared(const Standing* standings, vertex_t n, vertex_t* marks) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const bool shared =
      standings[i] == Standing::follows || (i + 1 < n && standings[i + 1] == Standing::follows);
  marks[i] = shared ? 1 : 0;
}

/// The positions that were marked, from the sums of the marks; and whether each begins a run.
static __global__ void list_shared(const Standing* standings, const vertex_t* sums, vertex_t n,
                                   vertex_t* positions, vertex_t* begins) {
  const std::int64_t i = cuda::global_index();
  if (i >= n || sums[i] == (i > 0 ? sums[i - 1] : 0)) return;
  const vertex_t at = sums[i] - 1;
  positions[at] = static_cast<vertex_t>(i);
  begins[at] = standings[i] == Standing::first ? 1 : 0;
}

/// The points that share places, in order: the i-th is at positions[i], in run runs[i] - 1.
struct SharedPlaces {
  const vertex_t* positions;
  const vertex_t* runs;
  vertex_t n;
};

/// A warp within one run adds to its box together: there may be one run of all points but one.
template <class T>
__global__ void box_runs(DeviceRows<T> points, const vertex_t* ids, SharedPlaces shared,
                         RunBoxes<T> boxes) {
  using Key = order_key_t<T>;
  const std::int64_t i = cuda::global_index();
  const bool exists = i < shared.n;
  const vertex_t p = exists ? ids[shared.positions[i]] : 0;
  const vertex_t run = exists ? shared.runs[i] - 1 : 0;
  const vertex_t first = __shfl_sync(cuda::all_lanes, run, 0);
  const bool together = __all_sync(cuda::all_lanes, !exists || run == first);
  const bool adds = exists && (!together || cuda::lane() == 0);
  for (int k = 0; k < points.dimension; ++k) {
    Key low = exists ? order_key(points.at(p, k)) : ~Key{0};
    Key inverted_high = exists ? static_cast<Key>(~low) : ~Key{0};
    if (together) {
      low = cuda::warp_min(low);
      inverted_high = cuda::warp_min(inverted_high);
    }
    if (!adds) continue;
    lower(boxes.low(run, k), low);
    lower(boxes.inverted_high(run, k), inverted_high);
  }
}

template <class T>
__global__ void place_runs(DeviceRows<T> points, const vertex_t* ids, SharedPlaces shared,
                           RunBoxes<T> boxes, place_t* places, vertex_t* numbers) {
  const std::int64_t i = cuda::global_index();
  if (i >= shared.n) return;
  places[i] = place_of(points, ids[shared.positions[i]], boxes, shared.runs[i] - 1);
  numbers[i] = static_cast<vertex_t>(i);
}

template <class Item>
__global__ void gather(const Item* from, const vertex_t* numbers, std::int64_t n, Item* to) {
  const std::int64_t i = cuda::global_index();
  if (i < n) to[i] = from[numbers[i]];
}

/// numbers[i]: who of the shared comes i-th from now on. A run occupies the positions it did.
template <class T>
__global__ void settle_runs(SharedPlaces shared, RunBoxes<T> boxes, int dimension,
                            const vertex_t* numbers, const place_t* places, const vertex_t* old_ids,
                            vertex_t* ids, Standing* standings, unsigned long long* n_follow) {
  const std::int64_t i = cuda::global_index();
  if (i >= shared.n) return;
  const vertex_t run = shared.runs[i] - 1;
  const vertex_t position = shared.positions[i];
  ids[position] = old_ids[shared.positions[numbers[i]]];
  if (i == 0 || shared.runs[i - 1] != shared.runs[i]) return;
  bool identical = true;
  for (int k = 0; k < dimension; ++k) {
    identical =
        identical && boxes.low(run, k) == static_cast<order_key_t<T>>(~boxes.inverted_high(run, k));
  }
  const bool follows = places[numbers[i]] == places[numbers[i - 1]];
  standings[position] = identical ? Standing::twin : follows ? Standing::follows : Standing::first;
  if (!identical && follows) atomicAdd(n_follow, 1ull);
}

static __global__ void mark_first(const Standing* standings, vertex_t n, vertex_t* marks) {
  const std::int64_t i = cuda::global_index();
  if (i < n) marks[i] = standings[i] == Standing::first ? 1 : 0;
}

static __global__ void keep_first(const Standing* standings, const vertex_t* sums,
                                  const vertex_t* ids, vertex_t n, vertex_t* kept) {
  const std::int64_t i = cuda::global_index();
  if (i < n && standings[i] == Standing::first) kept[sums[i] - 1] = ids[i];
}

template <class T>
__global__ void join_twins(const Standing* standings, const vertex_t* sums, const vertex_t* ids,
                           const vertex_t* kept, vertex_t n, cuda::WorklistView<Edge<T>> edges) {
  const std::int64_t i = cuda::global_index();
  if (i >= n || standings[i] != Standing::twin) return;
  edges.push(Edge<T>{identical_key<T>, kept[sums[i] - 1], ids[i]});
}

}  // namespace detail

/// Orders points on construction.
template <class T>
class CurveOrder {
 public:
  CurveOrder(const DeviceRows<T>& points, const cuda::Stream& stream)
      : points_(points), stream_(stream), ids_(size(), stream), counter_(1, stream) {
    sort_by_place();
    while (n_follow_ != 0) {
      poll();
      sort_shared();
    }
  }

  /// Bytes that ordering n points takes at most, the ids included.
  static std::size_t bytes(std::size_t n) {
    constexpr std::size_t pair_bytes = sizeof(place_t) + sizeof(vertex_t);  // what sorting takes
    const std::size_t all = n * (3 * pair_bytes + sizeof(vertex_t) + 1);
    const std::size_t shared = n * (3 * pair_bytes + 6 * sizeof(vertex_t)) + n / 2 * run_bytes;
    return n * (3 * sizeof(vertex_t) + 1) + std::max(all, shared);
  }

  /// Those of them that it keeps.
  static std::size_t kept_bytes(std::size_t n) { return n * (sizeof(vertex_t) + 1); }

  /// Adds the twins' edges to `edges`; only the others are kept.
  void drop_twins(cuda::Worklist<Edge<T>>& edges);

  /// The ids of the points that are kept, in their order; and how many there are.
  [[nodiscard]] const vertex_t* ids() const noexcept { return ids_.data(); }
  [[nodiscard]] vertex_t n_kept() const noexcept { return static_cast<vertex_t>(ids_.size()); }

 private:
  static constexpr std::size_t run_bytes = sizeof(order_key_t<T>) * RunBoxes<T>::size;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(points_.n); }
  void sort_by_place();
  void sort_shared();
  [[nodiscard]] cuda::DeviceBuffer<order_key_t<T>> open_boxes(std::int64_t n) const {
    cuda::DeviceBuffer<order_key_t<T>> keys(static_cast<std::size_t>(n) * RunBoxes<T>::size,
                                            stream_);
    cuda::fill_bytes(keys.data(), 0xff, keys.size(), stream_);
    return keys;
  }
  template <class Key>
  void sort_pairs(const Key* keys, Key* sorted_keys, const vertex_t* items, vertex_t* sorted,
                  std::int64_t n, int bits) const {
    cuda::with_scratch(stream_, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted_keys, items, sorted, n, 0,
                                             bits, stream_.get());
    });
  }
  void sum(vertex_t* marks, vertex_t n) const {
    cuda::with_scratch(stream_, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSum(scratch, bytes, marks, marks, n, stream_.get());
    });
  }

  DeviceRows<T> points_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<vertex_t> ids_;
  cuda::DeviceBuffer<detail::Standing> standings_;
  cuda::DeviceBuffer<unsigned long long> counter_;
  unsigned long long n_follow_ = 0;
  bool has_shared_ = false;
};

template <class T>
void CurveOrder<T>::sort_by_place() {
  const vertex_t n = points_.n;
  const cuda::DeviceBuffer<order_key_t<T>> keys = open_boxes(1);
  const RunBoxes<T> boxes{keys.data()};
  constexpr std::int64_t enough_blocks = 1024;
  constexpr std::int64_t threads = cuda::threads_per_block;
  cuda::launch(stream_, std::min((n + threads - 1) / threads, enough_blocks), threads, 0,
               detail::box_all<T>, points_, boxes);
  cuda::DeviceBuffer<place_t> places(size(), stream_);
  cuda::DeviceBuffer<place_t> sorted(size(), stream_);
  cuda::DeviceBuffer<vertex_t> own(size(), stream_);
  cuda::launch_for(stream_, n, detail::place_all<T>, points_, boxes, places.data(), own.data());
  sort_pairs(places.data(), sorted.data(), own.data(), ids_.data(), n,
             bits_of_axis(points_.dimension) * points_.dimension);
  standings_ = cuda::DeviceBuffer<detail::Standing>(size(), stream_);
  cuda::fill_bytes(counter_.data(), 0, 1, stream_);
  cuda::launch_for(stream_, n, detail::compare_places, sorted.data(), n, standings_.data(),
                   counter_.data());
  n_follow_ = cuda::read_back(counter_.data(), stream_);
  has_shared_ = n_follow_ != 0;
}

/// Gives every run that shares a place a curve of its own.
template <class T>
void CurveOrder<T>::sort_shared() {
  const vertex_t n = points_.n;
  cuda::DeviceBuffer<vertex_t> sums(size(), stream_);
  cuda::launch_for(stream_, n, detail::mark_shared, standings_.data(), n, sums.data());
  sum(sums.data(), n);
  const vertex_t n_shared = cuda::read_back(sums.data() + n - 1, stream_);
  const auto shared_size = static_cast<std::size_t>(n_shared);
  const cuda::DeviceBuffer<vertex_t> positions(shared_size, stream_);
  cuda::DeviceBuffer<vertex_t> runs(shared_size, stream_);
  cuda::launch_for(stream_, n, detail::list_shared, standings_.data(), sums.data(), n,
                   positions.data(), runs.data());
  sum(runs.data(), n_shared);
  const vertex_t n_runs = cuda::read_back(runs.data() + n_shared - 1, stream_);

  const cuda::DeviceBuffer<order_key_t<T>> keys = open_boxes(n_runs);
  const RunBoxes<T> boxes{keys.data()};
  const detail::SharedPlaces shared{positions.data(), runs.data(), n_shared};
  const cuda::DeviceBuffer<place_t> places(shared_size, stream_);
  const cuda::DeviceBuffer<place_t> sorted_places(shared_size, stream_);
  const cuda::DeviceBuffer<vertex_t> numbers(shared_size, stream_);
  const cuda::DeviceBuffer<vertex_t> by_place(shared_size, stream_);
  cuda::launch_for(stream_, n_shared, detail::box_runs<T>, points_, ids_.data(), shared, boxes);
  cuda::launch_for(stream_, n_shared, detail::place_runs<T>, points_, ids_.data(), shared, boxes,
                   places.data(), numbers.data());
  sort_pairs(places.data(), sorted_places.data(), numbers.data(), by_place.data(), n_shared,
             bits_of_axis(points_.dimension) * points_.dimension);
  // Stably by run, so that each is in the order of its places.
  const cuda::DeviceBuffer<vertex_t> run_by_place(shared_size, stream_);
  const cuda::DeviceBuffer<vertex_t> sorted_runs(shared_size, stream_);
  cuda::launch_for(stream_, n_shared, detail::gather<vertex_t>, runs.data(), by_place.data(),
                   n_shared, run_by_place.data());
  sort_pairs(run_by_place.data(), sorted_runs.data(), by_place.data(), numbers.data(), n_shared,
             32);
  const cuda::DeviceBuffer<vertex_t> old_ids(size(), stream_);
  cuda::copy(old_ids.data(), ids_.data(), size(), stream_);
  cuda::fill_bytes(counter_.data(), 0, 1, stream_);
  cuda::launch_for(stream_, n_shared, detail::settle_runs<T>, shared, boxes, points_.dimension,
                   numbers.data(), places.data(), old_ids.data(), ids_.data(), standings_.data(),
                   counter_.data());
  n_follow_ = cuda::read_back(counter_.data(), stream_);
}

template <class T>
void CurveOrder<T>::drop_twins(cuda::Worklist<Edge<T>>& edges) {
  if (!has_shared_) return;
  const vertex_t n = points_.n;
  const cuda::DeviceBuffer<vertex_t> sums(size(), stream_);
  cuda::launch_for(stream_, n, detail::mark_first, standings_.data(), n, sums.data());
  sum(sums.data(), n);
  const vertex_t n_kept = cuda::read_back(sums.data() + n - 1, stream_);
  if (n_kept == n) return;
  cuda::DeviceBuffer<vertex_t> kept(static_cast<std::size_t>(n_kept), stream_);
  cuda::launch_for(stream_, n, detail::keep_first, standings_.data(), sums.data(), ids_.data(), n,
                   kept.data());
  cuda::launch_for(stream_, n, detail::join_twins<T>, standings_.data(), sums.data(), ids_.data(),
                   kept.data(), n, edges.view());
  ids_ = std::move(kept);
}

}  // namespace warpgraph::emst
