// Edge-parallel Bellman-Ford by a team of devices, for bellman_ford_cuda.cu. Each member has the
// edges of a part and an array of all distances. A round:
//
//   relax_frontier   A member relaxes the rows of its own vertices in the frontier, or
//   relax_edges      all its edges. It may lower the distance of any vertex.
//   find_frontier    An owner finds the least distance that members have of each of its vertices,
//                    and writes it to those that have a larger one. What was lowered is the next
//                    frontier. After relax_frontier, it reads only blocks that members have marked.
//
// A barrier of the team follows each. So after a round no distance is larger than one device has
// after as many. Either all members relax all their edges in a round, or none: an edge of a
// symmetric graph is in the list of one owner only. Kernels are those of non-negative weights.
#pragma once

#include "algorithms/sssp/bellman_ford/relax_edges.cuh"
#include "algorithms/sssp/part_rows.cuh"
#include "algorithms/sssp/searches.hpp"
#include "core/interrupt.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace warpgraph::shortest_paths {

template <class W>
class TeamBellmanFord {
 public:
  /// plan_for(device) returns how the edges there are listed.
  template <class PlanFor>
  TeamBellmanFord(const CsrView<W>& graph, const SsspOptions<W>& options, const PlanFor& plan_for,
                  runtime::DeviceTeam& team)
      : graph_(graph), partition_(*options.parts), limit_(options.limit), team_(team) {
    const PartitionView& parts = partition_.parts();
    TeamFrontier all{{}, team.size(), 0};
    replicas_.n = team.size();
    for (int i = 0; i < team.size(); ++i) {
      const cuda::Stream& stream = team.stream(i);
      const PartRows<W>& rows = rows_.emplace_back(partition_, i, graph);
      edges_.push_back(edges_of(i, plan_for(stream.device())));
      distances_.emplace_back(at(graph.n_vertices), stream);
      replicas_.distances[i] = distances_.back().data();
      frontiers_.emplace_back(rows.among_all(), parts.begin(i), parts.end(i), graph.n_arcs, stream);
      all.of[i] = frontiers_.back().view().counts;
      replicas_.marks[i] = frontiers_.back().view().marks;
    }
    all.few_arcs = frontiers_.front().view().all.few_arcs;
    for (Frontier<W>& frontier : frontiers_) frontier.view().all = all;
  }

  /// Fills the host's distances. Returns whether no sum of integers can have overflowed. Waits.
  bool run(vertex_t source, W* distances) {
    const runtime::TeamWait wait(team_);
    team_.for_each([&](int i, const cuda::Stream& stream) {
      cuda::fill(replicas_.distances[i], infinity<W>(), graph_.n_vertices, stream);
      cuda::fill(replicas_.distances[i] + source, W{0}, 1, stream);
    });
    team_.barrier();  // now all distances are set, and all counts, by the constructors
    *last_round_.data() = 0;
    find_next(0);
    team_.end_step("start");
    for (std::int32_t round = 0; *last_round_.data() == round;) {
      for (int i = 0; i < rounds_together; ++i) relax_all(++round);
      team_.stream(0).synchronize();
      poll();
    }
    team_.end_step("rounds");
    return copy_distances(
        team_, partition_, graph_, [&](int i) { return replicas_.distances[i]; }, distances);
  }

  template <class PlanFor>
  static void require_memory(const CsrView<W>& graph, const SsspOptions<W>& options,
                             const PlanFor& plan_for) {
    DevicePartition& partition = *options.parts;
    const auto bytes = [&](int part) {
      const DeviceEdgeListPlan plan = plan_for(partition.devices()[at(part)]);
      const std::size_t bytes_of_search =
          at(graph.n_vertices) * sizeof(W) + Frontier<W>::bytes(graph.n_vertices,
                                                                partition.parts().size(part),
                                                                partition.shape(part).n_arcs);
      const cuda::DerivedCache* const derived = partition.derived_if_copied(part);
      const std::uint64_t variant = plan.variant(graph.weights != nullptr);
      const bool has_list =
          derived != nullptr && derived->template find<DeviceEdgeList<W>>(variant);
      if (has_list) return bytes_of_search;
      CsrView<W> rows = graph;
      rows.n_arcs = partition.shape(part).n_arcs;
      return bytes_of_search + SpreadOffsets::bytes_needed(graph.n_vertices) +
             DeviceEdgeList<W>::bytes_needed(rows, plan);
    };
    partition.require_memory("finding shortest paths by several devices", graph, bytes,
                             options.budget);
  }

 private:
  /// The rounds launched between two looks at last_round_. Rounds after the last return at once.
  static constexpr int rounds_together = 2;

  std::shared_ptr<const DeviceEdgeList<W>> edges_of(int member, const DeviceEdgeListPlan& plan) {
    return partition_.derived(member).template get<DeviceEdgeList<W>>(
        plan.variant(graph_.weights != nullptr), [&](const cuda::Stream& stream) {
          return DeviceEdgeList<W>(rows_[at(member)].among_all(), plan, stream);
        });
  }

  void relax_all(std::int32_t round) const {
    team_.for_each([&](int i, const cuda::Stream& stream) {
      cuda::launch(stream,
                   blocks_for_frontier(stream, relax_frontier<W, true>, partition_.parts().size(i)),
                   queue_threads, 0, relax_frontier<W, true>, view(i), limit_,
                   replicas_.distances[i], round, last_round_.data());
      const DeviceEdgeListView<W> edges = edges_[at(i)]->view();
      if (edges.n_edges == 0) return;
      cuda::launch(stream, relaxation_blocks<W>(stream, kernel, edges.n_edges),
                   cuda::threads_per_block, 0, kernel, edges, limit_, replicas_.distances[i],
                   replicas_.distances[i], view(i).all, round);
    });
    team_.barrier();
    find_next(round);
  }

  void find_next(std::int32_t round) const {
    team_.for_each([&](int i, const cuda::Stream& stream) {
      cuda::launch(stream,
                   blocks_for_frontier(stream, find_frontier<W>, partition_.parts().size(i)),
                   queue_threads, 0, find_frontier<W>, replicas_, view(i), round);
    });
    team_.barrier();
  }

  [[nodiscard]] const FrontierView<W>& view(int member) const {
    return frontiers_[at(member)].view();
  }

  static constexpr EdgeRelaxation<W> kernel = relax_edges<W, true, true>;

  const CsrView<W>& graph_;
  DevicePartition& partition_;
  const W limit_;
  runtime::DeviceTeam& team_;
  std::deque<PartRows<W>> rows_;
  std::vector<std::shared_ptr<const DeviceEdgeList<W>>> edges_;
  std::deque<cuda::DeviceBuffer<W>> distances_;
  std::deque<Frontier<W>> frontiers_;
  const cuda::PinnedBuffer<std::int32_t> last_round_{1};  // kernels write it
  Replicas<W> replicas_{};
};

}  // namespace warpgraph::shortest_paths
