#include "algorithms/mst/sorted_rows/row_search.hpp"

namespace warpgraph::mst {

TreeRange HostRowSearch::search(vertex_t first, vertex_t last, const vertex_t* tree_of,
                                vertex_t giant, choice_t* choices) const {
  return search_along(PlainHeads{rows_.heads}, first, last, tree_of, giant, choices);
}

}  // namespace warpgraph::mst
