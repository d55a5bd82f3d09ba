// The buckets of searches on CPU cores. Distances are divided into buckets of equal width; vertices
// of later buckets are kept in Bins until their bucket is current.
#pragma once

#include "core/containers/growing_list.hpp"
#include "primitives/search/non_negative_relaxation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

namespace warpgraph::shortest_paths {

using Bucket = std::int64_t;
inline constexpr Bucket no_bucket = std::numeric_limits<Bucket>::max();

/// Map from distances to buckets. Rounding is monotone, so a smaller distance is never in a later
/// bucket, however the width is rounded. Correctness requires no more.
class Bucketing {
 public:
  explicit Bucketing(double width) noexcept : per_unit_(1.0 / width) {}

  template <class W>
  Bucket operator()(W distance) const noexcept {
    constexpr double last = 4e18;  // fits a Bucket; larger distances share this one
    return static_cast<Bucket>(std::min(static_cast<double>(distance) * per_unit_, last));
  }

 private:
  double per_unit_;
};

/// Returns the width of delta-stepping's buckets. Narrow buckets mean many rounds; in wide ones
/// vertices are relaxed repeatedly. 1.6 mean weights divided by the mean degree was within a few
/// percent of the best on roads, grids, cliques and power-law graphs; so were half and twice that.
/// With high degrees, 1.25 lets 16 cores search R-MAT graphs of 128 M edges 5 to 15 % faster, but
/// the bins must cover more than twice the mean weight. On roads, several threads need more
/// vertices per bucket, or they mostly wait at barriers. Four times the width costs two threads no
/// more than it saves where barriers are fast, and halves their time where barriers are slow. Eight
/// times the width lets 4 to 16 threads search roads another 5 to 15 % faster, and grids no slower.
template <class W>
double bucket_width(const CsrView<W>& graph, int threads) {
  const double mean = trimmed_mean_weight(graph);
  if (mean == 0) return 1.0;
  const double degree = std::max(1.0, static_cast<double>(graph.n_arcs) / graph.n_vertices);
  const double thread_factor =
      threads > 1 ? std::max(std::min(2.0 * threads, 8.0), std::sqrt(threads)) : 1.0;
  const double factor = graph.has_low_degree() ? 1.6 * thread_factor : 1.25;
  // Neither the width nor its inverse may overflow.
  return std::clamp(mean * std::max(factor / degree, 1.0 / 24), 1e-300, 1e300);
}

/// Bins, one for each of the next buckets. Most weights are a few widths, so vertices beyond the
/// bins are rare. They are kept in a heap; without it, one huge weight would need as many bins as
/// it is widths long.
template <class W>
class Bins {
 public:
  void put(const Lowered<W>& entry, Bucket bucket, Bucket current) {
    if (bucket < current + n_bins) {
      bins_[slot(bucket)].push(entry);
      filled_ |= std::uint64_t{1} << slot(bucket);
    } else {
      overflow_.push(entry);
      std::push_heap(overflow_.data(), overflow_.data() + overflow_.size(), is_farther);
    }
  }

  /// Removes all entries, before each search.
  void clear() {
    for (GrowingList<Lowered<W>>& bin : bins_) bin.clear();
    overflow_.clear();
    filled_ = 0;
    published_ = in_use_ = no_bucket;
  }

  /// Returns all memory to this thread's next lists.
  void release() {
    for (GrowingList<Lowered<W>>& bin : bins_) bin.release();
    overflow_.release();
  }

  /// Begins a round in bucket `current`, when no thread reads the list that was published for the
  /// previous round any more. Calls put_again(entry) for the entries of the heap that have a bin
  /// now.
  template <class PutAgain>
  void begin_round(Bucket current, Bucketing bucket_of, PutAgain&& put_again) {
    if (in_use_ != no_bucket) {
      bins_[slot(in_use_)].release();
      filled_ &= ~(std::uint64_t{1} << slot(in_use_));
    }
    in_use_ = published_ == current ? current : no_bucket;
    while (!overflow_.empty() && bucket_of(overflow_[0].distance) < current + n_bins) {
      const std::int64_t last = overflow_.size() - 1;
      std::pop_heap(overflow_.data(), overflow_.data() + last + 1, is_farther);
      const Lowered<W> nearest = overflow_[last];
      overflow_.shrink_to(last);
      put_again(nearest);
    }
  }

  /// Returns the first bucket after `current` that is not empty.
  [[nodiscard]] Bucket first(Bucket current, Bucketing bucket_of) const {
    // The bin of the current bucket may still be in use. It is the last one in this order.
    const std::uint64_t in_order = std::rotr(filled_, static_cast<int>(slot(current + 1)));
    const int ahead = std::countr_zero(in_order);
    const Bucket bin = ahead >= n_bins - 1 ? no_bucket : current + 1 + ahead;
    return std::min(bin, overflow_.empty() ? no_bucket : bucket_of(overflow_[0].distance));
  }

  /// Returns the entries of a bucket, which any thread may read during the next round. It is empty
  /// for no_bucket.
  std::span<const Lowered<W>> publish(Bucket bucket) {
    // A bucket at a distance of a multiple of n_bins has the same bin as the one in use. Its
    // entries are in the heap, and begin_round() passes them on.
    const bool is_bin_in_use = in_use_ != no_bucket && slot(bucket) == slot(in_use_);
    published_ = is_bin_in_use ? no_bucket : bucket;
    if (published_ == no_bucket) return {};
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
  std::uint64_t filled_ = 0;          // one bit for each bin that is not empty
  GrowingList<Lowered<W>> overflow_;  // a heap
  Bucket published_ = no_bucket;      // bucket published for the next round
  Bucket in_use_ = no_bucket;         // bucket that all threads read in this round
};

}  // namespace warpgraph::shortest_paths
