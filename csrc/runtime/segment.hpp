// Endpoints and segments: the entities that communicate, and the data that they exchange.
#pragma once

#include "core/device.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace warpgraph::runtime {

/// An entity that communicates: the host (the thread that calls Context::run), a device, or a
/// router. It is a number that a Context has given it.
struct Endpoint {
  int id = -1;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

using EndpointList = std::vector<Endpoint>;

/// A buffer, its size and its metadata. It does not own the buffer.
struct Segment {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::size_t item_bytes = 1;  // a segment is only divided between items
  std::int64_t metadata = 0;   // a number of the sender, which is carried along
  std::int64_t item_type = 0;  // type of the items, in numbers that the application defines
  Device device = {};          // the device in whose memory the buffer is
  // The runtime sets the rest.
  std::size_t offset = 0;   // bytes of the message before this segment
  std::int64_t number = 0;  // index of the segment in its message, where a policy chooses by it
  Endpoint source;

  template <class T>
  [[nodiscard]] std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data), bytes / sizeof(T)};
  }
};

template <class T>
[[nodiscard]] Segment segment_of(std::span<const T> items, std::int64_t metadata = 0,
                                 Device device = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  Segment segment;
  segment.data = reinterpret_cast<const std::byte*>(items.data());
  segment.bytes = items.size_bytes();
  segment.item_bytes = sizeof(T);
  segment.metadata = metadata;
  segment.device = device;
  return segment;
}

}  // namespace warpgraph::runtime
