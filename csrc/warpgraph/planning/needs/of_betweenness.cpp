#include "algorithms/betweenness/betweenness.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/simple_rows.hpp"
#include "warpgraph/planning/needs/planned_call.hpp"

#include <algorithm>
#include <utility>

namespace warpgraph::needs {
namespace {

/// Returns the need of all threads, with a copy of the graph that has simple rows if one is made;
/// no call is refused for this. What a call may be refused for follows: the copy, the sums of
/// several devices, and one thread of each of them.
template <class W>
Needs of_dependencies(const PlannedCall& call) {
  const CsrPattern graph = call.shape();
  const bool of_arcs = call.request.of_edges;
  MemoryNeed of_one = need_of_dependencies<W>(graph, !call.request.unweighted, of_arcs);
  Needs needs = at_most(0);
  std::size_t copy = 0;
  if (!will_have_simple_rows(call)) {
    needs.push_back(need_of_simple_rows<W>(graph));
    const std::size_t of_an_arc = sizeof(vertex_t) + (call.request.unweighted ? 0 : sizeof(W));
    copy = static_cast<std::size_t>(graph.n_arcs) * of_an_arc +
           (static_cast<std::size_t>(graph.n_vertices) + 1) * sizeof(edge_t);
  }
  const std::size_t n_devices = call.n_shares();
  std::size_t sums = 0;
  if (call.on_several()) {
    // Arrays of sums: the result of deal_sources() in betweenness_multi.cpp; and for each device
    // what it returns for a block, and as much again, so that this is an upper bound.
    const edge_t n_sums = of_arcs ? graph.n_arcs : edge_t{graph.n_vertices};
    const std::size_t of_array = static_cast<std::size_t>(n_sums) * sizeof(FixedPointSum);
    sums = (1 + 2 * call.plan.devices.size()) * of_array;
    needs.push_back({"storing the sums of all devices",
                     copy + (1 + call.plan.devices.size()) * of_array, "use fewer devices"});
  }
  const std::int64_t n_threads = std::clamp<std::int64_t>(call.request.n_sources, 1, num_threads());
  needs[0].bytes =
      copy + sums + std::max(n_devices, static_cast<std::size_t>(n_threads)) * of_one.bytes;
  of_one.bytes = copy + n_devices * of_one.bytes;
  needs.push_back(std::move(of_one));
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
