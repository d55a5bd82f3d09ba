// Validates a hierarchy from a file: no sweep may leave the arrays, and no sum may overflow.
#include "algorithms/hierarchy/largest_sum.hpp"
#include "core/containers/at.hpp"
#include "core/error.hpp"
#include "core/threads/parallel.hpp"

namespace warpgraph {
namespace {

constexpr const char* broken = "this is no hierarchy, or a damaged one: ";

template <class T>
void compute_positions(Hierarchy<T>& h) {
  h.position_of.assign(at(h.n_vertices), no_vertex);
  for (vertex_t p = 0; p < h.n_vertices; ++p) {
    const vertex_t v = h.vertices[at(p)];
    EXPECTS(v >= 0 && v < h.n_vertices && h.position_of[at(v)] == no_vertex, broken, "position ", p,
            " does not have a vertex of its own");
    h.position_of[at(v)] = p;
  }
}

void validate_levels(const std::vector<vertex_t>& starts, vertex_t n_vertices) {
  EXPECTS(starts.size() >= 2 && starts.front() == 0 && starts.back() == n_vertices &&
              std::is_sorted(starts.begin(), starts.end()),
          broken, "its levels do not cover its vertices");
}

/// Checks that arcs of a level's rows lead to higher levels, arcs of the core's rows to entrances.
template <class T>
void validate_search_graph(const Hierarchy<T>& h, const Csr<T>& search_graph, const char* name) {
  const auto n_arcs = static_cast<edge_t>(search_graph.heads.size());
  EXPECTS(search_graph.offsets.size() == at(h.n_vertices) + 1 &&
              search_graph.offsets.front() == 0 && search_graph.offsets.back() == n_arcs &&
              search_graph.weights.size() == search_graph.heads.size() &&
              std::is_sorted(search_graph.offsets.begin(), search_graph.offsets.end()),
          broken, "the rows of its arcs ", name, " do not fit each other");
  for (std::size_t level = 0; level + 1 < h.level_starts.size(); ++level) {
    const vertex_t first = h.level_starts[level];
    const vertex_t least = level == 0 ? h.n_vertices : 0;
    const vertex_t end = level == 0 ? h.n_core : first;
    const edge_t last_arc = search_graph.offsets[at(h.level_starts[level + 1])];
    for (edge_t e = search_graph.offsets[at(first)]; e < last_arc; ++e) {
      const std::int64_t head = std::int64_t{search_graph.heads[at(e)]} - least;
      EXPECTS(head >= 0 && head < end, broken, "arc ", e, ' ', name, " leads to ",
              search_graph.heads[at(e)]);
      EXPECTS(search_graph.weights[at(e)] >= T{0} && search_graph.weights[at(e)] < unreached<T>(),
              broken, "arc ", e, ' ', name, " weighs ", search_graph.weights[at(e)]);
    }
  }
}

}  // namespace

template <class T>
void complete_hierarchy(Hierarchy<T>& h) {
  EXPECTS(h.vertices.size() < at(infinity<vertex_t>() / 2), broken, "it has too many vertices");
  h.n_vertices = static_cast<vertex_t>(h.vertices.size());
  validate_levels(h.level_starts, h.n_vertices);
  h.n_core = h.level_starts[1];
  compute_positions(h);
  validate_search_graph(h, h.down, "down");
  if (!h.symmetric) validate_search_graph(h, h.up, "up");
  if constexpr (std::is_integral_v<T>) {
    EXPECTS(hierarchy_detail::largest_sum(h) < unreached<T>(), broken,
            "sums of its weights do not fit");
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_HIERARCHY(complete_hierarchy)

}  // namespace warpgraph
