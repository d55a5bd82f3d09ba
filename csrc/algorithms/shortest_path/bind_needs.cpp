// The memory that shortest_path asks for, for plans.
#include "algorithms/shortest_path/goal_directed.hpp"
#include "algorithms/shortest_path/landmarks.hpp"
#include "algorithms/shortest_path/shortest_path.hpp"
#include "bindings/plan/needs/planned_call.hpp"

namespace warpgraph::needs {
namespace {

/// Returns the larger need of a heap and of buckets, which no one is refused for, and the smaller.
Needs of_path_from_one_end(const PlannedCall& call) {
  const bool has_negative = !call.request.unweighted && call.facts.has_negative();
  if (has_negative) return {need_of_search(call, "bellman_ford", 1, true)};
  MemoryNeed less = need_of_search(call, "dijkstra", 1, true);
  MemoryNeed more = need_of_search(call, "delta_stepping", 1, true);
  if (less.bytes > more.bytes) std::swap(less, more);
  Needs needs = at_most(more.bytes);
  needs.push_back(std::move(less));
  return needs;
}

/// Returns the need of a search by landmarks, or of finding these, and a search, if they are not
/// kept.
template <class W>
std::optional<MemoryNeed> of_path_by_landmarks(const PlannedCall& call) {
  const CsrView<W> graph = call.view<W>();
  if (call.facts.has_landmarks) {
    return need_of([&] { shortest_path_by_landmarks(graph, graph, 0, 0, {}, {}); });
  }
  const bool symmetric = call.facts.makes_undirected ||
                         (call.request.unweighted ? call.searched.has_mirrored_structure()
                                                  : call.searched.is_mirrored());
  LandmarkOptions options;
  options.n_chosen = call.request.n_landmarks;
  CsrView<W> weighted = graph;
  const W unread{};
  if (!call.request.unweighted) weighted.weights = &unread;
  return need_of([&] { (void)find_landmarks(weighted, symmetric ? nullptr : &weighted, options); });
}

}  // namespace

Needs of_path(const PlannedCall& call) {
  const bool may_be_other = !call.plan.otherwise.empty();
  if (call.plan.method == "hierarchy" && !may_be_other) return of_paths_in_hierarchy(call);
  if (call.plan.method == "dijkstra") return of_path_from_one_end(call);
  return plan::dispatch(call.request.distances, [&]<class W>() {
    if (call.plan.method == "alt") return only(of_path_by_landmarks<W>(call));
    const CsrView<W> graph = call.view<W>();
    return only(need_of([&] {
      if (call.plan.method == "astar") {
        shortest_path_goal_directed(graph, graph, 0, 0, {}, 0, {});
      } else {
        shortest_path_cpu(graph, graph, 0, 0, {});
      }
    }));
  });
}

}  // namespace warpgraph::needs
