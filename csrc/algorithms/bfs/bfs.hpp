// Breadth-first search: hops[v] is the smallest number of arcs on a path from the source to v, -1
// if there is none (or none within the limit). The predecessor of v is the smallest vertex one hop
// nearer that has an arc to v; -1 for the source and for vertices that were not reached. Both are
// functions of the graph alone: not of the order of the search, the threads or the device.
//
// bfs_reference takes vertices from a queue one by one, and finds predecessors by their definition.
// bfs_cpu and bfs_cuda go level by level, and from both sides [1]: while the frontier is small, its
// vertices look for unreached heads; when a large part of all arcs leaves the frontier, each
// unreached vertex looks for a frontier vertex among its own arcs instead and stops at the first.
// That needs the arcs that enter a vertex, so it is only done when the caller knows that every arc
// is stored both ways. Turning a directed graph round for it would cost more than the whole search,
// which reads each arc once.
//
// A road network has thousands of levels of a few hundred vertices, each smaller than the cost of
// waking threads or launching a kernel. bfs_cpu runs such levels on the calling thread; bfs_cuda
// runs thousands of them in one launch, whose blocks meet at a barrier after each.
//
// [1] Beamer, Asanovic, Patterson: Direction-optimizing breadth-first search. SC 2012.
#pragma once

#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <span>

namespace warpgraph {

namespace cuda {
class Stream;
}

struct BfsOptions {
  vertex_t source = 0;
  vertex_t limit = infinity<vertex_t>();  // hops
  bool mirrored = false;                  // known: with u -> v there is always v -> u
  std::size_t memory_limit = 0;           // bytes beside the results; 0: what is free
};

/// Each fills `hops` and, unless that is empty, `predecessors` (n_vertices items, host memory).
void bfs_reference(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
                   std::span<vertex_t> predecessors);
void bfs_cpu(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
             std::span<vertex_t> predecessors);
/// `graph` lies on the stream's device. Waits for the stream.
void bfs_cuda(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
              std::span<vertex_t> predecessors, const cuda::Stream& stream);

}  // namespace warpgraph
