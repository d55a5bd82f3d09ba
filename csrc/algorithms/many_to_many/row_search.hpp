// What a thread does with one source: it searches, and writes the row.
#pragma once

#include "algorithms/many_to_many/steps.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/search/bucket_search.hpp"
#include "primitives/search/dijkstra_search.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpgraph::many_to_many_steps {

/// Searches with buckets. It keeps what it has allocated for the next source.
template <class W>
class BucketQueue {
 public:
  static constexpr std::size_t bytes_a_vertex = 8 * sizeof(W);  // as for sssp

  /// What the constructor needs to know of the graph; found out once for all threads.
  static double survey(const CsrView<W>& graph) { return shortest_paths::bucket_width(graph, 1); }

  BucketQueue(const CsrView<W>& graph, double width) : search_(graph, width) {}

  /// False if an integer path may have grown beyond its type.
  template <class KeepOn, class Touch>
  bool search(vertex_t source, const shortest_paths::SearchEnd<W>& end, W* distance,
              KeepOn&& keep_on, Touch&& touch) {
    return search_.run(
        source, end, distance, [&](std::int64_t) { return keep_on(); }, touch);
  }

 private:
  shortest_paths::BucketSearch<W> search_;
};

/// The same with a heap.
template <class W, class Heap>
class HeapQueue {
 public:
  /// A heap on roads and power-law graphs holds a fraction of the vertices.
  static constexpr std::size_t bytes_a_vertex = sizeof(typename Heap::Entry);

  static W survey(const CsrView<W>& graph) {
    return std::is_integral_v<W> ? heaviest_weight(graph) : W{0};
  }

  HeapQueue(const CsrView<W>& graph, W heaviest) : graph_(graph), heaviest_(heaviest) {}

  template <class KeepOn, class Touch>
  bool search(vertex_t source, const shortest_paths::SearchEnd<W>& end, W* distance,
              KeepOn&& keep_on, Touch&& touch) {
    const W farthest = shortest_paths::search_from(graph_, source, end, heap_, distance,
                                                   shortest_paths::now_and_then(keep_on), touch);
    return !may_overflow(farthest, heaviest_);
  }

 private:
  const CsrView<W> graph_;
  const W heaviest_;  // weight; see may_overflow
  Heap heap_;
};

/// What one thread searches with, source after source.
template <class W, class Queue = BucketQueue<W>>
class RowSearch {
 public:
  using Survey = decltype(Queue::survey(std::declval<const CsrView<W>&>()));

  RowSearch(const Problem<W>& problem, Survey survey)
      : problem_(problem), queue_(problem.graph, survey) {}

  /// Beside the result.
  static std::size_t bytes_needed(const Problem<W>& problem) {
    const std::size_t for_row = problem.to_all() ? 0 : sizeof(W) + sizeof(vertex_t);
    const std::size_t for_tree = problem.wants_tree() ? 3 * sizeof(vertex_t) : 0;
    return static_cast<std::size_t>(problem.graph.n_vertices) *
           (for_row + for_tree + Queue::bytes_a_vertex);
  }

  void run(const Worker& worker, std::int64_t i) {
    const std::span<W> row = begin_row(i);
    const vertex_t source = problem_.sources[static_cast<std::size_t>(i)];
    bool finished = true;
    const bool fits = queue_.search(
        source, {problem_.options.limit, problem_.options.targets}, row.data(),
        [&] { return finished = worker.keep_on(); }, [&](vertex_t v) { touch(v); });
    if (!finished) return;
    if (!problem_.to_all()) gather_targets<W>(problem_, i, row);
    finish_row(problem_, i, !fits, [&] { return row; });
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
  Queue queue_;
  std::vector<W> row_;
  std::vector<vertex_t> touched_;
};

}  // namespace warpgraph::many_to_many_steps
