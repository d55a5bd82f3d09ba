#include "kernels/grid.hpp"

#include "kernels/block.hpp"
#include "kernels/workers.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <thread>

namespace emulator {
namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::atomic<std::uint64_t> n_launches{0};

}  // namespace

const Settings& settings() {
  static const Settings found{
      setting("EMULATOR_SEED", 1),
      static_cast<unsigned>(std::max<std::uint64_t>(1, setting("EMULATOR_WORKERS", 3))),
      static_cast<unsigned>(setting("EMULATOR_PREEMPTION", 200)),
      static_cast<int>(setting("EMULATOR_DEVICES", 1)),
      static_cast<int>(std::max<std::uint64_t>(1, setting("EMULATOR_MULTIPROCESSORS", 3))),
      static_cast<std::size_t>(setting("EMULATOR_MEMORY", std::uint64_t{8} << 30)),
      static_cast<std::size_t>(setting("EMULATOR_L2_CACHE", 8192)),
      setting("CUDA_LAUNCH_BLOCKING", 0) != 0,
  };
  return found;
}

Grid::Grid(dim3 blocks, dim3 threads, std::size_t shared, bool cooperative,
           const std::function<void()>& body)
    : blocks_(blocks),
      threads_(threads),
      shared_(shared),
      cooperative_(cooperative),
      body_(body),
      n_blocks_(std::uint64_t{blocks.x} * blocks.y * blocks.z) {
  Random random{settings().seed + (n_launches++ << 32)};
  seed_ = random.next();
  // Blocks start in a permuted order: multiples of a number prime to their number.
  stride_ = 1 + random.below(std::min<std::uint64_t>(n_blocks_, 0xffffffff));
  while (std::gcd(stride_, n_blocks_) != 1) ++stride_;
}

std::string Grid::run() {
  // Blocks with a grid barrier run concurrently; others are run by a few threads, one after the
  // other.
  const std::uint64_t at_once =
      cooperative_ ? n_blocks_ : std::min<std::uint64_t>(n_blocks_, settings().workers);
  run_on_workers(static_cast<unsigned>(at_once), [this] { take_blocks(); });
  return failure_;
}

void Grid::take_blocks() {
  for (std::uint64_t i = next_++; i < n_blocks_ && !has_failed(); i = next_++) {
    run_block(i * stride_ % n_blocks_);
    if (!cooperative_) continue;
    const std::lock_guard lock(mutex_);
    ++n_ended_;
    changed_.notify_all();
    return;  // every thread has one block of a cooperative grid
  }
}

void Grid::run_block(std::uint64_t index) {
  const auto x = static_cast<unsigned>(index % blocks_.x);
  const auto y = static_cast<unsigned>(index / blocks_.x % blocks_.y);
  const auto z = static_cast<unsigned>(index / blocks_.x / blocks_.y);
  Block(*this, index, uint3{x, y, z}).run();
}

void Grid::fail(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) failure_ = reason;
  has_failed_ = true;
  changed_.notify_all();
}

void Grid::meet() {
  std::unique_lock lock(mutex_);
  const std::uint64_t meeting = meeting_;
  if (++n_waiting_ == n_blocks_) {
    n_waiting_ = 0;
    ++meeting_;
    changed_.notify_all();
    return;
  }
  changed_.wait(lock, [&] { return meeting_ != meeting || has_failed() || n_ended_ > 0; });
  if (meeting_ == meeting && !has_failed()) {
    failure_ = "a block ended while others wait for it at the barrier of the grid";
    has_failed_ = true;
    changed_.notify_all();
  }
}

}  // namespace emulator
