// Connected components: label[v] is the number of v's component, components numbered from 0 in the
// order of their smallest vertices.
//
// Weak: arcs count both ways. The reference joins sets arc by arc, sequentially. The CPU and CUDA
// versions join vertices in a union-find forest, Afforest's way [1]: first along two arcs of each
// vertex only, after which nearly all of a graph with a giant component hangs together; then along
// the rest, where most arcs only need a look to see that both ends agree. Where every arc is stored
// both ways, even that look is saved for the giant: what hangs on it says so itself.
//
// Strong: a path must lead both ways. The reference is Tarjan's algorithm [2] with Pearce's one
// number a vertex [3]. On the CPU the giant component of a graph with a small diameter is peeled
// off first, by all threads: what a hub reaches, intersected with what reaches the hub; and so is
// what leads only to vertices that are done. Tarjan's algorithm finds the rest. On CUDA each vertex
// learns the smallest vertex that reaches it and the smallest that it reaches [4]: those for which
// both are the same vertex form its component; the others go on, less the arcs between vertices
// whose answers differ.
//
// All of them name a component by its smallest vertex until the end, so the canonical numbering is
// a scan, and the labels are the same on every device.
//
// [1] Sutton, Ben-Nun, Barak: Optimizing parallel graph connectivity computation via subgraph
//     sampling. IPDPS 2018.
// [2] Tarjan: Depth-first search and linear graph algorithms. SIAM J. Comput. 1(2), 1972.
// [3] Pearce: A space-efficient algorithm for finding strongly connected components. IPL 116(1),
//     2016.
// [4] Alabandi, Sands, Biros, Burtscher: A GPU algorithm for detecting strongly connected
//     components. SC 2023.
#pragma once

#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <span>

namespace warpgraph {

namespace cuda {
class Stream;
}

/// Each returns the number of components and fills `labels` (n_vertices items, host memory).
/// `mirrored`: it is known that with u -> v there is always v -> u. `memory_limit`: bytes beside
/// the labels; 0: what is free.
vertex_t connected_components_reference(const CsrPattern& graph, std::span<vertex_t> labels);
vertex_t connected_components_cpu(const CsrPattern& graph, bool mirrored,
                                  std::span<vertex_t> labels, std::size_t memory_limit = 0);
/// `graph` lies on the stream's device. Waits for the stream.
vertex_t connected_components_cuda(const CsrPattern& graph, bool mirrored,
                                   std::span<vertex_t> labels, std::size_t memory_limit,
                                   const cuda::Stream& stream);

vertex_t strong_components_reference(const CsrPattern& graph, std::span<vertex_t> labels);
vertex_t strong_components_cpu(const CsrPattern& graph, std::span<vertex_t> labels,
                               std::size_t memory_limit = 0);
vertex_t strong_components_cuda(const CsrPattern& graph, std::span<vertex_t> labels,
                                std::size_t memory_limit, const cuda::Stream& stream);

}  // namespace warpgraph
