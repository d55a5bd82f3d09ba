// Page-locked memory to borrow: locking two megabytes takes a millisecond, several times as long as
// finding all distances between a thousand vertices.
#pragma once

#include "core/cuda/buffer.hpp"

#include <cstddef>

namespace warpgraph::cuda {

/// A piece of memory that goes back to the pool when its borrower leaves. Nothing may be on its way
/// to it or from it then.
class BorrowedPiece {
 public:
  static constexpr std::size_t size = std::size_t{8} << 20;

  BorrowedPiece();
  ~BorrowedPiece();
  BorrowedPiece(BorrowedPiece&&) noexcept = default;
  BorrowedPiece& operator=(BorrowedPiece&&) = delete;
  [[nodiscard]] std::byte* data() const noexcept { return memory_.data(); }

 private:
  PinnedBuffer<std::byte> memory_;
};

}  // namespace warpgraph::cuda
