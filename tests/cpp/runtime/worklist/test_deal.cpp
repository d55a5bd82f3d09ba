// Blocks of items dealt to endpoints: all items once, unlike endpoints end together, small blocks
// only at the end; errors, progress and shares of a run.
#include "core/containers/at.hpp"
#include "runtime/worklist/deal.hpp"
#include "runtime/worklist/shares.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>

namespace warpgraph::runtime {
namespace {

/// What happens if endpoint i processes speeds[i] items per second.
struct Simulation {
  std::vector<double> ends;            // when each endpoint has processed its last block
  std::vector<std::int64_t> n_blocks;  // of each endpoint
};

/// Expects every item once.
Simulation simulate(std::int64_t n_items, const std::vector<double>& speeds,
                    const std::vector<std::int64_t>& smallest, bool alike, double part = 0.5) {
  BlockDealer dealer(n_items, smallest, alike, part);
  Simulation found{std::vector<double>(speeds.size()), std::vector<std::int64_t>(speeds.size())};
  std::vector<bool> ended(speeds.size());
  std::int64_t dealt = 0;
  for (std::size_t left = speeds.size(); left > 0;) {
    std::size_t next = 0;  // who is the first to be available
    while (ended[next]) ++next;
    for (std::size_t i = next; i < speeds.size(); ++i) {
      if (!ended[i] && found.ends[i] < found.ends[next]) next = i;
    }
    const Block block = dealer.next(next, found.ends[next]);
    EXPECT_TRUE(block.size == 0 || block.first == dealt);
    dealt += block.size;
    found.ends[next] += static_cast<double>(block.size) / speeds[next];
    found.n_blocks[next] += block.size > 0 ? 1 : 0;
    ended[next] = block.size == 0;
    left -= block.size == 0 ? 1 : 0;
  }
  EXPECT_EQ(dealt, n_items);
  return found;
}

TEST(Deal, LikeEndpointsEndTogetherAfterFewBlocks) {
  const Simulation found = simulate(10'000, {100, 100, 100}, {10, 10, 10}, true);
  const auto [first, last] = std::minmax_element(found.ends.begin(), found.ends.end());
  EXPECT_LE(*last - *first, 0.1 + 1e-9);
  for (const std::int64_t n : found.n_blocks) EXPECT_LE(n, 25);
}

TEST(Deal, LargerPartsAreFewerBlocks) {
  const Simulation found = simulate(10'000, {100, 100, 100}, {10, 10, 10}, true, 7. / 8);
  const auto [first, last] = std::minmax_element(found.ends.begin(), found.ends.end());
  EXPECT_LE(*last - *first, 0.1 + 1e-9);
  for (const std::int64_t n : found.n_blocks) EXPECT_LE(n, 8);
}

TEST(Deal, LikeEndpointsTakeOneBlockEachOfEqualWork) {
  const Simulation found = simulate(64 * 1024, {100, 100, 100, 100}, {512, 512, 512, 512}, true, 1);
  EXPECT_EQ(found.n_blocks, std::vector<std::int64_t>(4, 1));
  EXPECT_EQ(found.ends, std::vector<double>(4, 16 * 1024 / 100.));
}

TEST(Deal, UnlikeEndpointsEndTogether) {
  const std::vector<double> speeds{10, 1000, 200};
  const Simulation found = simulate(100'000, speeds, {16, 256, 64}, false);
  const double ideal = 100'000 / (10.0 + 1000 + 200);
  EXPECT_LE(*std::max_element(found.ends.begin(), found.ends.end()), ideal + 16 / 10.0 + 1);
}

TEST(Deal, OneThatWouldEndLastGetsNoMore) {
  const Simulation found = simulate(2000, {1, 1000}, {100, 100}, false);
  EXPECT_EQ(found.n_blocks[0], 1);  // the first one, which measures its speed
}

TEST(Deal, FewItems) {
  for (const std::int64_t n : {0, 1, 2, 7}) simulate(n, {1, 2, 3, 4, 5}, {4, 4, 4, 4, 4}, true);
  for (const std::int64_t n : {0, 1, 2, 7}) simulate(n, {1, 9, 3}, {2, 1, 3}, false);
}

const DealOptions single_items{{}, [](Device) { return std::int64_t{1}; }};

TEST(Deal, ProcessesEveryItemOnce) {
  for (const std::size_t k : {1, 2, 3, 5, 8}) {
    std::vector<int> times(1000);
    deal(std::vector<Device>(k), 1000, single_items, [&](Device, Block block, MemoryBudget) {
      for (std::int64_t i = 0; i < block.size; ++i) ++times[at(block.first + i)];
    });
    EXPECT_EQ(times, std::vector<int>(1000, 1));
  }
}

TEST(Deal, AnErrorEndsTheRun) {
  const auto process = [](Device, Block block, MemoryBudget) {
    if (block.first + block.size == 1000) throw std::overflow_error("too long");
    poll();
  };
  EXPECT_THROW(deal(std::vector<Device>(3), 1000, single_items, process), std::overflow_error);
}

TEST(Deal, EndpointsOnADeviceShareThreadsAndMemory) {
  const CallThreads threads(6);
  deal(std::vector<Device>(3), 100, {MemoryBudget({}, 3000), single_items.smallest_block},
       [](Device, Block, MemoryBudget budget) {
         EXPECT_EQ(budget.left(), 1000U);
         EXPECT_EQ(num_threads(), 2);
       });
}

class Reports final : public CallHooks {
 public:
  void poll() override {}
  void progress(std::int64_t done, std::int64_t total) override {
    EXPECT_GE(done, last);
    EXPECT_EQ(total, 500);
    last = done;
  }
  std::int64_t last = 0;
};

TEST(Deal, ProgressIsThatOfAllEndpoints) {
  Reports reports;
  const ScopedHooks installed(reports);
  deal(std::vector<Device>(4), 500, single_items, [](Device, Block block, MemoryBudget) {
    for (std::int64_t i = 0; i <= block.size; ++i) report_progress(i, block.size);
  });
  EXPECT_EQ(reports.last, 500);
}

}  // namespace
}  // namespace warpgraph::runtime
