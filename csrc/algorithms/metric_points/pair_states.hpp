// What is kept of the pairs that queries and points are compared in: the nearest points of each
// query, or those within a radius.
//
// An object that compares them, such as AllPairs, calls the members of a state as for_each_tile
// says, and visit(place in the tile, id, distance) for the pairs with distances of at most
// limit(place).
#pragma once

#include "algorithms/metric_points/all_pairs.hpp"
#include "algorithms/neighbour_queries/neighbour_queries.hpp"
#include "core/containers/at.hpp"
#include "core/function_ref.hpp"
#include "core/memory/memory_budget.hpp"
#include "primitives/nearest_heap.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpgraph {

/// Keeps the nearest ones of each query, and writes them.
class NearestState {
 public:
  NearestState(const KnnOptions& options, bool are_own, const NeighboursView& out)
      : options_(options), are_own_(are_own), out_(out) {}

  /// Returns the bytes of the heaps of all threads.
  static std::size_t bytes(const KnnOptions& options) {
    return static_cast<std::size_t>(num_threads()) * queries_of_tile *
           static_cast<std::size_t>(options.n_neighbors) * sizeof(NearestHeap<double>::Item);
  }

  void begin(std::int64_t first, std::int64_t last) {
    first_ = first;
    heaps_.assign(static_cast<std::size_t>(last - first), NearestHeap<double>(n_others()));
  }
  [[nodiscard]] double limit(std::int64_t q) const {
    return heaps_[static_cast<std::size_t>(q)].limit();
  }
  void visit(std::int64_t q, vertex_t id, double distance) {
    if (are_own_ && id == first_ + q) return;
    heaps_[static_cast<std::size_t>(q)].add(id, distance);
  }
  /// Calls f(query, number) for the queries that have fewer neighbours than are wanted.
  template <class F>
  void for_each_lack(const F& f) const {
    for (std::size_t q = 0; q < heaps_.size(); ++q) {
      const std::int64_t found = heaps_[q].size();
      if (found < n_others()) f(first_ + static_cast<std::int64_t>(q), found);
    }
  }
  void end() {
    for (std::size_t q = 0; q < heaps_.size(); ++q) {
      const std::int64_t query = first_ + static_cast<std::int64_t>(q);
      std::int64_t place = query * options_.n_neighbors;
      if (has_self()) put(place++, static_cast<vertex_t>(query), 0);
      double last = 0;
      for (const auto& [distance, id] : heaps_[q].sorted()) put(place++, id, last = distance);
      if (out_.farthest != nullptr) out_.farthest[query] = last;
    }
  }

 private:
  [[nodiscard]] bool has_self() const { return are_own_ && options_.include_self; }
  [[nodiscard]] std::int32_t n_others() const {
    return options_.n_neighbors - (has_self() ? 1 : 0);
  }
  void put(std::int64_t place, vertex_t id, double distance) const {
    if (out_.neighbours != nullptr) out_.neighbours[place] = id;
    if (out_.distances != nullptr) out_.distances[place] = distance;
  }

  KnnOptions options_;
  bool are_own_;
  NeighboursView out_;
  std::int64_t first_ = 0;
  std::vector<NearestHeap<double>> heaps_;
};

/// Counts the neighbours within a radius, or writes them where the offsets of their rows are. One
/// class for both, since each is compiled for every metric that searches in boxes.
class RadiusState {
 public:
  /// counts: where the numbers of neighbours are written; or null, if the rows are.
  RadiusState(const RadiusOptions& options, std::int64_t* counts, NeighbourRows& rows)
      : options_(options), counts_(counts), rows_(&rows) {}

  void begin(std::int64_t first, std::int64_t last) {
    first_ = first;
    if (counts_ == nullptr) {
      found_.assign(at(last - first), {});
    } else {
      const bool lacks_self = options_.are_own && !options_.include_self;
      std::fill(counts_ + first, counts_ + last, lacks_self ? -1 : 0);
    }
  }
  [[nodiscard]] double limit(std::int64_t) const { return options_.radius; }
  void visit(std::int64_t q, vertex_t id, double distance) {
    if (counts_ != nullptr) {
      ++counts_[first_ + q];
    } else if (!options_.are_own || id != first_ + q) {
      found_[at(q)].emplace_back(distance, id);
    }
  }
  void end() {
    for (std::size_t q = 0; q < found_.size(); ++q) {
      const std::size_t query = at(first_) + q;
      std::size_t place = at(rows_->offsets[query]);
      if (options_.are_own && options_.include_self) put(place++, static_cast<vertex_t>(query), 0);
      std::sort(found_[q].begin(), found_[q].end());
      for (const auto& [distance, id] : found_[q]) put(place++, id, distance);
    }
  }

 private:
  void put(std::size_t place, vertex_t id, double distance) {
    rows_->ids[place] = id;
    if (options_.with_distances) rows_->distances[place] = distance;
  }

  RadiusOptions options_;
  std::int64_t* counts_;
  NeighbourRows* rows_;
  std::int64_t first_ = 0;
  std::vector<std::vector<std::pair<double, vertex_t>>> found_;
};

/// Returns the bytes of the offsets of n rows.
inline std::size_t bytes_of_offsets(std::int64_t n) { return (at(n) + 1) * sizeof(std::int64_t); }

/// Compares the queries with the points, as AllPairs::run does: (state, done, total).
using ComparePairs = FunctionRef<void(const RadiusState&, std::int64_t, std::int64_t)>;

/// Returns the neighbours of n queries within a radius. They are compared twice: their number is
/// known before there is memory for them. needed: bytes of the pairs and the offsets.
NeighbourRows rows_within(ComparePairs compare, std::int64_t n, const RadiusOptions& options,
                          std::size_t needed, MemoryBudget budget);

}  // namespace warpgraph
