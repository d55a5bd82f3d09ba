// Cost model. An H200 reads 4.27 TB/s, so one pass over the arcs of rmat 22 (128 million of 8
// bytes) takes at least 0.24 ms, over those of a grid of 4900 x 4900 0.17 ms, of New York's roads
// 0.0014 ms. Looking up the tree of the head of every second arc of rmat 22 is 64 million reads
// from 17 MB: another 0.46 ms at 138 G/s. Measured, from the matrix on the device to the ids on the
// device:
//
//            ny-road   ne-road   grid 2048   grid 4900   ssca2 22   rmat 22   rmat 24
//   int32      0.18      0.35        1.03        5.64       2.83      4.0       16.3   ms
//
// For rmat 22 that is a pass for the light edges (0.7 ms), rounds on those (about 2), labels (0.1),
// a pass for the heavy edges (0.7), rounds on the few of them that join two trees (0.2), and the
// list of ids (0.06). For the northeastern USA's roads (1.5 million vertices, 3.9 million arcs) it
// is two passes for the first round (0.044 ms), labels (0.023), a pass that lists 0.8 million
// candidates (0.044), rounds on those (0.14), the last of them in one block (0.01), and the list of
// ids (0.011): the time is mostly latency of memory and barriers.
#include "algorithms/mst/filter_boruvka/device/pass_plan.cuh"
#include "algorithms/mst/forest_to_host.cuh"
#include "algorithms/mst/kruskals_order.cuh"
#include "algorithms/mst/mst.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"

namespace warpgraph {
namespace {

using namespace mst;

/// The steps of progress: light edges, heavy edges, the order.
constexpr std::int64_t steps_expected = 3;

__global__ void gather(const edge_t* table, edge_t* positions, std::int64_t n) {
  if (const std::int64_t i = cuda::global_index(); i < n) positions[i] = table[positions[i]];
}

template <class Bits, class WordRank>
class FilterBoruvkaSolver {
 public:
  FilterBoruvkaSolver(const KeyedBits<Bits>& graph, const MstOptions& options,
                      const cuda::Stream& stream)
      : graph_(graph),
        stream_(stream),
        plan_(graph.n_vertices, graph.n_arcs, options, FirstRound::on_sparse_graphs),
        has_short_rows_(plan_.is_sparse() && options.symmetric &&
                        options.longest_row <= max_short_row),
        passes_(graph_, {0, graph.n_arcs}, choose_capacity(options.budget), has_short_rows_,
                stream) {
    plan_.use_capacity(passes_.capacity());
  }

  /// Writes the positions of the forest's edges in ascending order, and returns their number.
  std::int64_t solve(edge_t* positions) {
    if (has_short_rows_) {
      passes_.join_nearest_neighbours();
    } else {
      passes_.init_vertices();
      if (plan_.is_sparse()) passes_.run_first_round();
    }
    Rank<Key> begin = graph_.first_rank();
    for (std::int64_t step = 0;; ++step) {
      report_progress(std::min(step, steps_expected - 1), steps_expected);
      const Rank<Key> end = choose_threshold(begin);
      poll();
      passes_.collect_edges(begin, end);
      passes_.join_along_list();
      const bool is_last = !(end < graph_.end_rank());
      if (is_last) passes_.list_positions(0, passes_.n_words(), positions);
      const Counters counters = cuda::read_back(passes_.counters(), stream_);
      const bool all_fitted =
          static_cast<std::int64_t>(counters.state.n_collected) <= passes_.capacity();
      if (all_fitted && is_last) {
        report_progress(steps_expected, steps_expected);
        return static_cast<std::int64_t>(counters.n_chosen);
      }
      passes_.label();
      if (all_fitted) {
        begin = end;
      } else {
        plan_.lower_limit();
      }
    }
  }

 private:
  using Key = Bits;

  [[nodiscard]] std::int64_t choose_capacity(MemoryBudget budget) const {
    return plan_.choose_capacity(
        budget.on(stream_.device()), "a minimum spanning forest",
        DevicePasses<Bits, WordRank>::fixed_bytes(graph_.n_vertices, graph_.n_arcs),
        "clear() graphs that are no longer needed, or use device=\"cpu\"");
  }

  /// Returns the rank before which the pass that starts at `begin` should stop. Waits for the
  /// device.
  Rank<Key> choose_threshold(Rank<Key> begin) {
    if (!plan_.needs_sample()) return graph_.end_rank();
    passes_.sample(begin, n_samples_++);
    const auto sample = passes_.read_sample();
    return plan_.threshold(std::vector(sample->hits, sample->hits + sample->n_hits), sample_size,
                           static_cast<std::int64_t>(sample->n_trees), begin, graph_.end_rank());
  }

  const KeyedBits<Bits> graph_;
  const cuda::Stream& stream_;
  PassPlan<Bits, WordRank> plan_;
  const bool has_short_rows_;
  DevicePasses<Bits, WordRank> passes_;
  std::uint64_t n_samples_ = 0;
};

template <class Bits>
std::int64_t find_positions(const KeyedBits<Bits>& graph, const MstOptions& options,
                            edge_t* positions, const cuda::Stream& stream) {
  if (graph.n_arcs == 0) return 0;
  return for_rank_of<Bits>(graph.n_arcs, [&]<class WordRank>() {
    return FilterBoruvkaSolver<Bits, WordRank>(graph, options, stream).solve(positions);
  });
}

}  // namespace

template <class W>
std::int64_t mst_cuda(const CsrView<W>& graph, const MstOptions& options, edge_t* positions,
                      const cuda::Stream& stream) {
  return find_positions(keyed_bits(graph, options.maximum), options, positions, stream);
}

namespace {

/// The positions of a forest's edges, in Kruskal's order.
struct OrderedPositions {
  std::int64_t n = 0;
  cuda::DeviceBuffer<edge_t> positions;

  template <class Bits>
  OrderedPositions(const KeyedBits<Bits>& graph, const MstOptions& options,
                   const cuda::Stream& stream) {
    const cuda::DeviceBuffer<edge_t> ascending(static_cast<std::size_t>(graph.n_vertices), stream);
    n = find_positions(graph, options, ascending.data(), stream);
    positions = in_kruskals_order(graph, ascending.data(), n, stream);
  }
};

}  // namespace

void gather_on_device(std::span<const edge_t> table, edge_t* positions, std::int64_t n,
                      const cuda::Stream& stream) {
  MemoryBudget(stream.device())
      .require("naming the edges of a spanning forest", table.size_bytes(),
               "clear() graphs that are no longer needed, or leave out out=");
  const cuda::DeviceBuffer<edge_t> device_table = cuda::to_device(table, stream);
  cuda::launch_for(stream, n, gather, device_table.data(), positions, n);
  stream.synchronize();
}

template <class W>
SpanningForest<W> mst_cuda_to_host(const CsrView<W>& graph, const MstOptions& options,
                                   const cuda::Stream& stream) {
  const OrderedPositions found(keyed_bits(graph, options.maximum), options, stream);
  return forest_to_host(graph, found.positions.data(), found.n, stream);
}

template <class W>
FoundForest<W> find_mst_cuda(const CsrView<W>& graph, const MstOptions& options,
                             const cuda::Stream& stream) {
  const OrderedPositions found(keyed_bits(graph, options.maximum), options, stream);
  return found_forest(graph, options, found.positions.data(), found.n, stream);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_cuda)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_cuda_to_host)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(find_mst_cuda)

}  // namespace warpgraph
