// Boruvka's rounds by brute force. A round lets every point that must look at all other points,
// for its nearest one outside its component; components then choose and join as on the CPU.
//
// Few points must look. What a point found stays its nearest outside point until the components of
// the two join, and after that its key is a lower bound: the point looks again only if that bound
// is not above the best pair that its component has from points that still know theirs. All look in
// the first two rounds, few later.
//
// A thread looks for one point. Its block brings the others to shared memory tile by tile, a few
// coordinates at a time; a thread adds up the squared distances to a whole tile in registers, each
// in the order of the coordinates. When few points look, several blocks share the others, and the
// partial answers are compared afterwards. Launches are kept short enough to hear Ctrl-C between.
#include "algorithms/emst/device_spans.hpp"
#include "algorithms/emst/edge_sort.cuh"
#include "core/containers/union_find.hpp"
#include "core/cuda/worklist.cuh"
#include "core/interrupt.hpp"

#include <algorithm>
#include <limits>

namespace warpgraph::emst {
namespace {

constexpr vertex_t nobody = -1;
constexpr unsigned long long no_pair = ~0ull;

/// Threads of a block that looks, and points in a tile: as many sums as registers hold.
constexpr unsigned looking_threads = 128;
template <class T>
constexpr int tile_points = sizeof(T) == 4 ? 32 : 16;

/// Coordinates (pairs times dimension) a launch compares: about a hundredth of a second of work.
constexpr std::int64_t coordinates_per_launch = std::int64_t{1} << 37;
/// Threads that fill a large device some times over.
constexpr std::int64_t enough_threads = 1 << 19;

/// Keys as integers of the same order. Keys are -1 or at least +0, so their sign-magnitude bits
/// order as signed numbers; there is no atomic minimum of floats, but there is one of integers.
template <class T>
struct KeyBits;
template <>
struct KeyBits<float> {
  using type = std::int32_t;
  static __device__ type of(float key) { return __float_as_int(key); }
  static __device__ float key(type bits) { return __int_as_float(bits); }
};
template <>
struct KeyBits<double> {
  using type = std::int64_t;
  static __device__ type of(double key) { return __double_as_longlong(key); }
  static __device__ double key(type bits) { return __longlong_as_double(bits); }
};
template <class T>
using key_bits_t = typename KeyBits<T>::type;

/// Points axis by axis: coordinate k of point p is at k * n + p.
template <class T>
struct Columns {
  const T* coordinates;
  vertex_t n;
  std::int64_t dimension;

  __device__ T at(std::int64_t axis, std::int64_t point) const {
    return coordinates[axis * n + point];
  }
};

/// The state of the rounds, of points and (in the entries of roots) of components.
template <class T>
struct Rounds {
  vertex_t* component;            // root, by which the component is named
  vertex_t* nearest;              // outside point, or nobody:
  T* key;                         // its key; or a lower bound
  key_bits_t<T>* best_key;        // of a component: the least key of the round so far
  unsigned long long* best_pair;  // smaller id in the upper half, larger below
  Edge<T>* edges;
  unsigned long long* n_edges;
};

/// Above the bits of inf.
template <class T>
constexpr key_bits_t<T> worst_bits = std::numeric_limits<key_bits_t<T>>::max();

template <class T>
__global__ void turn_points(DeviceRows<T> rows, T* columns) {
  const std::int64_t i = cuda::global_index();
  const std::int64_t n = rows.n;
  if (i < n * rows.dimension) columns[i] = rows.coordinates[(i % n) * rows.dimension + i / n];
}

template <class T>
__global__ void start_rounds(Rounds<T> rounds, vertex_t n) {
  const std::int64_t p = cuda::global_index();
  if (p >= n) return;
  rounds.component[p] = static_cast<vertex_t>(p);
  rounds.nearest[p] = nobody;
  rounds.key[p] = identical_key<T>;  // the least key: everybody must look
  rounds.best_key[p] = worst_bits<T>;
  rounds.best_pair[p] = no_pair;
}

/// A point whose nearest outside point is still outside offers it to its component.
template <class T>
__global__ void offer_known(Rounds<T> rounds, vertex_t n) {
  const std::int64_t p = cuda::global_index();
  if (p >= n || rounds.nearest[p] == nobody) return;
  const vertex_t own = rounds.component[p];
  if (rounds.component[rounds.nearest[p]] == own) {
    rounds.nearest[p] = nobody;
  } else {
    lower(rounds.best_key[own], KeyBits<T>::of(rounds.key[p]));
  }
}

template <class T>
__global__ void list_lookers(Rounds<T> rounds, vertex_t n, cuda::WorklistView<vertex_t> lookers) {
  const std::int64_t p = cuda::global_index();
  if (p >= n || rounds.nearest[p] != nobody) return;
  const key_bits_t<T> best = rounds.best_key[rounds.component[p]];
  if (KeyBits<T>::of(rounds.key[p]) <= best) lookers.push(static_cast<vertex_t>(p));
}

template <class T>
__device__ bool are_identical(Columns<T> points, vertex_t a, std::int64_t b) {
  for (std::int64_t k = 0; k < points.dimension; ++k) {
    if (points.at(k, a) != points.at(k, b)) return false;
  }
  return true;
}

/// How a launch is cut into blocks: `looking_threads` lookers, and a share of the points, each.
struct Share {
  const vertex_t* lookers;
  std::int64_t n_lookers;
  std::int64_t blocks_per_share;
  std::int64_t n_shares;
  std::int64_t points_per_share;  // a multiple of the tile
};

/// The nearest outside point of each looker among the points of this block's share. `axes` are the
/// coordinates that are in shared memory at a time.
template <class T, int axes>
__global__ void __launch_bounds__(looking_threads)
    look(Columns<T> points, const vertex_t* component, Share share, T* found_key,
         vertex_t* found_point) {
  constexpr int tile = tile_points<T>;
  __shared__ T shared_coordinates[axes][tile];
  __shared__ vertex_t shared_component[tile];

  // Neighbouring blocks have the same share, so that it stays in the cache.
  const std::int64_t part = blockIdx.x / share.blocks_per_share;
  const std::int64_t index = blockIdx.x % share.blocks_per_share * looking_threads + threadIdx.x;
  // Threads without a looker help to fill the tiles, and look in vain.
  const vertex_t looker = share.lookers[min(index, share.n_lookers - 1)];
  const vertex_t own = component[looker];
  T best = infinity<T>();
  vertex_t best_point = nobody;

  const std::int64_t begin = part * share.points_per_share;
  const std::int64_t end = min(begin + share.points_per_share, static_cast<std::int64_t>(points.n));
  for (std::int64_t first = begin; first < end; first += tile) {
    T sums[tile] = {};
    for (std::int64_t axis = 0; axis < points.dimension; axis += axes) {
      __syncthreads();  // everybody is done with the tile before
      for (int i = static_cast<int>(threadIdx.x); i < axes * tile; i += looking_threads) {
        const std::int64_t k = axis + i / tile;
        const std::int64_t p = first + i % tile;
        shared_coordinates[i / tile][i % tile] =
            k < points.dimension && p < end ? points.at(k, p) : T(0);
      }
      if (axis == 0 && threadIdx.x < tile) {
        const std::int64_t p = first + threadIdx.x;
        shared_component[threadIdx.x] = p < end ? component[p] : nobody;
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < axes; ++k) {
        // Beyond the last axis both sides are 0, which adds nothing.
        const T mine = axis + k < points.dimension ? points.at(axis + k, looker) : T(0);
#pragma unroll
        for (int i = 0; i < tile; ++i) {
          const T apart = mine - shared_coordinates[k][i];
          sums[i] += apart * apart;
        }
      }
    }
#pragma unroll
    for (int i = 0; i < tile; ++i) {
      if (sums[i] > best || shared_component[i] == own || shared_component[i] == nobody) continue;
      T key = sums[i];
      if (key == T(0) && are_identical(points, looker, first + i)) key = identical_key<T>;
      // Points come in the order of their ids: of equal keys, the first stays.
      if (key < best || best_point == nobody) {
        best = key;
        best_point = static_cast<vertex_t>(first + i);
      }
    }
  }
  if (index < share.n_lookers) {
    found_key[part * share.n_lookers + index] = best;
    found_point[part * share.n_lookers + index] = best_point;
  }
}

/// Compares what the blocks found for a looker, in the order of their points.
template <class T>
__global__ void keep_found(Rounds<T> rounds, Share share, const T* found_key,
                           const vertex_t* found_point) {
  const std::int64_t i = cuda::global_index();
  if (i >= share.n_lookers) return;
  T best = infinity<T>();
  vertex_t best_point = nobody;
  for (std::int64_t s = 0; s < share.n_shares; ++s) {
    const vertex_t point = found_point[s * share.n_lookers + i];
    const T key = found_key[s * share.n_lookers + i];
    if (point != nobody && (best_point == nobody || key < best)) {
      best = key;
      best_point = point;
    }
  }
  const vertex_t looker = share.lookers[i];
  rounds.nearest[looker] = best_point;
  rounds.key[looker] = best;
  lower(rounds.best_key[rounds.component[looker]], KeyBits<T>::of(best));
}

template <class T>
__global__ void choose_pairs(Rounds<T> rounds, vertex_t n) {
  const std::int64_t p = cuda::global_index();
  if (p >= n || rounds.nearest[p] == nobody) return;
  const vertex_t own = rounds.component[p];
  if (KeyBits<T>::of(rounds.key[p]) != rounds.best_key[own]) return;
  const auto a = static_cast<unsigned long long>(p);
  const auto b = static_cast<unsigned long long>(rounds.nearest[p]);
  lower(rounds.best_pair[own], a < b ? a << 32 | b : b << 32 | a);
}

/// Makes each component's pair an edge, by the thread of its root. best_pair and best_key do not
/// change here; of two components that chose the same pair, one succeeds in uniting.
template <class T>
__global__ void join(Rounds<T> rounds, vertex_t n) {
  const std::int64_t root = cuda::global_index();
  if (root >= n || rounds.best_pair[root] == no_pair) return;
  const auto u = static_cast<vertex_t>(rounds.best_pair[root] >> 32);
  const auto v = static_cast<vertex_t>(rounds.best_pair[root] & 0xffffffffu);
  if (!UnionFind{rounds.component}.unite(u, v)) return;
  const T key = KeyBits<T>::key(rounds.best_key[root]);
  rounds.edges[atomicAdd(rounds.n_edges, 1ull)] = Edge<T>{key, u, v};
}

/// Names every point's component by its root again: roots stay what they are, and other entries
/// only move up, so threads that race still arrive at the root.
template <class T>
__global__ void flatten(Rounds<T> rounds, vertex_t n) {
  const std::int64_t p = cuda::global_index();
  if (p >= n) return;
  const vertex_t root = UnionFind{rounds.component}.root(static_cast<vertex_t>(p));
  relaxed_store(rounds.component[p], root);
  rounds.best_key[p] = worst_bits<T>;
  rounds.best_pair[p] = no_pair;
}

template <class T>
class BruteForce {
 public:
  BruteForce(const DeviceRows<T>& points, const cuda::Stream& stream)
      : n_(points.n),
        stream_(stream),
        coordinates_(size() * static_cast<std::size_t>(points.dimension), stream),
        component_(size(), stream),
        nearest_(size(), stream),
        key_(size(), stream),
        best_key_(size(), stream),
        best_pair_(size(), stream),
        edges_(size(), stream),
        n_edges_(1, stream),
        lookers_(n_, stream),
        found_key_(found_capacity(n_), stream),
        found_point_(found_capacity(n_), stream),
        columns_{coordinates_.data(), n_, points.dimension},
        rounds_{component_.data(), nearest_.data(), key_.data(),    best_key_.data(),
                best_pair_.data(), edges_.data(),   n_edges_.data()} {
    cuda::launch_for(stream, std::int64_t{n_} * points.dimension, turn_points<T>, points,
                     coordinates_.data());
    cuda::fill_bytes(n_edges_.data(), 0, 1, stream);
    cuda::launch_for(stream, n_, start_rounds<T>, rounds_, n_);
  }

  static std::size_t bytes(std::size_t n, std::size_t dimension) {
    return n * (dimension * sizeof(T) + 3 * sizeof(vertex_t) + sizeof(T) + sizeof(key_bits_t<T>) +
                sizeof(unsigned long long) + sizeof(Edge<T>)) +
           found_capacity(static_cast<vertex_t>(n)) * (sizeof(T) + sizeof(vertex_t));
  }

  /// Returns the edges, in any order, on the device.
  const Edge<T>* run() {
    std::int64_t found = 0;
    while (found + 1 < n_) {
      cuda::launch_for(stream_, n_, offer_known<T>, rounds_, n_);
      look_for_lookers();
      cuda::launch_for(stream_, n_, choose_pairs<T>, rounds_, n_);
      cuda::launch_for(stream_, n_, join<T>, rounds_, n_);
      cuda::launch_for(stream_, n_, flatten<T>, rounds_, n_);
      found = static_cast<std::int64_t>(cuda::read_back(n_edges_.data(), stream_));
      report_progress(found, n_);
    }
    return edges_.data();
  }

 private:
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(n_); }

  /// Answers of one launch, lookers times shares: with several shares, at most enough_threads.
  static std::size_t found_capacity(vertex_t n) {
    return static_cast<std::size_t>(std::max<std::int64_t>(n, enough_threads));
  }

  void look_for_lookers() {
    lookers_.reset(stream_);
    cuda::launch_for(stream_, n_, list_lookers<T>, rounds_, n_, lookers_.view());
    const std::int64_t total = lookers_.size(stream_);
    const std::int64_t at_once =
        std::max(coordinates_per_launch / (n_ * std::max<std::int64_t>(columns_.dimension, 4)),
                 std::int64_t{looking_threads});
    for (std::int64_t first = 0; first < total; first += at_once) {
      look_for(lookers_.data() + first, std::min(at_once, total - first));
      if (first + at_once < total) stream_.synchronize();
      poll();
    }
  }

  void look_for(const vertex_t* lookers, std::int64_t count) {
    constexpr std::int64_t tile = tile_points<T>;
    const std::int64_t blocks = (count + looking_threads - 1) / looking_threads;
    const std::int64_t n_tiles = (n_ + tile - 1) / tile;
    const std::int64_t wanted =
        std::clamp(enough_threads / (blocks * looking_threads), std::int64_t{1}, n_tiles);
    const std::int64_t tiles_per_share = (n_tiles + wanted - 1) / wanted;
    const Share share{lookers, count, blocks, (n_tiles + tiles_per_share - 1) / tiles_per_share,
                      tiles_per_share * tile};
    auto* const kernel = columns_.dimension <= 4 ? look<T, 4> : look<T, 8>;
    cuda::launch(stream_, blocks * share.n_shares, looking_threads, 0, kernel, columns_,
                 component_.data(), share, found_key_.data(), found_point_.data());
    cuda::launch_for(stream_, count, keep_found<T>, rounds_, share, found_key_.data(),
                     found_point_.data());
  }

  vertex_t n_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<T> coordinates_;
  cuda::DeviceBuffer<vertex_t> component_;
  cuda::DeviceBuffer<vertex_t> nearest_;
  cuda::DeviceBuffer<T> key_;
  cuda::DeviceBuffer<key_bits_t<T>> best_key_;
  cuda::DeviceBuffer<unsigned long long> best_pair_;
  cuda::DeviceBuffer<Edge<T>> edges_;
  cuda::DeviceBuffer<unsigned long long> n_edges_;
  cuda::Worklist<vertex_t> lookers_;
  cuda::DeviceBuffer<T> found_key_;
  cuda::DeviceBuffer<vertex_t> found_point_;
  Columns<T> columns_;
  Rounds<T> rounds_;
};

}  // namespace

template <class T>
std::size_t brute_force_bytes(std::size_t n, std::size_t dimension) {
  return BruteForce<T>::bytes(n, dimension) + TreeWriter<T>::bytes(n);
}

template <class T>
void span_by_brute_force(const DeviceRows<T>& points, const TreeView& tree,
                         const cuda::Stream& stream) {
  BruteForce<T> rounds(points, stream);
  TreeWriter<T>(rounds.run(), points.n - 1, stream).write(tree);
  report_progress(points.n, points.n);
}

#define WARPGRAPH_INSTANTIATE(T)                                       \
  template std::size_t brute_force_bytes<T>(std::size_t, std::size_t); \
  template void span_by_brute_force(const DeviceRows<T>&, const TreeView&, const cuda::Stream&);
WARPGRAPH_INSTANTIATE(float)
WARPGRAPH_INSTANTIATE(double)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::emst
