#include "algorithms/hierarchy/hierarchy_builder.hpp"
#include "algorithms/hierarchy/number_types.hpp"
#include "graph/transform/group_arcs.hpp"
#include "primitives/relaxation/relax.hpp"

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

/// Checks the memory for the rows of the contraction, of which the graph has `bytes_per_arc`.
void require_memory(const CsrPattern& graph, std::size_t bytes_per_arc,
                    const HierarchyOptions& options) {
  // Rows grow during contraction. Grids need three times the initial size, the most of all accepted
  // graphs. With a limit, the MemoryMeter refuses a graph that needs more.
  constexpr std::size_t growth = 3;
  constexpr std::size_t bytes_per_vertex = 64;
  options.budget.require(operation,
                         static_cast<std::size_t>(graph.n_vertices) * bytes_per_vertex +
                             growth * static_cast<std::size_t>(graph.n_arcs) * bytes_per_arc,
                         advice);
}

template <class T, class W>
Hierarchy<T> build_symmetric(const CsrView<W>& graph, const HierarchyOptions& options) {
  require_memory(graph, sizeof(SymmetricEdge<T>), options);
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
  require_memory(graph, 2 * sizeof(AsymmetricEdge<T>), options);
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

}  // namespace

template <class W>
AnyHierarchy build_hierarchy(const CsrView<W>& graph, const HierarchyOptions& options) {
  EXPECTS(graph.n_vertices < infinity<vertex_t>() / 2, "a hierarchy of ", graph.n_vertices,
          " vertices has more rows than can be numbered; ", advice);
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
