// A row by a heap: what a thread does with one source.
#pragma once

#include "algorithms/many_to_many/steps.hpp"
#include "algorithms/sssp/dijkstra_search.hpp"
#include "core/heap.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph::many_to_many_steps {

/// What one thread searches with, source after source.
template <class W, class Heap = RadixHeap<W>>
class HeapSearch {
 public:
  HeapSearch(const Problem<W>& problem, W heaviest) : problem_(problem), heaviest_(heaviest) {}

  /// Beside the result. A heap on roads and power-law graphs holds a fraction of the vertices.
  static std::size_t bytes_needed(const Problem<W>& problem) {
    const std::size_t for_row = problem.to_all() ? 0 : sizeof(W) + sizeof(vertex_t);
    const std::size_t for_tree = problem.wants_tree() ? 3 * sizeof(vertex_t) : 0;
    return static_cast<std::size_t>(problem.graph.n_vertices) *
           (for_row + for_tree + sizeof(HeapEntry<W>));
  }

  void run(const Worker& worker, std::int64_t i) {
    const std::span<W> row = begin_row(i);
    const vertex_t source = problem_.sources[static_cast<std::size_t>(i)];
    const sssp_steps::SearchEnd<W> end{problem_.options.limit, problem_.options.targets};
    bool finished = true;
    auto keep_on = sssp_steps::now_and_then([&] { return finished = worker.keep_on(); });
    const W farthest = sssp_steps::search_from(problem_.graph, source, end, heap_, row.data(),
                                               keep_on, [&](vertex_t v) { touch(v); });
    if (!finished) return;
    if (!problem_.to_all()) gather_targets<W>(problem_, i, row);
    finish_row(problem_, i, may_overflow(farthest, heaviest_), [&] { return row; });
    forget(row);
    worker.finish(1);
  }

 private:
  /// The row that the search writes to: the caller's own if it is to have all distances.
  std::span<W> begin_row(std::int64_t i) {
    const auto n = static_cast<std::size_t>(problem_.graph.n_vertices);
    if (!problem_.to_all()) {
      row_.resize(n, infinity<W>());
      return row_;
    }
    const std::span<W> row(problem_.result.distances_of(i), n);
    std::fill(row.begin(), row.end(), infinity<W>());
    return row;
  }

  void touch(vertex_t v) {
    if (!problem_.to_all()) touched_.push_back(v);
  }

  /// Makes a row of our own infinite again, at the cost of what was touched.
  void forget(std::span<W> row) {
    for (const vertex_t v : touched_) row[static_cast<std::size_t>(v)] = infinity<W>();
    touched_.clear();
  }

  const Problem<W>& problem_;
  const W heaviest_;  // weight; see may_overflow
  Heap heap_;
  std::vector<W> row_;
  std::vector<vertex_t> touched_;
};

}  // namespace warpgraph::many_to_many_steps
