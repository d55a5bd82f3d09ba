// Delta-stepping. Distances are cut into buckets of equal width, and all vertices of a bucket are
// relaxed together; one that is lowered within the bucket is relaxed again.
//
// Each thread keeps the vertices that it lowered in bins of its own, one a bucket. When all are
// done with a bucket, every thread offers its first bin that is not empty, they meet at a barrier,
// and the offers for the least bucket are shared: a thread takes pieces of its own offer, then of
// the others'. What it lowers into the same bucket it relaxes at once (bucket fusion), which spares
// roads, whose buckets are small, most of the rounds. So a round has one barrier.
//
// A bin is not emptied when its vertices are lowered further; an entry is out of date, and skipped,
// if its vertex's distance falls in another bucket than the one at hand.
#include "algorithms/sssp/offers.hpp"
#include "core/atomics.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace warpgraph::sssp_steps {
namespace {

using Bucket = std::int64_t;
constexpr Bucket no_bucket = std::numeric_limits<Bucket>::max();
constexpr Bucket leave = -1;  // offered by a thread that wants all to stop

/// Buckets that have a bin; later ones wait in a heap. A weight is a few widths, so it is rarely
/// used; without it, one enormous weight would need as many bins.
constexpr int n_bins = 64;

/// More than this many vertices lowered into the current bucket are shared in another round instead
/// of being relaxed by their thread alone.
constexpr std::int64_t most_fused = 1024;

/// Cuts distances into buckets. Rounding is monotone, so a nearer vertex is never in a later bucket
/// however the width rounds, and correctness asks for no more.
template <class W>
class Bucketing {
 public:
  explicit Bucketing(double width) {
    if constexpr (std::is_integral_v<W>) {
      while (shift_ < 62 && static_cast<double>(std::int64_t{2} << shift_) <= width) ++shift_;
    } else {
      per_unit_ = 1.0 / width;
    }
  }

  Bucket operator()(W distance) const noexcept {
    if constexpr (std::is_integral_v<W>) {
      return static_cast<Bucket>(distance) >> shift_;
    } else {
      constexpr double last = 4e18;  // what fits a Bucket; further ones share it
      return static_cast<Bucket>(std::min(static_cast<double>(distance) * per_unit_, last));
    }
  }

 private:
  int shift_ = 0;
  double per_unit_ = 1.0;
};

/// The width of buckets. Too narrow means many rounds, too wide means relaxing vertices that will
/// be lowered again. Roads stand a width of a few mean weights, so that threads seldom have to
/// meet; a power-law graph with degree 30 wants a tenth of the mean; the formula has both and is
/// flat around either. The mean leaves out the upper quarter of a sample, so that a few enormous
/// weights do not put everything into one bucket.
template <class W>
double bucket_width(const CsrView<W>& graph) {
  constexpr edge_t sample_size = 1024;
  const edge_t stride = std::max<edge_t>(1, graph.n_arcs / sample_size);
  std::vector<double> sample;
  for (edge_t e = stride / 2; e < graph.n_arcs; e += stride) {
    const W weight = weight_of(graph, e);
    if (weight != infinity<W>()) sample.push_back(static_cast<double>(weight));
  }
  std::sort(sample.begin(), sample.end());
  const auto mean_of = [&](std::size_t count) {
    double mean = 0;
    for (std::size_t i = 0; i < count; ++i) mean += sample[i] / static_cast<double>(count);
    return mean;
  };
  double mean = mean_of(sample.size() - sample.size() / 4);
  if (mean == 0) mean = mean_of(sample.size());
  if (mean == 0) return 1.0;
  const double degree = std::max(1.0, static_cast<double>(graph.n_arcs) / graph.n_vertices);
  // Neither the width nor its inverse may overflow.
  return std::clamp(12.0 * mean / (degree * std::sqrt(degree)), 1e-300, 1e300);
}

/// An offer for the bucket that is a thread's first.
struct BucketOffer : Offer {
  Bucket bucket = no_bucket;
  std::int64_t relaxed = 0;  // vertices that the thread has relaxed so far
};

/// One thread's part. `shared`: others lower distances at the same time.
template <class W, bool shared>
class alignas(64) Member {
 public:
  Member(const CsrView<W>& graph, Bucketing<W> bucket_of, W limit, W* distance)
      : arcs_(graph, limit, distance), bucket_of_(bucket_of) {}

  /// To be called behind the barrier that ends the round before: lists that were on offer in it
  /// are read by nobody any more.
  void begin_round(Bucket bucket, int parity) {
    if (lent_bin_ != no_bucket) empty_bin(slot(lent_bin_));
    lent_bin_ = offered_bin_ == bucket ? bucket : no_bucket;
    now_ = bucket;
    fused_ = &fused_of_[parity];
    fused_->clear();
    next_fused_ = 0;
    while (!far_.empty() && bucket_of_(far_.front().distance) < now_ + n_bins) take_from_far();
  }

  void relax_offer(BucketOffer& offer, const Team& team) {
    arcs_.for_pieces(offer, team, [this](vertex_t u) { relax(u); });
  }

  void relax_fused(const Team& team) {
    while (n_fused() > next_fused_ && arcs_.keep_on(team)) {
      if (shared && n_fused() - next_fused_ > most_fused) break;
      const std::int64_t first = next_fused_;
      next_fused_ = std::min(first + piece, n_fused());
      arcs_.for_some(*fused_, first, next_fused_, [this](vertex_t u) { relax(u); });
    }
  }

  /// Puts the first vertices that are left on offer.
  void make_offer(BucketOffer& offer) {
    offered_bin_ = no_bucket;
    offer.relaxed = relaxed_;
    if (next_fused_ < n_fused()) {
      offer.bucket = now_;
      offer.set(fused_->data() + next_fused_, n_fused() - next_fused_);
      return;
    }
    const Bucket bin = first_bin();
    const Bucket far = far_.empty() ? no_bucket : bucket_of_(far_.front().distance);
    offer.bucket = std::min(bin, far);
    offer.set(nullptr, 0);  // what is far gets into this thread's fused list in begin_round
    if (bin != no_bucket && bin <= far) {
      offered_bin_ = bin;
      const std::vector<vertex_t>& vertices = bins_[slot(bin)];
      offer.set(vertices.data(), static_cast<std::int64_t>(vertices.size()));
    }
  }

 private:
  struct Far {
    W distance;
    vertex_t vertex;
  };
  static bool is_farther(const Far& a, const Far& b) { return a.distance > b.distance; }
  static std::size_t slot(Bucket bucket) { return static_cast<std::size_t>(bucket % n_bins); }
  [[nodiscard]] std::int64_t n_fused() const { return static_cast<std::int64_t>(fused_->size()); }

  void relax(vertex_t u) {
    const W at = arcs_.distance_of(u);
    if (bucket_of_(at) != now_) return;
    ++relaxed_;
    arcs_.relax(u, at, [this](vertex_t v, W distance) { put(v, distance); });
  }

  void put(vertex_t v, W distance) {
    const Bucket bucket = bucket_of_(distance);
    if (bucket == now_) {
      fused_->push_back(v);
    } else if (bucket < now_ + n_bins) {
      bins_[slot(bucket)].push_back(v);
      filled_ |= std::uint64_t{1} << slot(bucket);
    } else {
      far_.push_back({distance, v});
      std::push_heap(far_.begin(), far_.end(), is_farther);
    }
  }

  /// The nearest far vertex goes where it belongs now, unless it was lowered since.
  void take_from_far() {
    std::pop_heap(far_.begin(), far_.end(), is_farther);
    const Far nearest = far_.back();
    far_.pop_back();
    if (arcs_.distance_of(nearest.vertex) == nearest.distance)
      put(nearest.vertex, nearest.distance);
  }

  void empty_bin(std::size_t at) {
    bins_[at].clear();
    filled_ &= ~(std::uint64_t{1} << at);
  }

  /// The first bucket behind the current one whose bin is not empty.
  [[nodiscard]] Bucket first_bin() const {
    // The current bucket's own bin may still be on offer; it is the last in this turn.
    const std::uint64_t in_order = std::rotr(filled_, static_cast<int>(slot(now_ + 1)));
    const int ahead = std::countr_zero(in_order);
    return ahead >= n_bins - 1 ? no_bucket : now_ + 1 + ahead;
  }

  const Relaxation<W, shared> arcs_;
  const Bucketing<W> bucket_of_;
  Bucket now_ = 0;
  Bucket offered_bin_ = no_bucket;  // of the next round
  Bucket lent_bin_ = no_bucket;     // read by all in this round
  std::int64_t relaxed_ = 0;
  std::array<std::vector<vertex_t>, n_bins> bins_;
  std::uint64_t filled_ = 0;                       // one bit a bin that is not empty
  std::array<std::vector<vertex_t>, 2> fused_of_;  // of this round; on offer from the last
  std::vector<vertex_t>* fused_ = &fused_of_[0];
  std::int64_t next_fused_ = 0;
  std::vector<Far> far_;  // a heap
};

/// The team's part: rounds, offers, and when to stop.
template <class W, bool shared>
class DeltaStepping {
 public:
  DeltaStepping(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                std::span<W> distances, int threads)
      : n_vertices_(graph.n_vertices),
        source_(source),
        targets_(options.targets),
        distance_(distances.data()),
        bucket_of_(bucket_width(graph)) {
    for (std::vector<BucketOffer>& offers : offers_) {
      offers = std::vector<BucketOffer>(static_cast<std::size_t>(threads));
    }
    for (int i = 0; i < threads; ++i) {
      members_.push_back(
          std::make_unique<Member<W, shared>>(graph, bucket_of_, options.limit, distance_));
    }
    offers_[0][0].bucket = 0;
    offers_[0][0].vertices = &source_;
    offers_[0][0].size = 1;
  }

  void run() {
    run_team(static_cast<int>(members_.size()), [this](const Team& team) { work(team); });
  }

 private:
  void work(const Team& team) {
    const auto rank = static_cast<std::size_t>(team.rank());
    Member<W, shared>& member = *members_[rank];
    for (int parity = 0;; parity ^= 1) {
      team.barrier();
      std::vector<BucketOffer>& offers = offers_[static_cast<std::size_t>(parity)];
      const Bucket now = least_bucket(offers);
      if (now == no_bucket || now == leave) return;
      const bool done = team.guard([&] {
        member.begin_round(now, parity);
        for (std::size_t i = 0; i < offers.size(); ++i) {
          BucketOffer& offer = offers[(rank + i) % offers.size()];
          if (offer.bucket == now) member.relax_offer(offer, team);
        }
        member.relax_fused(team);
      });
      // The other half of the offers was read before the last barrier.
      BucketOffer& next = offers_[static_cast<std::size_t>(parity ^ 1)][rank];
      member.make_offer(next);
      // Whether to go on must look the same to all behind the barrier, so it is part of an offer.
      if (!done || (rank == 0 && wants_to_stop(team, now, offers))) next.bucket = leave;
    }
  }

  static Bucket least_bucket(const std::vector<BucketOffer>& offers) {
    Bucket least = no_bucket;
    for (const BucketOffer& offer : offers) least = std::min(least, offer.bucket);
    return least;
  }

  bool wants_to_stop(const Team& team, Bucket now, const std::vector<BucketOffer>& offers) {
    const bool went_on = team.guard([&] {
      std::int64_t relaxed = 0;
      for (const BucketOffer& offer : offers) relaxed += offer.relaxed;
      report_progress(std::min<std::int64_t>(relaxed, n_vertices_), n_vertices_);
    });
    if (!went_on) return true;
    // Buckets before the current one are final.
    while (settled_targets_ < targets_.size() &&
           bucket_of_(relaxed_load(distance_[targets_[settled_targets_]])) < now) {
      ++settled_targets_;
    }
    return !targets_.empty() && settled_targets_ == targets_.size();
  }

  const vertex_t n_vertices_;
  const vertex_t source_;
  const std::span<const vertex_t> targets_;
  W* const distance_;
  const Bucketing<W> bucket_of_;
  std::size_t settled_targets_ = 0;
  std::array<std::vector<BucketOffer>, 2> offers_;  // of this round, and of the next
  std::vector<std::unique_ptr<Member<W, shared>>> members_;
};

}  // namespace

template <class W>
void delta_stepping(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                    std::span<W> distances) {
  const int threads = threads_for(graph.n_arcs);
  if (threads == 1) {
    DeltaStepping<W, false>(graph, source, options, distances, 1).run();
  } else {
    DeltaStepping<W, true>(graph, source, options, distances, threads).run();
  }
}

#define WARPGRAPH_INSTANTIATE(W) \
  template void delta_stepping<W>(const CsrView<W>&, vertex_t, const SsspOptions<W>&, std::span<W>);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::sssp_steps
