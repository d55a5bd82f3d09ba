// The heap returns what a sorted list would.
#include "core/containers/heap.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace warpgraph {
namespace {

template <class Heap>
class Heaps : public testing::Test {};

using HeapTypes =
    testing::Types<RadixHeap<float>, RadixHeap<double>, RadixHeap<std::int32_t>,
                   RadixHeap<std::int64_t>, RadixHeap<std::uint32_t>, RadixHeap<std::uint64_t>>;
TYPED_TEST_SUITE(Heaps, HeapTypes);

template <class Heap>
using KeyOf = decltype(Heap::Entry::key);

/// Pushes and pops as Dijkstra's algorithm does: no key is below the last that was popped.
TYPED_TEST(Heaps, PopInTheOrderOfKeys) {
  using Key = KeyOf<TypeParam>;
  std::mt19937_64 random(7);
  constexpr vertex_t n = 20'000;
  std::vector<Key> keys(n);
  TypeParam heap(n);
  for (const int spread : {1, 10, 1'000'000}) {
    std::vector<Key> waiting;
    Key last{0};
    for (vertex_t step = 0; step < n; ++step) {
      if (waiting.empty() || random() % 5 < (step < 10'000 ? 3U : 1U)) {
        const Key key = last + static_cast<Key>(random() % static_cast<unsigned>(spread));
        waiting.push_back(key);
        keys[static_cast<std::size_t>(step)] = key;
        heap.push(step, key, keys.data());
        continue;
      }
      const auto least = std::min_element(waiting.begin(), waiting.end());
      ASSERT_FALSE(heap.empty());
      last = heap.pop().key;
      ASSERT_EQ(last, *least);
      *least = waiting.back();
      waiting.pop_back();
    }
    heap.clear();
    EXPECT_TRUE(heap.empty());
  }
}

TYPED_TEST(Heaps, KeepVerticesWithTheirKeys) {
  using Key = KeyOf<TypeParam>;
  TypeParam heap(1000);
  std::vector<Key> keys;
  for (vertex_t v = 0; v < 1000; ++v) keys.push_back(static_cast<Key>(v * 7919 % 1000));
  for (vertex_t v = 0; v < 1000; ++v) {
    heap.push(v, keys[static_cast<std::size_t>(v)], keys.data());
  }
  for (int i = 0; i < 1000; ++i) {
    const auto [key, vertex] = heap.pop();
    EXPECT_EQ(key, static_cast<Key>(i));
    EXPECT_EQ(static_cast<Key>(vertex * 7919 % 1000), key);
  }
  EXPECT_TRUE(heap.empty());
}

TYPED_TEST(Heaps, TakeTheLargestKeys) {
  using Key = KeyOf<TypeParam>;
  constexpr Key most = std::numeric_limits<Key>::max();
  TypeParam heap(4);
  const std::vector<Key> keys{0, most, 0, most / 2};
  for (const vertex_t v : {1, 2, 3}) {
    heap.push(v, keys[static_cast<std::size_t>(v)], keys.data());
  }
  EXPECT_EQ(heap.pop().vertex, 2);
  EXPECT_EQ(heap.pop().vertex, 3);
  EXPECT_EQ(heap.pop().vertex, 1);
}

/// Many keys of every width, of which the widest differ in the highest bit.
TYPED_TEST(Heaps, SortKeysOfAllWidths) {
  using Key = KeyOf<TypeParam>;
  constexpr Key most = std::numeric_limits<Key>::max();
  std::mt19937_64 random(3);
  std::vector<Key> keys(5000);
  for (Key& key : keys) {
    const double part = std::ldexp(1.0, -static_cast<int>(random() % 63));
    key = random() % 4 == 0 ? most - static_cast<Key>(random() % 100)
                            : static_cast<Key>(static_cast<double>(most / 2) * part);
  }
  TypeParam heap(static_cast<vertex_t>(keys.size()));
  for (std::size_t v = 0; v < keys.size(); ++v) {
    heap.push(static_cast<vertex_t>(v), keys[v], keys.data());
  }
  std::sort(keys.begin(), keys.end());
  for (const Key key : keys) ASSERT_EQ(heap.pop().key, key);
  EXPECT_TRUE(heap.empty());
}

/// Each vertex is pushed hundreds of times before the first is popped.
TYPED_TEST(Heaps, DropWhatIsOutdated) {
  using Key = KeyOf<TypeParam>;
  constexpr vertex_t n = 3000;
  constexpr int turns = 300;
  std::mt19937_64 random(11);
  std::vector<Key> keys(n, static_cast<Key>(turns) * 1000);
  TypeParam heap(n);
  std::size_t n_pushed = 0;
  for (int turn = 0; turn < turns; ++turn) {
    for (vertex_t v = 0; v < n; ++v) {
      Key& key = keys[static_cast<std::size_t>(v)];
      key -= static_cast<Key>(1 + random() % 999);
      heap.push(v, key, keys.data());
      ++n_pushed;
    }
  }
  std::vector<bool> seen(n);
  std::size_t n_popped = 0;
  for (Key last{0}; !heap.empty(); ++n_popped) {
    const auto [key, vertex] = heap.pop();
    ASSERT_LE(last, key);
    last = key;
    const auto v = static_cast<std::size_t>(vertex);
    if (key == keys[v]) seen[v] = true;
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), n);
  EXPECT_LE(n_popped * sizeof(HeapEntry<Key>), TypeParam::bytes_needed(n, n_pushed));
}

/// Outdated entries are dropped while a bucket's highest chunk is empty and others below it are
/// not.
TYPED_TEST(Heaps, DropWhatIsOutdatedBelowAnEmptyChunk) {
  using Key = KeyOf<TypeParam>;
  constexpr vertex_t n = 10;
  constexpr int n_later = 300;
  for (int n_equal = 1; n_equal <= 140; ++n_equal) {
    TypeParam heap(n);
    std::vector<Key> keys(n, Key{2});
    heap.push(0, Key{2}, keys.data());
    heap.pop();  // what is equal to the last key is in one bucket
    for (int i = 0; i < n_equal; ++i) heap.push(i % n, Key{2}, keys.data());
    ASSERT_EQ(heap.pop().key, Key{2});
    std::fill(keys.begin(), keys.end(), Key{1});
    keys[9] = Key{4};
    for (int i = 0; i < n_later; ++i) heap.push(9, Key{4}, keys.data());
    int found = 0;
    Key last{0};
    while (!heap.empty()) {
      const auto [key, vertex] = heap.pop();
      ASSERT_TRUE(key == Key{2} || (key == Key{4} && vertex == 9)) << n_equal;
      ASSERT_LE(last, key);
      last = key;
      found += key == Key{4} ? 1 : 0;
    }
    ASSERT_EQ(found, n_later) << n_equal;
  }
}

}  // namespace
}  // namespace warpgraph
