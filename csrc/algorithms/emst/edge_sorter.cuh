// Sorts the tree's edges in the order that emst.hpp promises, and writes their lengths.
#pragma once

#include "algorithms/emst/pair_order.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/staging.hpp"
#include "core/cuda/sort_pairs.cuh"
#include "core/order_key.hpp"

#include <bit>

namespace warpgraph::emst {
namespace detail {

/// The longest run of edges with equal keys that one thread sorts.
inline constexpr int max_run = 32;

/// The ids of pairs, the smaller first, packed into 2 * id_bits bits.
struct PackedPairs {
  std::uint64_t* pairs;
  int id_bits;
};

template <class T>
__global__ void pack_edges(const Edge<T>* edges, std::int64_t n, PackedPairs packed,
                           order_key_t<T>* keys) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  packed.pairs[i] = static_cast<std::uint64_t>(edges[i].u) << packed.id_bits |
                    static_cast<std::uint64_t>(edges[i].v);
  keys[i] = order_key(edges[i].key);
}

template <class T>
__global__ void write_edges(PackedPairs packed, const order_key_t<T>* keys, std::int64_t n,
                            vertex_t* ends, double* weights) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const std::uint64_t mask = (std::uint64_t{1} << packed.id_bits) - 1;
  ends[2 * i] = static_cast<vertex_t>(packed.pairs[i] >> packed.id_bits);
  ends[2 * i + 1] = static_cast<vertex_t>(packed.pairs[i] & mask);
  const T key = from_order_key<T>(keys[i]);
  weights[i] = sqrt(static_cast<double>(key > T(0) ? key : T(0)));
}

/// Sorts each run of equal keys by pair. Leaves runs that are too long for one thread, and sets the
/// flag.
template <class T>
__global__ void sort_ties(PackedPairs packed, const order_key_t<T>* keys, std::int64_t n,
                          unsigned* has_long_run) {
  const std::int64_t first = cuda::global_index();
  if (first >= n || (first > 0 && keys[first] == keys[first - 1])) return;
  for (std::int64_t i = first + 1; i < n && keys[i] == keys[first]; ++i) {
    if (i - first == max_run) {
      *has_long_run = 1;  // benign race: all threads write the same value
      return;
    }
    const std::uint64_t pair = packed.pairs[i];
    std::int64_t to = i;
    for (; to > first && packed.pairs[to - 1] > pair; --to) {
      packed.pairs[to] = packed.pairs[to - 1];
    }
    packed.pairs[to] = pair;
  }
}

}  // namespace detail

/// Sorts n edges of points 0 .. n on construction, and writes them.
template <class T>
class EdgeSorter {
 public:
  EdgeSorter(const Edge<T>* edges, vertex_t n, const cuda::Stream& stream)
      : n_(n),
        stream_(stream),
        id_bits_(std::bit_width(static_cast<std::uint32_t>(n))),
        pairs_(size(), stream),
        sorted_pairs_(size(), stream),
        keys_(size(), stream),
        sorted_keys_(size(), stream) {
    pack(edges);
    sort_by_key();
    if (!sort_ties()) {
      // Sorts by pair first, then stably by key.
      pack(edges);
      cuda::sort_pairs(pairs_.data(), sorted_pairs_.data(), keys_.data(), sorted_keys_.data(), n_,
                       2 * id_bits_, stream_);
      std::swap(pairs_, sorted_pairs_);
      std::swap(keys_, sorted_keys_);
      sort_by_key();
    }
  }

  /// Bytes for n edges, the output included.
  static std::size_t bytes(std::size_t n) {
    return n *
           (2 * sizeof(std::uint64_t) + 2 * sizeof(Key) + 2 * sizeof(vertex_t) + sizeof(double));
  }

  /// Writes to host or device memory. Waits until the copy is complete.
  void write(const TreeView& tree) const {
    const cuda::DeviceBuffer<vertex_t> ends(2 * size(), stream_);
    const cuda::DeviceBuffer<double> weights(size(), stream_);
    cuda::launch_for(stream_, n_, detail::write_edges<T>, packed(sorted_pairs_),
                     sorted_keys_.data(), std::int64_t{n_}, ends.data(), weights.data());
    cuda::CopyOut out(stream_);
    out.copy(tree.edges, ends.data(), ends.size());
    out.copy(tree.weights, weights.data(), weights.size());
    out.finish();
  }

 private:
  using Key = order_key_t<T>;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(n_); }
  [[nodiscard]] detail::PackedPairs packed(const cuda::DeviceBuffer<std::uint64_t>& pairs) const {
    return {pairs.data(), id_bits_};
  }
  void pack(const Edge<T>* edges) const {
    cuda::launch_for(stream_, n_, detail::pack_edges<T>, edges, std::int64_t{n_}, packed(pairs_),
                     keys_.data());
  }
  void sort_by_key() const {
    cuda::sort_pairs(keys_.data(), sorted_keys_.data(), pairs_.data(), sorted_pairs_.data(), n_,
                     static_cast<int>(8 * sizeof(Key)), stream_);
  }
  /// False if a run is too long.
  [[nodiscard]] bool sort_ties() const {
    const cuda::DeviceBuffer<unsigned> has_long_run(1, stream_);
    cuda::fill_bytes(has_long_run.data(), 0, 1, stream_);
    cuda::launch_for(stream_, n_, detail::sort_ties<T>, packed(sorted_pairs_), sorted_keys_.data(),
                     std::int64_t{n_}, has_long_run.data());
    return cuda::read_back(has_long_run.data(), stream_) == 0;
  }

  vertex_t n_;
  const cuda::Stream& stream_;
  int id_bits_;
  cuda::DeviceBuffer<std::uint64_t> pairs_;
  cuda::DeviceBuffer<std::uint64_t> sorted_pairs_;
  cuda::DeviceBuffer<Key> keys_;
  cuda::DeviceBuffer<Key> sorted_keys_;
};

}  // namespace warpgraph::emst
