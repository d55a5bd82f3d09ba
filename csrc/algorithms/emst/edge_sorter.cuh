// Sorts the tree's edges by (key, smaller id, larger id), as emst.hpp promises, and writes their
// lengths.
#pragma once

#include "algorithms/emst/pair_order.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/cuda/launch.cuh"
#include "core/order_key.hpp"

#include <bit>

namespace warpgraph::emst {
namespace detail {

/// The longest run of edges with equal keys that one thread sorts, by insertion.
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

template <class T, bool are_squares>
__global__ void write_edges(PackedPairs packed, const order_key_t<T>* keys, std::int64_t n,
                            const TreeView tree) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const std::uint64_t mask = (std::uint64_t{1} << packed.id_bits) - 1;
  tree.edges[2 * i] = static_cast<vertex_t>(packed.pairs[i] >> packed.id_bits);
  tree.edges[2 * i + 1] = static_cast<vertex_t>(packed.pairs[i] & mask);
  const T key = from_order_key<T>(keys[i]);  // negative if it is identical_key
  const auto weight = static_cast<double>(key > T(0) ? key : T(0));
  tree.weights[i] = ldexp(are_squares ? sqrt(weight) : weight, tree.exponent);
}

/// Sorts each run of equal keys by pair, each by one thread. Sets the flag if a run is longer than
/// max_run, of which only the beginning is then sorted.
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

/// Returns the bytes that write_sorted allocates for n edges. The scratch of the sorts is freed
/// before ends and weights are allocated, which take as much.
template <class T>
std::size_t edge_sort_bytes(std::size_t n) {
  return n * (2 * sizeof(std::uint64_t) + 2 * sizeof(order_key_t<T>) + 2 * sizeof(vertex_t) +
              sizeof(double));
}

/// Sorts the n edges of a tree over n + 1 points and writes them to host or device memory. Waits
/// until that is complete. Keys are squares of the weights, or the weights.
template <bool are_squares = true, class T>
void write_sorted(const Edge<T>* edges, vertex_t n, const TreeView& tree,
                  const cuda::Stream& stream) {
  using Key = order_key_t<T>;
  const auto size = static_cast<std::size_t>(n);
  const int id_bits = std::bit_width(static_cast<std::uint32_t>(n));
  cuda::DeviceBuffer<std::uint64_t> pairs(size, stream);
  cuda::DeviceBuffer<std::uint64_t> sorted_pairs(size, stream);
  cuda::DeviceBuffer<Key> keys(size, stream);
  cuda::DeviceBuffer<Key> sorted_keys(size, stream);
  const auto packed = [&](const auto& buffer) {
    return detail::PackedPairs{buffer.data(), id_bits};
  };
  const auto pack = [&] {
    cuda::launch_for(stream, n, detail::pack_edges<T>, edges, std::int64_t{n}, packed(pairs),
                     keys.data());
  };
  const auto sort_by_key = [&] {
    cuda::sort_pairs(keys.data(), sorted_keys.data(), pairs.data(), sorted_pairs.data(), n,
                     static_cast<int>(8 * sizeof(Key)), stream);
  };
  pack();
  sort_by_key();
  const cuda::DeviceBuffer<unsigned> has_long_run(1, stream);
  cuda::fill_bytes(has_long_run.data(), 0, 1, stream);
  cuda::launch_for(stream, n, detail::sort_ties<T>, packed(sorted_pairs), sorted_keys.data(),
                   std::int64_t{n}, has_long_run.data());
  if (cuda::read_back(has_long_run.data(), stream) != 0) {
    // For runs of any length: sorts by pair first, then stably by key.
    pack();
    cuda::sort_pairs(pairs.data(), sorted_pairs.data(), keys.data(), sorted_keys.data(), n,
                     2 * id_bits, stream);
    std::swap(pairs, sorted_pairs);
    std::swap(keys, sorted_keys);
    sort_by_key();
  }
  const cuda::DeviceBuffer<vertex_t> ends(2 * size, stream);
  const cuda::DeviceBuffer<double> weights(size, stream);
  cuda::launch_for(stream, n, detail::write_edges<T, are_squares>, packed(sorted_pairs),
                   sorted_keys.data(), std::int64_t{n},
                   TreeView{ends.data(), weights.data(), tree.exponent});
  cuda::CopyOut out;
  out.copy(tree.edges, ends.data(), ends.size(), stream);
  out.copy(tree.weights, weights.data(), weights.size(), stream);
  out.finish();
}

}  // namespace warpgraph::emst
