// When a distributed worklist ends, and when its priority threshold rises.
//
// Work items are active or deferred. Deferred items have a priority beyond the threshold; they lie
// in the list of one worker, and nobody looks at them before the threshold rises. All others are
// active: seeds, items in a worker's queue, items in packets under way, items being processed. One
// counter has the number of active items plus the number of tokens. The source holds a token until
// it has sent its seeds; after the threshold has risen, each worker holds one until it has looked
// through its deferred items.
//
// Rules. (1) Only a holder of an active item or a token changes the counter, except for the leader
// below. (2) It adds what it has made of what it holds, minus what it holds no longer, in one step:
// before any new item can be seen by others, and after it has written the items that it defers to
// its own list. (3) Who brings the counter to 0 is the leader. It reads all lists of deferred
// items. If they are empty, the worklist has ended. Otherwise it raises the threshold to at least
// the smallest deferred priority, sets the counter to the number of workers, which gives each a
// token, and then publishes a new round.
//
// Proof. By (2) the counter never is less than the number of active items and tokens that exist,
// and it is equal to it between steps. So it is 0 only if none exists; by (1) then nobody but the
// one thread that saw its own step lead to 0 may change it, and nobody can make an item: there is
// one leader, and it is alone. All changes of the counter are read-modify-writes that acquire and
// release, thus all earlier writes to lists of deferred items are visible to the leader.
//   The end is correct: no active and no deferred items are left, and nobody can make any.
//   The end comes if processing all items comes to an end: as long as an item is active, its holder
// can go on, and it lowers the counter in the end. At 0, either the end is published, or each
// worker gets a token, at least one of them finds an item that is active now, and fewer items are
// deferred. No round is missed, since the next one needs the tokens of all workers.
//
// Lazy settlement. A worker on a device (worker_plan.cuh) follows a weaker rule (2'), since the
// counter is in the memory of another device. It knows its part of the counter: what it had at its
// last settlement, plus what it has received, minus what it has sent since, plus a token for each
// new round. The counter is the sum of all parts and of the items under way: a settlement sets the
// part to what the worker has, and adds the difference; sending and receiving an item moves 1
// between these terms. Rule (2'): a part never is negative, and is positive as long as the worker
// has an active item or a token; if sending would break this, the worker settles before; when it
// has neither, it settles, and its part is 0. So if the counter is 0, all parts are, and nothing is
// under way: no active item and no token exists. Whose part is 0 does not change the counter, so
// the leader is alone here, too. A worker that has not noticed a new round yet has a part that is
// larger by 1 than it knows, which is on the safe side: no other round begins before it notices.
// tests/cpp/test_runtime_agreement.cpp runs this class through all interleavings of small cases.
#pragma once

#include "core/ordered_atomics.hpp"

#include <cstdint>
#include <limits>
#include <span>

namespace warpgraph::runtime {

/// Smaller is more urgent.
using Priority = std::int64_t;

inline constexpr Priority lowest_priority = std::numeric_limits<Priority>::max();

/// What the leader has to know about a worker's deferred items.
struct DeferredItems {
  std::int64_t count = 0;
  Priority most_urgent = lowest_priority;
};

class Agreement {
 public:
  /// The threshold rises by at least `step`. The counter begins with `n_tokens` of sources.
  Agreement(std::int64_t n_workers, Priority threshold, Priority step, std::int64_t n_tokens = 1)
      : n_workers_(n_workers),
        step_(step < 0 ? 0 : step),
        threshold_(threshold),
        counter_(n_tokens) {}

  /// Adds to the counter. True: the caller is the leader, and calls decide() and publish().
  [[nodiscard]] WARPGRAPH_HOST_DEVICE bool settle(std::int64_t change) {
    return change != 0 && acquire_release_add(counter_, change) == 0;
  }
  /// For the leader: decides from the deferred items of all workers. The first of its two steps.
  WARPGRAPH_HOST_DEVICE void decide(const DeferredItems* of_workers) {
    Priority most_urgent = lowest_priority;
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < n_workers_; ++i) {
      count += of_workers[i].count;
      if (of_workers[i].most_urgent < most_urgent) most_urgent = of_workers[i].most_urgent;
    }
    if (count == 0) {
      ends_ = true;
      return;
    }
    const Priority raised =
        threshold_ > lowest_priority - step_ ? lowest_priority : threshold_ + step_;
    threshold_ = raised > most_urgent ? raised : most_urgent;
    release_store(counter_, n_workers_);
  }
  /// The same, on the host.
  void decide(std::span<const DeferredItems> of_workers) { decide(of_workers.data()); }
  /// The second step: workers see the decision.
  WARPGRAPH_HOST_DEVICE void publish() { release_store(round_, ends_ ? ended : round_ + 1); }

  /// The number of the present round. A worker that sees a new one moves deferred items that are
  /// within threshold() to its queue, and settles their number minus 1, its token.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::uint64_t round() const { return acquire_load(round_); }
  /// Valid from when round() has returned the worker's round, until the worker has settled its
  /// token and neither holds nor awaits items of that round.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE Priority threshold() const { return threshold_; }

  static constexpr std::uint64_t ended = std::numeric_limits<std::uint64_t>::max();

 private:
  std::int64_t n_workers_;
  Priority step_;
  Priority threshold_;
  bool ends_ = false;
  std::uint64_t round_ = 0;
  std::int64_t counter_;
};

}  // namespace warpgraph::runtime
