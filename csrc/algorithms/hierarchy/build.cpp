#include "algorithms/hierarchy/arrange.hpp"
#include "algorithms/hierarchy/chains.hpp"
#include "graph/group_arcs.hpp"

namespace warpgraph {
namespace {

using namespace hierarchy_steps;

constexpr const char* way_out = "use method=\"batched\"";

/// Beyond these not every integer is a double.
constexpr double most_exact = 9007199254740992.0;

template <class W>
W weight_of(const CsrView<W>& graph, edge_t arc) {
  return graph.weights != nullptr ? graph.weights[arc] : W{1};
}

template <class W>
bool has_integers(const CsrView<W>& graph) {
  if (std::is_integral_v<W> || graph.weights == nullptr) return true;
  return parallel_find_first(graph.n_arcs, [&](std::int64_t e) {
           const auto weight = static_cast<double>(graph.weights[e]);
           return (weight != std::nearbyint(weight) || weight > most_exact) &&
                  weight != infinity<double>();
         }) == graph.n_arcs;
}

/// Calls visit(head, weight) for the arcs of v that lead anywhere.
template <class T, class W, class Visit>
void for_each_usable(const CsrView<W>& graph, vertex_t v, const Visit& visit) {
  for (edge_t e = graph.begin(v); e < graph.end(v); ++e) {
    const W weight = weight_of(graph, e);
    if (graph.heads[e] != v && weight != infinity<W>()) {
      visit(graph.heads[e], static_cast<T>(weight));
    }
  }
}

template <class T, class W>
void require_memory(const CsrView<W>& graph, const HierarchyOptions& options) {
  // Rows grow while vertices are contracted; three times what the graph has to begin with is what
  // grids need, the widest of the graphs that are accepted.
  constexpr std::size_t growth = 3;
  const std::size_t a_link = options.symmetric ? sizeof(EqualLink<T>) : 2 * sizeof(TwoWayLink<T>);
  constexpr std::size_t a_vertex = 64;
  MemoryBudget({}, options.memory_limit)
      .require("building a hierarchy",
               static_cast<std::size_t>(graph.n_vertices) * a_vertex +
                   growth * static_cast<std::size_t>(graph.n_arcs) * a_link,
               way_out);
}

template <class T, class W>
Hierarchy<T> build_symmetric(const CsrView<W>& graph, const HierarchyOptions& options) {
  Contraction<EqualLink<T>> contraction(graph.n_vertices);
  contraction.load([&](vertex_t v, std::vector<EqualLink<T>>& links) {
    for_each_usable<T>(graph, v, [&](vertex_t u, T weight) {
      links.push_back({u, weight, weight});
    });
  });
  contraction.run(options.core_vertices);
  return Arranger(contraction, graph.n_vertices).run(options.memory_limit);
}

/// The arcs that lead anywhere, turned round.
template <class T, class W>
Csr<T> incoming_arcs(const CsrView<W>& graph) {
  return group_arcs<T>("turning the graph round", graph.n_vertices, graph.n_arcs,
                       [&](edge_t first, edge_t last, auto&& emit) {
                         for_each_arc(graph, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
                           const W weight = weight_of(graph, e);
                           if (weight != infinity<W>()) emit(v, u, static_cast<T>(weight));
                         });
                       });
}

template <class T, class W>
Hierarchy<T> build_directed(const CsrView<W>& graph, const HierarchyOptions& options) {
  Contraction<TwoWayLink<T>> contraction(graph.n_vertices);
  {
    const Csr<T> incoming = incoming_arcs<T>(graph);
    contraction.load([&](vertex_t v, std::vector<TwoWayLink<T>>& links) {
      for_each_usable<T>(graph, v, [&](vertex_t u, T weight) {
        links.push_back({u, weight, infinity<T>()});
      });
      for_each_usable<T>(incoming.view(), v, [&](vertex_t u, T weight) {
        links.push_back({u, infinity<T>(), weight});
      });
    });
  }
  contraction.run(options.core_vertices);
  return Arranger(contraction, graph.n_vertices).run(options.memory_limit);
}

template <class T, class W>
Hierarchy<T> build(const CsrView<W>& graph, const HierarchyOptions& options) {
  require_memory<T>(graph, options);
  return options.symmetric ? build_symmetric<T>(graph, options) : build_directed<T>(graph, options);
}

Ladder<std::int32_t> narrowed(Ladder<std::int64_t>&& wide) {
  Ladder<std::int32_t> narrow;
  narrow.offsets = std::move(wide.offsets);
  narrow.heads = std::move(wide.heads);
  narrow.weights.resize(wide.weights.size());
  parallel_for(static_cast<std::int64_t>(wide.weights.size()), [&](std::int64_t e) {
    const auto i = static_cast<std::size_t>(e);
    narrow.weights[i] = static_cast<std::int32_t>(wide.weights[i]);
  });
  return narrow;
}

/// In 32 bits, if all sums fit.
AnyHierarchy in_fewest_bits(Hierarchy<std::int64_t>&& wide) {
  const std::int64_t largest = largest_sum(wide);
  if (largest >= unreached<std::int64_t>()) {
    throw std::overflow_error(too_heavy);
  }
  if (largest >= unreached<std::int32_t>()) return std::move(wide);
  Hierarchy<std::int32_t> narrow;
  narrow.n_vertices = wide.n_vertices;
  narrow.n_core = wide.n_core;
  narrow.symmetric = wide.symmetric;
  narrow.vertices = std::move(wide.vertices);
  narrow.places = std::move(wide.places);
  narrow.level_starts = std::move(wide.level_starts);
  narrow.down = narrowed(std::move(wide.down));
  if (!wide.symmetric) narrow.up = narrowed(std::move(wide.up));
  return narrow;
}

}  // namespace

template <class W>
AnyHierarchy build_hierarchy(const CsrView<W>& graph, const HierarchyOptions& options) {
  EXPECTS(graph.n_vertices < infinity<vertex_t>() / 2, "a hierarchy of ", graph.n_vertices,
          " vertices is beyond the numbers of rows; use method=\"batched\"");
  if (has_integers(graph)) return in_fewest_bits(build<std::int64_t>(graph, options));
  return build<double>(graph, options);
}

#define WARPGRAPH_INSTANTIATE(W) \
  template AnyHierarchy build_hierarchy<W>(const CsrView<W>&, const HierarchyOptions&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
