// Where the searches by distance on CPU cores keep vertices until their turn: distances are cut
// into buckets of equal width, and what waits for a later bucket waits in Bins or in a Pile.
#pragma once

#include "core/containers/growing_list.hpp"
#include "primitives/search/forward_relaxation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

namespace warpgraph::shortest_paths {

using Bucket = std::int64_t;
inline constexpr Bucket no_bucket = std::numeric_limits<Bucket>::max();

/// Cuts distances into buckets. Rounding is monotone, so a nearer vertex is never in a later bucket
/// however the width rounds, and correctness asks for no more.
class Bucketing {
 public:
  explicit Bucketing(double width) noexcept : per_unit_(1.0 / width) {}

  template <class W>
  Bucket operator()(W distance) const noexcept {
    constexpr double last = 4e18;  // what fits a Bucket; further ones share it
    return static_cast<Bucket>(std::min(static_cast<double>(distance) * per_unit_, last));
  }

 private:
  double per_unit_;
};

/// The width of delta-stepping's buckets. Too narrow means many rounds, too wide means relaxing
/// vertices that will be lowered again. One and a half weights' share of a vertex's arcs was within
/// a few percent of the best on roads, grids, cliques and power-law graphs; so were half and twice
/// that. Where degrees are high, a little less lets 16 cores search R-MAT graphs of 128 M edges 5
/// to 15 % faster; but bins must reach over twice the mean weight. On roads, threads that share a
/// bucket need more in it, or they only meet: four times as much costs two of them no more than it
/// saves where meeting is quick, and halves their time where it is slow. Eight times as much lets 4
/// to 16 of them search roads 5 to 15 % faster still, and grids no slower.
template <class W>
double bucket_width(const CsrView<W>& graph, int threads) {
  const double mean = typical_weight(graph);
  if (mean == 0) return 1.0;
  const double degree = std::max(1.0, static_cast<double>(graph.n_arcs) / graph.n_vertices);
  const double sharing =
      threads > 1 ? std::max(std::min(2.0 * threads, 8.0), std::sqrt(threads)) : 1.0;
  const double share = degree < 8 ? 1.6 * sharing : 1.25;
  // Neither the width nor its inverse may overflow.
  return std::clamp(mean * std::max(share / degree, 1.0 / 24), 1e-300, 1e300);
}

/// A bin for each of the next buckets. A weight is a few widths, so what is farther is rare; it
/// waits in a heap, without which one enormous weight would need as many bins.
template <class W>
class Bins {
 public:
  void put(const Lowered<W>& entry, Bucket bucket, Bucket now) {
    if (bucket < now + n_bins) {
      bins_[slot(bucket)].push(entry);
      filled_ |= std::uint64_t{1} << slot(bucket);
    } else {
      far_.push(entry);
      std::push_heap(far_.data(), far_.data() + far_.size(), is_farther);
    }
  }

  /// Forgets everything, when a search begins.
  void clear() {
    for (GrowingList<Lowered<W>>& bin : bins_) bin.clear();
    far_.clear();
    filled_ = 0;
    offered_ = lent_ = no_bucket;
  }

  /// Leaves all memory to this thread's next lists.
  void release() {
    for (GrowingList<Lowered<W>>& bin : bins_) bin.release();
    far_.release();
  }

  /// At the beginning of a round in bucket `now`: what lend() returned before the last round is
  /// read by nobody any more. again(entry) for what has come near enough.
  template <class Again>
  void begin_round(Bucket now, Bucketing bucket_of, Again&& again) {
    if (lent_ != no_bucket) {
      bins_[slot(lent_)].release();
      filled_ &= ~(std::uint64_t{1} << slot(lent_));
    }
    lent_ = offered_ == now ? now : no_bucket;
    while (!far_.empty() && bucket_of(far_[0].distance) < now + n_bins) {
      const std::int64_t last = far_.size() - 1;
      std::pop_heap(far_.data(), far_.data() + last + 1, is_farther);
      const Lowered<W> nearest = far_[last];
      far_.shrink_to(last);
      again(nearest);
    }
  }

  /// The first bucket behind `now` that something waits for.
  [[nodiscard]] Bucket first(Bucket now, Bucketing bucket_of) const {
    // The current bucket's own bin may still be on offer; it is the last in this turn.
    const std::uint64_t in_order = std::rotr(filled_, static_cast<int>(slot(now + 1)));
    const int ahead = std::countr_zero(in_order);
    const Bucket bin = ahead >= n_bins - 1 ? no_bucket : now + 1 + ahead;
    return std::min(bin, far_.empty() ? no_bucket : bucket_of(far_[0].distance));
  }

  /// What waits for a bucket, to be read by others during the next round; no_bucket: nothing.
  std::span<const Lowered<W>> lend(Bucket bucket) {
    // A bucket n_bins or a multiple of it behind the one on loan has the same bin, which is still
    // that one's: what waits for the later bucket is in the heap, and begin_round() brings it.
    const bool bin_is_lent = lent_ != no_bucket && slot(bucket) == slot(lent_);
    offered_ = bin_is_lent ? no_bucket : bucket;
    if (offered_ == no_bucket) return {};
    const GrowingList<Lowered<W>>& bin = bins_[slot(bucket)];
    return {bin.data(), static_cast<std::size_t>(bin.size())};
  }

 private:
  static constexpr int n_bins = 64;
  static bool is_farther(const Lowered<W>& a, const Lowered<W>& b) {
    return a.distance > b.distance;
  }
  static std::size_t slot(Bucket bucket) { return static_cast<std::size_t>(bucket % n_bins); }

  std::array<GrowingList<Lowered<W>>, n_bins> bins_;
  std::uint64_t filled_ = 0;     // one bit a bin that is not empty
  GrowingList<Lowered<W>> far_;  // a heap
  Bucket offered_ = no_bucket;   // in the next round
  Bucket lent_ = no_bucket;      // read by all in this round
};

/// All that waits, in no order. Whenever a bucket is done, all of it is looked at; so buckets must
/// be wide.
template <class W>
class Pile {
 public:
  void put(const Lowered<W>& entry, Bucket bucket, Bucket) {
    entries_.push(entry);
    first_ = std::min(first_, bucket);
  }

  void clear() {
    entries_.clear();
    first_ = no_bucket;
  }

  void release() { entries_.release(); }

  template <class Again>
  void begin_round(Bucket now, Bucketing bucket_of, Again&& again) {
    if (now < first_) return;
    first_ = no_bucket;
    Bucket first = no_bucket;  // in a register, unlike a member that again() may change
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < entries_.size(); ++i) {
      const Lowered<W> entry = entries_[i];
      const Bucket bucket = bucket_of(entry.distance);
      if (bucket <= now) {
        again(entry);
      } else {
        entries_[kept++] = entry;
        first = std::min(first, bucket);
      }
    }
    first_ = std::min(first_, first);
    entries_.shrink_to(kept);
  }

  [[nodiscard]] Bucket first(Bucket, Bucketing) const { return first_; }

  /// Nothing: what is near comes by begin_round().
  std::span<const Lowered<W>> lend(Bucket) { return {}; }

 private:
  GrowingList<Lowered<W>> entries_;
  Bucket first_ = no_bucket;
};

}  // namespace warpgraph::shortest_paths
