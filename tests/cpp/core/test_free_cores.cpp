#include "core/threads/free_cores.hpp"
#include "core/threads/parallel.hpp"
#include "support.hpp"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <limits>
#include <thread>
#include <vector>

namespace warpgraph {
namespace {

/// Threads that keep all cores busy until the destructor.
class BusyCores {
 public:
  BusyCores() {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    for (unsigned i = 0; i <= cores; ++i) {
      threads_.emplace_back([this] {
        while (!over_.load(std::memory_order_relaxed)) continue;
      });
    }
  }
  ~BusyCores() {
    over_.store(true);
    for (std::thread& thread : threads_) thread.join();
  }
  BusyCores(const BusyCores&) = delete;
  BusyCores& operator=(const BusyCores&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

TEST(FreeCores, AtLeastOneAndNoMoreThanThereAre) {
  const int cores = free_cores();
  EXPECT_GE(cores, 1);
  if (cores == std::numeric_limits<int>::max()) GTEST_SKIP() << "the system does not tell";
  EXPECT_LE(cores, static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(FreeCores, OneWhereAllAreBusy) {
  if (free_cores() == std::numeric_limits<int>::max()) GTEST_SKIP() << "the system does not tell";
  const BusyCores busy;
  EXPECT_EQ(free_cores(), 1);
}

TEST(FreeCores, BoundTheDefaultOnly) {
  const BusyCores busy;
  {
    const test::ScopedThreads three(3);
    EXPECT_EQ(threads_for_rounds(), 3);
    const CallThreads two(2);
    EXPECT_EQ(threads_for_rounds(), 2);
  }
  const test::ScopedThreads by_default(0);
  EXPECT_LE(threads_for_rounds(), std::min(num_threads(), free_cores()));
}

TEST(FreeCores, RoundsInsideALoopHaveOneThread) {
  const test::ScopedThreads three(3);
  std::atomic<int> others{0};
  parallel_for(
      100, [&](std::int64_t) { others += threads_for_rounds() != 1; }, 1);
  EXPECT_EQ(others, 0);
}

}  // namespace
}  // namespace warpgraph
