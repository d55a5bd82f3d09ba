// Sizes of packets and buffers, and the memory that they take.
#pragma once

#include "algorithms/predicate_filter/predicate_filter.hpp"

#include <cstddef>

namespace warpgraph {

/// The sizes for each endpoint on the host, or for each on a GPU.
struct EndpointPlan {
  std::size_t packet_size = 0;
  int n_buffers = 0;
  /// The most segments that may be filtered before their places are known.
  std::size_t max_early = 0;
};

struct FilterPlan {
  EndpointPlan core;
  EndpointPlan gpu;
  /// The buffers for results of GPUs that arrive while the host writes one to its place.
  int buffers_for_results = 0;
  std::size_t largest_packet = 0;
  /// The bytes of all buffers on the host.
  std::size_t host_bytes = 0;
};

/// Plans the buffers for an array of `bytes` bytes. Throws OutOfMemory if they need more memory
/// than a device has, or than the limit allows.
[[nodiscard]] FilterPlan plan_filter(std::size_t bytes, const FilterOptions& options);

}  // namespace warpgraph
