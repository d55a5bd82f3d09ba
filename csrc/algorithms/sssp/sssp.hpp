// Single-source shortest paths: distances from one vertex and, on request, the shortest-path tree.
//
// The distance of v is the minimum, over all walks from the source to v, of the sum of the weights,
// added along the walk in the type W of the distances. Rounding is monotone (x <= y implies
// x + w <= y + w, also rounded), so every order of relaxations reaches the same fixed point, and
// all methods, devices and thread counts agree bit for bit. With weights >= 0 a sum never decreases
// along a walk, rounded or not, so limits and targets may end a search early without changing its
// result. Integer sums saturate at infinity; an overflow is reported, never returned.
//
//   dijkstra        [1] settles one vertex at a time, from a radix heap. CPU, the reference.
//   delta_stepping  [2] settles a bucket of similar distances at a time; thread-local buckets and
//                   bucket fusion after [3], one synchronisation per round. CPU, one or more
//                   threads.
//   near_far        [6] relaxes vertices up to a threshold, the near ones, until none is left, then
//                   raises the threshold. CUDA: one persistent kernel, whose blocks run several
//                   hops independently between two grid barriers.
//   bellman_ford    [4] relaxes in rounds until nothing changes; weights may be negative. On CPU a
//                   round relaxes the arcs of vertices that changed, on CUDA all arcs of an edge
//                   list, in which a symmetric graph stores each pair once and one thread relaxes
//                   both directions [5].
//
// Several workers of the host share a search by delta-stepping: each relaxes the arcs of its own
// range of vertices, and sends the vertices of others that it lowers. They agree on the buckets
// that may be relaxed, and do not wait for each other within them. Several CUDA devices search in
// rounds: by near-far, where each relaxes its near vertices, then all exchange what they have
// lowered, or by Bellman-Ford over the edges of each.
//
// Predecessors are recovered from the distances; searches do not maintain them. An arc u -> v is
// tight if d[u] + w = d[v]. Weights >= 0: the source and the vertices with a tight arc from a
// strictly nearer vertex have level 0. Other vertices are reached only by tight arcs between equal
// distances; a breadth-first search along those arcs gives them their levels. pred[v] is the
// smallest u with a tight arc and (d[u], level[u]) < (d[v], level[v]): the smallest vertex that
// ends a shortest path such that no cycle of weight zero closes. Negative weights: levels count
// tight arcs from the source, and pred[v] is the smallest u one level below. Rounding may then
// leave a vertex without a chain of tight arcs; it is attached by an arc of least slack.
//
// [1] Dijkstra: A note on two problems in connexion with graphs. Numer. Math. 1, 1959.
// [2] Meyer, Sanders: Delta-stepping: a parallelizable shortest path algorithm. J. Alg. 49, 2003.
// [3] Zhang et al.: Optimizing ordered graph algorithms with GraphIt. CGO 2020.
// [4] Bellman: On a routing problem. Quart. Appl. Math. 16, 1958.
// [5] Implementing SSSP on the GPU (in Russian). habr.com.
// [6] Davidson et al.: Work-efficient parallel GPU methods for single-source shortest paths. IPDPS
//     2014.
#pragma once

#include "core/device.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace warpgraph {

class DevicePartition;
namespace cuda {
class DerivedCache;
class Stream;
}  // namespace cuda

enum class SsspMethod { dijkstra, delta_stepping, near_far, bellman_ford };

/// Options that do not depend on the type of weights.
struct SsspSettings {
  SsspMethod method = SsspMethod::delta_stepping;
  /// The graph has negative weights (see find_negative); for bellman_ford only. A path may then
  /// exceed the limit and come back below it, so vertices beyond it keep their predecessors.
  bool negative_weights = false;
  /// Guarantees that every arc is stored in both directions with equal weights (see is_symmetric).
  /// Only CUDA uses it.
  bool symmetric = false;
  /// Cache of the graph's edge list between calls of sssp_cuda; may be null.
  cuda::DerivedCache* derived = nullptr;
  /// The graph on the devices of sssp_multi, if they are CUDA devices.
  DevicePartition* parts = nullptr;
  /// Bytes that search and results may take together; 0: what is free on the device. If buckets
  /// need more, they are abandoned and a heap finishes the search on one core.
  MemoryBudget budget = {};
};

template <class W>
struct SsspOptions : SsspSettings {
  /// Vertices farther than this stay at infinity. Not negative.
  W limit = infinity<W>();
  /// The targets, if not empty: the search may end when these are settled; without negative
  /// weights, vertices farther than the farthest of them then stay at infinity.
  std::span<const vertex_t> targets;
};

/// Output arrays: n_vertices distances, and n_vertices predecessors or none.
template <class W>
struct SsspResult {
  std::span<W> distances;
  std::span<vertex_t> predecessors;
  /// The distances stay on the device: `distances` is device memory. For sssp_cuda only;
  /// predecessors are always host memory.
  bool on_device = false;
  /// `distances`, which stay on the device, are only those of the targets, in their order.
  bool of_targets = false;
};

/// Returns what sssp_cpu asks for, or multi_source_sssp_cpu for more than one source.
template <class W>
[[nodiscard]] MemoryNeed need_of_sssp(const CsrPattern& graph, std::size_t n_sources,
                                      const SsspSettings& options, bool predecessors);

/// Searches on CPU cores. graph.weights may be nullptr: every arc then has weight 1. An arc of
/// infinite weight is never used. Throws NegativeCycle and std::overflow_error.
template <class W>
void sssp_cpu(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
              SsspResult<W> result);

/// Searches from the nearest of several sources, which are all different: distances are those of
/// walks from any of them, and each is the root of a tree, unless its own is negative.
template <class W>
void multi_source_sssp_cpu(const CsrView<W>& graph, std::span<const vertex_t> sources,
                           const SsspOptions<W>& options, SsspResult<W> result);

/// Returns what sssp_multi asks for on the host.
template <class W>
[[nodiscard]] MemoryNeed need_of_sssp_on_workers(const CsrPattern& graph, std::size_t n_workers,
                                                 bool predecessors);

/// Searches with a worker for each of `devices`, which may repeat: all are of the host, or all are
/// CUDA devices that can access each other's memory. `graph` is on the host. Targets do not end the
/// search on CUDA devices. No weight is negative. The method is delta_stepping on the host, and
/// near_far or bellman_ford on CUDA devices. The memory limit is that of each device;
/// delta_stepping does not count messages under way. Workers whose lists need more give up, and a
/// heap searches on one core.
template <class W>
void sssp_multi(const CsrView<W>& graph, vertex_t source, const std::vector<Device>& devices,
                const SsspOptions<W>& options, SsspResult<W> result);

/// Searches as multi_source_sssp_cpu does, but sorts the sources, on the stream's device, in whose
/// memory `graph` is; `host` is the same graph on the host, for locating the arc or cycle of an
/// error. bellman_ford and near_far only. `result` is complete on return.
template <class W>
void sssp_cuda(const CsrView<W>& graph, const CsrView<W>& host, std::span<const vertex_t> sources,
               const SsspOptions<W>& options, SsspResult<W> result, const cuda::Stream& stream);

namespace shortest_paths {

/// Returns the bytes that near_far allocates on a device beside its results.
template <class W>
std::size_t near_far_bytes(const CsrPattern& graph);

}  // namespace shortest_paths

/// Concatenated paths: path i is vertices[offsets[i]] .. vertices[offsets[i+1] - 1].
struct Paths {
  std::vector<edge_t> offsets;
  std::vector<vertex_t> vertices;
};

/// Follows predecessors from each target to the source. A path begins with the source and ends with
/// its target; it is empty if the predecessors do not lead to the source. Throws
/// std::invalid_argument if they form a cycle or name a vertex outside the graph. Any negative
/// number means "none".
Paths reconstruct_paths(std::span<const vertex_t> predecessors, vertex_t source,
                        std::span<const vertex_t> targets);

/// Writes for each vertex the source that is the root of its tree; no_vertex if it is in none.
/// `predecessors` are those of multi_source_sssp_cpu.
void nearest_sources(std::span<const vertex_t> predecessors, std::span<const vertex_t> sources,
                     std::span<vertex_t> nearest);

}  // namespace warpgraph
