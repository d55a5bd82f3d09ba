// Access of devices to each other's memory, over NVLink or PCIe.
#pragma once

#include "core/device.hpp"

#include <vector>

namespace warpgraph::cuda {

/// Returns whether kernels on `device` can be given access to the memory of `peer`.
[[nodiscard]] bool can_access_peer(Device device, Device peer);

/// Allows kernels on `device` to access the PeerBuffers and DeviceBuffers of `peer`. The driver is
/// asked once for each pair. Throws DeviceError if the two have no such connection.
void enable_peer_access(Device device, Device peer);
/// Allows each of the devices to access the memory of all others.
void enable_peer_access(const std::vector<Device>& devices);

/// Throws DeviceError if atomic operations of kernels on `device` on memory of `peer` are not
/// atomic to others: over NVLink they are, over PCIe they are not.
void require_peer_atomics(Device device, Device peer);

}  // namespace warpgraph::cuda
