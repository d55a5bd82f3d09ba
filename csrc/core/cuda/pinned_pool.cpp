#include "core/cuda/pinned_pool.hpp"

#include <mutex>
#include <vector>

namespace warpgraph::cuda {
namespace {

/// Locked memory is lost to the rest of the system: what a call or two need is kept.
constexpr std::size_t most_kept = 8;

struct Pool {
  std::mutex mutex;
  std::vector<PinnedBuffer<std::byte>> idle;
};

/// Never destroyed: at exit the driver may be gone before static destructors run.
Pool& pool() {
  static Pool& instance = *new Pool;
  return instance;
}

PinnedBuffer<std::byte> take() {
  {
    const std::lock_guard lock(pool().mutex);
    if (!pool().idle.empty()) {
      PinnedBuffer<std::byte> memory = std::move(pool().idle.back());
      pool().idle.pop_back();
      return memory;
    }
  }
  return PinnedBuffer<std::byte>(BorrowedPiece::size);
}

}  // namespace

BorrowedPiece::BorrowedPiece() : memory_(take()) {}

BorrowedPiece::~BorrowedPiece() {
  if (memory_.data() == nullptr) return;
  const std::lock_guard lock(pool().mutex);
  if (pool().idle.size() < most_kept) pool().idle.push_back(std::move(memory_));
}

}  // namespace warpgraph::cuda
