#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "runtime/devices/device_copier.hpp"
#include "runtime/devices/topology.hpp"

#include <array>
#include <cstring>
#include <map>

namespace warpgraph::runtime {
namespace {

/// Page-locked memory for packets that no device can read where they are. While one part of it is
/// filled, others are emptied.
class Stage {
 public:
  static constexpr std::size_t bytes_per_slot = std::size_t{4} << 20;

  /// Brings a packet to the device in parts. `fill(slot, offset, bytes, previous)` copies a part of
  /// it into a slot, after the point at which the slot's previous contents have been copied; null
  /// if there are none.
  template <class Fill>
  void copy(std::byte* to, std::size_t bytes, StreamRef stream, Fill&& fill) {
    for (std::size_t offset = 0; offset < bytes; offset += bytes_per_slot) {
      check_thread();
      const std::size_t some = std::min(bytes_per_slot, bytes - offset);
      Slot& slot = slots_[next_];
      next_ = (next_ + 1) % slots_.size();
      if (slot.memory.size() == 0) slot.memory = cuda::PinnedBuffer<std::byte>(bytes_per_slot);
      fill(slot.memory.data(), offset, some, slot.emptied.get());
      CUDA_TRY(
          cudaMemcpyAsync(to + offset, slot.memory.data(), some, cudaMemcpyDefault, stream.handle));
      slot.emptied = point_on(stream);
    }
  }

 private:
  struct Slot {
    cuda::PinnedBuffer<std::byte> memory;
    std::shared_ptr<StreamPoint> emptied;
  };
  std::array<Slot, 4> slots_;
  std::size_t next_ = 0;
};

bool is_page_locked(const void* pointer) {
  cudaPointerAttributes attributes{};
  CUDA_TRY(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type == cudaMemoryTypeHost;
}

class CudaCopier final : public DeviceCopier {
 public:
  explicit CudaCopier(LinkBuffers link)
      : link_(std::move(link)), pinned_(static_cast<std::size_t>(link_.n_buffers)) {}
  ~CudaCopier() override { finish(); }

  Copy begin(int buffer, const Segment& from, const EventFuture& ready) override {
    const bool to_host = !link_.destination.is_cuda();
    const StreamRef stream = ref(of(streams_, to_host ? from.device : link_.destination));
    std::byte* const to = to_host ? host_buffer(buffer) : device_buffer(buffer);
    const cuda::DeviceGuard guard(stream.device);
    if (!from.device.is_cuda() && !is_asynchronous(from)) {
      copy_pageable(to, from, ready, stream);
    } else if (goes_through_host(from.device)) {
      copy_in_two_stages(to, from, ready, stream);
    } else {
      ready.wait(stream);
      copy_on(stream, to, from.data, from.bytes);
    }
    return {to, stream};
  }

  bool is_asynchronous(const Segment& from) override {
    return from.device.is_cuda() || from.bytes == 0 || is_page_locked(from.data);
  }

  void wait() override {
    for (const Streams* const streams : {&first_stages_, &streams_}) {
      for (const auto& [device, stream] : *streams) EventFuture(point_on(ref(**stream))).wait();
    }
  }

  void finish() noexcept override {
    for (const Streams* const streams : {&first_stages_, &streams_}) {
      for (const auto& [device, stream] : *streams) (**stream).finish();
    }
  }

 private:
  bool goes_through_host(Device source) {
    const Device destination = link_.destination;
    if (!source.is_cuda() || !destination.is_cuda()) return false;
    const auto known = through_host_.find(source.index);
    if (known != through_host_.end()) return known->second;
    const bool through_host =
        link_.through_host || (source != destination && !can_access(destination, source));
    return through_host_.emplace(source.index, through_host).first->second;
  }

  void copy_pageable(std::byte* to, const Segment& from, const EventFuture& ready,
                     StreamRef stream) {
    ready.wait();
    stage_.copy(to, from.bytes, stream,
                [&](std::byte* slot, std::size_t offset, std::size_t bytes, StreamPoint* emptied) {
                  if (emptied != nullptr) wait_for_device([&] { return emptied->is_reached(); });
                  copy_by_threads(slot, from.data + offset, bytes);
                });
  }

  static void copy_by_threads(std::byte* to, const std::byte* from, std::size_t bytes) {
    constexpr std::int64_t bytes_per_grain = std::int64_t{128} << 10;
    parallel_blocks(static_cast<std::int64_t>(bytes), bytes_per_grain,
                    [&](int, std::int64_t first, std::int64_t last) {
                      std::memcpy(to + first, from + first, static_cast<std::size_t>(last - first));
                    });
  }

  void copy_in_two_stages(std::byte* to, const Segment& from, const EventFuture& ready,
                          StreamRef stream) {
    const StreamRef source = ref(of(first_stages_, from.device));
    ready.wait(source);
    stage_.copy(to, from.bytes, stream,
                [&](std::byte* slot, std::size_t offset, std::size_t bytes, StreamPoint* emptied) {
                  const cuda::DeviceGuard guard(source.device);
                  if (emptied != nullptr) emptied->hold(source);
                  copy_on(source, slot, from.data + offset, bytes);
                  point_on(source)->hold(stream);
                });
  }

  std::byte* host_buffer(int i) {
    cuda::PinnedBuffer<std::byte>& buffer = pinned_[static_cast<std::size_t>(i)];
    if (buffer.size() == 0) buffer = cuda::PinnedBuffer<std::byte>(link_.packet_size);
    return buffer.data();
  }

  std::byte* device_buffer(int i) {
    if (device_.size() == 0) {
      const std::size_t bytes = link_.packet_size * static_cast<std::size_t>(link_.n_buffers);
      MemoryBudget(link_.destination)
          .require(concat("making the buffers of ", link_.name), bytes,
                   "use smaller packets or fewer buffers");
      device_ = cuda::DeviceBuffer<std::byte>(bytes, of(streams_, link_.destination));
    }
    return device_.data() + static_cast<std::size_t>(i) * link_.packet_size;
  }

  using Streams = std::map<int, std::unique_ptr<cuda::BorrowedStream>>;

  static const cuda::Stream& of(Streams& streams, Device device) {
    auto found = streams.find(device.index);
    if (found == streams.end()) {
      auto made = std::make_unique<cuda::BorrowedStream>(device);
      found = streams.emplace(device.index, std::move(made)).first;
    }
    return **found->second;
  }

  const LinkBuffers link_;
  std::map<int, bool> through_host_;  // by destination, for packets of this source
  Streams streams_;
  Streams first_stages_;  // streams of copies in two stages, on their sources' devices
  Stage stage_;
  std::vector<cuda::PinnedBuffer<std::byte>> pinned_;
  cuda::DeviceBuffer<std::byte> device_;
};

}  // namespace

std::unique_ptr<DeviceCopier> device_copier(const LinkBuffers& link) {
  return std::make_unique<CudaCopier>(link);
}

void copy_on(StreamRef stream, std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes == 0) return;
  const cuda::DeviceGuard guard(stream.device);
  CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream.handle));
}

void enter_device(Device device) {
  if (device.is_cuda()) CUDA_TRY(cudaSetDevice(device.index));
}

}  // namespace warpgraph::runtime
