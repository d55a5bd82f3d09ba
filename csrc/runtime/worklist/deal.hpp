// Independent items, such as the sources of searches, dealt in blocks to any available endpoint.
//
// When an endpoint has processed a block, it takes the next one: a part of its share of the items
// that are left. Shares are proportional to the speeds at which the endpoints processed their last
// blocks. So blocks become small towards the end, but no smaller than is efficient [1, 2], and fast
// and slow devices end at about the same time. An endpoint ends early if its smallest block would
// take longer than another endpoint needs for all that is left. A counter deals the blocks, not a
// router, since the packets of a link have one size.
//
// [1] Polychronopoulos, Kuck: Guided self-scheduling: a practical scheduling scheme for parallel
//     supercomputers. IEEE Transactions on Computers 36, 1987.
// [2] Hummel, Schmidt, Uma, Wein: Load-sharing in heterogeneous systems via weighted factoring.
//     SPAA 1996.
#pragma once

#include "core/device.hpp"
#include "core/memory/memory_budget.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace warpgraph::runtime {

/// The items first .. first + size - 1.
struct Block {
  std::int64_t first = 0;
  std::int64_t size = 0;
};

/// Chooser of the blocks. Thread-safe.
class BlockDealer {
 public:
  /// Makes an endpoint for each entry of smallest_blocks. If all devices are `alike`, first blocks
  /// are large, though no speed was measured yet. `part` is the fraction that an endpoint takes of
  /// its share of the items that are left.
  BlockDealer(std::int64_t n_items, const std::vector<std::int64_t>& smallest_blocks, bool alike,
              double part);

  /// Returns the next block of an endpoint, which has processed its former one; its size is 0 if
  /// none is left for it. `now` is a time in seconds.
  Block next(std::size_t endpoint, double now);

 private:
  struct Endpoint {
    std::int64_t smallest;
    std::int64_t size = 0;  // size of its last block
    double begun = 0;       // when it got that block
    double speed = 0;       // items per second of the last block that it processed; 0: none yet
    bool has_ended = false;
  };
  /// Returns the speed of an endpoint. If it has processed no block, returns an upper bound: `like`
  /// before its first block begins.
  static double speed_of(const Endpoint& endpoint, double like, double now);
  [[nodiscard]] std::int64_t wanted_by(const Endpoint& endpoint, double now) const;
  [[nodiscard]] double share_of_left(const Endpoint& endpoint, double now) const;
  [[nodiscard]] bool others_end_sooner(const Endpoint& endpoint, double now) const;

  std::mutex mutex_;
  std::vector<Endpoint> endpoints_;
  const std::int64_t n_items_;
  const bool alike_;
  const double part_;
  std::int64_t left_;
};

struct DealOptions {
  /// The memory that may be taken on each device.
  MemoryBudget budget = {};
  /// Function that returns the fewest items that a GPU, or one thread of the host, processes
  /// efficiently.
  std::function<std::int64_t(Device)> smallest_block;
  /// True if every item takes the same time. Endpoints then take larger blocks: one each, if all
  /// devices are alike.
  bool equal_work = false;
};

/// Function that processes the items of a block on an endpoint, within its share of the budget, and
/// reports the progress of the block.
using ProcessBlock = std::function<void(Device device, Block block, MemoryBudget budget)>;

/// Processes the items 0 .. n_items - 1 on an endpoint for each entry of `devices`. The endpoints
/// on the host share its threads, and those on one device its memory. Throws as
/// Context::run does. Reports the progress of all items.
void deal(const std::vector<Device>& devices, std::int64_t n_items, const DealOptions& options,
          const ProcessBlock& process);

}  // namespace warpgraph::runtime
