// The agreement of workers that are threads of the host: they sleep at their inboxes, and the
// leader wakes them.
#pragma once

#include "runtime/link.hpp"
#include "runtime/worklist/agreement.hpp"

#include <vector>

namespace warpgraph::runtime {

class HostAgreement {
 public:
  /// Makes a worker for each of the links by which they receive. The only source holds a token.
  HostAgreement(std::vector<Link*> inboxes, Priority first_threshold, Priority step)
      : inboxes_(std::move(inboxes)),
        agreement_(static_cast<std::int64_t>(inboxes_.size()), first_threshold, step),
        deferred_(inboxes_.size()) {}

  /// Returns the summary of a worker's deferred items. The worker writes it before it settles; the
  /// leader reads it.
  [[nodiscard]] DeferredItems& deferred(std::size_t worker) { return deferred_[worker]; }
  /// Adds to the counter, and decides if this thread is the leader now.
  void settle(std::int64_t change) {
    if (!agreement_.settle(change)) return;
    agreement_.decide(deferred_);
    agreement_.publish();
    for (Link* const inbox : inboxes_) inbox->ring();
  }
  [[nodiscard]] std::uint64_t round() const { return agreement_.round(); }
  [[nodiscard]] Priority threshold() const { return agreement_.threshold(); }
  [[nodiscard]] Link& inbox(std::size_t worker) const { return *inboxes_[worker]; }
  /// Waits until a segment has arrived for a worker, or the round is not `seen` any more.
  void wait(std::size_t worker, std::uint64_t seen) const {
    inbox(worker).wait_for_segment_or([&] { return round() != seen; });
  }

 private:
  const std::vector<Link*> inboxes_;
  Agreement agreement_;
  std::vector<DeferredItems> deferred_;
};

}  // namespace warpgraph::runtime
