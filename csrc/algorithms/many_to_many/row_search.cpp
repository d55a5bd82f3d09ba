#include "algorithms/many_to_many/row_search.hpp"

#include <algorithm>

namespace warpgraph::many_to_many_detail {
namespace {

/// Rows of which more than 1 / touched_divisor was touched are filled anew: that is as fast as
/// random writes to an eighth of a row.
constexpr std::size_t touched_divisor = 8;

template <class W>
std::size_t list_bytes(const SearchProblem<W>& problem) {
  const CsrPattern& graph = problem.graph;
  return shortest_paths::min_list_bytes<W>(graph.n_vertices, graph.n_arcs);
}

}  // namespace

template <class W>
RowSearch<W>::RowSearch(const SearchProblem<W>& problem, double bucket_width,
                        std::size_t spare_bytes)
    : problem_(problem),
      max_touched_(static_cast<std::size_t>(problem.graph.n_vertices) / touched_divisor),
      search_(problem.graph, bucket_width,
              !problem.options.budget.is_limited() ? ListBudget::unbounded
                                                   : list_bytes(problem) + spare_bytes) {}

template <class W>
RowSearch<W>::~RowSearch() = default;

template <class W>
std::size_t RowSearch<W>::bytes_needed(const SearchProblem<W>& problem) {
  const std::size_t for_row = problem.wants_full_rows() ? 0 : sizeof(W) + sizeof(vertex_t);
  const std::size_t for_tree = problem.wants_tree() ? 5 * sizeof(vertex_t) : 0;
  return sizeof(RowSearch) +
         static_cast<std::size_t>(problem.graph.n_vertices) * (for_row + for_tree) +
         list_bytes(problem);
}

template <class W>
void RowSearch<W>::run(const TaskContext& context, std::int64_t i) {
  const std::span<W> row = begin_row(i);
  bool finished = true;
  const bool fits = search_.run(
      problem_.sources.subspan(static_cast<std::size_t>(i), 1),
      {problem_.options.limit, problem_.options.targets}, row.data(),
      [&](std::int64_t) { return finished = context.keep_on(); }, [&](vertex_t v) { touch(v); });
  if (!finished) return;
  if (!problem_.wants_full_rows()) gather_targets<W>(problem_, i, row);
  finish_row(problem_, i, !fits, [&] { return row; });
  reset_row(row);
  context.finish(1);
}

/// Returns the row that the search writes to: a row of the result if all distances are wanted.
template <class W>
std::span<W> RowSearch<W>::begin_row(std::int64_t i) {
  const auto n = static_cast<std::size_t>(problem_.graph.n_vertices);
  if (!problem_.wants_full_rows()) {
    row_.resize(n, infinity<W>());
    return row_;
  }
  const std::span<W> row(problem_.result.distances_of(i), n);
  std::fill(row.begin(), row.end(), infinity<W>());
  return row;
}

template <class W>
inline void RowSearch<W>::touch(vertex_t v) {
  if (!problem_.wants_full_rows() && touched_.size() <= max_touched_) touched_.push_back(v);
}

/// Sets row_ to infinity again, in time proportional to the number of touched vertices.
template <class W>
void RowSearch<W>::reset_row(std::span<W> row) {
  if (touched_.size() > max_touched_) {
    std::fill(row_.begin(), row_.end(), infinity<W>());
  } else {
    for (const vertex_t v : touched_) row[static_cast<std::size_t>(v)] = infinity<W>();
  }
  touched_.clear();
}

#define WARPGRAPH_INSTANTIATE(W) template class RowSearch<W>;
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::many_to_many_detail
