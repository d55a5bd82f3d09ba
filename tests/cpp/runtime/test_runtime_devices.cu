// Events and links of CUDA devices. The devices of a test are several endpoints on one
// device, and all devices that are there.
#include "core/cuda/copies/upload.hpp"
#include "on_device.hpp"
#include "runtime/runtime_graphs.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace warpgraph::runtime {
namespace {

using test::Items;
using test::numbers;
using Devices = std::vector<Device>;
using DeviceItems = cuda::DeviceBuffer<std::int32_t>;

Device cuda_device(int i) { return {Device::Kind::cuda, i % cuda_device_count()}; }

/// n endpoints, on different devices as far as there are some.
Devices cuda_devices(int n) {
  Devices devices;
  for (int i = 0; i < n; ++i) devices.push_back(cuda_device(i));
  return devices;
}

Segment segment_on(const DeviceItems& items, Device device) {
  return segment_of(std::span<const std::int32_t>(items.data(), items.size()), 0, device);
}

Items items_of(const Segment& segment, const cuda::Stream& stream) {
  return cuda::to_host<Items>(segment.as<std::int32_t>().data(),
                              segment.bytes / sizeof(std::int32_t), stream);
}

class DeviceEvent : public warpgraph::test::OnDevice {};

TEST_F(DeviceEvent, ThreadsAndStreamsWaitForAStream) {
  const Items items = numbers(1 << 20);
  DeviceItems on_device = cuda::to_device(items.data(), items.size(), stream());
  Event event;
  const EventFuture future = event.future();
  EXPECT_FALSE(future.is_complete());
  event.record(ref(stream()));
  const cuda::BorrowedStream other(device());
  future.wait(ref(*other));
  Items copied(items.size());
  cuda::copy(copied.data(), on_device.data(), copied.size(), *other);
  (*other).synchronize();
  EXPECT_TRUE(future.is_complete());
  future.wait();
  EXPECT_EQ(copied, items);
}

TEST_F(DeviceEvent, StreamsWaitForWhatIsRecordedLater) {
  cuda::PinnedBuffer<std::int32_t> source(1);
  source[0] = 1;
  DeviceItems on_device(1, stream());
  Event event;
  std::thread recording;
  recording = std::thread([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    source[0] = 2;
    event.record();
  });
  event.future().wait(ref(stream()));
  cuda::copy(on_device.data(), source.data(), 1, stream());
  EXPECT_EQ(cuda::read_back(on_device.data(), stream()), 2);
  recording.join();
}

TEST_F(DeviceEvent, StreamsWaitForWhatAStreamRecordsLater) {
  const cuda::BorrowedStream other(device());
  DeviceItems on_device(1 << 20, *other);
  cuda::fill_bytes(on_device.data(), 0, on_device.size(), *other);
  (*other).synchronize();
  Event event;
  std::thread recording([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cuda::fill_bytes(on_device.data(), 1, on_device.size(), *other);
    event.record(ref(*other));
  });
  event.future().wait(ref(stream()));
  EXPECT_EQ(cuda::read_back(on_device.data() + on_device.size() - 1, stream()), 0x01010101);
  recording.join();
}

TEST_F(DeviceEvent, GivenUpIsAnErrorForThoseWhoWait) {
  std::string message;
  std::thread waiting;
  {
    const Event event;
    waiting = std::thread([&, future = event.future()] {
      message = warpgraph::test::message_of([&] { future.wait(ref(stream())); });
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  waiting.join();
  EXPECT_EQ(message, "the event will never be recorded: its owner has given it up");
}

/// Whether packets go through the host, and whether messages are in page-locked memory.
struct Way {
  bool through_host;
  bool page_locked;
};

class DeviceLink : public warpgraph::test::OnDeviceWith<Way> {};

TEST_P(DeviceLink, GoesRoundAllDevices) {
  // The host sends to the first endpoint, each forwards to the next one, the last one to the host.
  const int n = 3;
  Context context(cuda_devices(n));
  const auto& endpoints = context.endpoints();
  const std::size_t packet = std::size_t{5} << 20;  // more than a slot of the stage
  std::vector<Link*> links = {&context.link(context.host(), endpoints[0], packet)};
  for (std::size_t i = 1; i < endpoints.size(); ++i) {
    links.push_back(
        &context.link(endpoints[i - 1], endpoints[i], packet, 2, GetParam().through_host));
  }
  links.push_back(&context.link(endpoints.back(), context.host(), packet));
  const Items items = numbers(3'000'000);
  cuda::PinnedBuffer<std::int32_t> locked(items.size());
  std::copy(items.begin(), items.end(), locked.data());
  const std::span<const std::int32_t> sent =
      GetParam().page_locked ? std::span<const std::int32_t>(locked.data(), locked.size())
                             : std::span<const std::int32_t>(items);
  Items received;
  context.run(
      [&](Endpoint endpoint) {
        const auto i = static_cast<std::size_t>(endpoint.id);
        while (std::optional<PendingSegment> pending = links[i]->receive()) {
          pending->forward(*links[i + 1]);
        }
      },
      [&] {
        links[0]->send(segment_of(sent));
        links[0]->shutdown();
        received = test::receive_all(*links.back());
      });
  EXPECT_TRUE(received == items);
}

TEST_P(DeviceLink, ReleasesBuffersOnStreams) {
  // Each packet is added up by its receiver's stream, which runs behind the thread.
  Context context(cuda_devices(2));
  const auto& endpoints = context.endpoints();
  Link& link = context.link(endpoints[0], endpoints[1], 4096, 3, GetParam().through_host);
  const Items items = numbers(100'000);
  Items received;
  context.run(
      [&](Endpoint endpoint) {
        const cuda::BorrowedStream own(context.device(endpoint));
        if (endpoint == endpoints[0]) {
          const DeviceItems from = cuda::to_device(items.data(), items.size(), *own);
          Event filled;
          filled.record(ref(*own));
          link.send(segment_on(from, context.device(endpoint)), filled.future()).wait();
          return;
        }
        DeviceItems all(items.size(), *own);
        std::size_t n = 0;
        while (std::optional<PendingSegment> pending = link.receive()) {
          const auto some = pending->wait(ref(*own)).as<std::int32_t>();
          cuda::copy(all.data() + n, some.data(), some.size(), *own);
          n += some.size();
          pending->release(ref(*own));
        }
        received = cuda::to_host<Items>(all.data(), n, *own);
      },
      [] {});
  EXPECT_TRUE(received == items);
}

TEST_P(DeviceLink, SendersWaitOnStreamsUntilTheirDataAreDelivered) {
  Context context(cuda_devices(2));
  const auto& endpoints = context.endpoints();
  Link& link = context.link(endpoints[0], endpoints[1], 1 << 16, 2, GetParam().through_host);
  const Items items = numbers(50'000);
  Items received;
  context.run(
      [&](Endpoint endpoint) {
        const cuda::BorrowedStream own(context.device(endpoint));
        if (endpoint == endpoints[0]) {
          const DeviceItems from = cuda::to_device(items.data(), items.size(), *own);
          Event filled;
          const EventFuture delivered =
              link.send(segment_on(from, context.device(endpoint)), filled.future());
          filled.record(ref(*own));
          delivered.wait(ref(*own));
          cuda::fill_bytes(from.data(), 0xff, from.size(), *own);
          (*own).synchronize();
        } else {
          while (std::optional<PendingSegment> pending = link.receive()) {
            const Items some = items_of(pending->wait(), *own);
            received.insert(received.end(), some.begin(), some.end());
          }
        }
      },
      [] {});
  EXPECT_TRUE(received == items);
}

TEST_P(DeviceLink, DealsSegmentsToUnlikeEndpoints) {
  Devices devices = cuda_devices(3);
  devices.push_back(Device{});
  Context context(devices);
  const test::Star scatter(context, any_available(), true, 4096);
  const test::Star collect(context, gather(), false, 4096);
  const Items items = numbers(200'000);
  cuda::PinnedBuffer<std::int32_t> locked(items.size());
  std::copy(items.begin(), items.end(), locked.data());
  const std::int32_t* const from = GetParam().page_locked ? locked.data() : items.data();
  std::vector<int> seen(items.size());
  context.run(
      [&](Endpoint endpoint) {
        while (std::optional<PendingSegment> pending = scatter.of(endpoint).receive()) {
          pending->forward(collect.of(endpoint));
        }
      },
      [&] {
        scatter.host->send(segment_of(std::span<const std::int32_t>(from, items.size())));
        scatter.host->shutdown();
        for (const std::int32_t item : test::receive_all(*collect.host)) {
          ++seen[static_cast<std::size_t>(item)];
        }
      });
  EXPECT_EQ(seen, std::vector<int>(items.size(), 1));
}

TEST_P(DeviceLink, FailuresEndTheRunSoon) {
  Context context(cuda_devices(3));
  const auto& endpoints = context.endpoints();
  Link& link = context.link(endpoints[0], endpoints[1], 4096, 2, GetParam().through_host);
  const test::Stopwatch watch;
  const Items items = numbers(10'000);
  const auto message = warpgraph::test::message_of([&] {
    context.run(
        [&](Endpoint endpoint) {
          const cuda::BorrowedStream own(context.device(endpoint));
          if (endpoint == endpoints[0]) {  // sends what will never be ready
            const DeviceItems from = cuda::to_device(items.data(), items.size(), *own);
            const Event never;
            link.send(segment_on(from, context.device(endpoint)), never.future()).wait();
          } else if (endpoint == endpoints[1]) {
            while (std::optional<PendingSegment> pending = link.receive()) pending->wait();
          } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            throw std::runtime_error("this endpoint has failed");
          }
        },
        [] {});
  });
  EXPECT_EQ(message, "this endpoint has failed");
  EXPECT_LT(watch.seconds(), 5);
}

TEST_P(DeviceLink, SaysWhatItsBuffersNeed) {
  Context context(cuda_devices(1));
  Link& link = context.link(context.host(), context.endpoints()[0], std::size_t{1} << 50, 2);
  const Items items = numbers(4);
  const auto message = warpgraph::test::message_of([&] {
    context.run([&](Endpoint) { (void)link.receive(); },
                [&] { link.send(segment_of(std::span<const std::int32_t>(items))); });
  });
  EXPECT_NE(message.find("the buffers of the link from the host to endpoint 0 (cuda:0)"),
            std::string::npos)
      << message;
}

INSTANTIATE_TEST_SUITE_P(EachWay, DeviceLink,
                         testing::Values(Way{false, false}, Way{false, true}, Way{true, false},
                                         Way{true, true}));

}  // namespace
}  // namespace warpgraph::runtime
