// Digests that tell whether a graph is its own mirror image: see is_symmetric().
#pragma once

#include "core/types.hpp"

#include <concepts>
#include <cstdint>

namespace warpgraph {

/// Two hashes, each of 31 bits with a sign. Digests of several arcs are added modulo 2^64.
struct Digest {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  WARPGRAPH_HOST_DEVICE friend Digest operator+(Digest x, Digest y) {
    return {x.a + y.a, x.b + y.b};
  }
  friend bool operator==(Digest, Digest) = default;
};

/// Two random keys of a process, which cannot be predicted.
struct DigestKeys {
  std::uint32_t a;
  std::uint32_t b;
};
DigestKeys process_keys();

/// Mixes 32 bits, bijectively: the finalizer of MurmurHash3 [1]. Unlike 64-bit products, its steps
/// are vector instructions of most processors.
/// [1] Appleby: SMHasher, MurmurHash3. 2011.
WARPGRAPH_HOST_DEVICE inline std::uint32_t mix32(std::uint32_t x) noexcept {
  x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
  x = (x ^ (x >> 13)) * 0xC2B2AE35u;
  return x ^ (x >> 16);
}

/// Returns what an arc adds to the digest of a graph: an arc above the diagonal and its mirror
/// image add up to 0, and an arc on it adds 0. `weights` are parts of an order_key(), if there are
/// any. A graph that is not its own mirror image has the digest 0 with probability 2^-62, as far as
/// mix32() is like a random function.
template <std::same_as<std::uint32_t>... Weights>
WARPGRAPH_HOST_DEVICE inline Digest digest_of_arc(vertex_t u, vertex_t v, DigestKeys keys,
                                                  Weights... weights) noexcept {
  const auto low = static_cast<std::uint32_t>(u < v ? u : v);
  const auto high = static_cast<std::uint32_t>(u < v ? v : u);
  const std::uint32_t sign = u < v ? 0 : ~0u;
  const std::uint32_t all = u == v ? 0 : ~0u;
  const auto hash = [&](std::uint32_t key) {
    std::uint32_t mixed = mix32(mix32(key ^ low) ^ high);
    ((mixed = mix32(mixed ^ weights)), ...);
    const auto with_sign = static_cast<std::int32_t>((((mixed >> 1) ^ sign) - sign) & all);
    return static_cast<std::uint64_t>(std::int64_t{with_sign});
  };
  return {hash(keys.a), hash(keys.b)};
}

/// Returns the same for an arc with a weight, which is an order_key().
WARPGRAPH_HOST_DEVICE inline Digest digest_of_arc(vertex_t u, vertex_t v, DigestKeys keys,
                                                  std::uint64_t weight) noexcept {
  return digest_of_arc(u, v, keys, static_cast<std::uint32_t>(weight),
                       static_cast<std::uint32_t>(weight >> 32));
}

}  // namespace warpgraph
