#include "core/containers/bitmap.hpp"
#include "core/containers/growing_list.hpp"
#include "core/containers/union_find.hpp"
#include "core/device.hpp"
#include "core/device_copies.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/memory/memory_meter.hpp"
#include "core/memory/spare_blocks.hpp"
#include "core/order_key.hpp"
#include "core/processor/copy_past_caches.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <latch>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace warpgraph {
namespace {

using test::message_of;

TEST(Types, ExtendSticksAtInfinity) {
  constexpr std::int32_t inf = infinity<std::int32_t>();
  EXPECT_EQ(extend<std::int32_t>(inf - 1, 1), inf);
  EXPECT_EQ(extend<std::int32_t>(inf - 1, 2), inf);
  EXPECT_EQ(extend<std::int32_t>(5, -7), -2);
  EXPECT_EQ(extend<std::int32_t>(std::numeric_limits<std::int32_t>::lowest() + 1, -3),
            std::numeric_limits<std::int32_t>::lowest());
  EXPECT_EQ(extend(infinity<double>(), 1.0), infinity<double>());
}

TEST(Types, InfinityIsTheLargestValue) {
  EXPECT_EQ(infinity<float>(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(infinity<std::int32_t>(), 2147483647);
  EXPECT_EQ(infinity<std::int64_t>(), 9223372036854775807);
  EXPECT_EQ(extend<std::int64_t>(infinity<std::int64_t>(), 0), infinity<std::int64_t>());
  EXPECT_EQ(extend(1.5f, -2.0f), -0.5f);
}

template <class W>
void expect_keys_in_order(const std::vector<W>& ascending) {
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(order_key(ascending[i - 1]), order_key(ascending[i])) << ascending[i];
  }
}

TEST(OrderKey, ComparesLikeTheWeights) {
  constexpr double inf = infinity<double>();
  expect_keys_in_order<double>({-inf, -1e300, -1.5, -5e-324, 0.0, 5e-324, 1.0, 1e300, inf});
  expect_keys_in_order<float>({-1e30f, -1.5f, -1e-45f, 0.0f, 1e-45f, 1.0f, 1e30f});
  expect_keys_in_order<std::int32_t>({INT32_MIN, -7, -1, 0, 1, 7, INT32_MAX});
  expect_keys_in_order<std::int64_t>({INT64_MIN, -7, -1, 0, 1, 7, INT64_MAX});
  EXPECT_EQ(order_key(-0.0), order_key(0.0));
  EXPECT_EQ(order_key(-0.0f), order_key(0.0f));
}

template <class W>
void expect_same_keys_of_bits(const std::vector<W>& weights) {
  using Key = order_key_t<W>;
  const auto ascending = BitOrder<Key>::template of<W>(false);
  const auto descending = BitOrder<Key>::template of<W>(true);
  for (const W weight : weights) {
    const Key bits = std::bit_cast<Key>(weight);
    EXPECT_EQ(ascending.key(bits), order_key(weight)) << weight;
    EXPECT_EQ(descending.key(bits), static_cast<Key>(~order_key(weight))) << weight;
  }
}

TEST(OrderKey, IsThatOfBits) {
  constexpr double inf = infinity<double>();
  expect_same_keys_of_bits<double>({-inf, -1e300, -5e-324, -0.0, 0.0, 5e-324, 1.0, 1e300, inf});
  expect_same_keys_of_bits<float>({-1e30f, -1.5f, -1e-45f, -0.0f, 0.0f, 1e-45f, 1.0f, 1e30f});
  expect_same_keys_of_bits<std::int32_t>({INT32_MIN, -7, -1, 0, 1, 7, INT32_MAX});
  expect_same_keys_of_bits<std::int64_t>({INT64_MIN, -7, -1, 0, 1, 7, INT64_MAX});
}

TEST(HostVector, ResizingKeepsWhatIsThereAndAssigningSetsIt) {
  HostVector<int> numbers{1, 2};
  numbers.resize(100'000);
  EXPECT_EQ(numbers[1], 2);
  numbers.assign(5, 7);
  EXPECT_EQ(numbers, HostVector<int>({7, 7, 7, 7, 7}));
  HostVector<std::string> words(3);  // types with constructors are constructed
  EXPECT_EQ(words[2], "");
}

TEST(CopyPastCaches, CopiesAsManyBytesFromAnyPlaceToAnyPlace) {
  std::vector<unsigned char> from(300);
  std::iota(from.begin(), from.end(), static_cast<unsigned char>(1));
  for (const std::size_t n : {0, 1, 15, 63, 64, 65, 127, 128, 200}) {
    for (std::size_t first = 0; first < 70; ++first) {
      std::vector<unsigned char> to(300, 0);
      std::vector<unsigned char> expected(300, 0);
      std::copy_n(from.begin() + 3, n, expected.begin() + static_cast<long>(first));
      copy_past_caches(to.data() + first, from.data() + 3, n);
      ASSERT_EQ(to, expected) << n << " bytes to " << first;
    }
  }
}

TEST(CopyPastCaches, WidensAsManyBytesFromAnyPlaceToAnyPlace) {
  std::vector<std::uint8_t> from(300);
  std::iota(from.begin(), from.end(), std::uint8_t{250});
  for (const std::size_t n : {0, 1, 3, 15, 16, 17, 33, 200}) {
    for (std::size_t first = 0; first < 20; ++first) {
      std::vector<std::int32_t> to(300, 7);
      std::vector<std::int32_t> expected(300, 7);
      for (std::size_t i = 0; i < n; ++i) {
        expected[first + i] = from[3 + i] == widest_byte ? -1 : from[3 + i];
      }
      widen_past_caches(to.data() + first, from.data() + 3, n);
      ASSERT_EQ(to, expected) << n << " bytes to " << first;
    }
  }
}

struct Sized {
  std::size_t n;
  [[nodiscard]] std::size_t bytes() const { return n; }
};

TEST(DeviceCopies, BytesDoNotWaitForWhoeverMakesACopy) {
  DeviceCopies<Sized> copies;
  std::latch begun(1);
  std::latch counted(1);
  copies.with(
      0, [] { return std::make_unique<Sized>(Sized{7}); }, [](Sized&) {});
  std::thread maker([&] {
    const auto make = [&] {
      begun.count_down();
      counted.wait();
      return std::make_unique<Sized>(Sized{35});
    };
    copies.with(1, make, [](Sized&) {});
  });
  begun.wait();
  EXPECT_EQ(copies.bytes(), 7);
  counted.count_down();
  maker.join();
  EXPECT_EQ(copies.bytes(), 42);
}

TEST(DeviceCopies, KeepNoneThatCouldNotBeMade) {
  DeviceCopies<Sized> copies;
  const auto fail = []() -> std::unique_ptr<Sized> { throw std::runtime_error("no memory"); };
  EXPECT_THROW(copies.with(0, fail, [](Sized&) {}), std::runtime_error);
  EXPECT_EQ(copies.bytes(), 0);
  EXPECT_EQ(copies.with(
                0, [] { return std::make_unique<Sized>(Sized{3}); },
                [](const Sized& made) { return made.n; }),
            3);
}

TEST(Atomics, CompareAndSwapSaysWhetherItDid) {
  std::int32_t place = 5;
  EXPECT_FALSE(compare_and_swap(place, 4, 9));
  EXPECT_EQ(relaxed_load(place), 5);
  EXPECT_TRUE(compare_and_swap(place, 5, 9));
  EXPECT_EQ(place, 9);
  EXPECT_FALSE(lower(place, 9));
  EXPECT_TRUE(lower(place, 8));
  relaxed_store(place, 3);
  EXPECT_EQ(place, 3);
}

TEST(Atomics, LowerKeepsTheSmallestOfAllThreads) {
  const test::ScopedThreads threads(4);
  const CounterRandom random(1, 0);
  std::int64_t lowest_integer = infinity<std::int64_t>();
  double lowest_double = infinity<double>();
  parallel_for(
      50'000,
      [&](std::int64_t i) {
        const auto drawn =
            static_cast<std::int64_t>(random.bits(static_cast<std::uint64_t>(i)) >> 1);
        lower(lowest_integer, drawn);
        lower(lowest_double, static_cast<double>(drawn));
      },
      16);
  std::int64_t expected = infinity<std::int64_t>();
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    expected = std::min(expected, static_cast<std::int64_t>(random.bits(i) >> 1));
  }
  EXPECT_EQ(lowest_integer, expected);
  EXPECT_EQ(lowest_double, static_cast<double>(expected));
}

TEST(Bitmap, SetsBitsAcrossWords) {
  Bitmap bitmap(192);
  bitmap.view().set_atomically(60, std::uint64_t{0b110001});
  bitmap.view().set_atomically(128, ~std::uint64_t{0});
  for (std::int64_t i = 0; i < 192; ++i) {
    EXPECT_EQ(bitmap.view().test(i), i == 60 || i == 64 || i == 65 || i >= 128) << i;
  }
}

TEST(Bitmap, IsFilledByAPredicate) {
  const test::ScopedThreads threads(4);
  for (const std::int64_t n : {0, 1, 63, 64, 65, 20'000}) {
    Bitmap bitmap(n);
    for (std::uint64_t& word : bitmap.words()) word = ~std::uint64_t{0};
    bitmap.fill(n, [](std::int64_t i) { return i % 3 == 0; });
    const std::int64_t n_bits = 64 * std::ssize(bitmap.words());
    for (std::int64_t i = 0; i < n_bits; ++i) {
      EXPECT_EQ(bitmap.view().test(i), i < n && i % 3 == 0) << i << " of " << n;
    }
  }
}

TEST(Bitmap, ThreadsSetBitsOfOneWord) {
  const test::ScopedThreads threads(4);
  Bitmap bitmap(1000);
  const BitmapView view = bitmap.view();
  parallel_for(
      1000,
      [&](std::int64_t i) {
        if (i % 3 == 0) view.set_atomically(i);
      },
      1);
  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_EQ(view.test(i), i % 3 == 0) << i;
  bitmap.clear();
  EXPECT_FALSE(view.test(0));
}

TEST(UnionFind, RootsAreTheSmallestMembersWhateverTheOrder) {
  const test::ScopedThreads threads(4);
  constexpr vertex_t n = 20'000;
  std::vector<vertex_t> parent(n);
  const UnionFind sets{parent.data()};
  for (vertex_t v = 0; v < n; ++v) sets.make_singleton(v);
  std::atomic<int> joined{0};
  parallel_for(  // v ~ v + 10: ten sets, by last digit
      n - 10,
      [&](std::int64_t v) {
        joined += sets.unite(static_cast<vertex_t>(v + 10), static_cast<vertex_t>(v));
      },
      64);
  EXPECT_EQ(joined.load(), n - 10);
  for (vertex_t v = 0; v < n; ++v) {
    ASSERT_EQ(sets.root(v), v % 10);
    ASSERT_EQ(sets.find(v), v % 10);
  }
}

TEST(UnionFind, TellsWhichRootIsNoneAnyMore) {
  std::vector<vertex_t> parent(6);
  const UnionFind sets{parent.data()};
  for (vertex_t v = 0; v < 6; ++v) sets.make_singleton(v);
  EXPECT_EQ(sets.hook(5, 4), 5);
  EXPECT_EQ(sets.hook(2, 5), 4);
  EXPECT_EQ(sets.hook(4, 5), -1);
  EXPECT_EQ(sets.hook(0, 4), 2);
}

TEST(Device, NamesAreParsedAndPrinted) {
  EXPECT_EQ(Device::parse("cpu").name(), "cpu");
  EXPECT_EQ(Device::parse("cuda").name(), "cuda:0");
  EXPECT_EQ(Device::parse("cuda:12").index, 12);
  for (const char* wrong : {"", "gpu", "cuda:", "cuda:-1", "cuda:1x", "CUDA"}) {
    EXPECT_THROW(Device::parse(wrong), std::invalid_argument) << wrong;
  }
}

TEST(Device, OneThatIsNotThereIsNamed) {
  const std::string name = "cuda:" + std::to_string(cuda_device_count());
  const auto ask = [&] { require_device(Device::parse(name)); };
  EXPECT_THROW(ask(), DeviceError);
  EXPECT_NE(message_of(ask).find(name), std::string::npos);
  EXPECT_GT(free_memory(Device{}), 0u);
}

TEST(MemoryBudget, NamesWhatIsNeededWhatThereIsAndTheWayOut) {
  EXPECT_EQ(format_bytes(312), "312 bytes");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB (1536 bytes)");
  EXPECT_EQ(format_bytes(std::size_t{3} << 30), "3 GiB (3221225472 bytes)");
  const std::string unlimited =
      message_of([] { MemoryBudget(Device{}).require("all", ~std::size_t{0}, "buy more"); });
  EXPECT_NE(unlimited.find("are free; free memory, or buy more"), std::string::npos) << unlimited;
  const MemoryBudget budget(Device{}, 1000);
  EXPECT_EQ(budget.available(), 1000u);
  budget.require("the answer", 1000, "ask for less");
  const std::string sentence =
      message_of([&] { budget.require("the answer", 1001, "ask for less"); });
  EXPECT_NE(message_of([&] {
              budget.require("all", 1001, "");
            }).find("are left of memory_limit; raise memory_limit"),
            std::string::npos);
  EXPECT_EQ(sentence,
            "the answer needs 1001 bytes on cpu, but 1000 bytes are left of memory_limit; "
            "raise memory_limit, or ask for less");
}

TEST(MemoryBudget, HandsOnWhatIsLeft) {
  const MemoryBudget budget({}, 1000);
  const Device gpu{Device::Kind::cuda, 1};
  EXPECT_EQ(budget.charge("the rows", 300, "").left(), 700u);
  EXPECT_EQ(budget.after(300).before(100).left(), 800u);
  EXPECT_EQ(budget.after(1001).left(), 0u);
  EXPECT_TRUE(budget.after(1000).on(gpu).is_limited());
  EXPECT_EQ(budget.on(gpu).device(), gpu);
  EXPECT_FALSE(MemoryBudget(gpu).after(300).is_limited());
  EXPECT_FALSE(MemoryBudget().before(300).is_limited());
}

TEST(MemoryBudget, LeavesOutWhatAnotherStepCounts) {
  const MemoryBudget budget = MemoryBudget({}, 1000).before(300);
  EXPECT_TRUE(budget.has(1300));
  EXPECT_FALSE(budget.has(1301));
  EXPECT_EQ(budget.available(), 1300u);
  EXPECT_EQ(message_of([&] { budget.require("a search", 1301, ""); }),
            "a search needs 1001 bytes on cpu, but 1000 bytes are left of memory_limit; "
            "raise memory_limit");
  EXPECT_EQ(budget.after(200).left(), 1100u);
  EXPECT_EQ(budget.after(400).on({Device::Kind::cuda, 1}).left(), 900u);
  EXPECT_EQ(message_of([&] { budget.after(1300).require("more", 1, ""); }),
            "more needs 1 bytes on cpu, but 0 bytes are left of memory_limit; raise memory_limit");
}

TEST(MemoryMeter, RefusesWhatIsBeyondItsLimit) {
  MemoryMeter meter("the answer", MemoryBudget({}, 1000), "ask for less");
  meter.take(600);
  meter.give_back(100);
  meter.take(500);
  EXPECT_EQ(message_of([&] { meter.take(1); }),
            "the answer needs 1001 bytes or more on cpu, but 1000 bytes are left of memory_limit; "
            "raise memory_limit, or ask for less");
  MemoryMeter endless("the answer", MemoryBudget(), "ask for less");
  EXPECT_NO_THROW(endless.take(std::size_t{1} << 60));
}

TEST(SpareBlocks, AreTakenAgain) {
  SpareBlocks spare;
  const Block small = spare.take(512);
  const Block large = spare.take(4096);
  spare.give(large);
  spare.give(small);
  EXPECT_EQ(spare.take(512).memory, small.memory);
  const Block again = spare.take(512);  // a larger one will do
  EXPECT_EQ(again.memory, large.memory);
  EXPECT_EQ(again.bytes, 4096u);
  spare.give(small);
  spare.give(again);
}

TEST(SpareBlocks, AreNoMoreThanAThreadMayKeep) {
  SpareBlocks spare;
  const Block all = spare.take(SpareBlocks::max_kept);
  const Block more = spare.take(512);
  spare.give(all);
  spare.give(more);  // freed, or the sanitizer would say so
  EXPECT_EQ(spare.take(512).memory, all.memory);
  spare.give(all);
}

TEST(GrowingList, KeepsItsItemsAsItGrows) {
  struct Item {
    std::int64_t a, b, c;  // no power of two
  };
  constexpr std::int64_t n = 3 * SpareBlocks::max_kept / sizeof(Item);
  for (int turn = 0; turn < 2; ++turn) {
    GrowingList<Item> list;
    for (std::int64_t i = 0; i < n; ++i) list.push({i, -i, 2 * i});
    ASSERT_EQ(list.size(), n);
    bool same = true;
    for (std::int64_t i = 0; i < n; ++i) same &= list[i].a == i && list[i].c == 2 * i;
    EXPECT_TRUE(same);
    list.release();
    EXPECT_TRUE(list.empty());
    list.push({1, 2, 3});
    EXPECT_EQ(list[0].b, 2);
  }
}

TEST(GrowingList, StaysWithinItsBudget) {
  constexpr std::size_t bytes = 1 << 16;
  ListBudget budget(bytes);
  GrowingList<std::int64_t> list;
  const auto fill = [&] {
    for (std::int64_t i = 0;; ++i) list.push(i);
  };
  for (int turn = 0; turn < 2; ++turn) {
    const WithListBudget within(budget);
    EXPECT_THROW(fill(), ListBudgetExceeded);
    // The list and the next one, of twice its size, would not both fit.
    EXPECT_GE(static_cast<std::size_t>(list.size()) * sizeof(std::int64_t), bytes / 4);
    EXPECT_LE(static_cast<std::size_t>(list.size()) * sizeof(std::int64_t), bytes);
    list.release();
  }
  EXPECT_TRUE(budget.take(bytes));
  EXPECT_FALSE(budget.take(1));
  list.push(7);  // from outside, where nothing is counted
  EXPECT_EQ(list[0], 7);
}

TEST(Error, OutOfMemoryIsNotAMistakeOfTheCaller) {
  const auto ask = [] { MemoryBudget(Device{}, 1).require("it", 2, "use less"); };
  EXPECT_THROW(ask(), OutOfMemory);
}

TEST(Error, ExpectsSaysItsSentence) {
  const auto wrong = [](int k) { EXPECTS(k > 0, "k must be positive, got ", k); };
  EXPECT_EQ(message_of([&] { wrong(-3); }), "k must be positive, got -3");
  EXPECT_EQ(message_of([&] { wrong(1); }), "");
  EXPECT_EQ(NegativeCycle(7).vertex, 7);
}

}  // namespace
}  // namespace warpgraph
