// The order of rings round devices.
#include "runtime/context.hpp"
#include "runtime/devices/topology.hpp"

#include <gtest/gtest.h>

namespace warpgraph::runtime {
namespace {

using Order = std::vector<std::size_t>;

/// Devices of the same group read each other's memory over `within`, others over `between`.
Topology groups(const std::vector<int>& group_of, Path within, Path between) {
  std::vector<std::vector<Path>> paths;
  for (const int from : group_of) {
    std::vector<Path>& row = paths.emplace_back();
    for (const int to : group_of) row.push_back(from == to ? within : between);
  }
  for (std::size_t i = 0; i < paths.size(); ++i) paths[i][i] = Path::same;
  return {std::move(paths), std::vector<int>(group_of.size(), -1)};
}

TEST(Topology, RingsStayInAGroupAsLongAsTheyCan) {
  // The node of Groute's figure 1: two groups of four devices, which only reach the other group
  // through the host. Every other device is in the same group.
  const Topology node = groups({0, 1, 0, 1, 0, 1, 0, 1}, Path::peer, Path::host);
  EXPECT_EQ(node.ring_order(), (Order{0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(Topology, EquallyNearDevicesKeepTheirOrder) {
  EXPECT_EQ(groups({0, 0, 0, 0}, Path::nvlink, Path::host).ring_order(), (Order{0, 1, 2, 3}));
  EXPECT_EQ(groups({0, 1, 2}, Path::nvlink, Path::host).ring_order(), (Order{0, 1, 2}));
  EXPECT_EQ(groups({}, Path::nvlink, Path::host).ring_order(), Order{});
  EXPECT_EQ(groups({0}, Path::nvlink, Path::host).ring_order(), Order{0});
}

TEST(Topology, NearMemoryDecidesBetweenEqualPaths) {
  const std::vector<std::vector<Path>> paths(4, std::vector<Path>(4, Path::peer));
  EXPECT_EQ(Topology(paths, {0, 1, 1, 0}).ring_order(), (Order{0, 3, 1, 2}));
  EXPECT_EQ(Topology(paths, {-1, 1, -1, 0}).ring_order(), (Order{0, 1, 2, 3}));
}

TEST(Topology, PrefersLinksBetweenDevices) {
  using enum Path;
  const std::vector<std::vector<Path>> pairs = {{same, host, nvlink, peer},
                                                {host, same, peer, nvlink},
                                                {nvlink, peer, same, host},
                                                {peer, nvlink, host, same}};
  EXPECT_EQ(Topology(pairs, {-1, -1, -1, -1}).ring_order(), (Order{0, 2, 1, 3}));
}

TEST(Topology, TheHostStaysWhereItIs) {
  const Context context(std::vector<Device>(3));
  const EndpointList list = {{2}, context.host(), {0}, {1}};
  EXPECT_EQ(context.in_ring_order(list), list);
}

}  // namespace
}  // namespace warpgraph::runtime
