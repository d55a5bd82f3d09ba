#include "runtime/devices/topology.hpp"

#include <algorithm>
#include <numeric>

namespace warpgraph::runtime {

std::string_view name_of(Path path) {
  switch (path) {
    case Path::same:
      return "same";
    case Path::nvlink:
      return "nvlink";
    case Path::peer:
      return "peer";
    case Path::host:
      return "host";
  }
  return "";
}

Topology::Topology(const std::vector<Device>& devices) {
  for (const Device from : devices) {
    std::vector<Path>& row = paths_.emplace_back();
    for (const Device to : devices) {
      const bool between_devices = from.is_cuda() && to.is_cuda() && from != to;
      row.push_back(between_devices ? path_between(from, to)
                    : from == to    ? Path::same
                                    : Path::host);
    }
    numa_nodes_.push_back(from.is_cuda() ? numa_node_of(from) : -1);
  }
}

Topology::Topology(std::vector<std::vector<Path>> paths, std::vector<int> numa_nodes)
    : paths_(std::move(paths)), numa_nodes_(std::move(numa_nodes)) {}

int Topology::distance(std::size_t from, std::size_t to) const {
  const int slower = std::max(static_cast<int>(path(from, to)), static_cast<int>(path(to, from)));
  const bool is_far =
      numa_node(from) >= 0 && numa_node(to) >= 0 && numa_node(from) != numa_node(to);
  return 2 * slower + (is_far ? 1 : 0);
}

std::vector<std::size_t> Topology::ring_order() const {
  std::vector<std::size_t> order(paths_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.end();
  for (auto next = order.begin(); end - next > 2; ++next) {
    const auto nearest = std::min_element(next + 1, end, [&](std::size_t a, std::size_t b) {
      return distance(*next, a) < distance(*next, b);
    });
    std::rotate(next + 1, nearest, nearest + 1);
  }
  return order;
}

bool share_memory(std::span<const Device> devices) {
  return std::ranges::all_of(devices, [&](Device by) {
    return std::ranges::all_of(devices,
                               [&](Device other) { return by == other || can_access(by, other); });
  });
}

}  // namespace warpgraph::runtime
