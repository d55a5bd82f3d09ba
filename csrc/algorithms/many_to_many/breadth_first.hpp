// Method breadth_first: the arguments of a search as those of bfs.hpp. Not for use outside this
// folder.
#pragma once

#include "algorithms/bfs/bfs.hpp"
#include "algorithms/many_to_many/search_problem.hpp"
#include "core/error.hpp"

namespace warpgraph::many_to_many_detail {

template <class W>
BfsFromManyOptions bfs_options(const SearchProblem<W>& problem) {
  EXPECTS(problem.graph.weights == nullptr && problem.options.limit == infinity<W>() &&
              !problem.wants_tree(),
          "method breadth_first has no weights, no limit and no predecessors");
  return {.sources = problem.sources,
          .targets = problem.options.targets,
          .symmetric = problem.options.symmetric,
          .transposed = problem.options.transposed,
          .budget = problem.options.budget};
}

template <class W>
BfsRows<W> bfs_rows(const SearchProblem<W>& problem) {
  const ManyToManyResult<W>& result = problem.result;
  return {result.distances, result.row_stride, infinity<W>(), result.on_device};
}

}  // namespace warpgraph::many_to_many_detail
