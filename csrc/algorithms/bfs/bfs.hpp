// Breadth-first search: hops[v] is the smallest number of arcs on a path from the source to v, or
// -1 if there is no path (or none within the limit). The predecessor of v is the smallest vertex
// one hop nearer that has an arc to v; -1 for the source and for unreached vertices. Both depend on
// the graph alone, not on the order of the search, the threads or the device.
//
// bfs_reference uses a queue and finds predecessors by their definition. bfs_cpu and bfs_cuda are
// level-synchronous and direction-optimizing [1]. Top-down: while the frontier is small, its
// vertices search their rows for unreached heads. Bottom-up: when a large part of all arcs leaves
// the frontier, each unreached vertex searches its own row for a frontier vertex and stops at the
// first. Bottom-up needs the arcs that enter a vertex, so it is only used when the caller
// guarantees that every arc is stored both ways. Transposing a directed graph for it would cost
// more than the whole search, which reads each arc once.
//
// A road network has thousands of levels of a few hundred vertices. Each costs less than waking
// A road network has thousands of levels of a few hundred vertices. Each costs less than waking
// threads or launching a kernel. bfs_cpu runs small levels on the calling thread, and larger ones
// on threads that spin between levels. bfs_cuda runs all levels in one cooperative launch, with a
// grid barrier after each. Where vertices have few arcs, as on roads and meshes, CPU threads and
// blocks of a GPU take several hops between two barriers, by the searches of sssp.hpp with arcs of
// length 1: bfs_cuda by near-far, and bfs_cpu by delta-stepping if there are several threads and
// the first levels reach few vertices.
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
  bool symmetric = false;                 // guarantee: every u -> v has its v -> u
  std::size_t memory_limit = 0;           // bytes besides the results; 0: free memory
};

/// Each fills `hops` and, unless that is empty, `predecessors` (n_vertices items, host memory).
void bfs_reference(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
                   std::span<vertex_t> predecessors);
void bfs_cpu(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
             std::span<vertex_t> predecessors);

/// Output arrays of bfs_cuda: n_vertices hops, and n_vertices predecessors in host memory or none.
struct DeviceBfsResult {
  std::span<vertex_t> hops;
  std::span<vertex_t> predecessors;
  bool on_device = false;  // `hops` is memory of the device that searches
};

/// `graph` is in the memory of the stream's device, `host` is the same graph in host memory. Waits
/// for the stream.
void bfs_cuda(const CsrPattern& graph, const CsrPattern& host, const BfsOptions& options,
              const DeviceBfsResult& result, const cuda::Stream& stream);

}  // namespace warpgraph
