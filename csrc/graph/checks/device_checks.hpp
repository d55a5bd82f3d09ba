// Checks of the arrays of a graph that lie on a device, each in one pass. All functions wait for
// the stream.
#pragma once

#include "core/cuda/stream.hpp"
#include "core/types.hpp"

#include <cstdint>
#include <span>

namespace warpgraph {

/// Returns whether HeadsCheck passes.
[[nodiscard]] bool are_vertices_on_device(std::span<const vertex_t> heads, vertex_t n_vertices,
                                          const cuda::Stream& stream);

/// Returns whether WeightsCheck passes.
template <class W>
[[nodiscard]] bool are_ordinary_on_device(std::span<const W> weights, const cuda::Stream& stream);

/// Converts 64-bit vertex numbers to 32 bits. Returns whether all are vertices.
[[nodiscard]] bool narrow_on_device(std::span<const std::int64_t> heads, vertex_t n_vertices,
                                    vertex_t* narrow, const cuda::Stream& stream);

}  // namespace warpgraph
