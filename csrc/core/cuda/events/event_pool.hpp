// A pool of events: creating one takes longer than recording it, and asynchronous programs need
// many that are short-lived.
#pragma once

#include "core/cuda/stream.hpp"

namespace warpgraph::cuda {

/// An event without timing, which the destructor returns to the pool. Streams that wait for it
/// already are not affected by its next use.
class BorrowedEvent {
 public:
  explicit BorrowedEvent(Device device);
  ~BorrowedEvent();
  BorrowedEvent(const BorrowedEvent&) = delete;
  BorrowedEvent& operator=(const BorrowedEvent&) = delete;
  const Event& operator*() const noexcept { return event_; }
  const Event* operator->() const noexcept { return &event_; }

 private:
  Device device_;
  Event event_;
};

}  // namespace warpgraph::cuda
