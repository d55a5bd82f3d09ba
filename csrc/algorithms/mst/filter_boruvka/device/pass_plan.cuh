// The plan of the passes of a device in the method "filter": the candidates that it lists in one,
// and the number of passes that this takes. Private to mst.
#pragma once

#include "algorithms/mst/filter_boruvka/device/device_passes.cuh"
#include "algorithms/mst/mst.hpp"
#include "core/memory/memory_budget.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph::mst {

/// The graphs on which a first round precedes the passes: it leaves only some of all edges.
enum class FirstRound { none, on_sparse_graphs };

template <class Bits, class WordRank>
class PassPlan {
 public:
  using Key = Bits;

  PassPlan(vertex_t n_vertices, edge_t n_arcs, const MstOptions& options, FirstRound first_round)
      : n_vertices_(n_vertices),
        n_arcs_(n_arcs),
        max_candidates_(options.symmetric ? n_arcs / 2 : n_arcs),
        is_sparse_(first_round == FirstRound::on_sparse_graphs &&
                   max_candidates_ <= device_filter_limits(n_vertices, n_arcs).at_most),
        expected_(is_sparse_ ? preferred_capacity() : max_candidates_) {}

  /// Returns whether there is no filter: after the first round one pass lists all candidates.
  [[nodiscard]] bool is_sparse() const { return is_sparse_; }

  /// Returns the capacity of the list beside other bytes, below the preferred one only if memory is
  /// short, since it costs passes. `n_lists` devices share the candidates. Throws OutOfMemory.
  [[nodiscard]] std::int64_t choose_capacity(MemoryBudget budget, std::string_view what,
                                             std::size_t other_bytes, std::string_view advice,
                                             int n_lists = 1) const {
    const std::int64_t best = preferred_share(n_lists);
    const std::int64_t min_candidates =
        std::min(best, max_candidates_ / (min_capacity_divisor * n_lists) + 1);
    const auto bytes_with = [&](std::int64_t candidates) {
      return other_bytes + static_cast<std::size_t>(candidates) * sizeof(DeviceCandidate<WordRank>);
    };
    if (budget.has(bytes_with(best))) return best;
    budget.require(what, bytes_with(min_candidates), advice);
    const std::size_t available_bytes = budget.available();
    if (bytes_with(min_candidates) >= available_bytes) return min_candidates;
    const std::size_t capacity =
        (available_bytes - other_bytes) / sizeof(DeviceCandidate<WordRank>);
    return std::min(best, static_cast<std::int64_t>(capacity));
  }

  /// Makes passes list at most that number. Estimates stay below it because of sampling errors.
  void use_capacity(std::int64_t capacity) {
    limit_ = capacity >= expected_ ? expected_ : capacity / 5 * 4;
  }
  /// Lowers the limit after a sample that underestimated by a quarter or more, which is rare.
  void lower_limit() { limit_ = std::max<std::int64_t>(limit_ / 2, 1); }

  [[nodiscard]] bool needs_sample() const { return expected_ > limit_; }
  /// Returns the rank before which the pass that starts at `begin` should stop, given the ranks of
  /// those of n_sampled entries that are left to collect.
  [[nodiscard]] Rank<Key> threshold(std::vector<Rank<Key>> hits, std::int64_t n_sampled,
                                    std::int64_t n_trees, Rank<Key> begin, Rank<Key> end) const {
    const FilterLimits best = device_filter_limits(n_trees, n_arcs_);
    const FilterLimits limits{std::min(best.target, limit_), std::min(best.at_most, limit_)};
    return filter_threshold(std::move(hits), n_sampled, n_arcs_, limits, begin, end);
  }

 private:
  /// The smallest capacity: shorter lists are not worth a second pass.
  static constexpr std::int64_t min_capacity = 1 << 16;
  /// The divisor of the edges to collect that gives the smallest capacity, which bounds the passes.
  static constexpr std::int64_t min_capacity_divisor = 64;
  /// The preferred scratch memory, relative to the size of the arcs, where that costs no time.
  static constexpr double scratch_goal = 1.5;

  /// Returns the capacity of the list if memory is not short. Of a sparse graph's edges, the first
  /// round leaves 46 % (roads) to 60 % (grids), rarely more than four in five: the scratch goal
  /// mostly suffices. If it does not, the list takes two passes.
  [[nodiscard]] std::int64_t preferred_capacity() const {
    std::int64_t best = device_filter_limits(n_vertices_, n_arcs_).at_most / 4 * 5;
    if (is_sparse_) {
      const double arcs = static_cast<double>(n_arcs_) * (sizeof(vertex_t) + sizeof(Bits));
      const auto fixed = DevicePasses<Bits, WordRank>::fixed_bytes(n_vertices_, n_arcs_);
      const double left = scratch_goal * arcs - static_cast<double>(fixed);
      best = std::max(static_cast<std::int64_t>(left / sizeof(DeviceCandidate<WordRank>)),
                      max_candidates_ / 3);
    }
    return std::min(std::max(best, min_capacity), max_candidates_);
  }

  /// Returns the preferred capacity of each of n lists. If all candidates go to them in one pass,
  /// the longest one holds more than the mean.
  [[nodiscard]] std::int64_t preferred_share(int n_lists) const {
    const std::int64_t all = preferred_capacity();
    const std::int64_t mean = all / n_lists;
    const std::int64_t share = all == max_candidates_ ? mean + mean / 4 : mean;
    return std::min(std::max(share, min_capacity), all);
  }

  const vertex_t n_vertices_;
  const edge_t n_arcs_;
  const std::int64_t max_candidates_;
  const bool is_sparse_;
  const std::int64_t expected_;  // candidates to list if there is no filter
  std::int64_t limit_ = 0;       // largest estimate of candidates in a pass
};

}  // namespace warpgraph::mst
