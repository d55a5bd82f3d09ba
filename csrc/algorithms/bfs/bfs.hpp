// Breadth-first search: hops[v] is the smallest number of arcs on a path from the source to v, or
// -1 if there is no path (or none within the limit, or v is farther than all targets, which end
// the search when they are reached). The predecessor of v is the smallest vertex one hop nearer
// that has an arc to v; -1 for the source and for unreached vertices. Both depend on the graph
// alone, not on the order of the search, the threads or the device.
//
// bfs_reference uses a queue and finds predecessors by their definition. bfs_cpu and bfs_cuda are
// level-synchronous and direction-optimizing [1]. Top-down: while the frontier is small, its
// vertices search their rows for unreached heads. Bottom-up: when a large part of all arcs leaves
// the frontier, each unreached vertex searches its own row for a frontier vertex and stops at the
// first. Bottom-up needs the arcs that enter a vertex, so it is only used when the caller
// guarantees that every arc is stored both ways, or passes the transposed graph too. Transposing a
// directed graph for one search would cost more than the search, which reads each arc once.
//
// A road network has thousands of levels of a few hundred vertices. Expanding one costs less than
// waking threads or launching a kernel. bfs_cpu runs small levels on the calling thread, and larger
// ones on threads that spin between levels; where vertices have few arcs, a thread expands the
// vertices that it has found itself. bfs_cuda runs all levels in one cooperative launch, with a
// grid barrier after each. Where vertices have few arcs, as on roads and meshes, CPU threads and
// blocks of a GPU take several hops between two barriers, by the searches of sssp.hpp with arcs of
// length 1: bfs_cuda by near-far, if the options say so, and bfs_cpu by delta-stepping if there are
// four threads or more (two on roads without the tree) and the first levels reach few vertices.
// bfs_multi has the same two ways for CUDA devices, in rounds of a team, and delta-stepping for
// workers of the host.
//
// bfs_from_many_cpu carries up to 256 sources through the graph at once, a bit each [2]. It is for
// graphs of small diameter, where the searches of most sources reach a vertex at the same level.
// The hops are the same whether threads share a batch or each takes batches of its own.
// bfs_from_many_cuda searches in the same way on a device, all levels in one cooperative launch. It
// keeps hops as bit planes, and writes each row of the result once, when the search of the batch
// has ended.
//
// [1] Beamer, Asanovic, Patterson: Direction-optimizing breadth-first search. SC 2012.
// [2] Then et al.: The more the merrier: efficient multi-source graph traversal. VLDB 8, 2014.
#pragma once

#include "core/device.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace warpgraph {

class DevicePartition;
namespace cuda {
class Stream;
}

struct BfsOptions {
  vertex_t source = 0;
  vertex_t limit = infinity<vertex_t>();   // hops
  bool symmetric = false;                  // guarantee: every u -> v has its v -> u
  bool ascending_heads = false;            // guarantee: in the rows that bottom-up levels read
  std::span<const vertex_t> targets = {};  // the search ends when all are reached; or empty
  MemoryBudget budget = {};                // besides the results
  const CsrPattern* transposed = nullptr;  // the reversed graph, in the same memory; nullptr: none
  DevicePartition* parts = nullptr;        // the graph on the CUDA devices of bfs_multi
  DevicePartition* entering = nullptr;     // the reversed graph on them, divided like `parts`
  bool by_levels = false;                  // how CUDA devices search: by levels, or by near-far
};

/// Returns what bfs_cpu asks for.
[[nodiscard]] MemoryNeed need_of_bfs(const CsrPattern& graph, const BfsOptions& options);

/// Fills `hops`, and `predecessors` unless it is empty. Both have n_vertices items in host memory.
void bfs_reference(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
                   std::span<vertex_t> predecessors);
void bfs_cpu(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
             std::span<vertex_t> predecessors);
/// Returns what bfs_multi asks for on the host, beside the hops.
[[nodiscard]] MemoryNeed need_of_bfs_on_workers(const CsrPattern& graph, std::size_t n_workers);
/// Searches with a worker for each of `devices`, as sssp_multi does. Uses options.entering by
/// levels only.
void bfs_multi(const CsrPattern& graph, const std::vector<Device>& devices,
               const BfsOptions& options, std::span<vertex_t> hops,
               std::span<vertex_t> predecessors);

/// Does the work of bfs_multi by levels, on the devices of options.parts.
void bfs_on_devices(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
                    std::span<vertex_t> predecessors);

/// Replaces the distances of a search with arcs of length 1 by hops.
void lengths_to_hops(std::span<vertex_t> lengths);

struct BfsFromManyOptions {
  std::span<const vertex_t> sources;
  std::span<const vertex_t> targets = {};  // the columns of the result; empty: all vertices
  vertex_t limit = infinity<vertex_t>();
  bool symmetric = false;
  const CsrPattern* transposed = nullptr;
  MemoryBudget budget = {};
};

/// A matrix of hops: a row for each source, with a column for each target.
template <class T>
struct BfsRows {
  T* first;
  std::int64_t stride;     // from the start of a row to that of the next
  T unreached;             // the entry of a vertex that is not reached
  bool on_device = false;  // in memory of the device that searches
};

/// Writes the hops from all sources. If T is float, hops beyond 2^24 are 2^24, as if arcs of weight
/// 1 were added one by one.
template <class T>
void bfs_from_many_cpu(const CsrPattern& graph, const BfsFromManyOptions& options,
                       const BfsRows<T>& rows);
/// Returns the least bytes that bfs_from_many_cpu takes beside the result. With more it searches
/// from more sources at once.
std::size_t bfs_from_many_bytes_cpu(const CsrPattern& graph, const BfsFromManyOptions& options);

/// Writes the hops from all sources, found by the stream's device. `graph` is in its memory; the
/// options' arrays are in host memory. Uses no transposed graph. Waits for the stream.
template <class T>
void bfs_from_many_cuda(const CsrPattern& graph, const BfsFromManyOptions& options,
                        const BfsRows<T>& rows, const cuda::Stream& stream);
/// Returns the least bytes that bfs_from_many_cuda takes on the device. Reads no entries of the
/// arrays.
template <class T>
std::size_t bfs_from_many_bytes_cuda(const CsrPattern& graph, const BfsFromManyOptions& options,
                                     const BfsRows<T>& rows);

/// Output arrays of bfs_cuda: the hops of all vertices or, if there are targets, of these in their
/// order; and n_vertices predecessors in host memory or none.
struct DeviceBfsResult {
  std::span<vertex_t> hops;
  std::span<vertex_t> predecessors;
  bool on_device = false;  // `hops` is memory of the device that searches
};

/// The extent of a search.
struct BfsExtent {
  std::int64_t n_reached = 0;  // vertices, the source among them
  vertex_t deepest = 0;        // hops of the farthest one
};

/// A search by levels on a CUDA device that finds its extent alone, while its caller does other
/// things. The arguments are those of bfs_cuda(), and must outlive this.
class BfsProbe {
 public:
  /// Begins the search.
  BfsProbe(const CsrPattern& graph, const CsrPattern& host, const BfsOptions& options,
           const cuda::Stream& stream);
  ~BfsProbe();
  BfsProbe(const BfsProbe&) = delete;
  BfsProbe& operator=(const BfsProbe&) = delete;
  /// Waits for the end of the search.
  [[nodiscard]] BfsExtent finish();

 private:
  struct Search;
  std::unique_ptr<Search> search_;
};

/// Searches on the stream's device. `graph` is in its memory, `host` is the same graph in host
/// memory, without its heads. Waits for the stream.
void bfs_cuda(const CsrPattern& graph, const CsrPattern& host, const BfsOptions& options,
              const DeviceBfsResult& result, const cuda::Stream& stream);

}  // namespace warpgraph
