// Undirected graphs without loops and parallel edges, for orders of elimination.
#pragma once

#include "core/containers/at.hpp"
#include "core/interrupt.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph::hierarchy_detail {

/// A graph whose edges are stored in both directions. Its vertices have numbers of their own.
struct SparseGraph {
  std::vector<vertex_t> ids;  // by vertex
  std::vector<edge_t> offsets{0};
  std::vector<vertex_t> heads;

  [[nodiscard]] vertex_t size() const { return static_cast<vertex_t>(ids.size()); }
  [[nodiscard]] const vertex_t* begin(vertex_t v) const { return heads.data() + offsets[at(v)]; }
  [[nodiscard]] const vertex_t* end(vertex_t v) const { return heads.data() + offsets[at(v) + 1]; }
};

/// Returns the subgraph of some vertices. `number_of` has an item for each vertex, all no_vertex;
/// so it has on return.
inline SparseGraph subgraph_of(const SparseGraph& graph, const std::vector<vertex_t>& vertices,
                               std::vector<vertex_t>& number_of) {
  SparseGraph made;
  made.ids.reserve(vertices.size());
  made.offsets.reserve(vertices.size() + 1);
  for (const vertex_t v : vertices) {
    number_of[at(v)] = made.size();
    made.ids.push_back(graph.ids[at(v)]);
  }
  OccasionalPoll occasional_poll;
  for (const vertex_t v : vertices) {
    occasional_poll();
    for (const vertex_t* u = graph.begin(v); u != graph.end(v); ++u) {
      if (number_of[at(*u)] != no_vertex) made.heads.push_back(number_of[at(*u)]);
    }
    made.offsets.push_back(static_cast<edge_t>(made.heads.size()));
  }
  for (const vertex_t v : vertices) number_of[at(v)] = no_vertex;
  return made;
}

}  // namespace warpgraph::hierarchy_detail
