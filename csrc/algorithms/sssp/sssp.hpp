// Single-source shortest paths: distances from one vertex and, if wanted, the tree of paths.
//
// The distance of v is the least sum over all walks from the source to v, added up along the walk
// in the distances' own type W. Rounding is monotone (x <= y gives x + w <= y + w, also rounded),
// so the distances are the one fixed point that every order of relaxations falls to, and all
// methods, devices and thread counts agree bit for bit. With weights >= 0 a sum never falls along
// a walk, rounded or not, so limits and targets may end a search early without changing what it
// returns. Integers stick at infinity, and what overflowed is reported, never returned.
//
//   dijkstra        [1] settles one vertex at a time from an indexed 4-ary heap. CPU, the truth.
//   delta_stepping  [2] settles a bucket of near-equal distances at a time; thread-local buckets
//                   and bucket fusion after [3], one meeting a bucket. CPU, one thread or many.
//   near_far        [6] keeps vertices up to a threshold near and relaxes them until none are
//                   left, then raises the threshold. On CPU it is delta-stepping with one pile for
//                   all that is far; on CUDA one persistent kernel, whose blocks go on alone for
//                   several hops before they meet.
//   bellman_ford    [4] relaxes in rounds until nothing changes; weights may be negative. On CPU
//                   arcs of vertices that changed, on CUDA all arcs of an edge list, where a
//                   symmetric graph stores each pair once and one thread relaxes both ways [5].
//
// Predecessors are recovered from the distances, so no search carries them. An arc u -> v is tight
// if d[u] + w = d[v]. Weights >= 0: the source and the vertices with a tight arc from a strictly
// nearer vertex have level 0; others, whose distance comes over arcs that add nothing, get their
// level by breadth-first search along tight arcs between equal distances. pred[v] is the smallest
// u with a tight arc and (d[u], level[u]) < (d[v], level[v]): the smallest vertex that ends a
// shortest path while cycles of weight zero cannot close. Negative weights: levels count tight
// arcs from the source, and pred[v] is the smallest u one level below. There rounding may leave a
// vertex without a chain of tight arcs; it is then joined by an arc of least slack.
//
// [1] Dijkstra: A note on two problems in connexion with graphs. Numer. Math. 1, 1959.
// [2] Meyer, Sanders: Delta-stepping: a parallelizable shortest path algorithm. J. Alg. 49, 2003.
// [3] Zhang et al.: Optimizing ordered graph algorithms with GraphIt. CGO 2020.
// [4] Bellman: On a routing problem. Quart. Appl. Math. 16, 1958.
// [5] Implementing SSSP on the GPU (in Russian). habr.com.
// [6] Davidson et al.: Work-efficient parallel GPU methods for single-source shortest paths. IPDPS
//     2014.
#pragma once

#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace warpgraph {

namespace cuda {
class DerivedCache;
class Stream;
}  // namespace cuda

enum class SsspMethod { dijkstra, delta_stepping, near_far, bellman_ford };

/// The article's two optimisations of bellman_ford on CUDA [5], so that each can be measured.
struct BellmanFordTuning {
  /// Read distances through the cache for data that nobody writes.
  bool read_only_loads = true;
  /// Sort edges so that those read together have their ends in few segments of the distances.
  bool segments = true;
  /// Vertices of a segment; 0: so that three segments fit half the device's L2 cache.
  vertex_t segment_length = 0;
};

/// For measurements; the defaults suit.
struct NearFarTuning {
  double width = 0;      // of the near window; 0: from weights and degrees
  int fused_steps = -1;  // that a block goes on alone; -1: from degrees
  int threads = 512;     // a block
  int blocks = 0;        // at most; 0: as many as run at once
};

/// Options that do not depend on the type of weights.
struct SsspSettings {
  SsspMethod method = SsspMethod::delta_stepping;
  /// The graph has negative weights (see find_negative); for bellman_ford only. Paths may then lead
  /// beyond the limit and back, so vertices beyond it keep their predecessors.
  bool negative_weights = false;
  /// Every arc is stored both ways with equal weights (see is_symmetric). Only CUDA gains by it.
  bool symmetric = false;
  /// Width of the buckets of delta_stepping and near_far on CPU; 0: chosen from the graph.
  double bucket_width = 0;
  /// Of bellman_ford on CUDA.
  BellmanFordTuning bellman_ford;
  /// Of near_far on CUDA.
  NearFarTuning near_far;
  /// Where sssp_cuda keeps the graph's edge list for the next call, and looks for it; may be null.
  cuda::DerivedCache* derived = nullptr;
  /// Bytes that search and results may take together; 0: what is free on the device. Buckets that
  /// come to more are given up, and a heap finishes the search on one core.
  std::size_t memory_limit = 0;
};

template <class W>
struct SsspOptions : SsspSettings {
  /// Vertices farther than this are left at infinity. Not negative.
  W limit = infinity<W>();
  /// If not empty, the search may end when these are settled; without negative weights, vertices
  /// farther than the farthest of them are then left at infinity.
  std::span<const vertex_t> targets;
};

/// Where results go: n_vertices distances; as many predecessors, or none if they are not wanted.
template <class W>
struct SsspResult {
  std::span<W> distances;
  std::span<vertex_t> predecessors;
  /// The distances stay on the device: `distances` lies there, and if there are targets it has room
  /// for theirs alone, in their order. For sssp_cuda only; predecessors are host memory always.
  bool on_device = false;
};

/// Searches on CPU cores. graph.weights may be nullptr: every arc then weighs 1. An infinite weight
/// is an arc that is never used. Throws NegativeCycle and std::overflow_error.
template <class W>
void sssp_cpu(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
              SsspResult<W> result);

/// The same on the stream's device, where `graph` lies; `host` is the same graph on the host, where
/// the culprit of an error is looked for. bellman_ford and near_far only. `result` is complete on
/// return.
template <class W>
void sssp_cuda(const CsrView<W>& graph, const CsrView<W>& host, vertex_t source,
               const SsspOptions<W>& options, SsspResult<W> result, const cuda::Stream& stream);

/// Paths one behind the other: path i is vertices[offsets[i]] .. vertices[offsets[i+1] - 1].
struct Paths {
  std::vector<edge_t> offsets;
  std::vector<vertex_t> vertices;
};

/// Follows predecessors back from each target; a path runs from the source to its target, and is
/// empty if they do not lead to the source. Throws std::invalid_argument if they lead in a circle
/// or out of the graph. Any negative number means "none".
Paths reconstruct_paths(std::span<const vertex_t> predecessors, vertex_t source,
                        std::span<const vertex_t> targets);

}  // namespace warpgraph
