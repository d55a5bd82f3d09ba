#include "bindings/plan/memory_needs.hpp"

#include "algorithms/apsp/apsp.hpp"
#include "algorithms/betweenness/betweenness.hpp"
#include "algorithms/bfs/bfs.hpp"
#include "algorithms/connected_components/connected_components.hpp"
#include "algorithms/emst/emst.hpp"
#include "algorithms/kmeans/kmeans.hpp"
#include "algorithms/many_to_many/many_to_many.hpp"
#include "algorithms/mst/mst.hpp"
#include "algorithms/nearest_facilities/nearest_facilities.hpp"
#include "algorithms/pagerank/pagerank.hpp"
#include "algorithms/shortest_path/shortest_path.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "algorithms/within/within.hpp"
#include "bindings/call.hpp"
#include "bindings/plan/named_facts.hpp"
#include "core/memory_need.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "graph/transform/simple_rows.hpp"
#include "graph/upper_triangle.hpp"

#include <algorithm>
#include <array>

namespace warpgraph {
namespace {

using plan::Facts;
using plan::Plan;
using plan::Request;
using Needs = std::vector<MemoryNeed>;

/// A graph and a plan, of which algorithms read no more than sizes before they ask for memory.
struct Planned {
  const Facts& facts;
  const Request& request;
  GraphHandle& given;
  GraphHandle& searched;  // the same, where the form that is searched must be made
  const py::dict& known;
  const Plan& plan;

  /// Returns the sizes of the form that is searched.
  [[nodiscard]] CsrPattern shape() const {
    CsrPattern pattern = searched.shape();
    pattern.n_arcs = facts.n_arcs;
    return pattern;
  }
  template <class W>
  [[nodiscard]] CsrView<W> view() const {
    return {shape(), nullptr};
  }
  [[nodiscard]] bool on_several() const { return plan.devices.size() > 1; }
};

/// A span of so many items, which must not be read.
template <class T>
std::span<const T> unread(std::int64_t n) {
  static const T item{};
  return {&item, static_cast<std::size_t>(n)};
}

Needs only(std::optional<MemoryNeed> need) {
  Needs needs;
  if (need) needs.push_back(std::move(*need));
  return needs;
}

/// Returns a need that no one is refused for: the algorithm does with less.
Needs at_most(std::size_t bytes) { return {{"", bytes, ""}}; }

Needs of_search(const Planned& call) {
  return plan::dispatch(call.request.distances, [&]<class W>() {
    SsspOptions<W> options;
    options.negative_weights = call.plan.has_negative;
    if (call.plan.method == "dijkstra") options.method = SsspMethod::dijkstra;
    if (call.plan.method == "bellman_ford") options.method = SsspMethod::bellman_ford;
    vertex_t unused = 0;
    SsspResult<W> result;
    result.predecessors = {&unused, call.request.wants_predecessors ? 1U : 0U};
    return only(need_of([&] {
      if (call.on_several())
        return sssp_multi(call.view<W>(), 0, call.plan.devices, options, result);
      multi_source_sssp_cpu(call.view<W>(), unread<vertex_t>(1), options, result);
    }));
  });
}

Needs of_nearest(const Planned& call) {
  return plan::dispatch(call.request.distances, [&]<class W>() {
    SsspOptions<W> options;
    options.negative_weights = call.plan.has_negative;
    if (call.plan.method == "dijkstra") options.method = SsspMethod::dijkstra;
    if (call.plan.method == "bellman_ford") options.method = SsspMethod::bellman_ford;
    vertex_t unused = 0;
    const SsspResult<W> result{.distances = {}, .predecessors = {&unused, 1}};
    const auto sources = unread<vertex_t>(std::max<std::int64_t>(call.request.n_sources, 1));
    return only(need_of([&] { multi_source_sssp_cpu(call.view<W>(), sources, options, result); }));
  });
}

/// Returns the larger need of a heap and of buckets, which no one is refused for, and the smaller.
Needs of_path_from_one_end(const Planned& call) {
  Request request = call.request;
  request.wants_predecessors = true;
  const auto by = [&](std::string_view method) {
    Plan plan = call.plan;
    plan.method = method;
    const Planned search{call.facts, request, call.given, call.searched, call.known, plan};
    return of_search(search).at(0);
  };
  MemoryNeed less = by("dijkstra");
  MemoryNeed more = by("delta_stepping");
  if (less.bytes > more.bytes) std::swap(less, more);
  Needs needs = at_most(more.bytes);
  needs.push_back(std::move(less));
  return needs;
}

Needs of_bfs(const Planned& call) {
  BfsOptions options;
  options.symmetric = call.plan.is_mirrored;
  const CsrPattern graph = call.shape();
  if (call.plan.uses_transposed) options.transposed = &graph;
  if (!call.on_several()) return only(need_of([&] { bfs_cpu(graph, options, {}, {}); }));
  // Workers ask for the result, too, so that it counts twice.
  const Needs needs = only(need_of([&] { bfs_multi(graph, call.plan.devices, options, {}, {}); }));
  return at_most(needs.at(0).bytes);
}

Needs of_components(const Planned& call) {
  const CsrPattern graph = call.shape();
  return only(need_of([&] {
    if (call.plan.method == "strong") {
      strong_components_cpu(graph, {});
    } else if (call.on_several()) {
      connected_components_multi(graph, call.plan.is_mirrored, 0, call.plan.devices, {});
    } else {
      connected_components_cpu(graph, call.plan.is_mirrored, {});
    }
  }));
}

Needs of_pagerank(const Planned& call) {
  if (call.plan.method == "push" && call.plan.otherwise.empty()) return {};
  static const float unread{};
  const CsrView<float> graph{call.shape(), &unread};
  return only(need_of([&] {
    if (call.on_several()) {
      pagerank_multi(graph, {}, {}, {}, call.plan.devices);
    } else {
      pagerank_cpu(graph, {}, {}, {});
    }
  }));
}

Needs of_forest(const Planned& call) {
  if (call.on_several()) return {};
  return plan::dispatch(call.request.distances, [&]<class W>() {
    MstOptions options;
    options.symmetric = call.given.is_mirrored();
    return only(need_of([&] { mst_cpu(call.view<W>(), options); }));
  });
}

Needs of_path(const Planned& call) {
  if (call.plan.method == "hierarchy" && call.plan.otherwise.empty()) return {};
  if (call.plan.method == "dijkstra") return of_path_from_one_end(call);
  return plan::dispatch(call.request.distances, [&]<class W>() {
    const CsrView<W> graph = call.view<W>();
    return only(need_of([&] { shortest_path_cpu(graph, graph, 0, 0, {}); }));
  });
}

Needs of_balls(const Planned& call) {
  return plan::dispatch(call.request.distances, [&]<class W>() {
    return only(need_of([&] { within_cpu<W>(call.view<W>(), {}, W{0}, {}); }));
  });
}

Needs of_facilities(const Planned& call) {
  return plan::dispatch(call.request.distances, [&]<class W>() {
    NearestFacilitiesOptions<W> options;
    options.k = call.request.n_sources;
    return only(need_of([&] { nearest_facilities_cpu<W>(call.view<W>(), {}, options, {}); }));
  });
}

Needs of_betweenness(const Planned& call) {
  const auto find = [&]<class W>() {
    static const W unread{};
    CsrView<W> graph = call.view<W>();
    if (!call.request.unweighted) graph.weights = &unread;
    const BetweennessOptions options;
    const std::string_view what =
        has_simple_rows(call.given.pattern()) ? "betweenness centrality" : "";
    return only(need_of(
        [&] {
          if (call.request.of_edges) {
            edge_betweenness_cpu<W>(graph, graph, W{0}, options, {});
          } else {
            betweenness_cpu<W>(graph, W{0}, options, {});
          }
        },
        what));
  };
  switch (call.request.distances) {
    case plan::Number::float32:
      return find.operator()<float>();
    case plan::Number::float64:
      return find.operator()<double>();
    case plan::Number::int32:
    case plan::Number::int64:
      return find.operator()<std::int64_t>();
  }
  return {};
}

/// Returns the need of one for each thread, which no one is refused for, and that of one search.
Needs of_many_to_many(const Planned& call) {
  if (call.plan.method == "hierarchy") return {};
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

/// Returns the weights of the caller as type R.
template <class R>
HostVector<R> weights_as(const GraphHandle& graph) {
  return dispatch_weight(graph.dtype_of_caller(), [&]<class W>() {
    const CsrView<W> view = graph.view<W>();
    HostVector<R> weights(static_cast<std::size_t>(view.n_arcs));
    std::transform(view.weights, view.weights + view.n_arcs, weights.begin(), [](W weight) {
      return weight == infinity<W>() ? infinity<R>() : static_cast<R>(weight);
    });
    return weights;
  });
}

Needs of_all_pairs(const Planned& call) {
  return plan::dispatch(call.request.distances, [&]<class R>() -> Needs {
    if (call.plan.method == "many_to_many") {
      ManyToManyResult<R> result;
      vertex_t unused = 0;
      if (call.request.wants_predecessors) result.predecessors = &unused;
      const CsrView<R> graph = call.view<R>();
      const auto sources = unread<vertex_t>(graph.n_vertices);
      return at_most(many_to_many_bytes_cpu<R>(graph, sources, {}, result));
    }
    if (call.on_several() || call.plan.method != "floyd_warshall") return {};
    // The type of the sums, and so the bytes, depends on the weights.
    HostVector<R> weights;
    CsrView<R> graph{call.searched.pattern(), nullptr};
    if (!call.request.unweighted) {
      weights = weights_as<R>(call.searched);
      graph.weights = weights.data();
    }
    ApspOptions options;  // with little memory, the sums take that of the result
    options.memory_limit = left_of_limit(call.request.memory_limit, weights.size() * sizeof(R));
    return only(need_of([&] { apsp_cpu<R>(graph, options, {}); },
                        "the matrix of all pairs' distances in the making"));
  });
}

struct NeedsOfGraph {
  std::string_view algorithm;
  Needs (*find)(const Planned& call);
};

constexpr std::array needs_of_graphs{
    NeedsOfGraph{"accessibility", of_balls},
    NeedsOfGraph{"apsp", of_all_pairs},
    NeedsOfGraph{"betweenness", of_betweenness},
    NeedsOfGraph{"bfs", of_bfs},
    NeedsOfGraph{"connected_components", of_components},
    NeedsOfGraph{"many_to_many", of_many_to_many},
    NeedsOfGraph{"minimum_spanning_forest", of_forest},
    NeedsOfGraph{"nearest", of_nearest},
    NeedsOfGraph{"nearest_facilities", of_facilities},
    NeedsOfGraph{"pagerank", of_pagerank},
    NeedsOfGraph{"shortest_path", of_path},
    NeedsOfGraph{"shortest_paths", of_path},
    NeedsOfGraph{"sssp", of_search},
    NeedsOfGraph{"within", of_balls},
};

template <class T>
Needs of_kmeans(const Facts& facts) {
  const WeightedPoints<T> points(
      PointsView<T>{nullptr, static_cast<vertex_t>(facts.n_vertices), facts.n_dimensions});
  const auto n_centres = static_cast<vertex_t>(facts.n_centres);
  const MemoryBudget budget(Device{});
  Needs needs;
  if (facts.n_uniforms > 0) {
    const auto uniforms = unread<double>(facts.n_uniforms);
    needs = only(need_of([&] { (void)plus_plus_points(points, n_centres, uniforms, budget); }));
  }
  const auto start = unread<T>(facts.n_centres * facts.n_dimensions);
  std::ranges::move(only(need_of([&] { kmeans_cpu(points, start, {}, budget); })),
                    std::back_inserter(needs));
  return needs;
}

template <class T>
Needs of_tree(const Facts& facts) {
  const PointsView<T> points{nullptr, static_cast<vertex_t>(facts.n_vertices), facts.n_dimensions};
  const EmstOptions options{static_cast<std::int32_t>(facts.min_samples), facts.alpha};
  return only(need_of([&] { emst_cpu(points, options, MemoryBudget(Device{})); }));
}

std::size_t bytes_of_offsets(const CsrPattern& graph) {
  return (static_cast<std::size_t>(graph.n_vertices) + 1) * sizeof(edge_t);
}

/// Returns the need of grouping so many arcs into rows, with weights of type W.
template <class W>
MemoryNeed need_of_grouping(CsrPattern graph, std::int64_t n_arcs) {
  graph.n_arcs = n_arcs;
  return need_of([&] { (void)transpose(CsrView<W>{graph, nullptr}, 0); }).value();
}

template <class W>
plan::NeedsOfForm needs_both_ways(const CsrPattern& graph) {
  const auto first = need_of([&] { (void)symmetrise(CsrView<W>{graph, nullptr}, 0); });
  // The number of arcs is not known before, but it is at most twice that of the graph.
  const edge_t n_arcs = 2 * graph.n_arcs;
  return {
      {first.value(), {"", need_of_grouping<W>(graph, n_arcs).bytes, ""}},
      static_cast<std::size_t>(n_arcs) * (sizeof(vertex_t) + sizeof(W)) + bytes_of_offsets(graph)};
}

template <class W>
plan::NeedsOfForm needs_transposed(const CsrPattern& graph) {
  return {{need_of_grouping<W>(graph, graph.n_arcs)},
          static_cast<std::size_t>(graph.n_arcs) * (sizeof(vertex_t) + sizeof(W)) +
              bytes_of_offsets(graph)};
}

template <class W>
plan::NeedsOfForm needs_of_upper_triangle(const CsrPattern& graph) {
  const auto first = need_of([&] { (void)upper_triangle(CsrView<W>{graph, nullptr}, 0); });
  const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
  const std::size_t grouping = need_of_grouping<std::int64_t>(graph, graph.n_arcs).bytes;
  return {{first.value(), {"", grouping + n_arcs * sizeof(W), ""}},
          n_arcs * (sizeof(vertex_t) + sizeof(edge_t) + sizeof(W)) + bytes_of_offsets(graph)};
}

}  // namespace

std::function<plan::NeedsOfForm(plan::Form form)> needs_of_form(const Facts& facts,
                                                                GraphHandle* given) {
  using plan::Form;
  return [&facts, given](Form form) -> plan::NeedsOfForm {
    if (given == nullptr) return {};
    const CsrPattern& graph = given->pattern();
    return dispatch_weight(given->dtype_of_caller(), [&]<class W>() -> plan::NeedsOfForm {
      if (facts.makes_undirected) return needs_both_ways<W>(graph);
      if (form == Form::transposed) return needs_transposed<W>(graph);
      const bool makes_upper = form == Form::upper_triangle && !facts.has_upper_triangle &&
                               !given->is_mirrored() && has_lower_triangle(graph);
      return makes_upper ? needs_of_upper_triangle<W>(graph) : plan::NeedsOfForm{};
    });
  };
}

NeedsOfPlan needs_of_graph(std::string_view algorithm, const Facts& facts, const Request& request,
                           GraphHandle& given, GraphHandle* form, const py::dict& known) {
  const auto found = std::ranges::find(needs_of_graphs, algorithm, &NeedsOfGraph::algorithm);
  if (found == needs_of_graphs.end()) return [](const Plan&) { return Needs{}; };
  GraphHandle& searched = form == nullptr ? given : *form;
  return [&facts, &request, &given, &searched, &known, find = found->find](const Plan& plan) {
    return find({facts, request, given, searched, known, plan});
  };
}

NeedsOfPlan needs_of_points(std::string_view algorithm, const Facts& facts,
                            const Request& request) {
  const bool is_tree = algorithm == "euclidean_mst";
  if (!is_tree && algorithm != "kmeans") return [](const Plan&) { return Needs{}; };
  return [&facts, is_tree, is_single = request.distances == plan::Number::float32](const Plan&) {
    if (is_tree) return is_single ? of_tree<float>(facts) : of_tree<double>(facts);
    return is_single ? of_kmeans<float>(facts) : of_kmeans<double>(facts);
  };
}

}  // namespace warpgraph
