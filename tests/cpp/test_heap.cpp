// The heaps return what a sorted list would.
#include "core/containers/heap.hpp"

#include <algorithm>
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
                   RadixHeap<std::int64_t>, QuaternaryHeap<float>, QuaternaryHeap<std::int64_t>,
                   BinaryHeap<double>, BinaryHeap<std::int32_t>>;
TYPED_TEST_SUITE(Heaps, HeapTypes);

template <class Heap>
using KeyOf = decltype(Heap::Entry::key);

/// Pushes and pops as Dijkstra's algorithm does: no key is below the last that was popped.
TYPED_TEST(Heaps, PopInTheOrderOfKeys) {
  using Key = KeyOf<TypeParam>;
  std::mt19937_64 random(7);
  TypeParam heap;
  for (const int spread : {1, 10, 1'000'000}) {
    std::vector<Key> waiting;
    Key last{0};
    for (vertex_t step = 0; step < 20'000; ++step) {
      if (waiting.empty() || random() % 5 < (step < 10'000 ? 3U : 1U)) {
        const Key key = last + static_cast<Key>(random() % static_cast<unsigned>(spread));
        waiting.push_back(key);
        heap.push(step, key);
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
  TypeParam heap;
  for (vertex_t v = 0; v < 1000; ++v) heap.push(v, static_cast<Key>(v * 7919 % 1000));
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
  TypeParam heap;
  heap.push(1, most);
  heap.push(2, Key{0});
  heap.push(3, most / 2);
  EXPECT_EQ(heap.pop().vertex, 2);
  EXPECT_EQ(heap.pop().vertex, 3);
  EXPECT_EQ(heap.pop().vertex, 1);
}

}  // namespace
}  // namespace warpgraph
