// A pool of streams: creating one takes longer than solving a small graph.
#pragma once

#include "core/cuda/stream.hpp"

namespace warpgraph::cuda {

/// A stream from the pool. The destructor waits for it and returns it.
class BorrowedStream {
 public:
  /// Borrows a stream. Buffers that are made with it have the given lifetime.
  explicit BorrowedStream(Device device, Lifetime lifetime = Lifetime::call);
  ~BorrowedStream();
  BorrowedStream(const BorrowedStream&) = delete;
  BorrowedStream& operator=(const BorrowedStream&) = delete;
  const Stream& operator*() const noexcept { return stream_; }

 private:
  Stream stream_;
};

}  // namespace warpgraph::cuda
