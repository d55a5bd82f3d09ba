// Agreement of workers on the end of a distributed worklist and on its priority threshold.
//
// Work items are active or deferred. Deferred items have a priority beyond the threshold; they lie
// in the list of one worker, and no worker looks at them before the threshold rises. All others are
// active: seeds, items in a worker's queue, items in packets under way, items being processed. One
// counter has the number of active items plus the number of tokens. The source holds a token until
// it has sent its seeds; after the threshold has risen, each worker holds one until it has looked
// through its deferred items.
//
// Rules. (1) Only a holder of an active item or a token changes the counter, except for the leader
// below. (2) It adds the number of items that it has made, minus the number that it no longer
// holds, in one step: before any new item can be seen by others, and after it has written the items
// that it defers to its own list. (3) The worker that brings the counter to 0 is the leader. It
// reads all lists of deferred items. If they are empty, the worklist has ended. Otherwise it raises
// the threshold to at least the smallest deferred priority, sets the counter to the number of
// workers, which gives each a token, and then publishes a new round.
//
// Proof. By (2) the counter never is less than the number of active items and tokens that exist,
// and it is equal to it between steps. So it is 0 only if none exists; by (1) then only the one
// thread that saw its own step lead to 0 may change it, and no thread can make an item: there is
// one leader, and it is alone. All changes of the counter are read-modify-writes that acquire and
// release, thus all earlier writes to lists of deferred items are visible to the leader.
//   The end is correct: no active and no deferred items are left, and no worker can make any.
//   The end comes if processing all items comes to an end: as long as an item is active, its holder
// can go on, and it lowers the counter in the end. At 0, either the end is published, or each
// worker gets a token, at least one of them finds an item that is active now, and fewer items are
// deferred. No round is missed, since the next one needs the tokens of all workers.
//
// Lazy settlement. A worker on a device (worker_plan.cuh) follows a weaker rule (2'), since the
// counter is in the memory of another device. It knows its part of the counter: the number of items
// that it had at its last settlement, plus those received, minus those sent since, plus a token for
// each new round. The counter is the sum of all parts and of the items under way: a settlement sets
// the part to the number that the worker has, and adds the difference; sending and receiving an
// item moves 1 between these terms. Rule (2'): a part never is negative, and is positive as long as
// the worker has an active item or a token; if sending would break this, the worker settles before;
// when it has neither, it settles, and its part is 0. So if the counter is 0, all parts are, and
// nothing is under way: no active item and no token exists. A worker whose part is 0 does not
// change the counter, so the leader is alone here, too. A worker that has not noticed a new round
// yet has a part that is larger by 1 than it knows, which is on the safe side: no other round
// begins before it notices. tests/cpp/runtime/worklist/test_runtime_agreement.cpp runs this class
// through all interleavings of small cases.
#pragma once

#include "core/ordered_atomics.hpp"

#include <cstdint>
#include <limits>
#include <span>

namespace warpgraph::runtime {

/// Priority of a work item; a smaller one is more urgent.
using Priority = std::int64_t;

inline constexpr Priority lowest_priority = std::numeric_limits<Priority>::max();

/// Summary of a worker's deferred items, for the leader.
struct DeferredItems {
  std::int64_t count = 0;
  Priority most_urgent = lowest_priority;
};

class Agreement {
 public:
  /// Makes an agreement whose threshold rises by at least `step`. The counter begins with
  /// `n_tokens` of sources.
  Agreement(std::int64_t n_workers, Priority threshold, Priority step, std::int64_t n_tokens = 1)
      : n_workers_(n_workers),
        step_(step < 0 ? 0 : step),
        threshold_(threshold),
        counter_(n_tokens) {}

  /// Adds to the counter. Returns true if the caller is the leader, which calls decide() and
  /// publish().
  [[nodiscard]] WARPGRAPH_HOST_DEVICE bool settle(std::int64_t change) {
    return change != 0 && acquire_release_add(counter_, change) == 0;
  }
  /// Decides, as the leader, from the deferred items of all workers: the first of its two steps.
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
  /// Decides on the host.
  void decide(std::span<const DeferredItems> of_workers) { decide(of_workers.data()); }
  /// Publishes the decision to the workers: the leader's second step.
  WARPGRAPH_HOST_DEVICE void publish() { release_store(round_, ends_ ? ended : round_ + 1); }

  /// Returns the number of the present round. A worker that sees a new one moves deferred items
  /// that are within threshold() to its queue, and settles their number minus 1, its token.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::uint64_t round() const { return acquire_load(round_); }
  /// Returns the threshold, which is valid from when round() has returned the worker's round, until
  /// the worker has settled its token and neither holds nor awaits items of that round.
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
