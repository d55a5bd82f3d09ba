// Copies of packets from and to the memory of devices.
#pragma once

#include "runtime/event.hpp"
#include "runtime/segment.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace warpgraph::runtime {

/// Properties of a link that a copier needs.
struct LinkBuffers {
  Device destination;
  std::size_t packet_size = 0;
  int n_buffers = 0;
  /// True if copies between devices go through the host's memory, even if they need not.
  bool through_host = false;
  std::string name;  // name of the link, for sentences
};

/// Owner of the buffers of a link, on its destination's device or in page-locked memory of the
/// host. It puts copies to a device on a stream of that device, and copies to the host on a stream
/// of the source's device.
class DeviceCopier {
 public:
  struct Copy {
    std::byte* data;
    StreamRef stream;
  };

  virtual ~DeviceCopier() = default;
  /// Begins to copy a packet into a buffer, after `ready`. This thread copies data in pageable
  /// memory of the host into page-locked memory, after it has waited for `ready`.
  virtual Copy begin(int buffer, const Segment& from, const EventFuture& ready) = 0;
  /// Returns whether begin() returns before the packet is read.
  [[nodiscard]] virtual bool is_asynchronous(const Segment& from) = 0;
  /// Waits for all copies; a failure of the run ends the wait.
  virtual void wait() = 0;
  /// Waits for all copies, whatever happens.
  virtual void finish() noexcept = 0;
};

/// Makes a copier. Throws OutOfMemory if there is no room for the buffers.
[[nodiscard]] std::unique_ptr<DeviceCopier> device_copier(const LinkBuffers& link);

/// Puts a copy on the stream, between memories that the stream's device can access.
void copy_on(StreamRef stream, std::byte* to, const std::byte* from, std::size_t bytes);

/// Makes the device the current one of this thread, which is the thread of an endpoint.
void enter_device(Device device);

}  // namespace warpgraph::runtime
