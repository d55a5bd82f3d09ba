// Primary contexts of devices, by the driver.
//
// A context takes about 500 MB of its device, and cudaSetDevice() makes one, as do most functions
// of the runtime on a thread that has none: for device 0, also if all of the work is on device 1. A
// context that is pushed, and then popped, leaves the thread as it was.
#pragma once

#include "core/device.hpp"

namespace warpgraph::cuda {

/// Makes the primary context of a device current on this thread. It is made if need be, and kept.
void push_context(Device device);
/// Undoes the last push_context() of this thread.
void pop_context() noexcept;
/// Tells has_context() that a device has a context, which the runtime has made.
void note_context() noexcept;
/// Returns whether a device has a context, as far as this library has made it.
[[nodiscard]] bool has_context() noexcept;
/// Returns the device whose context was pushed last, on any thread, or else the current one: for
/// functions that need a context but no particular device.
Device device_with_context();

}  // namespace warpgraph::cuda
