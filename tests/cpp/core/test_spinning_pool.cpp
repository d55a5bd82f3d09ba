#include "core/threads/parallel.hpp"
#include "core/threads/spinning_pool.hpp"
#include "support.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>
#include <vector>

namespace warpgraph {
namespace {

class SpinningPoolOfThreads : public testing::TestWithParam<int> {
  const test::ScopedThreads threads_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Threads, SpinningPoolOfThreads, testing::Values(1, 2, 7));

void visit_all(std::int64_t n, std::int64_t grain) {
  std::vector<int> visits(static_cast<std::size_t>(n));
  std::atomic<int> bad_ranks{0};
  parallel_blocks(n, grain, [&](int thread, std::int64_t first, std::int64_t last) {
    bad_ranks += thread < 0 || thread >= num_threads();
    for (; first < last; ++first) ++visits[static_cast<std::size_t>(first)];
  });
  ASSERT_EQ(std::count(visits.begin(), visits.end(), 1), n);
  ASSERT_EQ(bad_ranks.load(), 0);
}

TEST_P(SpinningPoolOfThreads, RunsLoopsOfAnyLength) {
  int calls = 0;
  with_spinning_pool([&] {
    ++calls;
    for (int turn = 0; turn < 300; ++turn) visit_all(turn, 3);
    visit_all(100'000, 64);
  });
  EXPECT_EQ(calls, 1);
}

TEST_P(SpinningPoolOfThreads, IgnoresSetNumThreads) {
  with_spinning_pool([&] {
    const test::ScopedThreads two(2);
    const auto sum = parallel_reduce(
        100'000, std::int64_t{0}, [](std::int64_t i) { return i; }, std::plus<>{}, 16);
    EXPECT_EQ(sum, 4'999'950'000);
  });
}

TEST_P(SpinningPoolOfThreads, RunsOnNoMoreThreadsThanTheCallHas) {
  with_spinning_pool([&] {
    for (const int threads : {1, 2, 3}) {
      const CallThreads fixed(threads);
      const int most = threads_of_loop();
      EXPECT_LE(most, threads);
      std::atomic<int> bad_ranks{0};
      for (int turn = 0; turn < 50; ++turn) {
        parallel_blocks(
            1000, 1, [&](int thread, std::int64_t, std::int64_t) { bad_ranks += thread >= most; });
      }
      EXPECT_EQ(bad_ranks.load(), 0);
    }
  });
}

TEST_P(SpinningPoolOfThreads, WakesUpAgain) {
  with_spinning_pool([&] {
    for (int turn = 0; turn < 5; ++turn) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      visit_all(50'000, 16);
    }
  });
}

TEST_P(SpinningPoolOfThreads, RunsOnSeveralThreads) {
  // Each iteration waits for the other, so that one thread cannot run both.
  const int wanted = std::min(2, GetParam());
  std::atomic<int> arrived{0};
  with_spinning_pool([&] {
    parallel_for(
        wanted,
        [&](std::int64_t) {
          ++arrived;
          while (arrived.load() < wanted) std::this_thread::yield();
        },
        1);
  });
  EXPECT_EQ(arrived.load(), wanted);
}

TEST_P(SpinningPoolOfThreads, PropagatesExceptionsAndEnds) {
  const auto throwing = [](std::int64_t at) {
    with_spinning_pool([&] {
      visit_all(1000, 10);
      parallel_for(
          1000,
          [&](std::int64_t i) {
            if (i == at) throw std::runtime_error("found it");
          },
          1);
      throw std::domain_error("not found");
    });
  };
  EXPECT_THROW(throwing(700), std::runtime_error);
  EXPECT_THROW(throwing(-1), std::domain_error);
  EXPECT_EQ(SpinningPool::current(), nullptr);
  visit_all(10'000, 7);
}

TEST_P(SpinningPoolOfThreads, LoopsInsideItsLoopsStayOnTheirThread) {
  std::atomic<int> on_other_threads{0};
  with_spinning_pool([&] {
    parallel_for(
        64,
        [&](std::int64_t) {
          const auto self = std::this_thread::get_id();
          parallel_for(
              32, [&](std::int64_t) { on_other_threads += std::this_thread::get_id() != self; }, 1);
        },
        1);
  });
  EXPECT_EQ(on_other_threads.load(), 0);
}

TEST_P(SpinningPoolOfThreads, InsideATaskHasOneThread) {
  std::atomic<int> runs{0};
  parallel_tasks(8, num_threads(), 8, [&](const TaskContext&, std::int64_t) {
    with_spinning_pool([&] {
      parallel_for(
          10, [&](std::int64_t) { ++runs; }, 1);
    });
  });
  EXPECT_EQ(runs.load(), 80);
}

TEST_P(SpinningPoolOfThreads, PollsOnTheCallingThread) {
  class Hooks final : public CallHooks {
   public:
    void poll() override { throw std::domain_error("interrupted"); }
    void progress(std::int64_t, std::int64_t) override {}
  } hooks;
  const ScopedHooks installed(hooks);
  std::atomic<std::int64_t> done{0};
  const auto loop = [&] {
    with_spinning_pool([&] {
      parallel_for(
          100'000'000, [&](std::int64_t) { done.fetch_add(1, std::memory_order_relaxed); }, 1);
    });
  };
  EXPECT_THROW(loop(), std::domain_error);
  EXPECT_LT(done.load(), 100'000'000);
}

}  // namespace
}  // namespace warpgraph
