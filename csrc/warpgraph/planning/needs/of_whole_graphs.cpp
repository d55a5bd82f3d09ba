#include "algorithms/apsp/apsp.hpp"
#include "algorithms/bottleneck_paths/bottleneck_paths.hpp"
#include "algorithms/connected_components/connected_components.hpp"
#include "algorithms/minimum_arborescence/minimum_arborescence.hpp"
#include "algorithms/mst/mst.hpp"
#include "algorithms/pagerank/pagerank.hpp"
#include "algorithms/steiner_tree/steiner_tree.hpp"
#include "primitives/path_trees/trees.hpp"
#include "warpgraph/planning/needs/planned_call.hpp"

#include <algorithm>
#include <utility>

namespace warpgraph::needs {

Needs of_components(const PlannedCall& call) {
  const vertex_t n = call.shape().n_vertices;
  if (call.plan.method == "strong") return {need_of_strong_components(n)};
  if (!call.on_several()) return {need_of_components(n)};
  return {need_of_components_on_workers(n, call.plan.devices.size())};
}

Needs of_pagerank(const PlannedCall& call) {
  const bool pushes = call.plan.method == "push" && call.plan.otherwise.empty();
  if (pushes) return {need_of_pushes(call.given.shape())};
  if (!call.on_several()) return {need_of_pagerank(call.shape())};
  return {need_of_pagerank_on_workers(call.shape(), call.plan.devices.size())};
}

Needs of_forest(const PlannedCall& call) {
  if (call.on_several()) return {};
  return plan::dispatch(call.request.distances, [&]<class W>() -> Needs {
    MstOptions options;
    options.symmetric = call.given.is_mirrored();
    return {need_of_forest<W>(call.shape(), options)};
  });
}

Needs of_bottlenecks_in_graph(const PlannedCall& call) {
  const vertex_t n = call.shape().n_vertices;
  Needs needs = of_forest(call);
  // The forest may have fewer edges.
  needs.push_back({"", need_of_bottlenecks(n, static_cast<std::size_t>(n)).bytes, ""});
  return needs;
}

Needs of_arborescence(const PlannedCall& call) {
  return plan::dispatch(call.request.distances, [&]<class W>() -> Needs {
    return {need_of_arborescence<W>(call.shape())};
  });
}

Needs of_steiner_tree(const PlannedCall& call) {
  const std::int64_t n_terminals = call.request.n_sources;
  return plan::dispatch(call.request.distances, [&]<class W>() -> Needs {
    const bool has_form = call.facts.makes_undirected || &call.given != &call.searched;
    const bool converts = has_form && !call.given.has_weights<W>();  // beside those of the form
    const std::size_t held =
        converts ? static_cast<std::size_t>(call.facts.given_arcs) * sizeof(W) : 0;
    if (n_terminals < 2) return {{"converting the weights", held, ""}};
    MemoryNeed searching = need_of_search(call, call.plan.method, n_terminals, true);
    CsrPattern joining = call.shape();  // each edge once
    joining.n_arcs = call.facts.given_arcs / (call.given.is_mirrored() ? 2 : 1);
    Needs needs = at_most(held + searching.bytes + most_bytes_of_steiner_tree<W>(joining));
    needs.push_back(need_of_steiner_tree<W>(call.shape()));
    needs.push_back(std::move(searching));
    for (MemoryNeed& need : std::span(needs).subspan(1)) need.bytes += held;
    return needs;
  });
}

namespace {

/// Returns the weights of the caller as type R.
template <class R>
HostVector<R> weights_as(const Graph& graph) {
  return graph.with_type_of_caller([&]<class W>() {
    const CsrView<W> view = graph.view<W>();
    HostVector<R> weights(static_cast<std::size_t>(view.n_arcs));
    std::transform(view.weights, view.weights + view.n_arcs, weights.begin(), [](W weight) {
      return weight == infinity<W>() ? infinity<R>() : static_cast<R>(weight);
    });
    return weights;
  });
}

Needs of_searches_from_all(const PlannedCall& call) {
  plan::Request from_all = call.request;
  from_all.n_sources = call.facts.n_vertices;
  plan::Plan by_search = call.plan;
  by_search.method = call.plan.search;
  return of_many_to_many({call.facts, from_all, call.given, call.searched, call.known, by_search});
}

/// Returns the need of the method on tiles; none on several devices, where it is not known.
template <class R>
Needs of_pivots(const PlannedCall& call) {
  if (call.on_several() || call.facts.n_vertices == 0) return {};
  // The type of the sums, and so the bytes, depends on the weights.
  HostVector<R> weights;
  CsrView<R> graph{call.searched.pattern(), nullptr};
  if (!call.request.unweighted) {
    weights = weights_as<R>(call.searched);
    graph.weights = weights.data();
  }
  return {need_of_pivots<R>(graph, call.request.budget.after(call.plan.bytes_held))};
}

}  // namespace

Needs of_all_pairs(const PlannedCall& call) {
  if (call.plan.method == "many_to_many") return of_searches_from_all(call);
  return plan::dispatch(call.request.distances, [&]<class R>() -> Needs {
    const bool is_naive = call.plan.method == "floyd_warshall_naive";  // in the result's memory
    Needs needs = is_naive ? at_most(0) : of_pivots<R>(call);
    const bool has_trees = call.request.wants_predecessors && !call.plan.has_negative;
    if (!has_trees || needs.empty()) return needs;
    const bool are_exact = call.facts.sums_of_apsp().are_exact;
    auto trees = most_need_of_trees<R>(call.shape(), call.facts.n_vertices, are_exact);
    if (trees) needs.push_back(std::move(*trees));
    return needs;
  });
}

}  // namespace warpgraph::needs
