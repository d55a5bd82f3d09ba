// The memory that hierarchies and queries in them ask for, for plans.
#include "algorithms/hierarchy/bindings/bind_large_weights.hpp"
#include "algorithms/hierarchy/hierarchy_handle.hpp"
#include "bindings/plan/named_facts.hpp"
#include "bindings/plan/needs/planned_call.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <utility>

namespace warpgraph::needs {
namespace {

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
  MemoryNeed query = fact_of<HierarchyHandle&>(call.known, "hierarchy")
                         .visit([&]<class T>(const Hierarchy<T>& kept) {
                           return f.template operator()<T>(kept.n_vertices, kept.n_core);
                         });
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
