// Arrays that one endpoint sends to another, which has memory for all of them: a message each.
#pragma once

#include "runtime/link.hpp"

#include <span>

namespace warpgraph::runtime {

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
