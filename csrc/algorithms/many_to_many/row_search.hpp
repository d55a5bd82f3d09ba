// The search from one source on one thread, which writes a row of the result.
#pragma once

#include "algorithms/many_to_many/search_problem.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/search/bucket_search.hpp"
#include "primitives/search/dijkstra_search.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpgraph::many_to_many_detail {

/// Searches with buckets. Keeps its memory for the next source.
template <class W>
class BucketQueue {
 public:
  static std::size_t bytes_needed(const CsrPattern& graph) {
    return shortest_paths::min_list_bytes<W>(graph.n_vertices, graph.n_arcs);
  }

  /// The second argument of the constructor, here the bucket width: computed once for all threads.
  static double parameter(const CsrView<W>& graph) {
    return shortest_paths::bucket_width(graph, 1);
  }

  /// `list_bytes`: upper bound of the bytes of its lists, or ListBudget::unbounded.
  BucketQueue(const CsrView<W>& graph, double width, std::size_t list_bytes)
      : search_(graph, width, list_bytes) {}

  /// False if an integer path may have grown beyond W.
  template <class KeepOn, class Touch>
  bool search(vertex_t source, const shortest_paths::SearchEnd<W>& end, W* distance,
              KeepOn&& keep_on, Touch&& touch) {
    return search_.run(
        source, end, distance, [&](std::int64_t) { return keep_on(); }, touch);
  }

 private:
  shortest_paths::BucketSearch<W> search_;
};

/// Searches with a heap.
template <class W, class Heap>
class HeapQueue {
 public:
  static std::size_t bytes_needed(const CsrPattern& graph) {
    return Heap::bytes_needed(graph.n_vertices, static_cast<std::size_t>(graph.n_arcs));
  }

  static W parameter(const CsrView<W>& graph) {
    return std::is_integral_v<W> ? heaviest_weight(graph) : W{0};
  }

  HeapQueue(const CsrView<W>& graph, W heaviest, std::size_t)
      : graph_(graph), heaviest_(heaviest), heap_(graph.n_vertices) {}

  template <class KeepOn, class Touch>
  bool search(vertex_t source, const shortest_paths::SearchEnd<W>& end, W* distance,
              KeepOn&& keep_on, Touch&& touch) {
    const W farthest = shortest_paths::search_from(graph_, source, end, heap_, distance,
                                                   shortest_paths::every_1024th(keep_on), touch);
    return !may_overflow(farthest, heaviest_);
  }

 private:
  const CsrView<W> graph_;
  const W heaviest_;  // the maximum weight; see may_overflow
  Heap heap_;
};

/// Searches from one source after another, on one thread.
template <class W, class Queue = BucketQueue<W>>
class RowSearch {
 public:
  using Parameter = decltype(Queue::parameter(std::declval<const CsrView<W>&>()));

  /// `spare_bytes`: bytes that it may take beyond bytes_needed() if memory is limited.
  RowSearch(const SearchProblem<W>& problem, Parameter parameter, std::size_t spare_bytes = 0)
      : problem_(problem),
        max_touched_(static_cast<std::size_t>(problem.graph.n_vertices) / touched_divisor),
        queue_(problem.graph, parameter,
               problem.options.memory_limit == 0
                   ? ListBudget::unbounded
                   : Queue::bytes_needed(problem.graph) + spare_bytes) {}

  /// Not including the result.
  static std::size_t bytes_needed(const SearchProblem<W>& problem) {
    const std::size_t for_row = problem.wants_full_rows() ? 0 : sizeof(W) + sizeof(vertex_t);
    const std::size_t for_tree = problem.wants_tree() ? 5 * sizeof(vertex_t) : 0;
    return sizeof(RowSearch) +
           static_cast<std::size_t>(problem.graph.n_vertices) * (for_row + for_tree) +
           Queue::bytes_needed(problem.graph);
  }

  void run(const Worker& worker, std::int64_t i) {
    const std::span<W> row = begin_row(i);
    const vertex_t source = problem_.sources[static_cast<std::size_t>(i)];
    bool finished = true;
    const bool fits = queue_.search(
        source, {problem_.options.limit, problem_.options.targets}, row.data(),
        [&] { return finished = worker.keep_on(); }, [&](vertex_t v) { touch(v); });
    if (!finished) return;
    if (!problem_.wants_full_rows()) gather_targets<W>(problem_, i, row);
    finish_row(problem_, i, !fits, [&] { return row; });
    reset_row(row);
    worker.finish(1);
  }

 private:
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
  Queue queue_;
  std::vector<W> row_;
  std::vector<vertex_t> touched_;
};

}  // namespace warpgraph::many_to_many_detail
