// The warp-wide priority queue against std::priority_queue, where there is a device.
#include "core/cuda/containers/warp_heap.cuh"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "graph/generate/random.hpp"
#include "on_device.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

namespace warpgraph::cuda {
namespace {

/// The operations of a script, which the warp executes in order.
enum class Action { push, pop, pop_up_to, drop_half, suspend };

template <class Key>
struct Step {
  Action action;
  int n;          // push: number of entries, at most 32; pop_up_to: maximum number of entries
  Key threshold;  // pop_up_to
};

template <class Key>
struct Script {
  const Step<Key>* steps;
  int n_steps;
  const Key* keys;  // of pushed entries, in order
  const vertex_t* vertices;
  Key* popped_keys;  // of removed entries, in order
  vertex_t* popped_vertices;
  int* counts;  // entries removed by each step
};

constexpr int max_at_once = 64;

template <class Key>
__global__ void play(Script<Key> script, HeapShape shape, std::byte* global) {
  std::byte* const shared = dynamic_shared<std::byte>();
  Key* const keys = reinterpret_cast<Key*>(shared);
  auto* const vertices = reinterpret_cast<vertex_t*>(keys + max_at_once);
  auto* const own = reinterpret_cast<std::byte*>(vertices + max_at_once);
  WarpHeap<Key> heap(shape, own, global);
  int pushed = 0;
  int popped = 0;
  for (int i = 0; i < script.n_steps; ++i) {
    const Step<Key> step = script.steps[i];
    int count = 0;
    if (step.action == Action::push) {
      // Even lanes first, so that the lanes that push are not the first ones.
      const int mine = lane() % 2 * 16 + lane() / 2;
      const bool wanted = mine < step.n;
      const int from = pushed + (wanted ? mine : 0);
      heap.push(wanted, script.keys[from], script.vertices[from]);
      pushed += step.n;
    } else if (step.action == Action::pop && !heap.empty()) {
      const auto least = heap.least();
      const auto entry = heap.pop();
      if (lane() == 0) {
        script.popped_keys[popped] = entry.key;
        script.popped_vertices[popped] = least == entry.key ? entry.vertex : -1;
      }
      count = 1;
    } else if (step.action == Action::pop_up_to) {
      count = heap.pop_up_to(step.threshold, step.n, keys, vertices);
      __syncwarp();
      for (int j = lane(); j < count; j += warp_lanes) {
        script.popped_keys[popped + j] = keys[j];
        script.popped_vertices[popped + j] = vertices[j];
      }
    } else if (step.action == Action::drop_half) {
      heap.drop_half([&](bool exists, Key key, vertex_t vertex) {
        const unsigned there = __ballot_sync(all_lanes, exists);
        const int to = popped + count + __popc(there & lanemask_lt());
        if (exists) {
          script.popped_keys[to] = key;
          script.popped_vertices[to] = vertex;
        }
        count += __popc(there);
      });
    } else if (step.action == Action::suspend) {
      heap.suspend();
      __syncwarp();
      const std::size_t bytes = shape.shared_bytes<Key>();
      for (std::size_t j = lane(); j < bytes; j += warp_lanes) own[j] = std::byte{0xA5};
      __syncwarp();
      heap.clear();
      heap.resume();
    }
    if (lane() == 0) script.counts[i] = count;
    popped += count;
    __syncwarp();
  }
}

template <class Key>
struct Outcome {
  std::vector<Key> keys;
  std::vector<vertex_t> vertices;
  std::vector<int> counts;
};

template <class Key>
class WarpHeapOf : public test::OnDevice {
 protected:
  using Entry = std::pair<Key, vertex_t>;

  void start_over() {
    entries_.clear();
    steps_.clear();
    n_scripted_ = 0;
  }
  void push(Key key) { entries_.push_back({key, static_cast<vertex_t>(entries_.size())}); }
  /// Adds the steps that push the entries given to push() since the last call.
  void add_push_steps() {
    for (const int n = static_cast<int>(entries_.size()); n_scripted_ < n;) {
      const int some = std::min(warp_lanes, n - n_scripted_);
      step(Action::push, some);
      n_scripted_ += some;
    }
  }
  void step(Action action, int n = 0, Key threshold = Key{}) {
    steps_.push_back({action, n, threshold});
  }

  Outcome<Key> played(HeapShape shape) {
    std::vector<Key> keys(entries_.size() + 1);
    std::vector<vertex_t> vertices(entries_.size() + 1);
    for (std::size_t i = 0; i < entries_.size(); ++i) std::tie(keys[i], vertices[i]) = entries_[i];
    const auto device_steps = to_device(std::span<const Step<Key>>(steps_), stream());
    const auto device_keys = to_device(std::span<const Key>(keys), stream());
    const auto device_vertices = to_device(std::span<const vertex_t>(vertices), stream());
    const DeviceBuffer<Key> popped_keys(keys.size(), stream());
    const DeviceBuffer<vertex_t> popped_vertices(keys.size(), stream());
    const DeviceBuffer<int> counts(steps_.size(), stream());
    const DeviceBuffer<std::byte> global(shape.global_bytes<Key>(), stream());
    const std::size_t shared =
        max_at_once * (sizeof(Key) + sizeof(vertex_t)) + shape.shared_bytes<Key>();
    launch(stream(), 1, warp_lanes, shared, play<Key>,
           Script<Key>{device_steps.data(), static_cast<int>(steps_.size()), device_keys.data(),
                       device_vertices.data(), popped_keys.data(), popped_vertices.data(),
                       counts.data()},
           shape, global.data());
    return {fetched(popped_keys), fetched(popped_vertices), fetched(counts)};
  }

  /// Runs the script and compares each step with a model. The order of equal keys is not defined,
  /// so the model is a multiset from which exactly the removed entries are erased.
  void check(HeapShape shape) {
    const Outcome<Key> outcome = played(shape);
    std::multiset<Entry> model;
    std::size_t next = 0;
    std::size_t popped = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step<Key>& step = steps_[i];
      const auto count = static_cast<std::size_t>(outcome.counts[i]);
      if (step.action == Action::push) {
        for (int j = 0; j < step.n; ++j) model.insert(entries_[next++]);
      }
      if (step.action == Action::pop) {
        ASSERT_EQ(count, model.empty() ? 0u : 1u) << "step " << i;
        if (count == 1) {
          ASSERT_EQ(outcome.keys[popped], model.begin()->first) << "step " << i;
        }
      }
      for (std::size_t j = popped; j < popped + count; ++j) {
        const auto found = model.find({outcome.keys[j], outcome.vertices[j]});
        ASSERT_NE(found, model.end()) << "step " << i << " removed an entry that was not there";
        model.erase(found);
        if (step.action == Action::pop_up_to) {
          ASSERT_LE(outcome.keys[j], step.threshold);
        }
      }
      if (step.action == Action::pop_up_to && outcome.counts[i] < step.n && !model.empty() &&
          shape.nodes <= 1057) {
        ASSERT_GT(model.begin()->first, step.threshold) << "step " << i << " left one behind";
      }
      popped += count;
    }
    EXPECT_EQ(model.size(), entries_.size() - popped);
  }

  std::vector<Entry> entries_;
  std::vector<Step<Key>> steps_;
  int n_scripted_ = 0;
};

using Keys = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(WarpHeapOf, Keys);

constexpr HeapShape all_shared{64, 64, 64};
constexpr HeapShape some_shared{200, 5, 40};
constexpr HeapShape none_shared{200, 0, 0};

/// Heaps of one entry to several levels.
TYPED_TEST(WarpHeapOf, SortsByPopping) {
  for (const int n : {1, 31, 32, 33, 1000, 2500}) {
    this->start_over();
    const CounterRandom random(7, static_cast<std::uint64_t>(n));
    for (int i = 0; i < n; ++i) {
      this->push(static_cast<TypeParam>(random.below(static_cast<std::uint64_t>(i), 500)) - 250);
    }
    this->add_push_steps();
    for (int i = 0; i <= n; ++i) this->step(Action::pop);
    this->check(some_shared);
  }
}

TYPED_TEST(WarpHeapOf, TakesEqualKeysAndInfinities) {
  for (int i = 0; i < 300; ++i) {
    this->push(i % 3 == 0 ? infinity<TypeParam>() : i % 3 == 1 ? TypeParam{4} : TypeParam{0});
    if (i % 30 == 29) this->add_push_steps();
  }
  for (int i = 0; i < 40; ++i) this->step(Action::pop);
  this->step(Action::pop_up_to, 64, TypeParam{0});
  this->step(Action::pop_up_to, 64, TypeParam{4});
  for (int i = 0; i < 8; ++i) this->step(Action::pop_up_to, 40, infinity<TypeParam>());
  this->step(Action::pop);
  this->check(none_shared);
}

/// Random operations with slowly rising keys, as in a search.
TYPED_TEST(WarpHeapOf, AgreesWithAQueueOverRandomSteps) {
  for (const HeapShape shape : {all_shared, some_shared, none_shared}) {
    this->start_over();
    const CounterRandom random(11, static_cast<std::uint64_t>(shape.shared_rows));
    std::uint64_t draw = 0;
    const auto below = [&](std::uint64_t n) { return static_cast<int>(random.below(draw++, n)); };
    for (int i = 0; i < 700; ++i) {
      const int kind = below(10);
      const int base = 3 * i;
      if (kind < 5) {
        for (int n = below(33); n > 0 && this->entries_.size() < 1500; --n) {
          this->push(static_cast<TypeParam>(base + below(900)));
        }
        this->add_push_steps();
      } else if (kind < 7) {
        this->step(Action::pop);
      } else if (kind < 9) {
        const int most = 32 + below(33);
        this->step(Action::pop_up_to, most, static_cast<TypeParam>(base + below(300)));
      } else {
        this->step(Action::suspend);
      }
    }
    this->check(shape);
  }
}

/// Three levels of nodes; pop_up_to removes half of the entries, single pops some of the others.
TYPED_TEST(WarpHeapOf, TakesThresholdsThroughThreeLevels) {
  constexpr HeapShape deep{1400, 20, 300};
  const CounterRandom random(13, 0);
  for (int i = 0; i < 40'000; ++i) {
    this->push(static_cast<TypeParam>(random.below(static_cast<std::uint64_t>(i), 1 << 16)));
  }
  this->add_push_steps();
  for (int at = 0; at < 1 << 15; at += 50) {
    this->step(Action::pop_up_to, 64, static_cast<TypeParam>(at));
    this->step(Action::pop_up_to, 64, static_cast<TypeParam>(at));
  }
  for (int i = 0; i < 500; ++i) this->step(Action::pop);
  this->check(deep);
}

/// A heap that was full keeps its order after drop_half().
TYPED_TEST(WarpHeapOf, DropsHalf) {
  const CounterRandom random(17, 0);
  for (int i = 0; i < 64 * 32; ++i) {
    this->push(static_cast<TypeParam>(random.below(static_cast<std::uint64_t>(i), 5000)));
  }
  this->add_push_steps();
  this->step(Action::pop_up_to, 64, TypeParam{150});
  this->step(Action::drop_half);
  for (int i = 0; i < 100; ++i) this->push(static_cast<TypeParam>(i * 31));
  this->add_push_steps();
  for (int i = 0; i < 1200; ++i) this->step(Action::pop);
  this->check(all_shared);
}

}  // namespace
}  // namespace warpgraph::cuda
