// The memory that shortest_path asks for, for plans.
#include "algorithms/shortest_path/goal_directed.hpp"
#include "algorithms/shortest_path/landmarks.hpp"
#include "algorithms/shortest_path/shortest_path.hpp"
#include "bindings/plan/needs/planned_call.hpp"

namespace warpgraph::needs {
namespace {

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
  if (call.plan.method == "dijkstra") return {need_of_search(call, call.plan.search, 1, true)};
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
