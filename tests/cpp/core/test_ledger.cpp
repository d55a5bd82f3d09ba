#include "core/memory/ledger.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace warpgraph {
namespace {

using test::message_of;

const Device gpu{Device::Kind::cuda, 0};

TEST(Ledger, KnowsWhatIsLeft) {
  Ledger ledger(1000);
  ledger.reserve("a result", 300, "ask for less");
  EXPECT_EQ(ledger.left(), 700u);
  ledger.charge(600);
  EXPECT_EQ(ledger.left(), 100u);
  const std::string sentence = message_of([&] { ledger.reserve("more", 101, "ask for less"); });
  EXPECT_NE(sentence.find("100 bytes are left of memory_limit"), std::string::npos) << sentence;
  EXPECT_EQ(ledger.left(), 100u) << "what has failed is not charged";
  ledger.charge(200);
  EXPECT_EQ(ledger.left(), 0u);
  EXPECT_TRUE(ledger.on_host().is_limited());
}

TEST(Ledger, CountsNothingWithoutALimit) {
  Ledger ledger;
  ledger.run_on(std::vector{gpu});
  ledger.charge(std::size_t{1} << 60);
  EXPECT_FALSE(ledger.is_limited());
  EXPECT_EQ(ledger.left(), MemoryBudget::no_limit);
  EXPECT_NE(message_of([&] { ledger.require("all", ~std::size_t{0}, ""); }).find("are free"),
            std::string::npos);
}

TEST(Ledger, OfACallOnDevicesIsForThemAlone) {
  Ledger ledger(1000);
  ledger.charge(100);
  ledger.run_on(std::vector{gpu});
  ledger.reserve("an undirected form", 2000, "");
  EXPECT_EQ(ledger.left(), 900u) << "the host has its free memory";
  EXPECT_FALSE(ledger.left_on(Device{}).is_limited());
  EXPECT_FALSE(ledger.on_host().is_limited());
  EXPECT_EQ(ledger.left_on(gpu).left(), 900u);
  ledger.charge(200, gpu);
  EXPECT_EQ(ledger.left(), 700u);
  ledger.run_on(std::vector{gpu, Device{}});
  ledger.charge(300);
  EXPECT_EQ(ledger.on_host().left(), 400u);
}

TEST(Ledger, IsChargedByThreads) {
  Ledger ledger(1 << 20);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) ledger.charge(100);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ledger.left(), (1u << 20) - 400'000u);
}

}  // namespace
}  // namespace warpgraph
