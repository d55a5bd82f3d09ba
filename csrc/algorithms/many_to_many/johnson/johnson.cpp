// Method johnson on CPU cores: threads take sources one by one, each thread with its own heap.
#include "algorithms/many_to_many/johnson/potential_search.hpp"
#include "core/error.hpp"

#include <memory>

namespace warpgraph::many_to_many_detail {

template <class W>
SearchBytes bytes_with_potentials(const SearchProblem<W>& problem) {
  return bytes_row_by_row<W>(PotentialSearch<W>::bytes_needed(problem));
}

template <class W>
void search_with_potentials(const SearchProblem<W>& problem) {
  EXPECTS(problem.options.potentials.size() == at(problem.graph.n_vertices),
          "method johnson needs a potential for each of ", problem.graph.n_vertices, " vertices");
  search_row_by_row(problem, bytes_with_potentials(problem),
                    [&](std::size_t) { return std::make_unique<PotentialSearch<W>>(problem); });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bytes_with_potentials)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(search_with_potentials)

}  // namespace warpgraph::many_to_many_detail
