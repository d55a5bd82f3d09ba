// Streams that are to wait for events which are not recorded yet: stalls are found, a run that
// fails ends, and nothing else counts as a stall.
#include "core/interrupt.hpp"
#include "on_device.hpp"
#include "runtime/runtime_graphs.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace warpgraph::runtime {
namespace {

using test::Items;
using test::numbers;
using warpgraph::test::message_of;
using DeviceItems = cuda::DeviceBuffer<std::int32_t>;

constexpr double soon = 5;  // seconds, on an emulated device

void sleep_some() { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }

/// Endpoint 0 sends `first` to the host. After that was delivered, its stream copies `second`,
/// which goes to endpoint 1.
class StreamWaits : public warpgraph::test::OnDevice {
 protected:
  void SetUp() override {
    warpgraph::test::OnDevice::SetUp();
    if (IsSkipped()) return;
    locked_ = cuda::PinnedBuffer<std::int32_t>(items_.size());
    std::copy(items_.begin(), items_.end(), locked_.data());
    context_.emplace(std::vector<Device>(2, device()));
    const auto& endpoints = context_->endpoints();
    to_host_ = &context_->link(endpoints[0], context_->host(), 4096);
    to_other_ = &context_->link(endpoints[0], endpoints[1], 4096);
  }

  /// The body of endpoint 0. The stream waits for a future before it copies what is sent.
  void send_after(const EventFuture& event, const cuda::Stream& own) {
    const auto copied = std::make_shared<DeviceItems>(items_.size(), own);
    event.wait(ref(own));
    cuda::copy(copied->data(), locked_.data(), locked_.size(), own);
    Event ready;
    ready.record(ref(own));
    const std::span<const std::int32_t> items(copied->data(), copied->size());
    to_other_->send(segment_of(items, 0, device()), ready.future(), copied);
  }
  void send_after_delivery() {
    const cuda::BorrowedStream own(device());
    send_after(test::send(*to_host_, items_), *own);
  }
  /// The body of endpoint 1.
  void receive() {
    const cuda::BorrowedStream own(device());
    while (std::optional<PendingSegment> pending = to_other_->receive()) {
      const Segment& segment = pending->wait();
      const Items some = cuda::to_host<Items>(segment.as<std::int32_t>().data(),
                                              segment.bytes / sizeof(std::int32_t), *own);
      received_.insert(received_.end(), some.begin(), some.end());
    }
  }
  template <class First, class Second, class OnHost>
  void run(First&& first, Second&& second, OnHost&& on_host) {
    context_->run([&](Endpoint at) { at.id == 0 ? first() : second(); }, on_host);
  }
  template <class First, class Second, class OnHost>
  std::string error_of(First&& first, Second&& second, OnHost&& on_host) {
    const test::Stopwatch watch;
    const std::string message = message_of([&] { run(first, second, on_host); });
    EXPECT_LT(watch.seconds(), soon);
    return message;
  }
  static void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
      EXPECT_NE(message.find(part), std::string::npos) << message;
    }
  }

  const Items items_ = numbers(3000);
  cuda::PinnedBuffer<std::int32_t> locked_;  // a copy of pageable memory may wait for its stream
  Items received_;
  std::optional<Context> context_;
  Link* to_host_ = nullptr;
  Link* to_other_ = nullptr;
};

TEST_F(StreamWaits, GoOnWhenTheHostIsSlow) {
  Items at_host;
  run([&] { send_after_delivery(); }, [&] { receive(); },
      [&] {
        sleep_some();
        at_host = test::receive_all(*to_host_);
      });
  EXPECT_EQ(at_host, items_);
  EXPECT_EQ(received_, items_);
}

TEST_F(StreamWaits, AStallIsAnError) {
  const std::string message = error_of([&] { send_after_delivery(); }, [&] { receive(); }, [] {});
  expect_parts(message, {"no endpoint can continue: ",
                         "endpoint 0 (cuda:0) waits until the host has received what it has sent",
                         "the host waits for the endpoints to end"});
}

TEST_F(StreamWaits, AnOwnerThatFailsWhileOthersWaitForIt) {
  const std::string message = error_of(
      [&] {
        const cuda::BorrowedStream own(device());
        test::send(*to_host_, items_).wait(ref(*own));
        throw std::runtime_error("this endpoint has failed");
      },
      [&] { receive(); }, [] {});
  EXPECT_NE(message, "");
}

TEST_F(StreamWaits, AFailureElsewhereEndsThem) {
  const std::string message = error_of(
      [&] {
        const cuda::BorrowedStream own(device());
        test::send(*to_host_, items_).wait(ref(*own));
        (*own).synchronize();
      },
      [&] {
        sleep_some();
        throw std::runtime_error("this endpoint has failed");
      },
      [] {});
  EXPECT_EQ(message, "this endpoint has failed");
}

TEST_F(StreamWaits, EventsFromOutsideAreAwaited) {
  Event outside;
  std::thread later([&] {
    sleep_some();
    outside.record();
  });
  run(
      [&] {
        const cuda::BorrowedStream own(device());
        send_after(outside.future(), *own);
      },
      [&] { receive(); }, [] {});
  EXPECT_EQ(received_, items_);
  later.join();
}

TEST_F(StreamWaits, ReceiversTakeWhatIsReadyBeforeWhatIsNot) {
  // The second message can only be ready after the first one has been answered.
  run(
      [&] {
        to_other_->send(segment_of(std::span<const std::int32_t>(items_)));
        send_after_delivery();
      },
      [&] { receive(); }, [&] { EXPECT_EQ(test::receive_all(*to_host_), items_); });
  Items twice = items_;
  twice.insert(twice.end(), items_.begin(), items_.end());
  EXPECT_EQ(received_, twice);
}

TEST_F(StreamWaits, WhatIsReleasedUnreadNeedNotBeReady) {
  const Event never(Source::run);
  const cuda::PinnedBuffer<std::int32_t> locked(500);
  const std::span<const std::int32_t> items(locked.data(), locked.size());
  int n_received = 0;
  run([&] { to_other_->send(segment_of(items), never.future()); },
      [&] {
        while (std::optional<PendingSegment> pending = to_other_->receive()) ++n_received;
      },
      [] {});
  EXPECT_EQ(n_received, 1);
}

TEST_F(StreamWaits, EventsOfTheRunThatNobodyRecordsAreAnError) {
  const Event never(Source::run);
  const cuda::PinnedBuffer<std::int32_t> locked(500);
  const std::span<const std::int32_t> items(locked.data(), locked.size());
  const std::string message =
      error_of([&] { to_other_->send(segment_of(items), never.future()); },
               [&] {
                 while (std::optional<PendingSegment> pending = to_other_->receive()) {
                   pending->wait();
                 }
               },
               [] {});
  expect_parts(message, {"no endpoint can continue: ", "an endpoint waits for an event"});
}

struct Interrupted {};

class InterruptingHooks final : public CallHooks {
 public:
  void poll() override {
    if (watch_.seconds() > 0.2) throw Interrupted{};
  }
  void progress(std::int64_t, std::int64_t) override {}

 private:
  test::Stopwatch watch_;
};

TEST_F(StreamWaits, TheCallerCanInterruptThem) {
  Event never;
  const cuda::PinnedBuffer<std::int32_t> locked(500);
  const std::span<const std::int32_t> items(locked.data(), locked.size());
  InterruptingHooks hooks;
  const ScopedHooks installed(hooks);
  const test::Stopwatch watch;
  EXPECT_THROW(run([&] { to_other_->send(segment_of(items), never.future()); },
                   [&] {
                     while (std::optional<PendingSegment> pending = to_other_->receive()) {
                       pending->wait();
                     }
                   },
                   [] {}),
               Interrupted);
  EXPECT_LT(watch.seconds(), soon);
}

}  // namespace
}  // namespace warpgraph::runtime
