#include "algorithms/mst/forest_to_host.cuh"
#include "algorithms/mst/sorted_rows/device_boruvka.hpp"
#include "algorithms/mst/sorted_rows/mst_boruvka.hpp"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/derived_cache.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"

#include <bit>
#include <memory>

namespace warpgraph {
namespace mst {

DeviceBoruvkaTrees grow_trees(const RowsView& rows, const cuda::Stream& stream) {
  DeviceBoruvkaTrees trees(rows.n_vertices, stream);
  DeviceRowSearch search(rows, stream);
  for (std::int64_t round = 0;; ++round) {
    report_progress(std::min(round, rounds_expected - 1), rounds_expected);
    search.search(trees, 0, rows.n_vertices);
    if (!trees.join()) break;
  }
  report_progress(rounds_expected, rounds_expected);
  return trees;
}

}  // namespace mst

namespace {

using namespace mst;

/// The bytes of each edge of the returned forest: positions, sorted and unsorted, ends and weights.
constexpr std::size_t bytes_per_edge = 4 * sizeof(edge_t);

__global__ void look_up_positions(const rank_t* ranks, std::int64_t n, const edge_t* position_of,
                                  edge_t* positions) {
  if (const std::int64_t i = cuda::global_index(); i < n) positions[i] = position_of[ranks[i]];
}

/// Returns a key for the DerivedCache: rows of different orders of edges are cached separately.
template <class W>
std::uint64_t variant_of(const MstOptions& options) {
  return (std::is_floating_point_v<W> ? 4u : 0u) | (sizeof(W) == 8 ? 2u : 0u) |
         (options.maximum ? 1u : 0u);
}

template <class W>
std::shared_ptr<const DevicePreparedRows> prepared_rows(const CsrView<W>& graph,
                                                        const MstOptions& options,
                                                        const cuda::Stream& stream) {
  const auto make = [&](const cuda::Stream& on) {
    return DevicePreparedRows(graph, options.maximum, options.budget, on);
  };
  return options.derived != nullptr
             ? options.derived->template get<DevicePreparedRows>(variant_of<W>(options), make)
             : std::make_shared<const DevicePreparedRows>(make(stream));
}

DeviceBoruvkaTrees grow_trees_within(MemoryBudget budget, const RowsView& rows,
                                     const cuda::Stream& stream) {
  const vertex_t n = rows.n_vertices;
  budget.on(stream.device())
      .require("a minimum spanning forest",
               DeviceBoruvkaTrees::bytes(n) + DeviceRowSearch::bytes(n) +
                   static_cast<std::size_t>(n) * bytes_per_edge,
               "clear() graphs that are no longer needed, or use "
               "device=\"cpu\"");
  return grow_trees(rows, stream);
}

cuda::DeviceBuffer<edge_t> positions_of(const rank_t* ranks, std::int64_t n,
                                        const DevicePreparedRows& rows,
                                        const cuda::Stream& stream) {
  cuda::DeviceBuffer<edge_t> positions(static_cast<std::size_t>(n), stream);
  cuda::launch_for(stream, n, look_up_positions, ranks, n, rows.positions(), positions.data());
  return positions;
}

}  // namespace

template <class W>
bool has_prepared_rows(const MstOptions& options) {
  return options.derived != nullptr &&
         options.derived->template find<DevicePreparedRows>(variant_of<W>(options)) != nullptr;
}

template <class W>
std::int64_t mst_boruvka_cuda(const CsrView<W>& graph, const MstOptions& options, edge_t* positions,
                              const cuda::Stream& stream) {
  if (graph.n_arcs == 0) return 0;
  const std::shared_ptr<const DevicePreparedRows> rows = prepared_rows(graph, options, stream);
  const DeviceBoruvkaTrees trees = grow_trees_within(options.budget, rows->view(), stream);
  const std::int64_t n = trees.n_chosen();
  const cuda::DeviceBuffer<edge_t> found = positions_of(trees.chosen(), n, *rows, stream);
  const int bits = std::bit_width(static_cast<std::uint64_t>(graph.n_arcs));
  if (n == 0) return 0;
  cuda::sort_keys(found.data(), positions, n, bits, stream);
  return n;
}

namespace {

/// Calls f(positions, n) with those of the forest's edges, in Kruskal's order.
template <class Result, class W, class F>
Result with_ordered_positions(const CsrView<W>& graph, const MstOptions& options,
                              const cuda::Stream& stream, F&& f) {
  if (graph.n_arcs == 0) return {};
  const std::shared_ptr<const DevicePreparedRows> rows = prepared_rows(graph, options, stream);
  const DeviceBoruvkaTrees trees = grow_trees_within(options.budget, rows->view(), stream);
  const std::int64_t n = trees.n_chosen();
  const cuda::DeviceBuffer<rank_t> ranks = trees.sorted_ranks();
  const cuda::DeviceBuffer<edge_t> positions = positions_of(ranks.data(), n, *rows, stream);
  return f(positions.data(), n);
}

}  // namespace

template <class W>
SpanningForest<W> mst_boruvka_cuda_to_host(const CsrView<W>& graph, const MstOptions& options,
                                           const cuda::Stream& stream) {
  return with_ordered_positions<SpanningForest<W>>(
      graph, options, stream, [&](const edge_t* positions, std::int64_t n) {
        return forest_to_host(graph, positions, n, stream);
      });
}

template <class W>
FoundForest<W> find_mst_boruvka_cuda(const CsrView<W>& graph, const MstOptions& options,
                                     const cuda::Stream& stream) {
  return with_ordered_positions<FoundForest<W>>(
      graph, options, stream, [&](const edge_t* positions, std::int64_t n) {
        return found_forest(graph, options, positions, n, stream);
      });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(has_prepared_rows)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_boruvka_cuda)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_boruvka_cuda_to_host)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(find_mst_boruvka_cuda)

}  // namespace warpgraph
