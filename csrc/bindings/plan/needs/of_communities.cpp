#include "algorithms/communities/communities.hpp"
#include "algorithms/core_numbers/core_numbers.hpp"
#include "algorithms/triangles/triangles.hpp"
#include "bindings/plan/needs/planned_call.hpp"
#include "graph/transform/simple_rows.hpp"

namespace warpgraph::needs {

Needs of_communities(const PlannedCall& call) {
  static const double unread{};
  CsrView<double> graph = call.view<double>();
  if (!call.request.unweighted) graph.weights = &unread;
  // Contracted graphs are as large as the graph at most, and usually much smaller.
  return only(need_of([&] { (void)communities_cpu(graph, {}, {}); }));
}

Needs of_core_numbers(const PlannedCall& call) {
  const CsrPattern graph = call.shape();
  MemoryNeed need = need_of([&] { core_numbers_cpu(graph, {}, {}); }).value();
  if (!call.facts.makes_undirected && has_simple_rows(call.searched.pattern())) {
    return only(std::move(need));
  }
  const CsrView<float> view{graph, nullptr};
  const MemoryNeed rows = need_of([&] { (void)to_simple_rows(view); }).value();
  Needs needs = at_most(need.bytes + rows.bytes);
  needs.push_back(std::move(need));
  return needs;
}

Needs of_triangles(const PlannedCall& call) {
  return only(need_of([&] { triangles_cpu(call.shape(), {}, {}); }));
}

}  // namespace warpgraph::needs
