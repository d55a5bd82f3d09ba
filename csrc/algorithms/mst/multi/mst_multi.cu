// A spanning forest by a team of CUDA devices: team_forest.cuh finds it, team_order.cuh puts it in
// Kruskal's order, and all members copy a part of it to the host, or to the first of them.
//
// Cost model, for an R-MAT graph of 2^24 vertices, 9 M of them with edges, and 521 M entries of 8
// bytes, on H100s (2.9 TB/s, 50 MB of cache, 70 G reads a second of random words beyond it, 350
// GB/s between two of them). One takes 18.5 ms: 3 for the pass that lists 27 M light edges, 8 for
// rounds on those, 1 for labels, 4.5 for the pass over the heavy edges, 1 for the last rounds. Of
// two, each reads and updates half as much in the passes and rounds. In the first round, 12 bytes a
// vertex move, 0.6 ms, and in later ones little. That makes 11 ms; measured were 12.7, of which
// the passes took 4.5, the rounds 7 and labels 0.8, while first rounds moved more keys. Local
// forests of both halves instead take 11 ms, and their 18 M edges once more 7: such forests have n
// - 1 edges, however few entries a part has.
#include "algorithms/mst/multi/mst_on_devices.hpp"
#include "algorithms/mst/multi/team/team_forest.cuh"
#include "algorithms/mst/multi/team/team_order.cuh"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/cub/as_bits.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/error.hpp"
#include "core/memory/lazy_array.hpp"

namespace warpgraph::mst {
namespace {

template <class Bits, class WordRank>
std::vector<MemberPositions> find_edges(const std::vector<KeyedBits<Bits>>& rows,
                                        const std::vector<edge_t>& first_entries,
                                        const MstOptions& options,
                                        const std::vector<Device>& devices,
                                        runtime::DeviceTeam& team) {
  const std::size_t other_bytes =
      static_cast<std::size_t>(rows.front().n_vertices) * sizeof(edge_t);
  return TeamForest<Bits, WordRank>(rows, first_entries, options, devices, other_bytes, team)
      .solve();
}

/// Finds the forest's edges with ranks of as few words as possible: see mst_cuda().
template <class Bits>
std::vector<MemberPositions> find_edges(const std::vector<KeyedBits<Bits>>& rows,
                                        const std::vector<edge_t>& first_entries,
                                        const MstOptions& options,
                                        const std::vector<Device>& devices,
                                        runtime::DeviceTeam& team) {
  return for_rank_of<Bits>(first_entries.back(), [&]<class WordRank>() {
    return find_edges<Bits, WordRank>(rows, first_entries, options, devices, team);
  });
}

/// Calls copy(stream, edges, number of edges before) for each member.
template <class Bits, class Copy>
void for_each_part(const std::deque<EdgeArrays<Bits>>& edges, const runtime::DeviceTeam& team,
                   const Copy& copy) {
  std::size_t done = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    copy(team.stream(static_cast<int>(i)), edges[i], done);
    done += edges[i].positions.size();
  }
}

/// Copies the edges of all members to the host. Waits.
template <class W>
SpanningForest<W> to_host(const std::deque<EdgeArrays<order_key_t<W>>>& edges, std::size_t n,
                          const runtime::DeviceTeam& team) {
  SpanningForest<W> forest{HostVector<vertex_t>(2 * n), HostVector<W>(n), HostVector<edge_t>(n)};
  cuda::CopyOut out;
  for_each_part(edges, team, [&](const cuda::Stream& stream, const auto& part, std::size_t done) {
    const std::size_t size = part.positions.size();
    out.copy(forest.ends.data() + 2 * done, part.ends.data(), 2 * size, stream);
    out.copy(cuda::as_bits(forest.weights.data()) + done, part.weights.data(), size, stream);
    out.copy(forest.positions.data() + done, part.positions.data(), size, stream);
  });
  out.finish();
  return forest;
}

/// Copies the edges of all members to the first one's device, whose memory all can access. Waits.
template <class W>
DeviceForest<W> to_first(const std::deque<EdgeArrays<order_key_t<W>>>& edges, std::size_t n,
                         const runtime::DeviceTeam& team) {
  const cuda::BorrowedStream kept(team.stream(0).device(), cuda::Lifetime::kept);
  DeviceForest<W> forest{cuda::DeviceBuffer<vertex_t>(2 * n, *kept),
                         cuda::DeviceBuffer<W>(n, *kept), cuda::DeviceBuffer<edge_t>(n, *kept)};
  (*kept).synchronize();
  for_each_part(edges, team, [&](const cuda::Stream& stream, const auto& part, std::size_t done) {
    const std::size_t size = part.positions.size();
    cuda::copy(forest.ends.data() + 2 * done, part.ends.data(), 2 * size, stream);
    cuda::copy(cuda::as_bits(forest.weights.data()) + done, part.weights.data(), size, stream);
    cuda::copy(forest.positions.data() + done, part.positions.data(), size, stream);
  });
  for (int member = 0; member < team.size(); ++member) team.stream(member).synchronize();
  return forest;
}

template <class W>
FoundForest<W> found_forest(const std::deque<EdgeArrays<order_key_t<W>>>& edges,
                            const MstOptions& options, const runtime::DeviceTeam& team) {
  std::size_t n = 0;
  for (const auto& part : edges) n += part.positions.size();
  if (!options.budget.is_limited() && team.shares_memory() &&
      may_stay_on(team.stream(0).device(), n * DeviceForest<W>::bytes_per_edge)) {
    try {
      return to_first<W>(edges, n, team);
    } catch (const OutOfMemory&) {  // the memory is fragmented, or another thread has taken it
    }
  }
  return to_host<W>(edges, n, team);
}

}  // namespace

template <class W>
FoundForest<W> mst_on_devices(const std::vector<Device>& devices,
                              const std::vector<edge_t>& first_entries,
                              const RowsOnDevice<W>& rows_on, const MstOptions& options) {
  if (first_entries.back() == 0) return SpanningForest<W>{};
  std::vector<KeyedBits<order_key_t<W>>> rows;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    rows.push_back(keyed_bits(rows_on(devices[i], i), options.maximum));
  }
  runtime::DeviceTeam team(devices);
  const std::vector<MemberPositions> found =
      find_edges(rows, first_entries, options, devices, team);
  const auto ordered =
      TeamOrder<order_key_t<W>>(options, devices, team).put_in_order(rows, first_entries, found);
  FoundForest<W> forest = found_forest<W>(ordered, options, team);
  team.end_step(std::holds_alternative<SpanningForest<W>>(forest) ? "copy to the host"
                                                                  : "copy to the first device");
  return forest;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_on_devices)

}  // namespace warpgraph::mst
