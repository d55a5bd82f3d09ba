// Shortest paths from many sources: for each source a row of distances, to all vertices or to some.
//
// Row i equals the result of sssp for sources[i] bit for bit: every method adds weights along the
// walk from the source, so all methods reach the same fixed point (see sssp.hpp). Negative weights
// need method johnson.
//
//   dijkstra  One priority queue per source [1]. A CPU thread, or a warp on CUDA, takes the next
//             source when its search ends, so none waits for another. On CUDA the queue is a heap.
//             On CPU cores it has buckets: they wait far less for memory, which outweighs that some
//             vertices are relaxed twice (see delta_stepping in sssp.hpp). A short search (limit,
//             targets) takes time in proportion to what it reaches, not a pass over the graph.
//   batched   The distances of a vertex from the K sources of a batch are contiguous, and relaxing
//             an arc updates all K at once [2]. Vertices are visited in an order that suits all
//             sources of the batch. Where searches may end early, dijkstra searches instead on CPU
//             cores.
//
//   breadth_first  For arcs of length 1: up to 256 sources at once, a bit each (see bfs.hpp). For
//             graphs of few levels: on roads and meshes searches hardly ever meet in a vertex in
//             the same level. No limit, no predecessors.
//
//   johnson   Dijkstra's algorithm in the order of reduced distances [3]: with a potential p for
//             each vertex, the least length of a path that ends there, the reduced weights
//             w + p(u) - p(v) of all arcs u -> v are at least 0. The caller finds the potentials by
//             multi_source_sssp_cpu from all vertices, which finds a negative cycle wherever there
//             is one. A search always reaches all it can, since a path may grow beyond a limit or
//             target and shrink again. On CUDA, bellman_ford of sssp searches from one source after
//             the other.
//
// many_to_many_multi deals blocks of sources to several devices (runtime/worklist/deal.hpp), and
// finds the faster one of two methods while it searches.
//
// Rows are written to the result as soon as they are known, so `distances` may be a memory-mapped
// file that is larger than the memory.
//
// [1] Dijkstra: A note on two problems in connexion with graphs. Numer. Math. 1, 1959.
// [2] Then et al.: The more the merrier: efficient multi-source graph traversal. VLDB 8, 2014.
// [3] Johnson: Efficient algorithms for shortest paths in sparse networks. J. ACM 24, 1977.
#pragma once

#include "core/device.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace warpgraph {

namespace cuda {
class DerivedCache;
class Stream;
}  // namespace cuda

enum class ManyToManyMethod { dijkstra, batched, breadth_first, johnson };

/// A way of the sources of a call, as a plan expects it: see many_to_many_multi.
struct SearchWay {
  ManyToManyMethod method = ManyToManyMethod::dijkstra;
  bool on_gpu = false;
  std::int64_t n_first = 0;  // sources by which it is measured, and the fewest that it takes
  double once = 0;           // seconds, in each call
  double each = 0;           // of a source
};

/// Options that do not depend on the type of weights.
struct ManyToManySettings {
  ManyToManyMethod method = ManyToManyMethod::dijkstra;
  /// Two ways that share the sources in many_to_many_multi; empty: the method takes all.
  std::vector<SearchWay> ways;
  /// Bytes that the search may take beside the result; 0: the device's free memory.
  MemoryBudget budget = {};
  /// The cache of data derived from the graph, for the next call of many_to_many_cuda; may be null.
  cuda::DerivedCache* derived = nullptr;
  /// The arcs that enter vertices, for breadth_first: the guarantee that every u -> v has its v ->
  /// u, or all arcs reversed, if they are known.
  bool symmetric = false;
  const CsrPattern* transposed = nullptr;
};

template <class W>
struct ManyToManyOptions : ManyToManySettings {
  /// Vertices farther than this get distance infinity. Not negative.
  W limit = infinity<W>();
  /// The columns of the result; empty: all vertices, in their order. With targets a search may end
  /// when all of them are settled, and vertices farther than the farthest target have no
  /// predecessor.
  std::span<const vertex_t> targets;
  /// The potential of each vertex, for johnson, whose graph has negative weights.
  std::span<const W> potentials = {};
};

/// The outputs, in host memory unless `on_device` says otherwise. Row i belongs to sources[i]. To
/// search from a part of the sources, pass that part and the result from its first row on.
template <class W>
struct ManyToManyResult {
  W* distances = nullptr;            // as many columns as targets, or vertices
  std::int64_t row_stride = 0;       // from the start of a row of distances to that of the next
  vertex_t* predecessors = nullptr;  // rows of n_vertices without gaps; nullptr: not wanted
  bool on_device = false;            // distances in the memory of the stream's device (CUDA only)

  [[nodiscard]] W* distances_of(std::int64_t row) const { return distances + row * row_stride; }
  [[nodiscard]] std::span<vertex_t> predecessors_of(std::int64_t row, vertex_t n_vertices) const {
    return {predecessors + row * n_vertices, static_cast<std::size_t>(n_vertices)};
  }
};

/// Searches on CPU cores. graph.weights may be nullptr: every arc then weighs 1. Throws
/// std::overflow_error if an integer distance does not fit W.
template <class W>
void many_to_many_cpu(const CsrView<W>& graph, std::span<const vertex_t> sources,
                      const ManyToManyOptions<W>& options, ManyToManyResult<W> result);

/// Returns the bytes that this search takes beside the graph and the result if it uses all cores.
/// It uses fewer if memory is limited. Reads no weights and no entries of the arrays, only their
/// sizes.
template <class W>
std::size_t many_to_many_bytes_cpu(const CsrView<W>& graph, std::span<const vertex_t> sources,
                                   const ManyToManyOptions<W>& options, ManyToManyResult<W> result);
/// Returns what many_to_many_cpu asks for. Reads what many_to_many_bytes_cpu reads.
template <class W>
[[nodiscard]] MemoryNeed need_of_many_to_many(const CsrView<W>& graph,
                                              std::span<const vertex_t> sources,
                                              const ManyToManyOptions<W>& options,
                                              ManyToManyResult<W> result);

/// Searches on the stream's device. `graph` is in that device's memory; `host` is the same graph in
/// host memory, which is preprocessed and searched for the cause of an overflow. The result is
/// complete on return.
template <class W>
void many_to_many_cuda(const CsrView<W>& graph, const CsrView<W>& host,
                       std::span<const vertex_t> sources, const ManyToManyOptions<W>& options,
                       ManyToManyResult<W> result, const cuda::Stream& stream);

/// Returns the least bytes that this search needs on the device; with more it searches from more
/// sources at a time. `host` is in host memory. Reads as little as many_to_many_bytes_cpu.
template <class W>
std::size_t many_to_many_bytes_cuda(const CsrView<W>& host, std::span<const vertex_t> sources,
                                    const ManyToManyOptions<W>& options, ManyToManyResult<W> result,
                                    const cuda::Stream& stream);

/// A function that searches from some of the sources on one device, by many_to_many_cpu or
/// many_to_many_cuda.
template <class W>
using RowsSearch = std::function<void(Device device, std::span<const vertex_t> sources,
                                      ManyToManyOptions<W> options, ManyToManyResult<W> result)>;

/// Deals the sources to an endpoint for each entry of `devices`; the result is then in host memory.
/// With ways of cores and of a GPU, each searches by its own method. The only entry searches from
/// all of them on the calling thread; with ways, from the first sources by one method and by the
/// other, and from the rest by that which is the faster one by these measurements.
template <class W>
void many_to_many_multi(const std::vector<Device>& devices, const CsrPattern& graph,
                        std::span<const vertex_t> sources, const ManyToManyOptions<W>& options,
                        const ManyToManyResult<W>& result, const RowsSearch<W>& search);

}  // namespace warpgraph
