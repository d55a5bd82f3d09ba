// The memory that hierarchies and queries in them ask for, for plans.
#include "algorithms/hierarchy/bindings/bind_large_weights.hpp"
#include "algorithms/hierarchy/hierarchy_handle.hpp"
#include "bindings/plan/named_facts.hpp"
#include "bindings/plan/needs/planned_call.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <limits>

namespace warpgraph::needs {
namespace {

/// Returns the need of making the hierarchy.
MemoryNeed need_of_hierarchy(const PlannedCall& call) {
  refuse_large_weights(call);
  HierarchyOptions options;
  options.symmetric = call.facts.makes_undirected ||
                      (call.request.unweighted ? call.searched.has_mirrored_structure()
                                               : call.searched.is_mirrored());
  // Numbers of 64 bits are added, whatever the weights are.
  return need_of([&] { (void)build_hierarchy(call.view<double>(), options); }).value();
}

/// Calls f(hierarchy) with the one that is kept, or one of as many vertices and no arcs.
template <class F>
std::optional<MemoryNeed> of_query(const PlannedCall& call, const F& f) {
  if (call.facts.has_hierarchy) {
    return fact_of<HierarchyHandle&>(call.known, "hierarchy").visit(f);
  }
  Hierarchy<std::int64_t> unmade;
  unmade.n_vertices = call.shape().n_vertices;
  unmade.symmetric = true;
  unmade.down.offsets.assign(static_cast<std::size_t>(unmade.n_vertices) + 1, 0);
  return f(unmade);
}

/// Returns two needs. The first is of the hierarchy and a query of each thread; calls run with less
/// memory, too. The second is of the hierarchy, or of one query if the hierarchy is kept.
Needs with_queries(const PlannedCall& call, const std::optional<MemoryNeed>& query) {
  const MemoryNeed making = call.facts.has_hierarchy ? MemoryNeed{} : need_of_hierarchy(call);
  const std::int64_t n_threads = std::clamp<std::int64_t>(call.request.n_sources, 1, num_threads());
  const std::size_t of_one = query ? query->bytes : 0;
  Needs needs = at_most(making.bytes + static_cast<std::size_t>(n_threads) * of_one);
  if (!making.what.empty()) {
    needs.push_back(making);
  } else if (query) {
    needs.push_back({query->what, query->bytes * call.n_shares(), query->advice});
  }
  return needs;
}

}  // namespace

Needs of_sweeps(const PlannedCall& call) {
  HierarchyQuery<double> query;
  query.sources = unread<vertex_t>(std::max<std::int64_t>(call.request.n_sources, 1));
  return with_queries(call, of_query(call, [&](const auto& hierarchy) {
                        return need_of([&] { sweep_cpu(hierarchy, query, {}); });
                      }));
}

Needs of_paths_in_hierarchy(const PlannedCall& call) {
  ShortestPathSettings limited;  // without a limit, no need would be found for kept arrays
  limited.budget = MemoryBudget({}, MemoryBudget::no_limit / 2);
  return with_queries(call, of_query(call, [&]<class T>(const Hierarchy<T>& hierarchy) {
                        const CsrView<double> graph = call.view<double>();
                        return need_of([&] {
                          PathQueries<T> queries;
                          (void)queries.find(hierarchy, graph, graph, 0, 0, limited);
                        });
                      }));
}

}  // namespace warpgraph::needs
