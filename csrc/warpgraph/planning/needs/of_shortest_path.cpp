// The memory that shortest_path asks for, for plans.
#include "algorithms/shortest_path/shortest_path.hpp"
#include "warpgraph/planning/needs/planned_call.hpp"

#include <algorithm>

namespace warpgraph::needs {
namespace {

/// Returns the need of a search by landmarks, or of finding these, and a search, if they are not
/// kept.
template <class W>
MemoryNeed of_path_by_landmarks(const PlannedCall& call) {
  if (call.facts.has_landmarks) return need_of_search_towards<W>(call.shape());
  const bool symmetric = call.facts.makes_undirected ||
                         (call.request.unweighted ? call.searched.has_mirrored_structure()
                                                  : call.searched.is_mirrored());
  const std::int64_t n_chosen =
      std::min<std::int64_t>(call.request.n_landmarks, call.shape().n_vertices);
  return need_of_landmarks<W>(call.shape(), !call.request.unweighted, symmetric ? 1 : 2, n_chosen);
}

}  // namespace

Needs of_path(const PlannedCall& call) {
  const bool may_be_other = !call.plan.otherwise.empty();
  if (call.plan.method == "hierarchy" && !may_be_other) return of_paths_in_hierarchy(call);
  if (call.plan.method == "dijkstra") return {need_of_search(call, call.plan.search, 1, true)};
  return plan::dispatch(call.request.distances, [&]<class W>() -> Needs {
    if (call.plan.method == "alt") return {of_path_by_landmarks<W>(call)};
    if (call.plan.method == "astar") return {need_of_search_towards<W>(call.shape())};
    return {need_of_shortest_path<W>(call.shape())};
  });
}

}  // namespace warpgraph::needs
