#include "algorithms/bfs/bfs.hpp"
#include "algorithms/many_to_many/search_problem.hpp"
#include "core/error.hpp"

namespace warpgraph {
namespace {

using many_to_many_detail::SearchProblem;

/// Fewer targets than this are usually settled long before the whole graph is.
constexpr std::size_t few_targets = 8;

/// Batches end only with the last vertex of their order, so they do not gain if a search is likely
/// to end before it has reached the whole graph.
template <class W>
ManyToManyMethod better_method(const ManyToManyOptions<W>& options) {
  if (options.method == ManyToManyMethod::breadth_first) return options.method;
  const bool ends_early = options.limit != infinity<W>() ||
                          (!options.targets.empty() && options.targets.size() < few_targets);
  return ends_early ? ManyToManyMethod::dijkstra : options.method;
}

template <class W>
BfsFromManyOptions bfs_options(const SearchProblem<W>& problem) {
  return {.sources = problem.sources,
          .targets = problem.options.targets,
          .symmetric = problem.options.symmetric,
          .transposed = problem.options.transposed,
          .memory_limit = problem.options.memory_limit};
}

template <class W>
void search_breadth_first(const SearchProblem<W>& problem) {
  EXPECTS(problem.graph.weights == nullptr && problem.options.limit == infinity<W>() &&
              !problem.wants_tree(),
          "method breadth_first has no weights, no limit and no predecessors");
  const ManyToManyResult<W>& result = problem.result;
  bfs_from_many_cpu<W>(problem.graph, bfs_options(problem),
                       {result.distances, result.row_stride, infinity<W>()});
}

}  // namespace

template <class W>
void many_to_many_cpu(const CsrView<W>& graph, std::span<const vertex_t> sources,
                      const ManyToManyOptions<W>& options, ManyToManyResult<W> result) {
  const SearchProblem<W> problem{graph, sources, options, result};
  switch (better_method(options)) {
    case ManyToManyMethod::dijkstra:
      return many_to_many_detail::search_one_by_one(problem);
    case ManyToManyMethod::batched:
      return many_to_many_detail::search_in_batches(problem);
    case ManyToManyMethod::breadth_first:
      return search_breadth_first(problem);
  }
}

template <class W>
std::size_t many_to_many_bytes_cpu(const CsrView<W>& graph, std::span<const vertex_t> sources,
                                   const ManyToManyOptions<W>& options,
                                   ManyToManyResult<W> result) {
  const SearchProblem<W> problem{graph, sources, options, result};
  switch (better_method(options)) {
    case ManyToManyMethod::dijkstra:
      return many_to_many_detail::bytes_one_by_one(problem).with(max_threads(problem));
    case ManyToManyMethod::batched:
      return many_to_many_detail::bytes_in_batches(problem).with(max_threads(problem));
    case ManyToManyMethod::breadth_first:
      return bfs_from_many_bytes_cpu(graph, bfs_options(problem));
  }
  return 0;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(many_to_many_cpu)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(many_to_many_bytes_cpu)

}  // namespace warpgraph
