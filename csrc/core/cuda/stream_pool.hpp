// Streams to borrow: creating one costs more than a small graph's whole solve.
#pragma once

#include "core/cuda/stream.hpp"

namespace warpgraph::cuda {

/// A stream that goes back to the pool, idle, when its borrower leaves.
class BorrowedStream {
 public:
  explicit BorrowedStream(Device device);
  ~BorrowedStream();
  BorrowedStream(const BorrowedStream&) = delete;
  BorrowedStream& operator=(const BorrowedStream&) = delete;
  const Stream& operator*() const noexcept { return stream_; }

 private:
  Stream stream_;
};

}  // namespace warpgraph::cuda
