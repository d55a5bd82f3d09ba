// Which sources go into one batch.
#pragma once

#include "algorithms/many_to_many/batched/lanes.hpp"
#include "algorithms/many_to_many/steps.hpp"
#include "core/containers/heap.hpp"
#include "primitives/search/dijkstra_search.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace warpgraph::many_to_many_steps {

/// Rows whose sources lie near each other.
struct Group {
  std::vector<std::int64_t> rows;  // the first one's source is the centre
  vertex_t ball = 0;               // vertices that lie no farther from the centre than the others
};

/// Makes groups of neighbours, one by one, for threads that call next() as they need them. The next
/// centre is the source that is farthest from the very first, so that what is left over stays in
/// one piece. Forming a group takes a small part of the time that its search does.
template <class W>
class Groups {
 public:
  /// keep_on() is asked now and then while distances from the first source are found.
  template <class KeepOn>
  Groups(const Problem<W>& problem, const KeepOn& keep_on)
      : problem_(problem),
        heap_(problem.graph.n_vertices),
        distances_(n_vertices(), infinity<W>()),
        row_at_(n_vertices(), -1),
        row_behind_(problem.sources.size()),
        is_taken_(problem.sources.size()),
        centres_(problem.sources.size()) {
    for (std::int64_t row = problem.n_rows() - 1; row >= 0; --row) {
      row_behind_[at(row)] = std::exchange(row_at_[at(source_of(row))], row);
    }
    search(problem.sources[0], shortest_paths::now_and_then(keep_on));
    std::iota(centres_.begin(), centres_.end(), std::int64_t{0});
    std::stable_sort(centres_.begin(), centres_.end(), [&](std::int64_t a, std::int64_t b) {
      return distances_[at(source_of(b))] < distances_[at(source_of(a))];
    });
  }

  static std::size_t bytes_needed(const Problem<W>& problem) {
    const auto n = static_cast<std::size_t>(problem.graph.n_vertices);
    // Vertices that are touched are a list that doubles; rows are sorted in twice their memory.
    return n * (sizeof(W) + 3 * sizeof(vertex_t) + sizeof(std::int64_t)) +
           4 * sizeof(std::int64_t) * problem.sources.size() +
           RadixHeap<W>::bytes_needed(problem.graph.n_vertices);
  }

  /// A group with rows that were in none before; empty when there are no more, or when keep_on(),
  /// which is asked while it waits and searches, says no.
  template <class KeepOn>
  Group next(const KeepOn& keep_on) {
    std::unique_lock lock(mutex_, std::defer_lock);
    while (!lock.try_lock()) {
      if (!keep_on()) return {};
      std::this_thread::yield();
    }
    Group group;
    while (next_centre_ < centres_.size() && is_taken_[at(centres_[next_centre_])]) ++next_centre_;
    if (next_centre_ == centres_.size()) return group;
    auto may_go_on = shortest_paths::now_and_then(keep_on);
    search(source_of(centres_[next_centre_]), [&](vertex_t v) {
      take_rows_at(v, group);
      return ++group.ball < largest_ball() && group.rows.size() < n_lanes && may_go_on(v);
    });
    return group;
  }

 private:
  template <class Index>
  static std::size_t at(Index i) {
    return static_cast<std::size_t>(i);
  }
  [[nodiscard]] std::size_t n_vertices() const { return at(problem_.graph.n_vertices); }
  [[nodiscard]] vertex_t source_of(std::int64_t row) const { return problem_.sources[at(row)]; }

  /// Each lane searches the ball by itself, so it must not be too large: three times what sources
  /// that are spread evenly need, and never more than an eighth of the graph, for which a group is
  /// rather left incomplete. Below a thousand vertices none of this matters.
  [[nodiscard]] vertex_t largest_ball() const {
    const std::size_t even = n_vertices() / problem_.sources.size() * n_lanes;
    return static_cast<vertex_t>(std::max<std::size_t>(1024, std::min(3 * even, n_vertices() / 8)));
  }

  /// The search before may have been ended by an exception.
  template <class Settle>
  void search(vertex_t source, Settle&& settle) {
    heap_.clear();
    for (const vertex_t v : touched_) distances_[at(v)] = infinity<W>();
    touched_.clear();
    shortest_paths::search_from<W>(problem_.graph, source, {}, heap_, distances_.data(), settle,
                                   [&](vertex_t v) { touched_.push_back(v); });
  }

  void take_rows_at(vertex_t v, Group& group) {
    std::int64_t& row = row_at_[at(v)];
    while (row >= 0 && group.rows.size() < n_lanes) {
      group.rows.push_back(row);
      is_taken_[at(row)] = true;
      row = row_behind_[at(row)];
    }
  }

  const Problem<W>& problem_;
  std::mutex mutex_;
  RadixHeap<W> heap_;
  std::vector<W> distances_;
  std::vector<vertex_t> touched_;
  std::vector<std::int64_t> row_at_;  // of a vertex: the first row left that begins there, or -1
  std::vector<std::int64_t> row_behind_;  // of a row: the next one with the same source, or -1
  std::vector<bool> is_taken_;
  std::vector<std::int64_t> centres_;  // rows, in the order in which they become centres
  std::size_t next_centre_ = 0;
};

}  // namespace warpgraph::many_to_many_steps
