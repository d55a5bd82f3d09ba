// Results that stay on a device until they are asked for; here a copy of host memory is the device.
#include "core/memory/lazy_array.hpp"
#include "support.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>
#include <vector>

namespace warpgraph {
namespace {

class LazyArrayTest : public testing::Test {
 protected:
  std::shared_ptr<LazyArray> make() {
    const auto copy = [this, owned = memory_](std::byte* to) {
      ++n_copies_;
      if (fails_) throw std::bad_alloc();
      std::memcpy(to, owned->data(), owned->size());
    };
    return LazyArray::make(memory_->data(), memory_->size(), device_, copy);
  }

  const Device device_{Device::Kind::cuda, 77};
  const std::shared_ptr<std::vector<char>> memory_ = std::make_shared<std::vector<char>>(5000, 'x');
  std::atomic<int> n_copies_{0};
  bool fails_ = false;
};

TEST_F(LazyArrayTest, IsCopiedOnceAndFreesTheDevice) {
  const auto array = make();
  EXPECT_EQ(array->bytes(), memory_->size());
  EXPECT_EQ(lazy_bytes(device_), memory_->size());
  EXPECT_EQ(memory_.use_count(), 2);
  const std::byte* const host = array->on_host();
  EXPECT_EQ(std::memcmp(host, memory_->data(), memory_->size()), 0);
  EXPECT_EQ(array->on_host(), host);
  EXPECT_EQ(n_copies_, 1);
  EXPECT_EQ(memory_.use_count(), 1);
  EXPECT_FALSE(array->is_on_device());
  EXPECT_EQ(lazy_bytes(device_), 0u);
}

TEST_F(LazyArrayTest, IsUsedOnTheDeviceWhileItIsThere) {
  const auto array = make();
  const void* used = nullptr;
  const auto use = [&](const void* data) {
    evict_lazy_arrays(device_);  // does not wait for this thread
    used = data;
  };
  EXPECT_TRUE(array->use_on_device(use));
  EXPECT_EQ(used, memory_->data());
  EXPECT_TRUE(array->is_on_device());
  evict_lazy_arrays(Device{Device::Kind::cuda, 78});
  EXPECT_TRUE(array->is_on_device());
  evict_lazy_arrays(device_);
  EXPECT_FALSE(array->use_on_device(use));
  EXPECT_EQ(n_copies_, 1);
}

TEST_F(LazyArrayTest, StaysWhereItIsIfACopyFails) {
  const auto array = make();
  fails_ = true;
  EXPECT_THROW(static_cast<void>(array->on_host()), std::bad_alloc);
  array->evict();
  EXPECT_TRUE(array->is_on_device());
  fails_ = false;
  EXPECT_EQ(std::memcmp(array->on_host(), memory_->data(), memory_->size()), 0);
}

TEST_F(LazyArrayTest, IsForgottenWithItsLastOwner) {
  auto array = make();
  array.reset();
  EXPECT_EQ(memory_.use_count(), 1);
  EXPECT_EQ(lazy_bytes(device_), 0u);
  finish_lazy_arrays();
  EXPECT_EQ(n_copies_, 0);
}

TEST_F(LazyArrayTest, ThreadsThatAskWaitForOneCopy) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto array = make();
    n_copies_ = 0;
    std::vector<const std::byte*> found(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < found.size(); ++i) {
      threads.emplace_back([&, i] {
        if (i == 0) array->evict();
        found[i] = array->on_host();
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(n_copies_, 1);
    for (const std::byte* const host : found) EXPECT_EQ(host, found[0]);
  }
}

}  // namespace
}  // namespace warpgraph
