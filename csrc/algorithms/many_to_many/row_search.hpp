// The search from one source on one thread, which writes a row of the result.
#pragma once

#include "algorithms/many_to_many/search_problem.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/search/bucket_search.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph::many_to_many_detail {

/// Searches from one source after another, on one thread. Keeps its memory for the next source.
template <class W>
class RowSearch {
 public:
  /// `bucket_width`: that of shortest_paths::bucket_width() for one thread. `spare_bytes`: bytes
  /// that it may take beyond bytes_needed() if memory is limited.
  RowSearch(const SearchProblem<W>& problem, double bucket_width, std::size_t spare_bytes = 0)
      : problem_(problem),
        max_touched_(static_cast<std::size_t>(problem.graph.n_vertices) / touched_divisor),
        search_(problem.graph, bucket_width,
                problem.options.memory_limit == 0 ? ListBudget::unbounded
                                                  : list_bytes(problem.graph) + spare_bytes) {}

  /// Not including the result.
  static std::size_t bytes_needed(const SearchProblem<W>& problem) {
    const std::size_t for_row = problem.wants_full_rows() ? 0 : sizeof(W) + sizeof(vertex_t);
    const std::size_t for_tree = problem.wants_tree() ? 5 * sizeof(vertex_t) : 0;
    return sizeof(RowSearch) +
           static_cast<std::size_t>(problem.graph.n_vertices) * (for_row + for_tree) +
           list_bytes(problem.graph);
  }

  void run(const Worker& worker, std::int64_t i) {
    const std::span<W> row = begin_row(i);
    bool finished = true;
    const bool fits = search_.run(
        problem_.sources.subspan(static_cast<std::size_t>(i), 1),
        {problem_.options.limit, problem_.options.targets}, row.data(),
        [&](std::int64_t) { return finished = worker.keep_on(); }, [&](vertex_t v) { touch(v); });
    if (!finished) return;
    if (!problem_.wants_full_rows()) gather_targets<W>(problem_, i, row);
    finish_row(problem_, i, !fits, [&] { return row; });
    reset_row(row);
    worker.finish(1);
  }

 private:
  static std::size_t list_bytes(const CsrPattern& graph) {
    return shortest_paths::min_list_bytes<W>(graph.n_vertices, graph.n_arcs);
  }

  /// The row that the search writes to: a row of the result if all distances are wanted.
  std::span<W> begin_row(std::int64_t i) {
    const auto n = static_cast<std::size_t>(problem_.graph.n_vertices);
    if (!problem_.wants_full_rows()) {
      row_.resize(n, infinity<W>());
      return row_;
    }
    const std::span<W> row(problem_.result.distances_of(i), n);
    std::fill(row.begin(), row.end(), infinity<W>());
    return row;
  }

  void touch(vertex_t v) {
    if (!problem_.wants_full_rows() && touched_.size() <= max_touched_) touched_.push_back(v);
  }

  /// Sets row_ to infinity again, in time proportional to the number of touched vertices.
  void reset_row(std::span<W> row) {
    if (touched_.size() > max_touched_) {
      std::fill(row_.begin(), row_.end(), infinity<W>());
    } else {
      for (const vertex_t v : touched_) row[static_cast<std::size_t>(v)] = infinity<W>();
    }
    touched_.clear();
  }

  /// Filling a row is as fast as random writes to an eighth of it.
  static constexpr std::size_t touched_divisor = 8;

  const SearchProblem<W>& problem_;
  const std::size_t max_touched_;
  shortest_paths::BucketSearch<W> search_;
  std::vector<W> row_;
  std::vector<vertex_t> touched_;
};

}  // namespace warpgraph::many_to_many_detail
