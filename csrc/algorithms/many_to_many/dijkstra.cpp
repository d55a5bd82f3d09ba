// Method dijkstra on CPU cores: threads take sources one by one, each thread with its own buckets.
#include "algorithms/many_to_many/row_search.hpp"

#include <memory>

namespace warpgraph::many_to_many_detail {

template <class W>
SearchBytes bytes_one_by_one(const SearchProblem<W>& problem) {
  return bytes_row_by_row<W>(RowSearch<W>::bytes_needed(problem));
}

template <class W>
void search_one_by_one(const SearchProblem<W>& problem) {
  const double width = shortest_paths::bucket_width(problem.graph, 1);
  search_row_by_row(problem, bytes_one_by_one(problem), [&](std::size_t spare_bytes) {
    return std::make_unique<RowSearch<W>>(problem, width, spare_bytes);
  });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bytes_one_by_one)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(search_one_by_one)

}  // namespace warpgraph::many_to_many_detail
