// Freed arrays on the host that are kept for later ones.
#include "core/error.hpp"
#include "core/memory/host_memory.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/kept_blocks.hpp"
#include "core/memory/kept_memory.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace warpgraph {
namespace {

struct Freed {
  std::vector<void*>* list;
  void operator()(const KeptBlock& block) const { list->push_back(block.memory); }
};

class KeptBlocksTest : public testing::Test {
 protected:
  void* address(int i) { return places_ + i; }
  bool keep(int i, std::size_t capacity, std::size_t used, std::size_t most = 1000) {
    return blocks_.keep({address(i), capacity, used}, most);
  }

  char places_[256]{};
  std::vector<void*> freed_;
  KeptBlocks<Freed> blocks_{Freed{&freed_}};
};

TEST_F(KeptBlocksTest, GivesTheBlockWithFewestPagesOfThoseWithEnough) {
  keep(0, 100, 100);
  keep(1, 100, 50);
  keep(2, 100, 20);
  EXPECT_EQ(blocks_.total(), 170u);
  EXPECT_EQ(blocks_.take(40).memory, address(1));
  EXPECT_EQ(blocks_.take(40).memory, address(0));
  EXPECT_EQ(blocks_.take(40).memory, address(2));
  EXPECT_EQ(blocks_.take(40).memory, nullptr);
  EXPECT_EQ(blocks_.total(), 0u);
  EXPECT_TRUE(freed_.empty());
}

TEST_F(KeptBlocksTest, FreesAsMuchAsTheCallerAllocates) {
  for (int i = 0; i < 4; ++i) keep(i, 10, 10);
  EXPECT_EQ(blocks_.take(15).memory, nullptr);
  EXPECT_EQ(freed_, (std::vector<void*>{address(0), address(1)}));
  EXPECT_EQ(blocks_.take(1000).memory, nullptr);
  EXPECT_EQ(freed_.size(), 4u);
  EXPECT_EQ(blocks_.total(), 0u);
}

TEST_F(KeptBlocksTest, KeepsNoMoreThanAllowed) {
  EXPECT_FALSE(keep(0, 2000, 1001));
  EXPECT_TRUE(keep(1, 600, 600));
  EXPECT_TRUE(keep(2, 600, 500));
  EXPECT_EQ(freed_, (std::vector<void*>{address(1)}));
  for (int i = 3; i < 200; ++i) EXPECT_TRUE(keep(i, 1, 1));
  EXPECT_LE(blocks_.total(), 1000u);
  blocks_.clear();
  EXPECT_EQ(blocks_.total(), 0u);
  EXPECT_EQ(freed_.size(), 199u);
}

TEST(HostMemory, ArraysOfManySizesDoNotOverlap) {
  const test::ScopedThreads threads(4);
  const CounterRandom random(1, 0);
  const auto fill = [&](std::uint64_t i) {
    const auto n = static_cast<std::int64_t>(1 + random.below(i, 3 << 20));
    HostArray<std::int64_t> array(n);
    array[0] = array[n - 1] = static_cast<std::int64_t>(i);
    array[n / 2] = static_cast<std::int64_t>(i);
    return std::pair(std::move(array), n);
  };
  parallel_for(
      64,
      [&](std::int64_t task) {
        std::vector<std::pair<HostArray<std::int64_t>, std::int64_t>> arrays;
        for (std::uint64_t i = 0; i < 20; ++i) {
          const std::uint64_t id = 32 * static_cast<std::uint64_t>(task) + i;
          arrays.push_back(fill(id));
          if (i % 3 == 2) arrays.erase(arrays.begin());
        }
        for (const auto& [array, n] : arrays) {
          EXPECT_EQ(array[0], array[n / 2]);
          EXPECT_EQ(array[0], array[n - 1]);
        }
      },
      1);
  release_kept_host_memory();
  EXPECT_EQ(kept_host_memory(), 0u);
}

TEST(HostMemory, SizesThatExceedAddressesAreRefused) {
  constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {largest, largest - 64, largest / 2 + 1}) {
    EXPECT_THROW(static_cast<void>(allocate_host(bytes)), OutOfMemory) << bytes;
  }
}

}  // namespace
}  // namespace warpgraph
