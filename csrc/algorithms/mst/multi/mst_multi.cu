// A spanning forest by a team of CUDA devices: team_forest.cuh finds it, team_order.cuh puts it in
// Kruskal's order, and all members copy a part of it to the host.
#include "algorithms/mst/multi/mst_multi.hpp"
#include "algorithms/mst/multi/team_forest.cuh"
#include "algorithms/mst/multi/team_order.cuh"
#include "core/cuda/copies/copy_out.hpp"

namespace warpgraph::mst {
namespace {

template <class W, class WordRank>
std::vector<MemberPositions> find_edges(const std::vector<CsrView<W>>& rows,
                                        const std::vector<edge_t>& first_entries,
                                        const MstOptions& options,
                                        const std::vector<Device>& devices,
                                        runtime::DeviceTeam& team) {
  const std::size_t other_bytes =
      static_cast<std::size_t>(rows.front().n_vertices) * sizeof(edge_t);
  return TeamForest<W, WordRank>(rows, first_entries, options, devices, other_bytes, team).solve();
}

/// Finds the forest's edges with ranks of as few words as possible: see mst_cuda().
template <class W>
std::vector<MemberPositions> find_edges(const std::vector<CsrView<W>>& rows,
                                        const std::vector<edge_t>& first_entries,
                                        const MstOptions& options,
                                        const std::vector<Device>& devices,
                                        runtime::DeviceTeam& team) {
  return for_rank_of<W>(first_entries.back(), [&]<class WordRank>() {
    return find_edges<W, WordRank>(rows, first_entries, options, devices, team);
  });
}

/// Copies the edges of all members to the host. Waits.
template <class W>
SpanningForest<W> to_host(const std::deque<EdgeArrays<W>>& edges, const runtime::DeviceTeam& team) {
  std::size_t n = 0;
  for (const EdgeArrays<W>& part : edges) n += part.positions.size();
  SpanningForest<W> forest{HostVector<vertex_t>(2 * n), HostVector<W>(n), HostVector<edge_t>(n)};
  cuda::CopyOut out;
  std::size_t done = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const EdgeArrays<W>& part = edges[i];
    const cuda::Stream& stream = team.stream(static_cast<int>(i));
    const std::size_t size = part.positions.size();
    out.copy(forest.ends.data() + 2 * done, part.ends.data(), 2 * size, stream);
    out.copy(forest.weights.data() + done, part.weights.data(), size, stream);
    out.copy(forest.positions.data() + done, part.positions.data(), size, stream);
    done += size;
  }
  out.finish();
  return forest;
}

}  // namespace

template <class W>
SpanningForest<W> mst_on_devices(const std::vector<Device>& devices,
                                 const std::vector<edge_t>& first_entries,
                                 const RowsOnDevice<W>& rows_on, const MstOptions& options) {
  if (first_entries.back() == 0) return {};
  std::vector<CsrView<W>> rows;
  for (std::size_t i = 0; i < devices.size(); ++i) rows.push_back(rows_on(devices[i], i));
  runtime::DeviceTeam team(devices);
  const std::vector<MemberPositions> found =
      find_edges(rows, first_entries, options, devices, team);
  const auto ordered =
      TeamOrder<W>(options, devices, team).put_in_order(rows, first_entries, found);
  SpanningForest<W> forest = to_host(ordered, team);
  team.end_step("copy to the host");
  return forest;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_on_devices)

}  // namespace warpgraph::mst
