#include "core/cuda/copies/upload.hpp"
#include "core/cuda/cub/as_bits.hpp"
#include "core/cuda/cub/scan.hpp"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/cuda/gather.cuh"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/order_key.hpp"
#include "graph/device_csr.hpp"
#include "graph/for_each_edge.cuh"
#include "graph/transform/device_transform.hpp"

#include <bit>

namespace warpgraph {
namespace {

using index_t = std::uint32_t;

void require_size(const char* what, std::int64_t n, std::size_t bytes, const cuda::Stream& stream) {
  EXPECTS(n < max_device_sort_items, n, " entries are too many for a device; use device=\"cpu\"");
  MemoryBudget(stream.device()).require(what, bytes, "use device=\"cpu\"");
}

template <class Bits>
__global__ void write_keys(const Bits* weights, std::int64_t n, BitOrder<Bits> order, Bits* keys) {
  if (const std::int64_t i = cuda::global_index(); i < n) keys[i] = order.key(weights[i]);
}

/// Indices of n weights, given as bits, in the order of their keys, which are sorted as well.
template <class Bits>
struct SortedWeights {
  SortedWeights(const Bits* weights, std::int64_t n, const BitOrder<Bits>& order,
                const cuda::Stream& stream)
      : keys(n, stream), indices(n, stream) {
    cuda::launch_for(stream, n, write_keys<Bits>, weights, n, order, keys.data());
    cuda::iota(indices.data(), n, stream);
    cuda::sort_pairs(keys, indices, n, static_cast<int>(8 * sizeof(Bits)), stream);
  }
  static constexpr std::size_t bytes_per_item = 2 * (sizeof(Bits) + sizeof(index_t));

  cuda::SortBuffer<Bits> keys;
  cuda::SortBuffer<index_t> indices;
};

template <class T>
HostVector<T> gather_to_host(const T* from, const index_t* indices, std::int64_t n,
                             const cuda::Stream& stream) {
  const cuda::DeviceBuffer<T> to(static_cast<std::size_t>(n), stream);
  cuda::gather(from, indices, n, to.data(), stream);
  return cuda::to_host<HostVector<T>>(to.data(), to.size(), stream);
}

__global__ void widen(const index_t* indices, std::int64_t n, edge_t* positions) {
  if (const std::int64_t i = cuda::global_index(); i < n) positions[i] = indices[i];
}

HostVector<edge_t> widen_to_host(const index_t* indices, std::int64_t n,
                                 const cuda::Stream& stream) {
  const cuda::DeviceBuffer<edge_t> positions(static_cast<std::size_t>(n), stream);
  cuda::launch_for(stream, n, widen, indices, n, positions.data());
  return cuda::to_host<HostVector<edge_t>>(positions.data(), positions.size(), stream);
}

struct WriteTail {
  index_t* tails;
  __device__ void operator()(vertex_t tail, vertex_t, edge_t e) const {
    tails[e] = static_cast<index_t>(tail);
  }
};

/// Sorts arc positions by row, stably.
void sort_by_row(const CsrPattern& graph, cuda::SortBuffer<index_t>& indices,
                 const cuda::Stream& stream) {
  cuda::SortBuffer<index_t> rows(graph.n_arcs, stream);
  {
    const cuda::DeviceBuffer<index_t> tails(static_cast<std::size_t>(graph.n_arcs), stream);
    cuda::for_each_edge(stream, graph, cuda::AllVertices{graph.n_vertices},
                        cuda::EdgeMapping::merge_path, WriteTail{tails.data()});
    cuda::gather<index_t>(tails.data(), indices.data(), graph.n_arcs, rows.data(), stream);
  }
  cuda::sort_pairs(rows, indices, graph.n_arcs,
                   std::bit_width(static_cast<std::uint32_t>(graph.n_vertices)), stream);
}

/// Marks each sorted key that differs from the one before it.
template <class Key>
__global__ void mark_new_keys(const Key* keys, std::int64_t n, index_t* is_new) {
  const std::int64_t i = cuda::global_index();
  if (i < n) is_new[i] = i > 0 && keys[i] != keys[i - 1] ? 1 : 0;
}

template <class Bits>
__global__ void write_ranks(const Bits* weights, BitOrder<Bits> order, const index_t* indices,
                            const index_t* rank_of, std::int64_t n, std::int64_t first_rank,
                            std::int32_t* ranks, Bits* values) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const index_t rank = rank_of[i];
  ranks[indices[i]] = static_cast<std::int32_t>(rank + first_rank);
  if (i == 0 || rank_of[i - 1] != rank) values[rank] = order.number(weights[indices[i]]);
}

}  // namespace

template <class W>
SortedRows<W> sort_rows_cuda(const CsrView<W>& graph, bool heaviest_first,
                             const cuda::Stream& stream) {
  using Key = order_key_t<W>;
  const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
  constexpr std::size_t row_sort_bytes = 3 * sizeof(index_t);
  require_size(
      "sorting the rows by weight", graph.n_arcs,
      n_arcs * (sizeof(vertex_t) + sizeof(W) + SortedWeights<order_key_t<W>>::bytes_per_item +
                std::max(row_sort_bytes, sizeof(edge_t))) +
          (static_cast<std::size_t>(graph.n_vertices) + 1) * sizeof(edge_t),
      stream);
  const DevicePattern pattern(graph, stream);
  const auto weights = cuda::to_device(graph.weights, n_arcs, stream);
  SortedWeights<Key> sorted(cuda::as_bits(weights.data()), graph.n_arcs,
                            BitOrder<Key>::template of<W>(heaviest_first), stream);
  sorted.keys = {};
  sort_by_row(pattern.view(), sorted.indices, stream);
  const index_t* indices = sorted.indices.data();
  return {gather_to_host(pattern.view().heads, indices, graph.n_arcs, stream),
          gather_to_host<W>(weights.data(), indices, graph.n_arcs, stream),
          widen_to_host(indices, graph.n_arcs, stream)};
}

template <class W>
WeightRanks<W> rank_weights_cuda(std::span<const W> weights, const cuda::Stream& stream) {
  const auto n = static_cast<std::int64_t>(weights.size());
  require_size("ranking the weights", n,
               weights.size() * (2 * sizeof(W) + SortedWeights<order_key_t<W>>::bytes_per_item +
                                 sizeof(index_t) + sizeof(std::int32_t)),
               stream);
  WeightRanks<W> result;
  if (n == 0) {
    result.ranks = HostVector<std::int32_t>();
    return result;
  }
  const auto device_weights = cuda::to_device(weights, stream);
  const auto order = BitOrder<order_key_t<W>>::template of<W>(false);
  const auto* const bits = cuda::as_bits(device_weights.data());
  SortedWeights<order_key_t<W>> sorted(bits, n, order, stream);
  const cuda::DeviceBuffer<index_t> rank_of(weights.size(), stream);
  cuda::launch_for(stream, n, mark_new_keys<order_key_t<W>>, sorted.keys.data(), n, rank_of.data());
  cuda::inclusive_sum(rank_of.data(), n, stream);
  const std::size_t n_values = std::size_t{cuda::read_back(rank_of.data() + n - 1, stream)} + 1;
  constexpr std::size_t max_from_zero = std::size_t{1} << 31;
  result.first_rank = n_values > max_from_zero ? -static_cast<std::int64_t>(max_from_zero) : 0;
  const cuda::DeviceBuffer<std::int32_t> ranks(weights.size(), stream);
  const cuda::DeviceBuffer<W> values(n_values, stream);
  cuda::launch_for(stream, n, write_ranks<order_key_t<W>>, bits, order, sorted.indices.data(),
                   rank_of.data(), n, result.first_rank, ranks.data(),
                   cuda::as_bits(values.data()));
  HostVector<std::int32_t> host_ranks(weights.size());
  result.values.resize(n_values);
  cuda::copy(host_ranks.data(), ranks.data(), host_ranks.size(), stream);
  cuda::copy(result.values.data(), values.data(), n_values, stream);
  stream.synchronize();
  result.ranks = std::move(host_ranks);
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sort_rows_cuda)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(rank_weights_cuda)

}  // namespace warpgraph
