#include "algorithms/hierarchy/arrange.hpp"
#include "algorithms/hierarchy/chains.hpp"
#include "graph/transform/group_arcs.hpp"

namespace warpgraph {
namespace {

using namespace hierarchy_steps;

constexpr const char* what = "building a hierarchy";
constexpr const char* way_out = "use method=\"batched\"";

template <class W>
W weight_of(const CsrView<W>& graph, edge_t arc) {
  return graph.weights != nullptr ? graph.weights[arc] : W{1};
}

/// Whether all weights that paths can have are integers of at most 62 bits.
template <class W>
bool has_integers(const CsrView<W>& graph) {
  if (graph.weights == nullptr) return true;
  constexpr auto end = static_cast<double>(unreached<std::int64_t>());
  const edge_t other = parallel_find_first(graph.n_arcs, [&](std::int64_t e) {
    const W weight = graph.weights[e];
    if constexpr (std::is_integral_v<W>) {
      return std::int64_t{weight} >= unreached<std::int64_t>();
    } else {
      return (weight != std::nearbyint(weight) || weight >= end) && weight != infinity<W>();
    }
  });
  if (std::is_integral_v<W> && other < graph.n_arcs) {
    throw std::overflow_error(concat("the weight ", graph.weights[other], " of entry (",
                                     tail_of(graph, other), ", ", graph.heads[other], ") is ",
                                     "beyond 62 bits: ", too_heavy));
  }
  return other == graph.n_arcs;
}

/// An infinite float is an arc that is never used; an integer always is a number.
template <class W>
bool is_usable(W weight) {
  return std::is_integral_v<W> || weight != infinity<W>();
}

/// Calls visit(head, weight) for the arcs of v that lead anywhere.
template <class T, class W, class Visit>
void for_each_usable(const CsrView<W>& graph, vertex_t v, const Visit& visit) {
  for (edge_t e = graph.begin(v); e < graph.end(v); ++e) {
    const W weight = weight_of(graph, e);
    if (graph.heads[e] != v && is_usable(weight)) {
      visit(graph.heads[e], static_cast<T>(weight));
    }
  }
}

template <class T, class W>
void require_memory(const CsrView<W>& graph, const HierarchyOptions& options) {
  // Rows grow while vertices are contracted; three times what the graph has to begin with is what
  // grids need, the widest of the graphs that are accepted. If it is more, a MemoryMeter sees it.
  constexpr std::size_t growth = 3;
  const std::size_t a_link = options.symmetric ? sizeof(EqualLink<T>) : 2 * sizeof(TwoWayLink<T>);
  constexpr std::size_t a_vertex = 64;
  MemoryBudget({}, options.memory_limit)
      .require(what,
               static_cast<std::size_t>(graph.n_vertices) * a_vertex +
                   growth * static_cast<std::size_t>(graph.n_arcs) * a_link,
               way_out);
}

template <class T, class W>
Hierarchy<T> build_symmetric(const CsrView<W>& graph, const HierarchyOptions& options) {
  MemoryMeter meter(what, options.memory_limit, way_out);
  Contraction<EqualLink<T>> contraction(graph.n_vertices, meter);
  contraction.load([&](vertex_t v, std::vector<EqualLink<T>>& links) {
    for_each_usable<T>(graph, v, [&](vertex_t u, T weight) {
      links.push_back({u, weight, weight});
    });
  });
  contraction.run(options.core_vertices);
  return Arranger(contraction, graph.n_vertices, meter).run();
}

/// The arcs that lead anywhere, turned round.
template <class T, class W>
Csr<T> incoming_arcs(const CsrView<W>& graph) {
  return group_arcs<T>("turning the graph round", graph.n_vertices, graph.n_arcs,
                       [&](edge_t first, edge_t last, auto&& emit) {
                         for_each_arc(graph, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
                           const W weight = weight_of(graph, e);
                           if (is_usable(weight)) emit(v, u, static_cast<T>(weight));
                         });
                       });
}

template <class T, class W>
Hierarchy<T> build_directed(const CsrView<W>& graph, const HierarchyOptions& options) {
  MemoryMeter meter(what, options.memory_limit, way_out);
  Contraction<TwoWayLink<T>> contraction(graph.n_vertices, meter);
  {
    // The arcs as a list, which is gone when their links are taken, and then grouped by head.
    const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
    const std::size_t list = n_arcs * sizeof(Arc<T>);
    const std::size_t grouped = n_arcs * (sizeof(vertex_t) + sizeof(T)) +
                                static_cast<std::size_t>(graph.n_vertices) * sizeof(edge_t);
    meter.take(list + grouped);
    const Csr<T> incoming = incoming_arcs<T>(graph);
    meter.give_back(list);
    contraction.load([&](vertex_t v, std::vector<TwoWayLink<T>>& links) {
      for_each_usable<T>(graph, v, [&](vertex_t u, T weight) {
        links.push_back({u, weight, infinity<T>()});
      });
      for_each_usable<T>(incoming.view(), v, [&](vertex_t u, T weight) {
        links.push_back({u, infinity<T>(), weight});
      });
    });
    meter.give_back(grouped);
  }
  contraction.run(options.core_vertices);
  return Arranger(contraction, graph.n_vertices, meter).run();
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
          " vertices has more rows than can be numbered; use method=\"batched\"");
  if (has_integers(graph)) {
    try {
      return in_fewest_bits(build<std::int64_t>(graph, options));
    } catch (const std::overflow_error&) {
      if (std::is_integral_v<W>) throw;
    }
  }
  return build<double>(graph, options);
}

#define WARPGRAPH_INSTANTIATE(W) \
  template AnyHierarchy build_hierarchy<W>(const CsrView<W>&, const HierarchyOptions&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
