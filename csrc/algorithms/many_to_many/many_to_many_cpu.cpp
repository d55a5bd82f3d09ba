#include "algorithms/many_to_many/breadth_first.hpp"
#include "algorithms/many_to_many/search_problem.hpp"
#include "core/threads/small_work.hpp"

namespace warpgraph {
namespace {

using many_to_many_detail::SearchBytes;
using many_to_many_detail::SearchProblem;

/// The number of targets below which they are usually settled long before the whole graph is. A
/// plan by "auto" heeds the same number of plan/rates.hpp, which algorithms do not include; here it
/// also holds for callers who ask for batches.
constexpr std::size_t few_targets = 8;
/// The time of a vertex or an arc in a search of a small graph, on one core. An estimate that only
/// tells whether waking threads is worthwhile; seconds of plans come from plan/rates.hpp, which
/// algorithms do not include.
constexpr double visit_ns = 8;

/// Returns the method that is faster. Batches end only with the last vertex of their order, so they
/// do not gain if a search is likely to end before it has reached the whole graph.
template <class W>
ManyToManyMethod better_method(const ManyToManyOptions<W>& options) {
  if (options.method == ManyToManyMethod::breadth_first ||
      options.method == ManyToManyMethod::johnson) {
    return options.method;
  }
  const bool ends_early = options.limit != infinity<W>() ||
                          (!options.targets.empty() && options.targets.size() < few_targets);
  return ends_early ? ManyToManyMethod::dijkstra : options.method;
}

template <class W>
SearchBytes bytes_of(const SearchProblem<W>& problem) {
  switch (better_method(problem.options)) {
    case ManyToManyMethod::dijkstra:
      return many_to_many_detail::bytes_one_by_one(problem);
    case ManyToManyMethod::batched:
      return many_to_many_detail::bytes_in_batches(problem);
    case ManyToManyMethod::breadth_first:
      return {bfs_from_many_bytes_cpu(problem.graph, many_to_many_detail::bfs_options(problem)), 0,
              "breadth-first search from many sources", ""};
    case ManyToManyMethod::johnson:
      return many_to_many_detail::bytes_with_potentials(problem);
  }
  return {};
}

}  // namespace

template <class W>
void many_to_many_cpu(const CsrView<W>& graph, std::span<const vertex_t> sources,
                      const ManyToManyOptions<W>& options, ManyToManyResult<W> result) {
  const SearchProblem<W> problem{graph, sources, options, result};
  const double visits =
      static_cast<double>(sources.size()) * static_cast<double>(graph.n_vertices + graph.n_arcs);
  const CallThreads threads = threads_for(visit_ns * visits);
  switch (better_method(options)) {
    case ManyToManyMethod::dijkstra:
      return many_to_many_detail::search_one_by_one(problem);
    case ManyToManyMethod::batched:
      return many_to_many_detail::search_in_batches(problem);
    case ManyToManyMethod::breadth_first:
      return bfs_from_many_cpu(graph, many_to_many_detail::bfs_options(problem),
                               many_to_many_detail::bfs_rows(problem));
    case ManyToManyMethod::johnson:
      return many_to_many_detail::search_with_potentials(problem);
  }
}

template <class W>
std::size_t many_to_many_bytes_cpu(const CsrView<W>& graph, std::span<const vertex_t> sources,
                                   const ManyToManyOptions<W>& options,
                                   ManyToManyResult<W> result) {
  const SearchProblem<W> problem{graph, sources, options, result};
  return bytes_of(problem).with(max_threads(problem));
}

template <class W>
MemoryNeed need_of_many_to_many(const CsrView<W>& graph, std::span<const vertex_t> sources,
                                const ManyToManyOptions<W>& options, ManyToManyResult<W> result) {
  return bytes_of(SearchProblem<W>{graph, sources, options, result}).need();
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(many_to_many_cpu)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(many_to_many_bytes_cpu)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(need_of_many_to_many)

}  // namespace warpgraph
