#include "algorithms/hierarchy/hierarchy_builder.hpp"
#include "algorithms/hierarchy/number_types.hpp"
#include "graph/transform/group_arcs.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <cmath>

namespace warpgraph {
namespace {

using namespace hierarchy_detail;
using shortest_paths::weight_of;

constexpr const char* operation = "building a hierarchy";
constexpr const char* advice = "use another method, such as \"batched\" of many_to_many";

/// Returns whether an arc is used. An arc of infinite float weight never is; every integer is a
/// finite weight.
template <class W>
bool is_usable(W weight) {
  return std::is_integral_v<W> || weight != infinity<W>();
}

/// Calls visit(head, weight) for the usable arcs of v that are not loops.
template <class T, class W, class Visit>
void for_each_usable(const CsrView<W>& graph, vertex_t v, const Visit& visit) {
  for (edge_t e = graph.begin(v); e < graph.end(v); ++e) {
    const W weight = weight_of(graph, e);
    if (graph.heads[e] != v && is_usable(weight)) {
      visit(graph.heads[e], static_cast<T>(weight));
    }
  }
}

/// Returns how many times the initial size rows grow to during contraction: an estimate, since the
/// number of shortcuts is not known before. Roads, of 2.4 to 2.8 arcs a vertex, take less than 3 of
/// any size. Grids, of four, take more the larger they are: 3 on 60 x 60 vertices, 5.0 on 150 x 150
/// and 7.4 on 300 x 300, with random weights.
double growth_of_rows(const CsrPattern& graph) {
  const double n = std::max(2.0, static_cast<double>(graph.n_vertices));
  const double like_a_grid = std::clamp((static_cast<double>(graph.n_arcs) / n - 2) / 2, 0.0, 1.0);
  return std::max(3.5, (1.25 * std::log2(n) - 13) * like_a_grid);
}

/// Returns the need of the rows of the contraction, and of the hierarchy that is made of them.
template <class Edge>
MemoryNeed need_of_contraction(const CsrPattern& graph) {
  using Contraction = VertexContraction<Edge>;
  using W = typename Edge::Weight;
  // With a limit, the MemoryMeter refuses a graph that needs more.
  constexpr std::size_t n_search_graphs = Edge::symmetric ? 1 : 2;  // and edges for an arc
  constexpr std::size_t of_an_arc = n_search_graphs * (sizeof(vertex_t) + sizeof(W));
  const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
  const auto of_rows = static_cast<std::size_t>(growth_of_rows(graph) *
                                                static_cast<double>(n_search_graphs * n_arcs)) *
                       sizeof(Edge);
  const std::size_t of_vertices =
      static_cast<std::size_t>(graph.n_vertices) *
      (Contraction::bytes_per_vertex + 4 * sizeof(vertex_t) + n_search_graphs * sizeof(edge_t));
  const std::size_t of_threads =
      static_cast<std::size_t>(num_threads()) * Contraction::bytes_per_thread_at_most;
  const edge_t n_core = std::min<edge_t>(edge_t{graph.n_vertices} * graph.n_vertices,
                                         small_core_table);  // numbers of its table
  return {operation,
          of_rows + of_vertices + of_threads + (n_arcs + n_arcs / 2) * of_an_arc +
              static_cast<std::size_t>(n_core) * (sizeof(W) + of_an_arc),
          advice};
}

template <class T, class W>
Hierarchy<T> build_symmetric(const CsrView<W>& graph, const HierarchyOptions& options) {
  options.budget.require(need_of_contraction<SymmetricEdge<T>>(graph));
  MemoryMeter meter(operation, options.budget, advice);
  VertexContraction<SymmetricEdge<T>> contraction(graph.n_vertices, meter);
  contraction.load([&](vertex_t v, std::vector<SymmetricEdge<T>>& edges) {
    for_each_usable<T>(graph, v, [&](vertex_t u, T weight) {
      edges.push_back({u, weight, weight});
    });
  });
  contraction.run(options.core_vertices);
  return HierarchyBuilder(contraction, graph.n_vertices, meter).run();
}

/// Returns the transpose of the graph, with its usable arcs only.
template <class T, class W>
Csr<T> incoming_arcs(const CsrView<W>& graph) {
  return group_arcs<T>("transposing the graph", graph.n_vertices, graph.n_arcs,
                       [&](edge_t first, edge_t last, auto&& emit) {
                         for_each_arc(graph, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
                           const W weight = weight_of(graph, e);
                           if (is_usable(weight)) emit(v, u, static_cast<T>(weight));
                         });
                       });
}

template <class T, class W>
Hierarchy<T> build_directed(const CsrView<W>& graph, const HierarchyOptions& options) {
  options.budget.require(need_of_contraction<AsymmetricEdge<T>>(graph));
  MemoryMeter meter(operation, options.budget, advice);
  VertexContraction<AsymmetricEdge<T>> contraction(graph.n_vertices, meter);
  {
    // The arcs are a list, which is freed before the edges are allocated, and grouped by head.
    const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
    const std::size_t list = n_arcs * sizeof(Arc<T>);
    const std::size_t grouped = n_arcs * (sizeof(vertex_t) + sizeof(T)) +
                                static_cast<std::size_t>(graph.n_vertices) * sizeof(edge_t);
    meter.take(list + grouped);
    const Csr<T> incoming = incoming_arcs<T>(graph);
    meter.give_back(list);
    contraction.load([&](vertex_t v, std::vector<AsymmetricEdge<T>>& edges) {
      for_each_usable<T>(graph, v, [&](vertex_t u, T weight) {
        edges.push_back({u, weight, infinity<T>()});
      });
      for_each_usable<T>(incoming.view(), v, [&](vertex_t u, T weight) {
        edges.push_back({u, infinity<T>(), weight});
      });
    });
    meter.give_back(grouped);
  }
  contraction.run(options.core_vertices);
  return HierarchyBuilder(contraction, graph.n_vertices, meter).run();
}

template <class T, class W>
Hierarchy<T> build(const CsrView<W>& graph, const HierarchyOptions& options) {
  return options.symmetric ? build_symmetric<T>(graph, options) : build_directed<T>(graph, options);
}

void check_size(const CsrPattern& graph) {
  EXPECTS(graph.n_vertices < infinity<vertex_t>() / 2, "a hierarchy of ", graph.n_vertices,
          " vertices has more rows than can be numbered; ", advice);
}

}  // namespace

MemoryNeed need_of_hierarchy(const CsrPattern& graph, bool symmetric) {
  check_size(graph);
  return symmetric ? need_of_contraction<SymmetricEdge<std::int64_t>>(graph)
                   : need_of_contraction<AsymmetricEdge<std::int64_t>>(graph);
}

template <class W>
AnyHierarchy build_hierarchy(const CsrView<W>& graph, const HierarchyOptions& options) {
  check_size(graph);
  if (all_weights_integral(graph)) {
    try {
      return to_narrowest_type(build<std::int64_t>(graph, options));
    } catch (const std::overflow_error&) {
      if (std::is_integral_v<W>) throw;
    }
  }
  if constexpr (!std::is_integral_v<W>) return build<double>(graph, options);
  __builtin_unreachable();  // integers are all integral, or have thrown
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(build_hierarchy)

}  // namespace warpgraph
