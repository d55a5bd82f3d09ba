// Groups of nearby sources, one for each batch.
#pragma once

#include "algorithms/many_to_many/batched/batch_relaxation.hpp"
#include "algorithms/many_to_many/search_problem.hpp"
#include "core/containers/at.hpp"
#include "core/containers/heap.hpp"
#include "primitives/search/dijkstra_search.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace warpgraph::many_to_many_detail {

/// Rows whose sources lie near each other.
struct SourceGroup {
  std::vector<std::int64_t> rows;  // the source of the first row is the centre
  vertex_t ball_size = 0;          // vertices that are no farther from the centre than the sources
};

/// Forms groups of nearby sources, one for each call of next(); several threads may call it. The
/// next centre is the source that is farthest from the very first source, so that the sources that
/// are left stay in one region. Forming a group takes a small fraction of the time of its search.
template <class W>
class SourceGroups {
 public:
  /// Computes the distances from the first source, and calls keep_on() now and then meanwhile.
  template <class KeepOn>
  SourceGroups(const SearchProblem<W>& problem, const KeepOn& keep_on)
      : problem_(problem),
        heap_(problem.graph.n_vertices),
        distances_(n_vertices(), infinity<W>()),
        first_row_(n_vertices(), -1),
        next_row_(problem.sources.size()),
        is_taken_(problem.sources.size()),
        centres_(problem.sources.size()) {
    for (std::int64_t row = problem.n_rows() - 1; row >= 0; --row) {
      next_row_[at(row)] = std::exchange(first_row_[at(source_of(row))], row);
    }
    search(problem.sources[0], shortest_paths::every_1024th(keep_on));
    std::iota(centres_.begin(), centres_.end(), std::int64_t{0});
    std::stable_sort(centres_.begin(), centres_.end(), [&](std::int64_t a, std::int64_t b) {
      return distances_[at(source_of(b))] < distances_[at(source_of(a))];
    });
  }

  static std::size_t bytes_needed(const SearchProblem<W>& problem) {
    const auto n = at(problem.graph.n_vertices);
    // The list of touched vertices doubles as it grows; rows are sorted in twice their memory.
    return n * (sizeof(W) + 3 * sizeof(vertex_t) + sizeof(std::int64_t)) +
           4 * sizeof(std::int64_t) * problem.sources.size() +
           RadixHeap<W>::bytes_needed(problem.graph.n_vertices);
  }

  /// Returns a group of rows that are in no group yet. It is empty if there are none left, or if
  /// keep_on() returns false, which is called while this function waits and searches.
  template <class KeepOn>
  SourceGroup next(const KeepOn& keep_on) {
    std::unique_lock lock(mutex_, std::defer_lock);
    while (!lock.try_lock()) {
      if (!keep_on()) return {};
      std::this_thread::yield();
    }
    SourceGroup group;
    while (next_centre_ < centres_.size() && is_taken_[at(centres_[next_centre_])]) ++next_centre_;
    if (next_centre_ == centres_.size()) return group;
    auto may_continue = shortest_paths::every_1024th(keep_on);
    search(source_of(centres_[next_centre_]), [&](vertex_t v) {
      take_rows_of(v, group);
      return ++group.ball_size < max_ball_size() && group.rows.size() < batch_size &&
             may_continue(v);
    });
    return group;
  }

 private:
  [[nodiscard]] std::size_t n_vertices() const { return at(problem_.graph.n_vertices); }
  [[nodiscard]] vertex_t source_of(std::int64_t row) const { return problem_.sources[at(row)]; }

  /// Returns the size limit of balls. Each source searches the ball separately, so it must not be
  /// too large: at most three times what evenly spread sources need, and at most an eighth of the
  /// graph. A group that needs more stays incomplete. Below a thousand vertices none of this
  /// matters.
  [[nodiscard]] vertex_t max_ball_size() const {
    const std::size_t even_share = n_vertices() / problem_.sources.size() * batch_size;
    return static_cast<vertex_t>(
        std::max<std::size_t>(1024, std::min(3 * even_share, n_vertices() / 8)));
  }

  /// Searches from a source. Clears the previous search first, which an exception may have ended.
  template <class Settle>
  void search(vertex_t source, Settle&& settle) {
    heap_.clear();
    for (const vertex_t v : touched_) distances_[at(v)] = infinity<W>();
    touched_.clear();
    shortest_paths::search_from<W>(problem_.graph, source, {}, heap_, distances_.data(), settle,
                                   [&](vertex_t v) { touched_.push_back(v); });
  }

  void take_rows_of(vertex_t v, SourceGroup& group) {
    std::int64_t& row = first_row_[at(v)];
    while (row >= 0 && group.rows.size() < batch_size) {
      group.rows.push_back(row);
      is_taken_[at(row)] = true;
      row = next_row_[at(row)];
    }
  }

  const SearchProblem<W>& problem_;
  std::mutex mutex_;
  RadixHeap<W> heap_;
  std::vector<W> distances_;
  std::vector<vertex_t> touched_;
  std::vector<std::int64_t>
      first_row_;  // by vertex: the first ungrouped row with this source, or -1
  std::vector<std::int64_t> next_row_;  // by row: the next one with the same source, or -1
  std::vector<bool> is_taken_;
  std::vector<std::int64_t> centres_;  // rows, in the order in which they become centres
  std::size_t next_centre_ = 0;
};

}  // namespace warpgraph::many_to_many_detail
