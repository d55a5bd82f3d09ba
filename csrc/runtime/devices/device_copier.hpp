// Copies of packets that are in the memory of a device, or go there.
#pragma once

#include "runtime/event.hpp"
#include "runtime/segment.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace warpgraph::runtime {

/// What it has to know about a link.
struct LinkBuffers {
  Device destination;
  std::size_t packet_size = 0;
  int n_buffers = 0;
  /// Copies between devices take the way through the host's memory, also if they need not.
  bool through_host = false;
  std::string name;  // of the link, for sentences
};

/// Owns the buffers of a link, on its destination's device or in page-locked memory of the host.
/// Copies are put on a stream of it: those to a device on a stream of that device, those to the
/// host on one of the source's.
class DeviceCopier {
 public:
  struct Copy {
    std::byte* data;
    StreamRef stream;
  };

  virtual ~DeviceCopier() = default;
  /// Begins to copy a packet into a buffer, after `ready`. This thread copies what is in pageable
  /// memory of the host into page-locked memory, after it has waited for `ready`.
  virtual Copy begin(int buffer, const Segment& from, const EventFuture& ready) = 0;
  /// Whether begin() returns before the packet is read.
  [[nodiscard]] virtual bool is_asynchronous(const Segment& from) = 0;
  /// Waits for all copies, as threads of a run wait.
  virtual void wait() = 0;
  /// Waits for all copies, which nothing holds.
  virtual void finish() noexcept = 0;
};

/// Throws OutOfMemory if there is no room for the buffers.
[[nodiscard]] std::unique_ptr<DeviceCopier> device_copier(const LinkBuffers& link);

/// Puts a copy between memories that the stream's device can access on the stream.
void copy_on(StreamRef stream, std::byte* to, const std::byte* from, std::size_t bytes);

/// Makes the device the current one of this thread, which is that of an endpoint.
void enter_device(Device device);

}  // namespace warpgraph::runtime
