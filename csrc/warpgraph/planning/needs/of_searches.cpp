#include "algorithms/bfs/bfs.hpp"
#include "algorithms/many_to_many/many_to_many.hpp"
#include "algorithms/nearest_facilities/nearest_facilities.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "algorithms/within/within.hpp"
#include "warpgraph/client.hpp"
#include "warpgraph/planning/needs/memory_needs.hpp"
#include "warpgraph/planning/needs/planned_call.hpp"
#include "warpgraph/run_on.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpgraph::needs {

MemoryNeed need_of_search(const PlannedCall& call, std::string_view method, std::int64_t n_sources,
                          bool has_tree) {
  SsspSettings options;
  options.negative_weights = !call.request.unweighted && call.facts.has_negative();
  if (method == "dijkstra") options.method = SsspMethod::dijkstra;
  if (method == "bellman_ford") options.method = SsspMethod::bellman_ford;
  return plan::dispatch(call.request.distances, [&]<class W>() {
    if (call.on_several()) {
      return need_of_sssp_on_workers<W>(call.shape(), call.plan.devices.size(), has_tree);
    }
    return need_of_sssp<W>(call.shape(), static_cast<std::size_t>(n_sources), options, has_tree);
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
  const CsrPattern graph = call.shape();
  if (call.on_several()) return {need_of_bfs_on_workers(graph, call.plan.devices.size())};
  BfsOptions options;
  options.symmetric = call.plan.is_mirrored;
  if (call.plan.uses_transposed) options.transposed = &graph;
  return {need_of_bfs(graph, options)};
}

Needs of_balls(const PlannedCall& call) {
  return plan::dispatch(call.request.distances, [&]<class W>() -> Needs {
    MemoryNeed need = need_of_ball<W>(call.shape());
    need.bytes *= call.n_shares();
    const bool has_sums = call.request.n_targets >= 0;
    const std::size_t of_lists = has_sums ? 0 : call.n_shares() * bytes_of_first_lists<W>();
    Needs needs = at_most(need.bytes + of_lists);
    needs.push_back(std::move(need));
    return needs;
  });
}

Needs of_facilities(const PlannedCall& call) {
  return plan::dispatch(call.request.distances, [&]<class W>() {
    return Needs{need_of_nearest_facilities<W>(call.shape(), call.request.n_sources)};
  });
}

namespace {

/// Returns a span of so many items, which must not be read.
template <class T>
std::span<const T> unread(std::int64_t n) {
  return {static_cast<const T*>(nullptr), static_cast<std::size_t>(n)};
}

/// The arguments of many_to_many that decide on its memory, which must not be read.
template <class W>
struct SizesOfSearches {
  std::span<const vertex_t> sources;
  ManyToManyOptions<W> options;
  ManyToManyResult<W> result;

  SizesOfSearches(const plan::Request& request, std::string_view method, std::int64_t n_vertices)
      : sources(unread<vertex_t>(request.n_sources)) {
    if (method == "batched") options.method = ManyToManyMethod::batched;
    if (method == "breadth_first") options.method = ManyToManyMethod::breadth_first;
    if (method == "johnson") {
      options.method = ManyToManyMethod::johnson;
      options.potentials = unread<W>(n_vertices);
    }
    if (request.has_limit) options.limit = W{0};
    if (request.n_targets >= 0) options.targets = unread<vertex_t>(request.n_targets);
    static vertex_t tree = no_vertex;
    if (request.wants_predecessors) result.predecessors = &tree;
    result.on_device = request.results_on_device;
  }
};

}  // namespace

/// Returns the need of a search for each thread, for which no call is refused, and that of a single
/// search.
Needs of_many_to_many(const PlannedCall& call) {
  const std::string_view method = call.plan.method;
  if (method == "hierarchy") return of_sweeps(call);
  Needs needs = at_most(call.facts.bytes_of_searches(call.request, method, Device{}));
  if (method == "breadth_first") {
    needs[0].bytes *= call.n_shares();
    return needs;
  }
  return plan::dispatch(call.request.distances, [&]<class W>() {
    const SizesOfSearches<W> sizes(call.request, method, call.facts.n_vertices);
    CsrView<W> graph{call.shape(), nullptr};
    const auto need = [&] {
      return need_of_many_to_many(graph, sizes.sources, sizes.options, sizes.result);
    };
    MemoryNeed one = need();
    if (method == "batched" && call.facts.makes_undirected) {
      // The form that is not made may have a hub, as that in which vertex 0 has all arcs.
      std::vector<edge_t> offsets(static_cast<std::size_t>(graph.n_vertices) + 1, graph.n_arcs);
      offsets[0] = 0;
      graph.offsets = Offsets(offsets.data());
      const std::size_t without = one.bytes;
      one.bytes = std::max(without, need().bytes);
      needs[0].bytes += one.bytes - without;
    }
    if (method == "johnson") {  // a search from all vertices finds their potentials
      const auto n = static_cast<std::size_t>(call.facts.n_vertices);
      needs[0].bytes += n * sizeof(W);
      needs.push_back(need_of_search(call, "bellman_ford", call.facts.n_vertices, false));
      needs.back().bytes += n * sizeof(vertex_t);
      one.bytes += n * sizeof(W);
    }
    one.bytes *= call.n_shares();
    needs.push_back(std::move(one));
    return needs;
  });
}

}  // namespace warpgraph::needs

namespace warpgraph {

std::size_t bytes_of_searches(const Graph& graph, const plan::Request& request,
                              std::string_view method, Device device) {
  return plan::dispatch(request.distances, [&]<class W>() {
    const needs::SizesOfSearches<W> sizes(request, method, graph.shape().n_vertices);
    const auto on_cpu = [&] {
      const CsrView<W> shape{graph.shape(), nullptr};
      return many_to_many_bytes_cpu(shape, sizes.sources, sizes.options, sizes.result);
    };
    return run_as_call([&] {
      return run_on(device, on_cpu, [&](const auto& stream) {
        const CsrView<W> host = host_view<W>(graph, true);
        return many_to_many_bytes_cuda(host, sizes.sources, sizes.options, sizes.result, stream);
      });
    });
  });
}

}  // namespace warpgraph
