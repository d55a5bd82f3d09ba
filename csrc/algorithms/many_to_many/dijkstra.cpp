// Method dijkstra on CPU cores: threads take sources one by one, each thread with its own buckets.
#include "algorithms/many_to_many/row_search.hpp"
#include "core/memory/memory_budget.hpp"

#include <memory>

namespace warpgraph::many_to_many_detail {

template <class W>
SearchBytes bytes_one_by_one(const SearchProblem<W>& problem) {
  return {0, RowSearch<W>::bytes_needed(problem)};
}

template <class W>
void search_one_by_one(const SearchProblem<W>& problem) {
  const double width = shortest_paths::bucket_width(problem.graph, 1);
  const auto [threads, spare_bytes] = affordable_threads(
      problem, "searching from a source", bytes_one_by_one(problem), "ask for a narrower dtype");
  std::vector<std::unique_ptr<RowSearch<W>>> searches(static_cast<std::size_t>(threads));
  parallel_tasks(problem.n_rows(), threads, problem.n_rows(),
                 [&, spare = spare_bytes](const Worker& worker, std::int64_t i) {
                   auto& search = searches[static_cast<std::size_t>(worker.rank())];
                   if (!search) search = std::make_unique<RowSearch<W>>(problem, width, spare);
                   search->run(worker, i);
                 });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bytes_one_by_one)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(search_one_by_one)

}  // namespace warpgraph::many_to_many_detail
