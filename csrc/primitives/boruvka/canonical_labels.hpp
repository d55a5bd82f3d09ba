// Turns labels that are the smallest vertex of a component into consecutive component numbers.
#pragma once

#include "core/types.hpp"

#include <span>

namespace warpgraph {

namespace cuda {
class Stream;
}

/// Numbers components. On entry labels[v] is the smallest vertex of v's component; on return it is
/// the number of the component, counted from 0 in the order of these vertices. Returns their
/// number.
vertex_t number_components(std::span<vertex_t> labels);
/// Numbers components in the same way, with labels on the stream's device. Waits for the stream.
vertex_t number_components_cuda(vertex_t* labels, vertex_t n_vertices, const cuda::Stream& stream);

}  // namespace warpgraph
