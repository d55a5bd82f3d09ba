// Connections of devices, and the order in which a ring goes round them.
#pragma once

#include "core/device.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace warpgraph::runtime {

/// Ways of data from one device to another, the fastest first: in the same memory, over NVLink, by
/// reading the other's memory over PCIe, through the host's memory.
enum class Path { same, nvlink, peer, host };

[[nodiscard]] std::string_view name_of(Path path);

class Topology {
 public:
  /// Finds the connections of this machine. The memory of the host counts as a device.
  explicit Topology(const std::vector<Device>& devices);
  /// Takes given connections: paths[i][j] from device i to device j, and the node of main memory
  /// that each is nearest to, -1 if it is not known.
  Topology(std::vector<std::vector<Path>> paths, std::vector<int> numa_nodes);

  [[nodiscard]] Path path(std::size_t from, std::size_t to) const { return paths_[from][to]; }
  [[nodiscard]] int numa_node(std::size_t device) const { return numa_nodes_[device]; }
  /// Returns the devices in an order in which neighbours are near to each other: after each the
  /// nearest one that is left, and of equally near ones the one of the lowest number.
  [[nodiscard]] std::vector<std::size_t> ring_order() const;

 private:
  [[nodiscard]] int distance(std::size_t from, std::size_t to) const;

  std::vector<std::vector<Path>> paths_;
  std::vector<int> numa_nodes_;
};

/// Returns the path between CUDA devices.
[[nodiscard]] Path path_between(Device from, Device to);
/// Returns whether `by` can read and write the memory of the other device.
[[nodiscard]] bool can_access(Device by, Device other);
/// Returns whether each can access the memory of all others.
[[nodiscard]] bool share_memory(std::span<const Device> devices);
[[nodiscard]] int numa_node_of(Device device);
/// Lets all of them read and write each other's memory, where the hardware allows it.
void connect_devices(const std::vector<Device>& devices);

}  // namespace warpgraph::runtime
