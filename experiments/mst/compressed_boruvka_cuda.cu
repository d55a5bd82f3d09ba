#include "algorithms/mst/forest_to_host.cuh"
#include "algorithms/mst/sorted_rows/row_search.cuh"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/cuda/memory/derived_cache.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "experiments/mst/boruvka.hpp"
#include "experiments/mst/device_compressed_rows.hpp"

#include <bit>
#include <memory>

namespace warpgraph::experiments {
namespace {

using namespace mst;

/// The bytes of each edge of the returned forest: positions, sorted and unsorted, ends and weights.
constexpr std::size_t bytes_per_edge = 4 * sizeof(edge_t);

__global__ void look_up_positions(const rank_t* ranks, std::int64_t n, const edge_t* position_of,
                                  edge_t* positions) {
  if (const std::int64_t i = cuda::global_index(); i < n) positions[i] = position_of[ranks[i]];
}

cuda::DeviceBuffer<edge_t> positions_of(const rank_t* ranks, std::int64_t n,
                                        const DeviceCompressedRows& rows,
                                        const cuda::Stream& stream) {
  cuda::DeviceBuffer<edge_t> positions(static_cast<std::size_t>(n), stream);
  cuda::launch_for(stream, n, look_up_positions, ranks, n, rows.positions(), positions.data());
  return positions;
}

/// Returns the rows, which the cache keeps apart by the type of weights and the order.
template <class W>
std::shared_ptr<const DeviceCompressedRows> compressed_rows(const CsrView<W>& graph,
                                                            const BoruvkaOptions& options,
                                                            const cuda::Stream& stream) {
  const auto make = [&](const cuda::Stream& on) {
    return DeviceCompressedRows(graph, options.maximum, options.budget, on);
  };
  const std::uint64_t variant = (std::is_floating_point_v<W> ? 4u : 0u) |
                                (sizeof(W) == 8 ? 2u : 0u) | (options.maximum ? 1u : 0u);
  return options.derived != nullptr
             ? options.derived->template get<DeviceCompressedRows>(variant, make)
             : std::make_shared<const DeviceCompressedRows>(make(stream));
}

DeviceBoruvkaTrees grow_trees(MemoryBudget budget, const DeviceCompressedRows& compressed,
                              const cuda::Stream& stream) {
  const RowsView rows = compressed.view();
  const vertex_t n = rows.n_vertices;
  budget.on(stream.device())
      .require("a minimum spanning forest",
               DeviceBoruvkaTrees::bytes(n) + DeviceRowSearch::bytes(n) +
                   static_cast<std::size_t>(n) * bytes_per_edge,
               "clear() graphs that are no longer needed, or use "
               "device=\"cpu\"");
  DeviceBoruvkaTrees trees(n, stream);
  DeviceRowSearch search(rows, stream);
  for (std::int64_t round = 0;; ++round) {
    report_progress(std::min(round, rounds_expected - 1), rounds_expected);
    search.search_along(compressed.heads(), trees, 0, n);
    if (!trees.join()) break;
  }
  report_progress(rounds_expected, rounds_expected);
  return trees;
}

}  // namespace

template <class W>
std::int64_t compressed_boruvka(const CsrView<W>& graph, const BoruvkaOptions& options,
                                edge_t* positions, const cuda::Stream& stream) {
  if (graph.n_arcs == 0) return 0;
  const auto rows = compressed_rows(graph, options, stream);
  const DeviceBoruvkaTrees trees = grow_trees(options.budget, *rows, stream);
  const std::int64_t n = trees.n_chosen();
  const cuda::DeviceBuffer<edge_t> found = positions_of(trees.chosen(), n, *rows, stream);
  if (n == 0) return 0;
  const int bits = std::bit_width(static_cast<std::uint64_t>(graph.n_arcs));
  cuda::sort_keys(found.data(), positions, n, bits, stream);
  return n;
}

template <class W>
SpanningForest<W> compressed_boruvka_to_host(const CsrView<W>& graph, const BoruvkaOptions& options,
                                             const cuda::Stream& stream) {
  if (graph.n_arcs == 0) return {};
  const auto rows = compressed_rows(graph, options, stream);
  const DeviceBoruvkaTrees trees = grow_trees(options.budget, *rows, stream);
  const std::int64_t n = trees.n_chosen();
  const cuda::DeviceBuffer<rank_t> ranks = trees.sorted_ranks();
  const cuda::DeviceBuffer<edge_t> positions = positions_of(ranks.data(), n, *rows, stream);
  return forest_to_host(graph, positions.data(), n, stream);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(compressed_boruvka)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(compressed_boruvka_to_host)

}  // namespace warpgraph::experiments
