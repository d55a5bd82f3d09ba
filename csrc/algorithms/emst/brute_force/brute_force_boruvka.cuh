// Boruvka's algorithm by brute force. In a round, every active query (a point that has to search)
// is compared with all other points and finds its nearest neighbour outside its component.
// Components then choose and merge as on the CPU.
//
// Most points stay inactive. The neighbour that a point found stays its nearest foreign neighbour
// until the components of the two merge. From then on its key is a lower bound, and the point
// searches again only if this bound is not above the best key that the points with a valid
// neighbour gave its component. All points search in the first two rounds, few later.
//
// A thread searches for one query among the points of tiles (point_tiles.cuh). With few queries,
// several blocks divide the points among them, and a second kernel reduces their partial results.
// Launches are short enough that Ctrl-C is handled between them.
//
// `Keys` is EuclideanKeys for the plain tree, ReachabilityKeys for that of mutual-reachability
// distances, or MetricKeys for both by a metric. Cores are the last distances of the points' lists
// of neighbours (brute_force.cuh). T is the type of keys, and Coordinate that of the points.
#pragma once

#include "algorithms/emst/device_methods.hpp"
#include "algorithms/emst/edge_sorter.cuh"
#include "core/containers/union_find.hpp"
#include "core/cuda/worklist.cuh"
#include "core/interrupt.hpp"
#include "primitives/knn/brute_force.cuh"

#include <algorithm>
#include <limits>

namespace warpgraph::emst::brute_force {

using knn::PointColumns;
using knn::search_threads;

constexpr unsigned long long no_pair = ~0ull;

/// The number of threads that fills a large device several times over.
constexpr std::int64_t saturating_threads = 1 << 19;

/// Keys of pairs that are squared distances.
template <class T>
struct EuclideanKeys {
  using Coordinate = T;
  using Key = T;
  static constexpr bool has_cores = false;
  static constexpr bool has_identical = true;  // with a key of their own
  knn::SquaredDistances<T> metric{};
  __device__ T core_of(std::int64_t) const { return T(0); }
  __device__ T of_pair(T, T, T squared) const { return squared; }
};

/// Keys of pairs that are squared mutual-reachability distances.
template <class T>
struct ReachabilityKeys {
  using Coordinate = T;
  using Key = T;
  static constexpr bool has_cores = true;
  static constexpr bool has_identical = true;
  const T* core;
  T factor;  // of squared distances
  knn::SquaredDistances<T> metric{};
  __device__ T core_of(std::int64_t point) const { return core[point]; }
  __device__ T of_pair(T core_u, T core_v, T squared) const {
    return max(max(core_u, core_v), squared * factor);
  }
};

/// Keys of pairs that are mutual-reachability distances by a metric.
template <class T, class MetricOf>
struct MetricKeys {
  using Coordinate = T;
  using Key = double;
  static constexpr bool has_cores = true;
  static constexpr bool has_identical = false;
  const double* core;
  double alpha;  // by which distances are divided
  MetricOf metric;
  __device__ double core_of(std::int64_t point) const { return core[point]; }
  __device__ double of_pair(double core_u, double core_v, double distance) const {
    return max(max(core_u, core_v), alpha == 1 ? distance : distance / alpha);
  }
};

/// The state of points and, in the entries of roots, of components.
template <class T>
struct BruteForceState {
  vertex_t* component;            // the root of the point's component
  vertex_t* nearest;              // nearest foreign neighbour, or no_vertex;
  T* nearest_key;                 // its key, or a lower bound
  T* best_key;                    // of a component: the smallest key of the round so far
  unsigned long long* best_pair;  // smaller id in the upper half, larger id in the lower
  Edge<T>* edges;
  unsigned long long* n_edges;
};

template <class T>
__global__ void init_state(BruteForceState<T> state, vertex_t n) {
  const std::int64_t p = cuda::global_index();
  if (p >= n) return;
  state.component[p] = static_cast<vertex_t>(p);
  state.nearest[p] = no_vertex;
  state.nearest_key[p] = identical_key<T>;  // the smallest key: all points search
  state.best_key[p] = infinity<T>();
  state.best_pair[p] = no_pair;
}

/// Lowers the best key of the component of each point whose nearest neighbour is still foreign.
template <class T>
__global__ void lower_by_known(BruteForceState<T> state, vertex_t n) {
  const std::int64_t p = cuda::global_index();
  if (p >= n || state.nearest[p] == no_vertex) return;
  const vertex_t own = state.component[p];
  if (state.component[state.nearest[p]] == own) {
    state.nearest[p] = no_vertex;
  } else {
    lower_key(state.best_key[own], state.nearest_key[p]);
  }
}

template <class T>
__global__ void list_active_queries(BruteForceState<T> state, vertex_t n,
                                    cuda::WorklistView<vertex_t> queries) {
  const std::int64_t p = cuda::global_index();
  if (p >= n || state.nearest[p] != no_vertex) return;
  const T best = state.best_key[state.component[p]];
  if (state.nearest_key[p] <= best) queries.push(static_cast<vertex_t>(p));
}

template <class T>
__device__ bool are_identical(PointColumns<T> points, vertex_t a, std::int64_t b) {
  for (std::int64_t k = 0; k < points.dimension; ++k) {
    if (points.at(k, a) != points.at(k, b)) return false;
  }
  return true;
}

/// The division of a launch into blocks: each has `search_threads` queries and one chunk of points.
struct SearchGrid {
  const vertex_t* queries;
  std::int64_t n_queries;
  std::int64_t blocks_per_chunk;
  std::int64_t n_chunks;
  std::int64_t points_per_chunk;  // a multiple of the tile
};

/// Finds the nearest foreign neighbour of each query among the points of this block's chunk. As
/// many coordinates as `axes` are in shared memory at a time.
template <class Keys, int axes>
__global__ void __launch_bounds__(search_threads)
    find_nearest(PointColumns<typename Keys::Coordinate> points, const vertex_t* component,
                 Keys keys, SearchGrid grid, typename Keys::Key* partial_key,
                 vertex_t* partial_point) {
  using T = typename Keys::Key;
  using MetricOf = decltype(keys.metric);
  constexpr int tile = knn::tile_size<typename MetricOf::Item>;
  __shared__ typename MetricOf::Item shared_coordinates[axes][tile];
  __shared__ vertex_t shared_component[tile];
  __shared__ T shared_core[Keys::has_cores ? tile : 1];

  // Neighbouring blocks have the same chunk, so that it stays in the cache.
  const std::int64_t chunk = blockIdx.x / grid.blocks_per_chunk;
  const std::int64_t index = blockIdx.x % grid.blocks_per_chunk * search_threads + threadIdx.x;
  // Threads without a query help to load the tiles; their results are discarded.
  const vertex_t query = grid.queries[min(index, grid.n_queries - 1)];
  const vertex_t own = component[query];
  const T own_core = keys.core_of(query);
  T best = infinity<T>();
  vertex_t best_point = no_vertex;

  const std::int64_t begin = chunk * grid.points_per_chunk;
  const std::int64_t end = min(begin + grid.points_per_chunk, static_cast<std::int64_t>(points.n));
  for (std::int64_t first = begin; first < end; first += tile) {
    typename MetricOf::Sum sums[tile] = {};
    knn::add_distances(points, points, keys.metric, query, first, end, shared_coordinates, sums,
                       [&](unsigned i, std::int64_t p) {
                         shared_component[i] = p < end ? component[p] : no_vertex;
                         if (Keys::has_cores && p < end) shared_core[i] = keys.core_of(p);
                       });
    const auto key_of = [&](const typename MetricOf::Sum& sum, int i) {
      return keys.of_pair(own_core, shared_core[Keys::has_cores ? i : 0],
                          keys.metric.distance(sum));
    };
    // Sums are in registers, where a place is a constant: code that uses one stands there for every
    // point of the tile. So foreign points as near as the best one, which are few, take a copy.
    unsigned near = 0;
#pragma unroll
    for (int i = 0; i < tile; ++i) {
      near |= key_of(sums[i], i) <= best && shared_component[i] != own ? 1u << i : 0u;
    }
    if (near == 0) continue;
    typename MetricOf::Sum copies[tile];
#pragma unroll
    for (int i = 0; i < tile; ++i) copies[i] = sums[i];
    for (; near != 0; near &= near - 1) {
      const int i = __ffs(static_cast<int>(near)) - 1;
      T key = key_of(copies[i], i);
      if (key > best || shared_component[i] == no_vertex) continue;
      if constexpr (Keys::has_identical) {
        if (key == T(0) && are_identical(points, query, first + i)) key = identical_key<T>;
      }
      // Points come in the order of their ids: of equal keys, the first stays.
      if (key < best || best_point == no_vertex) {
        best = key;
        best_point = static_cast<vertex_t>(first + i);
      }
    }
  }
  if (index < grid.n_queries) {
    partial_key[chunk * grid.n_queries + index] = best;
    partial_point[chunk * grid.n_queries + index] = best_point;
  }
}

/// Reduces the partial results of a query, in the order of the chunks.
template <class T>
__global__ void reduce_chunks(BruteForceState<T> state, SearchGrid grid, const T* partial_key,
                              const vertex_t* partial_point) {
  const std::int64_t i = cuda::global_index();
  if (i >= grid.n_queries) return;
  T best = infinity<T>();
  vertex_t best_point = no_vertex;
  for (std::int64_t s = 0; s < grid.n_chunks; ++s) {
    const vertex_t point = partial_point[s * grid.n_queries + i];
    const T key = partial_key[s * grid.n_queries + i];
    if (point != no_vertex && (best_point == no_vertex || key < best)) {
      best = key;
      best_point = point;
    }
  }
  const vertex_t query = grid.queries[i];
  state.nearest[query] = best_point;
  state.nearest_key[query] = best;
  lower_key(state.best_key[state.component[query]], best);
}

template <class T>
__global__ void choose_pairs(BruteForceState<T> state, vertex_t n) {
  const std::int64_t p = cuda::global_index();
  if (p >= n || state.nearest[p] == no_vertex) return;
  const vertex_t own = state.component[p];
  if (state.nearest_key[p] != state.best_key[own]) return;
  const auto a = static_cast<unsigned long long>(p);
  const auto b = static_cast<unsigned long long>(state.nearest[p]);
  lower(state.best_pair[own], a < b ? a << 32 | b : b << 32 | a);
}

/// Makes the pair of each component an edge, by the thread of its root. best_pair and best_key do
/// not change here. Of two components that chose the same pair, only one unites them.
template <class T>
__global__ void merge_components(BruteForceState<T> state, vertex_t n) {
  const std::int64_t root = cuda::global_index();
  if (root >= n || state.best_pair[root] == no_pair) return;
  const auto u = static_cast<vertex_t>(state.best_pair[root] >> 32);
  const auto v = static_cast<vertex_t>(state.best_pair[root] & 0xffffffffu);
  if (!UnionFind{state.component}.unite(u, v)) return;
  state.edges[atomicAdd(state.n_edges, 1ull)] = Edge<T>{state.best_key[root], u, v};
}

/// Makes every point's component its root again.
template <class T>
__global__ void flatten(BruteForceState<T> state, vertex_t n) {
  const std::int64_t p = cuda::global_index();
  if (p >= n) return;
  UnionFind{state.component}.point_to_root(static_cast<vertex_t>(p));
  state.best_key[p] = infinity<T>();
  state.best_pair[p] = no_pair;
}

template <class Keys>
class BruteForceBoruvka {
 public:
  using T = typename Keys::Key;
  using Points = PointColumns<typename Keys::Coordinate>;

  BruteForceBoruvka(const Points& points, const Keys& keys, const cuda::Stream& stream)
      : n_(points.n),
        keys_(keys),
        stream_(stream),
        component_(size(), stream),
        nearest_(size(), stream),
        nearest_key_(size(), stream),
        best_key_(size(), stream),
        best_pair_(size(), stream),
        edges_(size(), stream),
        n_edges_(1, stream),
        queries_(n_, stream),
        partial_key_(partial_capacity(n_), stream),
        partial_point_(partial_capacity(n_), stream),
        columns_(points),
        state_{component_.data(), nearest_.data(), nearest_key_.data(), best_key_.data(),
               best_pair_.data(), edges_.data(),   n_edges_.data()} {
    cuda::fill_bytes(n_edges_.data(), 0, 1, stream);
    cuda::launch_for(stream, n_, init_state<T>, state_, n_);
  }

  static std::size_t bytes(std::size_t n, std::size_t dimension) {
    return n * (dimension * sizeof(typename Keys::Coordinate) + 3 * sizeof(vertex_t) +
                2 * sizeof(T) + sizeof(unsigned long long) + sizeof(Edge<T>)) +
           partial_capacity(static_cast<vertex_t>(n)) * (sizeof(T) + sizeof(vertex_t));
  }

  /// Returns the edges, in any order, in device memory.
  const Edge<T>* run() {
    std::int64_t found = 0;
    while (found + 1 < n_) {
      cuda::launch_for(stream_, n_, lower_by_known<T>, state_, n_);
      run_searches();
      cuda::launch_for(stream_, n_, choose_pairs<T>, state_, n_);
      cuda::launch_for(stream_, n_, merge_components<T>, state_, n_);
      cuda::launch_for(stream_, n_, flatten<T>, state_, n_);
      found = static_cast<std::int64_t>(cuda::read_back(n_edges_.data(), stream_));
      report_progress(found, n_);
    }
    return edges_.data();
  }

 private:
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(n_); }

  /// Returns the capacity for the partial results of one launch, queries times chunks. With several
  /// chunks they are at most saturating_threads.
  static std::size_t partial_capacity(vertex_t n) {
    return static_cast<std::size_t>(std::max<std::int64_t>(n, saturating_threads));
  }

  void run_searches() {
    queries_.reset(stream_);
    cuda::launch_for(stream_, n_, list_active_queries<T>, state_, n_, queries_.view());
    const std::int64_t total = queries_.size(stream_);
    const std::int64_t queries_per_launch = knn::queries_per_launch(n_, columns_.dimension);
    for (std::int64_t first = 0; first < total; first += queries_per_launch) {
      launch_search(queries_.data() + first, std::min(queries_per_launch, total - first));
      if (first + queries_per_launch < total) stream_.synchronize();
      poll();
    }
  }

  void launch_search(const vertex_t* queries, std::int64_t count) {
    constexpr std::int64_t tile = knn::tile_size<T>;
    const std::int64_t blocks = (count + search_threads - 1) / search_threads;
    const std::int64_t n_tiles = (n_ + tile - 1) / tile;
    const std::int64_t target_chunks =
        std::clamp(saturating_threads / (blocks * search_threads), std::int64_t{1}, n_tiles);
    const std::int64_t tiles_per_chunk = (n_tiles + target_chunks - 1) / target_chunks;
    const SearchGrid grid{queries, count, blocks, (n_tiles + tiles_per_chunk - 1) / tiles_per_chunk,
                          tiles_per_chunk * tile};
    auto* const kernel = columns_.dimension <= 4 ? find_nearest<Keys, 4> : find_nearest<Keys, 8>;
    cuda::launch(stream_, blocks * grid.n_chunks, search_threads, 0, kernel, columns_,
                 component_.data(), keys_, grid, partial_key_.data(), partial_point_.data());
    cuda::launch_for(stream_, count, reduce_chunks<T>, state_, grid, partial_key_.data(),
                     partial_point_.data());
  }

  vertex_t n_;
  Keys keys_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<vertex_t> component_;
  cuda::DeviceBuffer<vertex_t> nearest_;
  cuda::DeviceBuffer<T> nearest_key_;
  cuda::DeviceBuffer<T> best_key_;
  cuda::DeviceBuffer<unsigned long long> best_pair_;
  cuda::DeviceBuffer<Edge<T>> edges_;
  cuda::DeviceBuffer<unsigned long long> n_edges_;
  cuda::Worklist<vertex_t> queries_;
  cuda::DeviceBuffer<T> partial_key_;
  cuda::DeviceBuffer<vertex_t> partial_point_;
  Points columns_;
  BruteForceState<T> state_;
};

/// Writes the core of every point.
template <class T>
__global__ void store_cores(knn::Slice<T> slice, T* core) {
  const std::int64_t i = cuda::global_index();
  if (i >= slice.n_points) return;
  core[slice.lists.first_position + i] = slice.lists.key[slice.last * slice.lists.stride + i];
}

template <class Coordinate, class MetricOf>
auto cores_of(const PointColumns<Coordinate>& points, const MetricOf& metric, int min_samples,
              const cuda::Stream& stream) {
  using T = knn::distance_t<MetricOf>;
  cuda::DeviceBuffer<T> cores(static_cast<std::size_t>(points.n), stream);
  if (min_samples == 1) {
    cuda::fill(cores.data(), T(0), points.n, stream);
    return cores;
  }
  knn::for_each_slice(
      points, metric, min_samples - 1, false, stream, [&](const knn::Slice<T>& slice) {
        cuda::launch_for(stream, slice.n_points, store_cores<T>, slice, cores.data());
      });
  return cores;
}

/// Returns the bytes of find_tree() and of the columns.
template <class Keys>
std::size_t bytes_of_tree(std::size_t n, std::size_t dimension) {
  return BruteForceBoruvka<Keys>::bytes(n, dimension) + edge_sort_bytes<typename Keys::Key>(n);
}

template <class Keys>
void find_tree(const PointColumns<typename Keys::Coordinate>& columns, const Keys& keys,
               const TreeView& tree, const cuda::Stream& stream) {
  BruteForceBoruvka<Keys> boruvka(columns, keys, stream);
  // Without keys of identical points, keys are the weights.
  write_sorted<Keys::has_identical>(boruvka.run(), columns.n - 1, tree, stream);
  report_progress(columns.n, columns.n);
}

}  // namespace warpgraph::emst::brute_force
