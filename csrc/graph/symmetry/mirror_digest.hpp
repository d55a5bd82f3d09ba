// Digests that tell whether a graph is its own mirror image: see is_symmetric().
#pragma once

#include "core/types.hpp"
#include "graph/generate/random.hpp"

#include <cstdint>

namespace warpgraph {

/// 128 bits of a hash. Digests of several arcs are added.
struct Digest {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  WARPGRAPH_HOST_DEVICE friend Digest operator+(Digest x, Digest y) {
    return {x.a + y.a, x.b + y.b};
  }
  WARPGRAPH_HOST_DEVICE friend Digest operator-(Digest x, Digest y) {
    return {x.a - y.a, x.b - y.b};
  }
  friend bool operator==(Digest, Digest) = default;
};

/// Returns two random keys per process, which cannot be predicted.
Digest process_keys();

/// Returns what an arc adds to the digest of a graph: an arc above the diagonal and its mirror
/// image add up to 0. `weight` is an order_key(), or 0.
WARPGRAPH_HOST_DEVICE inline Digest digest_of_arc(vertex_t u, vertex_t v, std::uint64_t weight,
                                                  Digest keys) {
  if (u == v) return {};
  const auto low = static_cast<std::uint32_t>(u < v ? u : v);
  const auto high = static_cast<std::uint32_t>(u < v ? v : u);
  const std::uint64_t pair = (static_cast<std::uint64_t>(low) << 32) | high;
  const Digest arc{mix64(mix64(pair ^ keys.a) ^ weight), mix64(mix64(pair ^ keys.b) ^ weight)};
  return u < v ? arc : Digest{} - arc;
}

}  // namespace warpgraph
