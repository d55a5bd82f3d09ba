// What the tests of the runtime share: contexts of several endpoints on the host, and what arrives.
#pragma once

#include "runtime/context.hpp"
#include "support.hpp"

#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

namespace warpgraph::runtime::test {

using Items = std::vector<std::int32_t>;

inline std::vector<Device> host_devices(int n) {
  return std::vector<Device>(static_cast<std::size_t>(n));
}

inline Items numbers(std::int32_t n, std::int32_t first = 0) {
  Items items(static_cast<std::size_t>(n));
  std::iota(items.begin(), items.end(), first);
  return items;
}

/// Sends a copy of the items.
inline EventFuture send(Link& link, const Items& items, std::int64_t metadata = 0) {
  auto owner = std::make_shared<Items>(items);
  const Segment segment = segment_of(std::span<const std::int32_t>(*owner), metadata);
  return link.send(segment, {}, std::move(owner));
}

/// All items that arrive until no more will come.
inline Items receive_all(Link& link) {
  Items all;
  while (std::optional<PendingSegment> pending = link.receive()) {
    const auto items = pending->wait().as<std::int32_t>();
    all.insert(all.end(), items.begin(), items.end());
  }
  return all;
}

/// A router that distributes from the host, or gathers at it, with a link for each endpoint.
struct Star {
  Star(Context& context, RoutingPolicy policy, bool from_host, std::size_t packet_size = 64)
      : router(context.router(from_host ? 1 : static_cast<int>(context.endpoints().size()),
                              from_host ? static_cast<int>(context.endpoints().size()) : 1,
                              std::move(policy))),
        host(from_host ? &context.link(context.host(), router, packet_size)
                       : &context.link(router, context.host(), packet_size)) {
    for (const Endpoint endpoint : context.endpoints()) {
      endpoints.push_back(from_host ? &context.link(router, endpoint, packet_size)
                                    : &context.link(endpoint, router, packet_size));
    }
  }
  Link& of(Endpoint endpoint) const { return *endpoints[static_cast<std::size_t>(endpoint.id)]; }

  Router& router;
  Link* host;
  std::vector<Link*> endpoints;
};

/// A router whose inputs and outputs are the endpoints, and the host too if `with_host` says so.
struct Mesh {
  Mesh(Context& context, RoutingPolicy policy, bool from_host, bool to_host,
       std::size_t packet_size = 64)
      : router(context.router(static_cast<int>(context.endpoints().size()) + from_host,
                              static_cast<int>(context.endpoints().size()) + to_host,
                              std::move(policy))) {
    for (const Endpoint endpoint : context.endpoints()) {
      out.push_back(&context.link(endpoint, router, packet_size));
      in.push_back(&context.link(router, endpoint, packet_size));
    }
    if (from_host) out.push_back(&context.link(context.host(), router, packet_size));
    if (to_host) in.push_back(&context.link(router, context.host(), packet_size));
  }

  Router& router;
  std::vector<Link*> out;  // of the endpoints, then of the host
  std::vector<Link*> in;
};

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace warpgraph::runtime::test
