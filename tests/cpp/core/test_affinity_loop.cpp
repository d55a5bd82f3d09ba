#include "core/threads/affinity_loop.hpp"
#include "support.hpp"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>
#include <vector>

namespace warpgraph {
namespace {

class AffinityLoop : public testing::TestWithParam<int> {
  const test::ScopedThreads threads_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Threads, AffinityLoop, testing::Values(1, 2, 7));

void visit_all(std::int64_t n, std::int64_t grain) {
  std::vector<int> visits(static_cast<std::size_t>(n));
  std::atomic<int> bad{0};
  parallel_blocks_with_affinity(n, grain, [&](int thread, std::int64_t first, std::int64_t last) {
    bad += thread < 0 || thread >= threads_of_loop() || first >= last || last - first > grain;
    for (; first < last; ++first) ++visits[static_cast<std::size_t>(first)];
  });
  ASSERT_EQ(std::count(visits.begin(), visits.end(), 1), n);
  ASSERT_EQ(bad.load(), 0);
}

TEST_P(AffinityLoop, VisitsEachBlockOnce) {
  for (int n = 0; n < 100; ++n) visit_all(n, 3);
  with_spinning_pool([] {
    for (int n = 0; n < 300; ++n) visit_all(n, 7);
    visit_all(100'000, 64);
  });
}

TEST_P(AffinityLoop, GivesEachThreadItsOwnPartFirst) {
  // Each thread stays in its first block until all threads are in theirs.
  const int n_threads = GetParam();
  std::vector<int> first_taken_by(static_cast<std::size_t>(n_threads), -1);
  std::atomic<int> arrived{0};
  with_spinning_pool([&] {
    parallel_blocks_with_affinity(2 * n_threads, 1, [&](int thread, std::int64_t i, std::int64_t) {
      if (i % 2 == 0) {
        first_taken_by[static_cast<std::size_t>(i / 2)] = thread;
        ++arrived;
      }
      while (arrived < n_threads) std::this_thread::yield();
    });
  });
  for (int part = 0; part < n_threads; ++part) {
    EXPECT_EQ(first_taken_by[static_cast<std::size_t>(part)], part);
  }
}

TEST_P(AffinityLoop, RethrowsAnException) {
  EXPECT_THROW(parallel_blocks_with_affinity(1000, 1,
                                             [](int, std::int64_t i, std::int64_t) {
                                               if (i == 400) throw std::runtime_error("400");
                                             }),
               std::runtime_error);
}

}  // namespace
}  // namespace warpgraph
