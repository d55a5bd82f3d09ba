// The search from one source on one thread, which writes a row of the result.
#pragma once

#include "algorithms/many_to_many/search_problem.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/search/bucket_search.hpp"

#include <vector>

namespace warpgraph::many_to_many_detail {

/// Searches from one source after another, on one thread. Keeps its memory for the next source.
template <class W>
class RowSearch {
 public:
  /// `bucket_width` is that of shortest_paths::bucket_width() for one thread. The search may take
  /// `spare_bytes` beyond bytes_needed() if memory is limited.
  RowSearch(const SearchProblem<W>& problem, double bucket_width, std::size_t spare_bytes = 0);
  ~RowSearch();

  /// Returns the bytes that a search needs, not including the result.
  static std::size_t bytes_needed(const SearchProblem<W>& problem);

  /// Writes row i.
  void run(const TaskContext& context, std::int64_t i);

 private:
  std::span<W> begin_row(std::int64_t i);
  void touch(vertex_t v);
  void reset_row(std::span<W> row);

  const SearchProblem<W>& problem_;
  const std::size_t max_touched_;
  shortest_paths::BucketSearch<W> search_;
  std::vector<W> row_;
  std::vector<vertex_t> touched_;
};

}  // namespace warpgraph::many_to_many_detail
