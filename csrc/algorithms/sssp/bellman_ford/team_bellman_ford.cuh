// Edge-parallel Bellman-Ford by a team of devices, for bellman_ford_cuda.cu. Each member has the
// edges of a part and an array of all distances. A round:
//
//   relax_edges     A member relaxes its edges. It may lower the distance of any vertex.
//   exchange_least  An owner finds the least distance that members have of each of its vertices.
//                   Those that have a larger one get it, over NVLink. No other member accesses
//                   these distances meanwhile.
//
// A barrier of the team follows each. So after round r each member has distances at most those of
// one device after r rounds. Measured on an R-MAT graph of 2^24 vertices and 2^28 pairs of arcs:
// all rounds of two H100s take 16.9 ms, and those of one 22.4. Not for negative weights.
#pragma once

#include "algorithms/sssp/bellman_ford/relax_edges.cuh"
#include "algorithms/sssp/part_rows.cuh"
#include "algorithms/sssp/searches.hpp"
#include "core/interrupt.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace warpgraph::shortest_paths {

/// The arrays of all members.
template <class W>
struct Replicas {
  PartitionView parts;
  W* distances[most_parts];
  /// The last round in which any member has lowered a distance, as far as this one knows.
  std::int32_t* last_change[most_parts];
};

template <class W>
__global__ void exchange_least(const __grid_constant__ Replicas<W> all, int member,
                               std::int32_t round) {
  __shared__ std::int32_t last_change;
  if (threadIdx.x == 0) {
    last_change = 0;
    for (int k = 0; k < all.parts.n_parts; ++k) {
      const std::int32_t of_member = relaxed_load(*all.last_change[k]);
      if (last_change < of_member) last_change = of_member;
    }
    // Others may read it now; they find the maximum anyway.
    if (blockIdx.x == 0) relaxed_store(*all.last_change[member], last_change);
  }
  __syncthreads();
  if (last_change < round) return;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t end = all.parts.end(member);
  for (std::int64_t v = all.parts.begin(member) + cuda::global_index(); v < end; v += stride) {
    W least = all.distances[0][v];
    std::uint64_t have_more = 0;  // a bit for each member
    for (int k = 1; k < all.parts.n_parts; ++k) {
      const W distance = all.distances[k][v];
      if (distance < least) have_more = (std::uint64_t{1} << k) - 1;
      if (least < distance) have_more |= std::uint64_t{1} << k;
      if (distance < least) least = distance;
    }
    for (; have_more != 0; have_more &= have_more - 1) {
      all.distances[__ffsll(static_cast<long long>(have_more)) - 1][v] = least;
    }
  }
}

template <class W>
class TeamBellmanFord {
 public:
  /// plan_for(device): how its edges are listed.
  template <class PlanFor>
  TeamBellmanFord(const CsrView<W>& graph, const SsspOptions<W>& options, const PlanFor& plan_for,
                  runtime::DeviceTeam& team)
      : graph_(graph), partition_(*options.parts), limit_(options.limit), team_(team) {
    replicas_.parts = partition_.parts();
    for (int i = 0; i < team.size(); ++i) {
      const cuda::Stream& stream = team.stream(i);
      edges_.push_back(edges_of(i, plan_for(stream.device())));
      distances_.emplace_back(static_cast<std::size_t>(graph.n_vertices), stream);
      last_changes_.emplace_back(1, stream);
      replicas_.distances[i] = distances_.back().data();
      replicas_.last_change[i] = last_changes_.back().data();
    }
  }

  /// Fills the host's distances. Returns whether no sum of integers can have overflowed. Waits.
  bool run(vertex_t source, W* distances) {
    const runtime::TeamWait wait(team_);
    for (int i = 0; i < team_.size(); ++i) {
      cuda::fill(replicas_.distances[i], infinity<W>(), graph_.n_vertices, team_.stream(i));
      cuda::fill(replicas_.distances[i] + source, W{0}, 1, team_.stream(i));
      cuda::fill_bytes(replicas_.last_change[i], 0, 1, team_.stream(i));
    }
    team_.barrier();
    team_.end_step("start");
    std::int32_t last_change = 0;
    for (std::int32_t round = 0; last_change == round;) {
      for (int i = 0; i < rounds_together; ++i) relax_all(++round);
      last_change = cuda::read_back(replicas_.last_change[0], team_.stream(0));
      poll();
    }
    team_.end_step("rounds");
    const auto distances_of = [&](int i) { return replicas_.distances[i]; };
    runtime::collect_parts<W>(team_, partition_.parts(), distances_of, distances);
    team_.end_step("copy to the host");
    return fit_with_weights(team_, partition_, graph_, distances_of);
  }

  template <class PlanFor>
  static void require_memory(const CsrView<W>& graph, const SsspOptions<W>& options,
                             const PlanFor& plan_for) {
    DevicePartition& partition = *options.parts;
    const auto bytes = [&](int part) {
      const DeviceEdgeListPlan plan = plan_for(partition.devices()[static_cast<std::size_t>(part)]);
      const std::size_t bytes_of_search = static_cast<std::size_t>(graph.n_vertices) * sizeof(W);
      const cuda::DerivedCache* const derived = partition.derived_if_copied(part);
      const std::uint64_t variant = plan.variant(graph.weights != nullptr);
      if (derived != nullptr && derived->template find<DeviceEdgeList<W>>(variant)) {
        return bytes_of_search;
      }
      CsrView<W> rows = graph;
      rows.n_arcs = partition.shape(part).n_arcs;
      return bytes_of_search + SpreadOffsets::bytes_needed(graph.n_vertices) +
             DeviceEdgeList<W>::bytes_needed(rows, plan);
    };
    partition.require_memory("finding shortest paths by several devices", graph, bytes,
                             options.memory_limit);
  }

 private:
  /// Between two looks at the last change. Rounds are few, and one after the last change returns at
  /// once.
  static constexpr int rounds_together = 2;

  std::shared_ptr<const DeviceEdgeList<W>> edges_of(int member, const DeviceEdgeListPlan& plan) {
    const PartRows<W> rows(partition_, member, graph_);
    return partition_.derived(member).template get<DeviceEdgeList<W>>(
        plan.variant(graph_.weights != nullptr), [&](const cuda::Stream& stream) {
          return DeviceEdgeList<W>(rows.among_all(), plan, stream);
        });
  }

  void relax_all(std::int32_t round) const {
    for (int i = 0; i < team_.size(); ++i) {
      const cuda::Stream& stream = team_.stream(i);
      const DeviceEdgeListView<W> edges = edges_[static_cast<std::size_t>(i)]->view();
      if (edges.n_edges == 0) continue;
      cuda::launch(stream, relaxation_blocks<W>(stream, kernel, edges.n_edges),
                   cuda::threads_per_block, 0, kernel, edges, limit_, replicas_.distances[i],
                   replicas_.distances[i], round, replicas_.last_change[i]);
    }
    team_.barrier();
    for (int i = 0; i < team_.size(); ++i) {
      const cuda::Stream& stream = team_.stream(i);
      const std::int64_t blocks =
          std::clamp<std::int64_t>(partition_.parts().size(i) / cuda::threads_per_block, 1,
                                   8 * cuda::multiprocessors(stream));
      cuda::launch(stream, blocks, cuda::threads_per_block, 0, exchange_least<W>, replicas_, i,
                   round);
    }
    team_.barrier();
  }

  static constexpr EdgeRelaxation<W> kernel = relax_edges<W, true, true>;

  const CsrView<W>& graph_;
  DevicePartition& partition_;
  const W limit_;
  runtime::DeviceTeam& team_;
  std::vector<std::shared_ptr<const DeviceEdgeList<W>>> edges_;
  std::deque<cuda::DeviceBuffer<W>> distances_;
  std::deque<cuda::DeviceBuffer<std::int32_t>> last_changes_;
  Replicas<W> replicas_{};
};

}  // namespace warpgraph::shortest_paths
