#include "core/containers/radix_sort.hpp"
#include "core/containers/shrinking_list.hpp"
#include "support.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace warpgraph {
namespace {

/// Counts polls, and throws at one of them.
class CountingHooks final : public CallHooks {
 public:
  explicit CountingHooks(int last = std::numeric_limits<int>::max()) : last_(last) {}
  void poll() override {
    if (n_polls_.fetch_add(1) + 1 >= last_) throw std::domain_error("interrupted");
  }
  void progress(std::int64_t, std::int64_t) override {}
  [[nodiscard]] int n_polls() const { return n_polls_.load(); }

 private:
  const int last_;
  std::atomic<int> n_polls_{0};
};

class Parallel : public testing::TestWithParam<int> {
  const test::ScopedThreads threads_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 7));

TEST_P(Parallel, ForVisitsEveryIndexOnce) {
  for (const std::int64_t n : {0, 1, 2047, 2048, 2049, 100'000}) {
    std::vector<int> visits(static_cast<std::size_t>(n));
    parallel_for(n, [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), n);
  }
}

TEST_P(Parallel, BlocksCoverTheRangeAndNameTheirThread) {
  std::vector<int> visits(1000);
  parallel_blocks(1000, 7, [&](int thread, std::int64_t first, std::int64_t last) {
    ASSERT_LT(thread, num_threads());
    ASSERT_LE(last - first, 7);
    for (; first < last; ++first) ++visits[static_cast<std::size_t>(first)];
  });
  EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 1000);
}

TEST_P(Parallel, ReduceCombinesEveryItem) {
  const auto sum = parallel_reduce(
      100'001, std::int64_t{0}, [](std::int64_t i) { return i; }, std::plus<>{});
  EXPECT_EQ(sum, 5'000'050'000);
}

TEST_P(Parallel, ScanIsThatOfTheStandardLibrary) {
  for (const std::size_t n : {0u, 1u, 65'536u, 65'537u, 300'000u}) {
    std::vector<std::int64_t> values(n);
    std::iota(values.begin(), values.end(), 3);
    std::vector<std::int64_t> expected(n);
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), std::int64_t{0});
    const std::int64_t total = std::accumulate(values.begin(), values.end(), std::int64_t{0});
    EXPECT_EQ(exclusive_scan_in_place(values.data(), static_cast<std::int64_t>(n)), total);
    EXPECT_EQ(values, expected);
  }
}

TEST_P(Parallel, SortIsThatOfTheStandardLibrary) {
  const CounterRandom random(5, 0);
  for (const std::size_t n : {0u, 1u, 20'000u, 150'001u}) {
    std::vector<std::uint64_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = random.below(i, 1000);
    std::vector<std::uint64_t> expected = values;
    std::sort(expected.begin(), expected.end());
    parallel_sort(values.begin(), values.end());
    EXPECT_EQ(values, expected);
  }
}

TEST_P(Parallel, SortsOfManyItemsPoll) {
  const CounterRandom random(5, 1);
  for (const std::uint64_t range : {1u, 2u, 1000u, 1u << 30}) {  // many equal items, or few
    for (const bool is_sorted : {false, true}) {
      std::vector<std::uint64_t> values(700'001);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = random.below(i, range);
      if (is_sorted) std::sort(values.begin(), values.end(), std::greater<>{});
      std::vector<std::uint64_t> expected = values;
      std::sort(expected.begin(), expected.end());
      parallel_sort(values.begin(), values.end());
      EXPECT_EQ(values, expected);
    }
  }
  std::vector<int> values(700'001);
  std::iota(values.rbegin(), values.rend(), 0);
  CountingHooks hooks(5);
  const ScopedHooks installed(hooks);
  EXPECT_THROW(sort_with_polls(values.begin(), values.end()), std::domain_error);
}

TEST_P(Parallel, FindFirstFindsTheFirst) {
  for (const std::int64_t n : {0, 1, 40'000, 300'000}) {
    for (const std::int64_t place : {std::int64_t{0}, n / 2, n - 1}) {
      const auto behind = [&](std::int64_t i) { return i >= place && (i - place) % 3 == 0; };
      EXPECT_EQ(parallel_find_first(n, behind), std::min(std::max<std::int64_t>(place, 0), n));
    }
    EXPECT_EQ(parallel_find_first(n, [](std::int64_t) { return false; }), n);
  }
}

TEST_P(Parallel, RadixSortIsAStableSort) {
  const CounterRandom random(5, 1);
  for (const std::int64_t n : {0, 1, 1000, 200'000}) {
    for (const std::uint64_t range : {std::uint64_t{3}, std::uint64_t{1} << 60}) {
      const auto key = [&](std::int64_t i) {
        return random.below(static_cast<std::uint64_t>(i), range);
      };
      std::vector<std::int64_t> expected(static_cast<std::size_t>(n));
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(),
                       [&](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
      const auto sorted = sorted_by_key(n, key);
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(sorted[i].index, expected[static_cast<std::size_t>(i)]);
      }
    }
  }
}

TEST_P(Parallel, AShrinkingListKeepsWhatIsKept) {
  ShrinkingList<std::int64_t> list(10'000, [](std::int64_t i) { return i; });
  EXPECT_EQ(list.retain([](std::int64_t& item) { return ++item % 3 == 0; }), 3333);
  EXPECT_EQ(list.retain([](std::int64_t& item) { return item % 2 == 0; }), 1666);
  std::atomic<std::int64_t> sum{0};
  list.for_each([&](std::int64_t item) { sum += item; });
  EXPECT_EQ(sum.load(), 6 * (1666 * 1667 / 2));
}

TEST_P(Parallel, AnExceptionOfAnyThreadReachesTheCaller) {
  const auto throwing = [] {
    parallel_for(1'000'000, [](std::int64_t i) {
      if (i == 700'000) throw std::runtime_error("found it");
    });
  };
  EXPECT_THROW(throwing(), std::runtime_error);
  parallel_for(10, [](std::int64_t) {});  // the next loop works
}

TEST_P(Parallel, APollEndsTheLoop) {
  CountingHooks hooks(1);
  const ScopedHooks installed(hooks);
  std::atomic<std::int64_t> done{0};
  const auto loop = [&] {
    parallel_for(
        100'000'000, [&](std::int64_t) { done.fetch_add(1, std::memory_order_relaxed); }, 1);
  };
  EXPECT_THROW(loop(), std::domain_error);
  EXPECT_LT(done.load(), 100'000'000);
}

/// Waits until `is_over()`, but no longer than ten seconds. Returns whether it is.
template <class IsOver>
bool wait_until(IsOver&& is_over) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!is_over()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

/// Runs a loop in which the calling thread is done early, and the others wait for its polls.
void loop_that_waits_for_polls() {
  CountingHooks hooks;
  const ScopedHooks installed(hooks);
  const bool has_others = threads_of_loop() > 1;
  std::atomic<int> n_others{0};
  parallel_blocks(7, 1, [&](int thread, std::int64_t, std::int64_t) {
    if (thread == 0) {
      EXPECT_TRUE(wait_until([&] { return !has_others || n_others.load() > 0; }));
      return;
    }
    n_others.fetch_add(1);
    EXPECT_TRUE(wait_until([&] { return hooks.n_polls() > 20; }));
  });
}

TEST_P(Parallel, TheCallerPollsWhileItWaits) {
  loop_that_waits_for_polls();
  with_spinning_pool([] { loop_that_waits_for_polls(); });
}

TEST_P(Parallel, BodiesThatPollEndWithTheLoop) {
  const auto loop = [] {
    CountingHooks hooks(20);
    const ScopedHooks installed(hooks);
    parallel_blocks(7, 1, [&](int, std::int64_t, std::int64_t) {
      EXPECT_TRUE(wait_until([] {
        poll();
        return false;
      }));
    });
  };
  EXPECT_THROW(loop(), std::domain_error);
  EXPECT_THROW(with_spinning_pool(loop), std::domain_error);
}

TEST_P(Parallel, ATeamSynchronisesAtBarriers) {
  const int members = GetParam();
  std::vector<int> round(static_cast<std::size_t>(members), 0);
  std::atomic<int> wrong{0};
  run_team(members, [&](const Team& team) {
    for (int r = 1; r <= 20; ++r) {
      round[static_cast<std::size_t>(team.rank())] = r;
      team.barrier();
      wrong += static_cast<int>(std::count(round.begin(), round.begin() + team.size(), r)) !=
               team.size();
      team.barrier();
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(Parallel, ATeamSynchronisesBySignals) {
  const int members = GetParam();
  struct Slot {
    Signal round;
    std::uint32_t data = 0;
  };
  // Double buffering: a slot is written again two rounds later, when all threads have read it.
  std::array<std::vector<Slot>, 2> slots;
  for (auto& side : slots) side = std::vector<Slot>(static_cast<std::size_t>(members));
  std::atomic<int> wrong{0};
  run_team(members, [&](const Team& team) {
    for (std::uint32_t round = 1; round <= 200; ++round) {
      std::vector<Slot>& side = slots[round % 2];
      Slot& own = side[static_cast<std::size_t>(team.rank())];
      own.data = round;
      own.round.set(round);
      for (std::size_t m = 0; m < static_cast<std::size_t>(team.size()); ++m) {
        team.wait_for(side[m].round, round);
        wrong += static_cast<int>(side[m].data != round);
      }
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(Parallel, TasksRunOnceEachAndCountTheirUnits) {
  struct Hooks : CallHooks {
    void poll() override {}
    void progress(std::int64_t units, std::int64_t of) override {
      EXPECT_GE(units, done);
      EXPECT_EQ(of, 600);
      done = units;
    }
    std::int64_t done = 0;
  } hooks;
  const ScopedHooks installed(hooks);
  std::vector<std::atomic<int>> runs(200);
  parallel_tasks(200, num_threads(), 600, [&](const TaskContext& context, std::int64_t i) {
    EXPECT_LT(context.rank(), num_threads());
    EXPECT_TRUE(context.keep_on());
    ++runs[static_cast<std::size_t>(i)];
    context.finish(3);
  });
  for (const auto& count : runs) EXPECT_EQ(count.load(), 1);
  EXPECT_EQ(hooks.done, 600);
}

/// An interrupt while the calling thread has no task left and another thread still runs one.
TEST_P(Parallel, TasksOfOtherThreadsAreInterrupted) {
  if (num_threads() == 1) GTEST_SKIP() << "there is no other thread";
  struct Interrupted {};
  struct Hooks : CallHooks {
    void poll() override {
      if (ready.load()) throw Interrupted{};
    }
    void progress(std::int64_t, std::int64_t) override {}
    std::atomic<bool> ready{false};
  } hooks;
  const ScopedHooks installed(hooks);
  const auto work = [&](const TaskContext& context, std::int64_t) {
    if (context.rank() == 0) return;
    hooks.ready = true;
    while (context.keep_on()) std::this_thread::yield();
  };
  EXPECT_THROW(parallel_tasks(100'000'000, 2, 1, work), Interrupted);
}

/// Loops do not call keep_on(), but they poll.
TEST_P(Parallel, LoopsInsideTasksOfOtherThreadsAreInterrupted) {
  if (num_threads() == 1) GTEST_SKIP() << "there is no other thread";
  std::atomic<bool> is_in_loop{false};
  std::atomic<bool> timed_out{false};
  const auto work = [&](const TaskContext& context, std::int64_t) {
    if (context.rank() == 0) {
      while (!is_in_loop.load()) std::this_thread::yield();
      throw std::domain_error("enough");
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto limit = std::chrono::seconds(20);
    parallel_for(
        std::int64_t{1} << 40,
        [&](std::int64_t) {
          is_in_loop = true;
          if (std::chrono::steady_clock::now() - begin < limit) return;
          timed_out = true;
          throw std::runtime_error("nothing stopped the loop");
        },
        1);
  };
  EXPECT_THROW(parallel_tasks(100'000'000, 2, 1, work), std::domain_error);
  EXPECT_FALSE(timed_out);
}

TEST_P(Parallel, LoopsInsideATaskStayOnItsThread) {
  parallel_tasks(20, num_threads(), 20, [](const TaskContext&, std::int64_t) {
    const auto caller = std::this_thread::get_id();
    parallel_for(
        100, [&](std::int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); }, 1);
  });
}

TEST_P(Parallel, ATeamStopsTogether) {
  CountingHooks hooks(3);
  const ScopedHooks installed(hooks);
  const auto rounds = [] {
    run_team(num_threads(), [](const Team& team) {
      while (true) {
        if (team.rank() == 0) team.guard([] { poll(); });
        team.barrier();
        if (team.stopping()) return;
        team.barrier();
      }
    });
  };
  EXPECT_THROW(rounds(), std::domain_error);
}

TEST(Interrupt, HooksBelongToTheThreadThatInstalledThem) {
  CountingHooks hooks(1);
  const ScopedHooks installed(hooks);
  std::thread other([] { poll(); });  // would terminate if it threw
  other.join();
  EXPECT_THROW(poll(), std::domain_error);
}

/// Records calls.
class RecordingHooks final : public CallHooks {
 public:
  void poll() override { ++polls; }
  void progress(std::int64_t done, std::int64_t total) override {
    reports.emplace_back(done, total);
  }
  int polls = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> reports;
};

TEST(Interrupt, HooksGetPollsAndProgressAndNest) {
  poll();  // without hooks
  report_progress(1, 2);
  RecordingHooks outer;
  const ScopedHooks installed(outer);
  {
    RecordingHooks inner;
    const ScopedHooks nested(inner);
    report_progress(3, 4);
    EXPECT_EQ(inner.polls, 1);
    EXPECT_EQ(inner.reports, (std::vector<std::pair<std::int64_t, std::int64_t>>{{3, 4}}));
  }
  poll();
  EXPECT_EQ(outer.polls, 1);
  EXPECT_TRUE(outer.reports.empty());
}

TEST(Interrupt, LongLoopsPollOnTheCallersThread) {
  for (const int n : {1, 4}) {
    const test::ScopedThreads threads(n);
    RecordingHooks hooks;
    const ScopedHooks installed(hooks);
    parallel_for(
        1'000'000, [](std::int64_t) {}, 100);
    EXPECT_GT(hooks.polls, 0);
  }
}

TEST(Threads, SmallLoopsAndTeamsEndNoThreads) {
  const test::ScopedThreads seven(7);
  const auto count = [] {
    namespace fs = std::filesystem;
    return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
  };
  const auto loop = [](std::int64_t n) {
    parallel_for(
        n, [](std::int64_t) {}, 1);
  };
  loop(1000);
  // Threads of startable_threads(), or of another test, may still be ending.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto threads = count();
  for (int i = 0; i < 20; ++i) {
    loop(2);
    run_team(3, [](const Team&) {});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(count(), threads);
  }
}

TEST(Threads, TheNumberIsChecked) {
  EXPECT_THROW(set_num_threads(-1), std::invalid_argument);
  EXPECT_THROW(set_num_threads(5000), std::invalid_argument);
}

}  // namespace
}  // namespace warpgraph
