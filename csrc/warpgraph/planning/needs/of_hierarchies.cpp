// The memory that hierarchies and queries in them ask for, for plans.
#include "algorithms/hierarchy/hierarchy.hpp"
#include "core/threads/parallel.hpp"
#include "warpgraph/planning/needs/planned_call.hpp"

#include <algorithm>
#include <utility>

namespace warpgraph::needs {
namespace {

/// Throws std::overflow_error if the call will, for integers that no hierarchy takes. Lack of
/// memory for forms and converted weights comes first. Of an undirected form, it is not known which
/// weights that has.
void refuse_large_weights(const PlannedCall& call) {
  const bool may_be_other = !call.plan.otherwise.empty() || !call.plan.search_otherwise.empty();
  if (call.request.unweighted || call.facts.makes_undirected || may_be_other) return;
  const auto is_there = [&](const MemoryNeed& need) { return call.request.budget.has(need.bytes); };
  if (!call.request.budget.has(call.plan.bytes_held)) return;
  if (!std::ranges::all_of(call.plan.needs_of_form, is_there)) return;
  call.searched.with_type_of_caller(
      [&]<class W>() { warpgraph::refuse_large_weights(call.searched.view<W>()); });
}

/// Returns the need of making the hierarchy.
MemoryNeed need_of_making(const PlannedCall& call) {
  refuse_large_weights(call);
  const bool symmetric = call.facts.makes_undirected ||
                         (call.request.unweighted ? call.searched.has_mirrored_structure()
                                                  : call.searched.is_mirrored());
  return need_of_hierarchy(call.shape(), symmetric);
}

/// Returns two needs. The first is of the hierarchy and a query of each thread; calls run with less
/// memory, too. The second is of the hierarchy, or of one query if the hierarchy is kept. f<T>(n,
/// n_core) returns that of a query in a hierarchy of n vertices. One that is not made has no core.
template <class F>
Needs with_queries(const PlannedCall& call, const F& f) {
  const std::int64_t n_threads = std::clamp<std::int64_t>(call.request.n_sources, 1, num_threads());
  if (!call.facts.has_hierarchy) {
    const MemoryNeed making = need_of_making(call);
    const MemoryNeed query = f.template operator()<std::int64_t>(call.shape().n_vertices, 0);
    return {{"", making.bytes + static_cast<std::size_t>(n_threads) * query.bytes, ""}, making};
  }
  const auto& [distances, n, n_core] = *call.known.hierarchy;
  MemoryNeed query =
      distances == plan::Number::int32   ? f.template operator()<std::int32_t>(n, n_core)
      : distances == plan::Number::int64 ? f.template operator()<std::int64_t>(n, n_core)
                                         : f.template operator()<double>(n, n_core);
  Needs needs = at_most(static_cast<std::size_t>(n_threads) * query.bytes);
  query.bytes *= call.n_shares();
  needs.push_back(std::move(query));
  return needs;
}

}  // namespace

Needs of_sweeps(const PlannedCall& call) {
  return with_queries(call, []<class T>(vertex_t n, vertex_t n_core) {
    return need_of_sweep<T>(std::int64_t{n} + n_core, n);
  });
}

Needs of_paths_in_hierarchy(const PlannedCall& call) {
  return with_queries(
      call, []<class T>(vertex_t n, vertex_t n_core) { return need_of_path_query<T>(n, n_core); });
}

}  // namespace warpgraph::needs
