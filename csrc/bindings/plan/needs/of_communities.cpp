#include "algorithms/communities/communities.hpp"
#include "algorithms/core_numbers/core_numbers.hpp"
#include "algorithms/triangles/triangles.hpp"
#include "algorithms/truss_numbers/truss_numbers.hpp"
#include "bindings/plan/needs/planned_call.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/simple_rows.hpp"

#include <algorithm>
#include <utility>

namespace warpgraph::needs {

Needs of_communities(const PlannedCall& call) {
  static const double unread{};
  CsrView<double> graph = call.view<double>();
  if (!call.request.unweighted) graph.weights = &unread;
  MemoryNeed first = need_of([&] { (void)communities_cpu(graph, {}, {}); }).value();
  // Not known before: how much smaller the contracted graph is, and the rows of hubs.
  constexpr std::size_t of_an_arc = 2 * (sizeof(vertex_t) + sizeof(std::int64_t));
  constexpr std::size_t of_a_vertex = 64;
  const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
  const auto n_vertices = static_cast<std::size_t>(graph.n_vertices);
  const std::size_t of_threads =
      static_cast<std::size_t>(num_threads()) * of_a_vertex * std::min(n_vertices, n_arcs);
  Needs needs = at_most(first.bytes + n_arcs * of_an_arc + n_vertices * of_a_vertex + of_threads);
  needs.push_back(std::move(first));
  return needs;
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

Needs of_truss_numbers(const PlannedCall& call) {
  MemoryNeed need = need_of([&] { (void)truss_numbers_cpu(call.shape(), {}); }).value();
  if (!call.facts.makes_undirected && has_simple_rows(call.searched.pattern())) {
    return only(std::move(need));
  }
  const CsrView<float> view{call.shape(), nullptr};
  const MemoryNeed rows = need_of([&] { (void)to_simple_rows(view); }).value();
  Needs needs = at_most(need.bytes + rows.bytes);
  needs.push_back(std::move(need));
  return needs;
}

Needs of_triangles(const PlannedCall& call) {
  return only(need_of([&] { triangles_cpu(call.shape(), {}, {}); }));
}

}  // namespace warpgraph::needs
