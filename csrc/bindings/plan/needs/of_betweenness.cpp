#include "algorithms/betweenness/betweenness.hpp"
#include "bindings/plan/needs/planned_call.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/simple_rows.hpp"

#include <algorithm>

namespace warpgraph::needs {
namespace {

/// Returns the need of all threads, with a copy of the graph that has simple rows if one is made;
/// no call is refused for this. On one device, what is asked for first follows, which a call may be
/// refused for. What several devices ask for first is not stated.
template <class W>
Needs of_dependencies(const PlannedCall& call) {
  static const W weight{};
  CsrView<W> graph = call.view<W>();
  if (!call.request.unweighted) graph.weights = &weight;
  BetweennessOptions options;
  options.of_arcs = call.request.of_edges;
  const auto is_mirrored = [] { return false; };  // not called: need_of() ends before
  const SimpleGraph<W> simple{graph, is_mirrored};
  MemoryNeed first = need_of([&] { (void)dependencies_cpu(simple, W{0}, options); }).value();
  const std::int64_t n_threads = std::clamp<std::int64_t>(call.request.n_sources, 1, num_threads());
  std::size_t most = static_cast<std::size_t>(n_threads) * first.bytes;
  // The rows of an undirected form that is not made yet are not known. They have parallel arcs if
  // the graph stores an edge in both directions.
  if (call.facts.makes_undirected || !has_simple_rows(call.searched.pattern())) {
    first = need_of([&] { (void)to_simple_rows(graph); }).value();
    const std::size_t of_an_arc = sizeof(vertex_t) + (call.request.unweighted ? 0 : sizeof(W));
    most += static_cast<std::size_t>(graph.n_arcs) * of_an_arc +
            (static_cast<std::size_t>(graph.n_vertices) + 1) * sizeof(edge_t);
  }
  if (call.on_several()) {
    // Arrays of sums: the result of deal_sources() in betweenness_multi.cpp; and for each device
    // what it returns for a block, and as much again, so that this is an upper bound.
    const edge_t n_sums = options.of_arcs ? graph.n_arcs : edge_t{graph.n_vertices};
    const std::size_t n_arrays = 1 + 2 * call.plan.devices.size();
    return at_most(most + n_arrays * static_cast<std::size_t>(n_sums) * sizeof(FixedPointSum));
  }
  Needs needs = at_most(most);
  needs.push_back(std::move(first));
  return needs;
}

}  // namespace

Needs of_betweenness(const PlannedCall& call) {
  switch (call.request.distances) {
    case plan::Number::float32:
      return of_dependencies<float>(call);
    case plan::Number::float64:
      return of_dependencies<double>(call);
    case plan::Number::int32:
    case plan::Number::int64:
      return of_dependencies<std::int64_t>(call);
  }
  return {};
}

}  // namespace warpgraph::needs
