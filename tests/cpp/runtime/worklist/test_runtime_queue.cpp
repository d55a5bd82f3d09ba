#include "runtime/queue/circular_queue.hpp"
#include "runtime/queue/growing_queue.hpp"
#include "support.hpp"

#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace warpgraph::runtime {
namespace {

TEST(CircularQueue, ReturnsItemsInOrder) {
  CircularQueue<int> owner(5);
  const auto queue = owner.view();
  EXPECT_EQ(owner.capacity(), 8u);
  for (int turn = 0; turn < 20; ++turn) {
    for (int i = 0; i < 7; ++i) {
      int item = 10 * turn + i;
      ASSERT_TRUE(queue.try_append(item));
    }
    ASSERT_EQ(queue.readable(), 7u);
    for (int i = 0; i < 7; ++i) {
      ASSERT_EQ(queue[0], 10 * turn + i);
      queue.consume(1);
    }
    ASSERT_EQ(queue.readable(), 0u);
  }
}

TEST(CircularQueue, RefusesItemsWhenFullAndKeepsThem) {
  CircularQueue<std::unique_ptr<int>> owner(2);
  const auto queue = owner.view();
  auto item = std::make_unique<int>(1);
  EXPECT_TRUE(queue.try_append(item));
  item = std::make_unique<int>(2);
  EXPECT_TRUE(queue.try_prepend(item));
  item = std::make_unique<int>(3);
  EXPECT_FALSE(queue.try_append(item));
  EXPECT_FALSE(queue.try_prepend(item));
  ASSERT_NE(item, nullptr);
  EXPECT_EQ(*queue[0], 2);
  EXPECT_EQ(*queue[1], 1);
  queue.consume(2);
  EXPECT_TRUE(queue.try_append(item));
}

TEST(CircularQueue, PrependsBeforeTheFirstItem) {
  CircularQueue<int> owner(4);
  const auto queue = owner.view();
  for (int item : {1, 2}) ASSERT_TRUE(queue.try_append(item));
  for (int item : {3, 4}) ASSERT_TRUE(queue.try_prepend(item));
  ASSERT_EQ(queue.readable(), 4u);
  for (const int expected : {4, 3, 1, 2}) {
    EXPECT_EQ(queue[0], expected);
    queue.consume(1);
  }
}

TEST(CircularQueue, DoesNotReadWhatIsReservedAndNotPublished) {
  CircularQueue<int> owner(4);
  const auto queue = owner.view();
  std::uint32_t hole = 0;
  ASSERT_EQ(queue.reserve(1, hole), 1u);
  int item = 7;
  ASSERT_TRUE(queue.try_append(item));
  EXPECT_EQ(queue.readable(), 0u);
  EXPECT_EQ(queue.size(), 2u);
  queue.items[queue.slot(hole)] = 6;
  queue.publish(hole);
  EXPECT_EQ(queue.readable(), 2u);
  EXPECT_EQ(queue[0], 6);
}

TEST(CircularQueue, ReservesForAsManyItemsAsHaveRoom) {
  CircularQueue<int> owner(4);
  const auto queue = owner.view();
  std::uint32_t first = 0;
  EXPECT_EQ(queue.reserve(3, first), 3u);
  EXPECT_EQ(first, 0u);
  EXPECT_EQ(queue.reserve(2, first), 1u);
  EXPECT_EQ(first, 3u);
  EXPECT_EQ(queue.reserve(1, first), 0u);
}

TEST(CircularQueue, TakesNothingAfterClose) {
  CircularQueue<int> owner(4);
  const auto queue = owner.view();
  int item = 1;
  ASSERT_TRUE(queue.try_append(item));
  queue.close();
  EXPECT_FALSE(queue.try_append(item));
  EXPECT_TRUE(queue.try_prepend(item));
  EXPECT_EQ(queue.readable(), 2u);
  queue.consume(2);
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_FALSE(queue.try_append(item));
}

TEST(CircularQueue, PositionsWrapAround) {
  CircularQueue<int> owner(4);
  const auto queue = owner.view();
  const std::uint64_t last = 0x7ffffffd;
  *queue.bounds = (last << 32) | last;
  *queue.end = static_cast<std::uint32_t>(last);
  for (int turn = 0; turn < 6; ++turn) {
    for (int item : {1, 2, 3}) ASSERT_TRUE(queue.try_append(item));
    int zero = 0;
    ASSERT_TRUE(queue.try_prepend(zero));
    ASSERT_FALSE(queue.try_append(zero));
    ASSERT_EQ(queue.readable(), 4u);
    for (std::uint32_t i = 0; i < 4; ++i) ASSERT_EQ(queue[i], static_cast<int>(i));
    queue.consume(4);
    ASSERT_EQ(queue.size(), 0u);
  }
}

TEST(CircularQueue, RefusesCapacities) {
  EXPECT_THROW(CircularQueue<int>(0), std::invalid_argument);
  EXPECT_THROW(CircularQueue<char>((1u << 30) + 1), std::invalid_argument);
}

/// Producers append their number and a count; the consumer sees each count once and in order.
template <class Append, class Take>
void check_producers(int n_producers, std::uint32_t n_items, Append append, Take take) {
  std::vector<std::thread> producers;
  for (int p = 0; p < n_producers; ++p) {
    producers.emplace_back([=] {
      for (std::uint32_t i = 0; i < n_items; ++i)
        append((std::uint64_t{i} << 8) | static_cast<std::uint64_t>(p));
    });
  }
  std::vector<std::uint32_t> next(static_cast<std::size_t>(n_producers), 0);
  bool in_order = true;
  for (std::uint64_t taken = 0;
       taken < std::uint64_t{n_items} * static_cast<unsigned>(n_producers);) {
    std::uint64_t item = 0;
    if (!take(item)) {
      std::this_thread::yield();
      continue;
    }
    in_order = in_order && (item >> 8) == next[item & 255];
    ++next[item & 255];
    ++taken;
  }
  for (std::thread& producer : producers) producer.join();
  EXPECT_TRUE(in_order);
  std::uint64_t item = 0;
  EXPECT_FALSE(take(item));
}

TEST(CircularQueue, LosesNothingUnderBackPressure) {
  for (const int n : {1, 2, 5}) {
    CircularQueue<std::uint64_t> owner(8);
    const auto queue = owner.view();
    check_producers(
        n, 20'000,
        [queue](std::uint64_t item) {
          while (!queue.try_append(item)) std::this_thread::yield();
        },
        [queue](std::uint64_t& item) {
          if (queue.readable() == 0) return false;
          item = queue[0];
          queue.consume(1);
          return true;
        });
  }
}

TEST(CircularQueue, PrependCompetesWithProducers) {
  // The consumer puts every third item back once, before it takes it again.
  CircularQueue<std::uint64_t> owner(4);
  const auto queue = owner.view();
  int turn = 0;
  check_producers(
      3, 20'000,
      [queue](std::uint64_t item) {
        while (!queue.try_append(item)) std::this_thread::yield();
      },
      [queue, &turn](std::uint64_t& item) {
        if (queue.readable() == 0) return false;
        item = queue[0];
        queue.consume(1);
        std::uint64_t copy = item;
        if (++turn % 3 == 0 && queue.try_prepend(copy)) {
          EXPECT_GE(queue.readable(), 1u);
          EXPECT_EQ(queue[0], item);
          queue.consume(1);
        }
        return true;
      });
}

TEST(GrowingQueue, LosesNothingAndKeepsOrder) {
  for (const int n : {1, 2, 5}) {
    GrowingQueue<std::uint64_t> queue(2);
    check_producers(
        n, 20'000, [&queue](std::uint64_t item) { queue.append(item); },
        [&queue](std::uint64_t& item) {
          const std::optional<std::uint64_t> taken = queue.take();
          if (taken) item = *taken;
          return taken.has_value();
        });
  }
}

TEST(GrowingQueue, PrependsBeyondItsCapacity) {
  GrowingQueue<int> queue(2);
  for (const int item : {1, 2, 3}) queue.append(item);
  for (const int item : {4, 5, 6}) queue.prepend(item);
  std::vector<int> taken;
  while (const std::optional<int> item = queue.take()) taken.push_back(*item);
  EXPECT_EQ(taken, (std::vector<int>{6, 5, 4, 1, 2, 3}));
}

TEST(GrowingQueue, FreesItemsWhenTheyAreTaken) {
  GrowingQueue<std::shared_ptr<int>> queue(2);
  const auto item = std::make_shared<int>(1);
  for (int i = 0; i < 10; ++i) queue.append(item);
  EXPECT_EQ(item.use_count(), 11);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(queue.take().value(), item);
  EXPECT_EQ(item.use_count(), 7);
}

/// Against a deque, in a random order of all operations.
TEST(GrowingQueue, BehavesLikeADeque) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    GrowingQueue<int> queue(1);
    std::deque<int> expected;
    for (int step = 0; step < 400; ++step) {
      switch (random() % 4) {
        case 0:
        case 1:
          queue.append(step);
          expected.push_back(step);
          break;
        case 2:
          queue.prepend(step);
          expected.push_front(step);
          break;
        default: {
          const std::optional<int> taken = queue.take();
          ASSERT_EQ(taken.has_value(), !expected.empty());
          if (!taken) break;
          ASSERT_EQ(*taken, expected.front());
          expected.pop_front();
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpgraph::runtime
