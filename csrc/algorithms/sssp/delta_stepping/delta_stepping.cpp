// Delta-stepping. Distances are cut into buckets of equal width, and all vertices of a bucket are
// relaxed together; one that is lowered within the bucket is relaxed again.
//
// Each thread keeps the vertices that it lowered in bins of its own, one a bucket. When it is done
// with a bucket, it offers its first bin that is not empty; when all have, the offers for the least
// bucket are shared: a thread takes pieces of its own offer, then of the others'. What it lowers
// into the same bucket it relaxes at once (bucket fusion), which spares roads, whose buckets are
// small, most of the rounds. So threads wait for each other once a round: see bucket_offers.hpp.
//
// A bin is not emptied when its vertices are lowered further; an entry that is out of date is
// skipped. A vertex with very many arcs is set aside, and its arcs are shared in a round of their
// own, or one thread would be busy with a hub while the others wait. One thread alone has none of
// these cares: see bucket_search.hpp.
#include "algorithms/sssp/delta_stepping/bucket_offers.hpp"
#include "algorithms/sssp/searches.hpp"
#include "core/atomics.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/search/bucket_search.hpp"

#include <array>
#include <atomic>
#include <span>

namespace warpgraph::shortest_paths {
namespace {

/// Pieces of a graph of which more, lowered into the current bucket, are shared in another round
/// instead of being relaxed by their thread alone.
constexpr std::int64_t most_pieces_fused = 16;

/// Up to so many pieces, one thread goes on alone instead of waking the others, until it has
/// relaxed so many vertices: half a millisecond's work, after which targets and progress are looked
/// at.
constexpr std::int64_t most_pieces_alone = 4;
constexpr std::int64_t most_relaxed_alone = 1 << 14;

/// A vertex with more arcs than this is shared, in slices of as many: 10 microseconds or so.
constexpr edge_t most_arcs_alone = 1 << 12;

/// What waits far away is looked at once a bucket, so near_far's are wider than delta-stepping's,
/// and more threads find enough in them.
constexpr double near_far_widths = 8;
constexpr int near_far_threads = 2;

/// Vertices that a thread takes from an offer at a time. With 64, each of 16 threads that have a
/// hundred in a bucket, as on roads, waits twice as long for the others as with 16; two threads,
/// which have a thousand, only hinder each other with less.
std::int64_t shared_piece_of(const CsrPattern& graph, int threads) {
  return std::clamp<std::int64_t>(128 / threads, 16, piece_of(graph));
}

template <class W>
void report_relaxed(const CsrView<W>& graph, std::int64_t n_relaxed) {
  report_progress(std::min<std::int64_t>(n_relaxed, graph.n_vertices), graph.n_vertices);
}

/// One thread's part. What is lowered beyond the current bucket is left to a `Later`: Bins or a
/// Pile.
template <class W, template <class> class Later>
class Member {
 public:
  Member(const CsrView<W>& graph, Bucketing bucket_of, const SsspOptions<W>& options, W* distance,
         std::int64_t piece)
      : graph_(graph),
        options_(options),
        piece_(piece),
        most_fused_(most_pieces_fused * piece_of(graph)),
        arcs_(graph, options.limit, distance),
        bucket_of_(bucket_of) {}

  /// To be called when all are done with the round before: lists that were on offer in it are read
  /// by nobody any more.
  void begin_round(Bucket bucket) {
    now_ = bucket;
    parity_ ^= 1;
    fused_ = &fused_of_[parity_];
    fused_->clear();
    next_fused_ = 0;
    slices_ = &slices_of_[parity_];
    slices_->clear();
    later_.begin_round(now_, bucket_of_, [this](const Lowered<W>& entry) {
      if (arcs_.is_current(entry)) put(entry);
    });
  }

  void relax_offer(BucketOffer<W>& offer, bool is_owner, const Team& team) {
    take_pieces(offer.n_entries, offer.entries_taken, piece_, is_owner, team,
                [&](const Range& range) { relax(offer.entries, range); });
    take_pieces(offer.n_slices, offer.slices_taken, 1, is_owner, team, [&](const Range& range) {
      arcs_.relax(offer.slices[range.first], [this](const Lowered<W>& entry) { put(entry); });
    });
  }

  void relax_fused(const Team& team) {
    const std::int64_t enough = relaxed_ + most_relaxed_alone;
    while (fused_->size() > next_fused_ && relaxed_ < enough && may_go_on(team)) {
      if (fused_->size() - next_fused_ > most_fused_) break;
      const std::int64_t first = next_fused_;
      next_fused_ = std::min(first + piece_, fused_->size());
      relax(*fused_, {first, next_fused_, fused_->size(), false});
    }
  }

  /// One round after the other, as long as nobody else has anything to do and this is too little to
  /// share. Starting near the source, or along a path, that saves most of the waiting.
  void go_on_alone(BucketOffer<W>& offer, const Team& team) {
    const std::int64_t enough = relaxed_ + most_relaxed_alone;
    while (offer.bucket != no_bucket && offer.n_entries <= most_pieces_alone * piece_ &&
           offer.n_slices == 0 && relaxed_ < enough && may_go_on(team)) {
      begin_round(offer.bucket);
      relax_offer(offer, true, team);
      relax_fused(team);
      make_offer(offer);
    }
  }

  [[nodiscard]] bool fits_all() const { return arcs_.fits_all(); }

  /// Puts the first vertices that are left on offer.
  void make_offer(BucketOffer<W>& offer) {
    offer.relaxed = relaxed_;
    offer.arcs_relaxed = arcs_.n_relaxed();
    offer.slices = slices_->data();
    offer.n_slices = slices_->size();
    offer.slices_taken.store(0, std::memory_order_relaxed);
    offer.entries_taken.store(0, std::memory_order_relaxed);
    if (next_fused_ < fused_->size() || !slices_->empty()) {
      offer.bucket = now_;
      offer.entries = fused_->data() + next_fused_;
      offer.n_entries = fused_->size() - next_fused_;
      later_.lend(no_bucket);
      return;
    }
    offer.bucket = later_.first(now_, bucket_of_);
    const std::span<const Lowered<W>> waiting = later_.lend(offer.bucket);
    offer.entries = waiting.data();
    offer.n_entries = static_cast<std::int64_t>(waiting.size());
  }

 private:
  template <class List>
  void relax(const List& entries, const Range& range) {
    if (!options_.targets.empty() && options_.targets.size() <= most_targets_watched) {
      arcs_.tighten(farthest_wanted(options_, [&](vertex_t v) { return arcs_.distance_of(v); }));
    }
    relaxed_ += arcs_.relax(
        entries, range, most_arcs_alone, [this](const Lowered<W>& entry) { put(entry); },
        [this](const Lowered<W>& hub) { set_aside(hub); });
  }

  void put(const Lowered<W>& entry) {
    const Bucket bucket = bucket_of_(entry.distance);
    if (bucket == now_) {
      fused_->push(entry);
    } else {
      later_.put(entry, bucket, now_);
    }
  }

  void set_aside(const Lowered<W>& hub) {
    const edge_t end = graph_.end(hub.vertex);
    for (edge_t e = graph_.begin(hub.vertex); e < end; e += most_arcs_alone) {
      slices_->push({hub, e, std::min(e + most_arcs_alone, end)});
    }
  }

  const CsrView<W> graph_;
  const SsspOptions<W> options_;
  const std::int64_t piece_;
  const std::int64_t most_fused_;
  ForwardRelaxation<W, true> arcs_;
  const Bucketing bucket_of_;
  Later<W> later_;
  Bucket now_ = 0;
  std::size_t parity_ = 0;
  std::int64_t relaxed_ = 0;
  std::int64_t next_fused_ = 0;
  // Of this round; on offer from the last.
  std::array<GrowingList<Lowered<W>>, 2> fused_of_;
  std::array<GrowingList<Slice<W>>, 2> slices_of_;
  GrowingList<Lowered<W>>* fused_ = nullptr;
  GrowingList<Slice<W>>* slices_ = nullptr;
};

/// The team's part: rounds, offers, and when to stop.
template <class W, template <class> class Later>
class SearchByBuckets {
 public:
  SearchByBuckets(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                  double width, std::span<W> distances, int threads)
      : graph_(graph),
        options_(options),
        first_{W{0}, source},
        distance_(distances.data()),
        bucket_of_(width),
        threads_(threads),
        piece_(shared_piece_of(graph, threads)),
        list_budget_(options.memory_limit),
        offers_(threads, &first_) {}

  /// False if a sum of integers may not have fitted.
  bool run() {
    try {
      run_team(threads_, [this](const Team& team) { work(team); });
    } catch (const ListBudgetExceeded&) {
      gave_up_ = true;
    }
    if (!gave_up_) return fits_all_.load(std::memory_order_relaxed);
    finish_search(graph_, SearchEnd<W>{options_.limit, options_.targets}, distance_,
                  now_and_then([] { return poll(), true; }), [](vertex_t) {});
    return !std::is_integral_v<W>;
  }

 private:
  void work(const Team& team) {
    const auto rank = static_cast<std::size_t>(team.rank());
    const WithListBudget within(list_budget_);
    // Made by its thread, so that its memory is near.
    Member<W, Later> member(graph_, bucket_of_, options_, distance_, piece_);
    for (std::uint32_t round = BucketOffers<W>::first_round;; ++round) {
      const std::span<BucketOffer<W>> offers = offers_.meet(team, round);
      const Bucket now = least_bucket(offers);
      if (now == no_bucket || now == leave) break;
      BucketOffer<W>& next = offers_.slot(team, round + 1);
      const bool done = team.guard([&] {
        member.begin_round(now);
        for (std::size_t i = 0; i < offers.size(); ++i) {
          BucketOffer<W>& offer = offers[(rank + i) % offers.size()];
          if (offer.bucket == now) member.relax_offer(offer, i == 0, team);
        }
        member.relax_fused(team);
        member.make_offer(next);
        if (is_alone(offers, rank)) member.go_on_alone(next, team);
      });
      // Whether to go on must look the same to all, so it is part of an offer.
      if (!done || (rank == 0 && wants_to_stop(team, now, offers))) next.bucket = leave;
      next.round.set(round + 1);
    }
    if (!member.fits_all()) fits_all_.store(false, std::memory_order_relaxed);
  }

  static Bucket least_bucket(std::span<const BucketOffer<W>> offers) {
    Bucket least = no_bucket;
    for (const BucketOffer<W>& offer : offers) least = std::min(least, offer.bucket);
    return least;
  }

  /// Whether nobody else has an offer, nor part in this one's: then nobody else does anything.
  [[nodiscard]] bool is_alone(std::span<const BucketOffer<W>> offers, std::size_t rank) const {
    const BucketOffer<W>& own = offers[rank];
    if (own.n_entries > piece_ || own.n_slices > 0) return false;
    for (std::size_t i = 0; i < offers.size(); ++i) {
      if (i != rank && offers[i].bucket != no_bucket) return false;
    }
    return own.bucket != no_bucket;
  }

  bool wants_to_stop(const Team& team, Bucket now, std::span<const BucketOffer<W>> offers) {
    std::int64_t relaxed = 0;
    edge_t arcs_relaxed = 0;
    for (const BucketOffer<W>& offer : offers) {
      relaxed += offer.relaxed;
      arcs_relaxed += offer.arcs_relaxed;
    }
    if (!team.guard([&] { report_relaxed(graph_, relaxed); })) return true;
    gave_up_ = arcs_relaxed > most_arcs_by_buckets(graph_.n_arcs);
    if (gave_up_) return true;
    // Buckets before the current one are final.
    const std::span<const vertex_t> targets = options_.targets;
    while (settled_targets_ < targets.size() &&
           bucket_of_(relaxed_load(distance_[targets[settled_targets_]])) < now) {
      ++settled_targets_;
    }
    return !targets.empty() && settled_targets_ == targets.size();
  }

  const CsrView<W> graph_;
  const SsspOptions<W> options_;
  const Lowered<W> first_;
  W* const distance_;
  const Bucketing bucket_of_;
  const int threads_;
  const std::int64_t piece_;
  ListBudget list_budget_;
  std::size_t settled_targets_ = 0;
  bool gave_up_ = false;  // said by one thread, and read when all are done
  std::atomic<bool> fits_all_{true};
  BucketOffers<W> offers_;
};

template <template <class> class Later, class W>
bool search_by_buckets(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                       double width, int threads, std::span<W> distances) {
  if (options.bucket_width > 0) width = options.bucket_width;
  if (threads > 1) {
    return SearchByBuckets<W, Later>(graph, source, options, width, distances, threads).run();
  }
  const auto keep_on = [&](std::int64_t relaxed) { return report_relaxed(graph, relaxed), true; };
  return BucketSearch<W, Later>(graph, width, options.memory_limit)
      .run(source, {options.limit, options.targets}, distances.data(), keep_on, [](vertex_t) {});
}

}  // namespace

template <class W>
bool delta_stepping(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                    std::span<W> distances) {
  const int threads = threads_for(graph.n_arcs);
  const double width = bucket_width(graph, threads);
  return search_by_buckets<Bins>(graph, source, options, width, threads, distances);
}

template <class W>
bool near_far(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
              std::span<W> distances) {
  const int threads = threads_for(graph.n_arcs);
  const double width = near_far_widths * bucket_width(graph, std::min(threads, near_far_threads));
  return search_by_buckets<Pile>(graph, source, options, width, threads, distances);
}

#define WARPGRAPH_INSTANTIATE(W)                                                      \
  template bool delta_stepping<W>(const CsrView<W>&, vertex_t, const SsspOptions<W>&, \
                                  std::span<W>);                                      \
  template bool near_far<W>(const CsrView<W>&, vertex_t, const SsspOptions<W>&, std::span<W>);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::shortest_paths
