#include "algorithms/bfs/bfs.hpp"
#include "algorithms/many_to_many/many_to_many.hpp"
#include "algorithms/nearest_facilities/nearest_facilities.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "algorithms/within/within.hpp"
#include "bindings/plan/named_facts.hpp"
#include "bindings/plan/needs/planned_call.hpp"

#include <algorithm>

namespace warpgraph::needs {

MemoryNeed need_of_search(const PlannedCall& call, std::string_view method, std::int64_t n_sources,
                          bool has_tree) {
  return plan::dispatch(call.request.distances, [&]<class W>() {
    SsspOptions<W> options;
    options.negative_weights = call.plan.has_negative;
    if (method == "dijkstra") options.method = SsspMethod::dijkstra;
    if (method == "bellman_ford") options.method = SsspMethod::bellman_ford;
    vertex_t unused = 0;
    SsspResult<W> result;
    result.predecessors = {&unused, has_tree ? 1U : 0U};
    const auto need = need_of([&] {
      if (call.on_several())
        return sssp_multi(call.view<W>(), 0, call.plan.devices, options, result);
      multi_source_sssp_cpu(call.view<W>(), unread<vertex_t>(n_sources), options, result);
    });
    return need.value();
  });
}

Needs of_search(const PlannedCall& call) {
  return {need_of_search(call, call.plan.method, 1, call.request.wants_predecessors)};
}

Needs of_nearest(const PlannedCall& call) {
  const std::int64_t n_sources = std::max<std::int64_t>(call.request.n_sources, 1);
  return {need_of_search(call, call.plan.method, n_sources, true)};
}

Needs of_bfs(const PlannedCall& call) {
  BfsOptions options;
  options.symmetric = call.plan.is_mirrored;
  const CsrPattern graph = call.shape();
  if (call.plan.uses_transposed) options.transposed = &graph;
  if (!call.on_several()) return only(need_of([&] { bfs_cpu(graph, options, {}, {}); }));
  // Workers ask for the result, too, so that it counts twice.
  const Needs needs = only(need_of([&] { bfs_multi(graph, call.plan.devices, options, {}, {}); }));
  return at_most(needs.at(0).bytes);
}

Needs of_balls(const PlannedCall& call) {
  return plan::dispatch(call.request.distances, [&]<class W>() {
    return only(need_of([&] { within_cpu<W>(call.view<W>(), {}, W{0}, {}); }));
  });
}

Needs of_facilities(const PlannedCall& call) {
  return plan::dispatch(call.request.distances, [&]<class W>() {
    NearestFacilitiesOptions<W> options;
    options.k = call.request.n_sources;
    return only(need_of([&] { nearest_facilities_cpu<W>(call.view<W>(), {}, options, {}); }));
  });
}

/// Returns the need of a search for each thread, for which no call is refused, and that of a single
/// search.
Needs of_many_to_many(const PlannedCall& call) {
  if (call.plan.method == "hierarchy") return of_sweeps(call);
  const auto find = fact_of<py::object>(call.known, "bytes_of_searches");
  Needs needs = at_most(find(call.plan.method, Device{}).cast<std::size_t>());
  const bool is_batched = call.plan.method == "batched";
  if (!is_batched && call.plan.method != "dijkstra") return needs;
  return plan::dispatch(call.request.distances, [&]<class W>() {
    ManyToManyOptions<W> options;
    options.method = is_batched ? ManyToManyMethod::batched : ManyToManyMethod::dijkstra;
    const std::int64_t n_columns = call.request.n_targets;
    if (n_columns >= 0 && n_columns < call.facts.n_vertices) {
      options.targets = unread<vertex_t>(n_columns);
    }
    vertex_t unused = 0;
    ManyToManyResult<W> result;
    if (call.request.wants_predecessors) result.predecessors = &unused;
    const auto sources = unread<vertex_t>(call.request.n_sources);
    const auto one = need_of([&] { many_to_many_cpu(call.view<W>(), sources, options, result); });
    if (one) needs.push_back(*one);
    return needs;
  });
}

}  // namespace warpgraph::needs
