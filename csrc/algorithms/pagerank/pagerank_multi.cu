// PageRank on a team of CUDA devices: the memory that each needs, and the sweeps of
// team/team_sweeps.cuh.
#include "algorithms/pagerank/device_parts.hpp"
#include "algorithms/pagerank/team/team_sweeps.cuh"

namespace warpgraph {
namespace pagerank {
namespace {

template <class W>
void require_memory(const CsrView<W>& transposed, const PageRankVectors& vectors,
                    const PageRankOptions& options) {
  const vertex_t n = transposed.n_vertices;
  const DevicePartition& parts = *options.parts;
  // Sums of segments are counted with the classes of rows.
  const auto arrays = arrays_for(n, parts.parts().n_parts, [](int) { return 0; });
  const auto bytes = [&](int part) {
    const CsrPattern rows = parts.shape(part);
    return runtime::TeamArrays<PartArrays>::bytes(part, arrays) +
           GivenVectors::bytes(vectors, at(rows.n_vertices)) +
           SweptParts::bytes_of_part(rows, n, parts.parts().n_parts, !vectors.weight_sums.empty());
  };
  parts.require_memory("PageRank of a part of the graph", transposed, bytes, options.budget);
}

PageRankResult run_on_devices(const DividedGraph& graph, const SweptParts::RowsOf& rows_of,
                              const PageRankVectors& vectors, const PageRankOptions& options,
                              std::span<double> scores) {
  runtime::DeviceTeam team(options.parts->devices());
  const auto parts =
      options.parts->derived_for_all().get<SweptParts>(graph.variant, [&](const cuda::Stream&) {
        return SweptParts(graph.transposed, rows_of, vectors.weight_sums, options,
                          team.shares_memory());
      });
  TeamSweeps sweeps(graph, vectors, options, *parts, team);
  const cuda::MapWhileWaiting pages(scores);
  const Iteration last = sweeps.run();
  sweeps.write_scores(last, scores.data());
  return {last.sweeps, last.change, last.has_converged};
}

}  // namespace
}  // namespace pagerank

template <class W>
PageRankResult pagerank_on_devices(const CsrView<W>& transposed, const PageRankVectors& vectors,
                                   const PageRankOptions& options, PageRankScores scores) {
  using namespace pagerank;
  require_memory(transposed, vectors, options);
  const auto rows_of = [&](int part) { return AnyCsrView(options.parts->rows(part, transposed)); };
  return run_on_devices(DividedGraph(transposed), rows_of, vectors, options, scores.items);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_on_devices)

}  // namespace warpgraph
