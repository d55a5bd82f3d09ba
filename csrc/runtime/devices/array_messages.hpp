// Arrays that one endpoint sends to another, which has memory for all of them: a message each.
#pragma once

#include "runtime/link.hpp"

#include <algorithm>
#include <span>

namespace warpgraph::runtime {

/// Of links from the host to a device and between devices.
inline constexpr int buffers_per_link = 2;

/// The size of packets of an array of T.
template <class T>
std::size_t packet_for(std::int64_t n_items) {
  constexpr std::size_t largest = std::size_t{16} << 20;  // an H200 receives it in 0.3 ms by PCIe
  return std::min(static_cast<std::size_t>(n_items + 1) * sizeof(T), largest);
}

/// `number`: index among the arrays of receive_arrays(). The array must not change until delivery.
template <class T>
void send_array(Link& link, std::span<const T> items, int number) {
  Segment segment = segment_of(items);
  segment.item_type = number;
  link.send(segment);
}

/// Receives until the source has shut down; the arrays are in memory of the stream's device. They
/// are there after the work that is on the stream then.
inline void receive_arrays(Link& link, std::span<void* const> arrays, StreamRef stream) {
  while (std::optional<PendingSegment> pending = link.receive()) {
    const Segment& part = pending->description();
    void* const array = arrays[static_cast<std::size_t>(part.item_type)];
    pending->wait_into(static_cast<std::byte*>(array) + part.offset, stream);
  }
}

}  // namespace warpgraph::runtime
