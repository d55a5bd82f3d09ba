// Shortest paths from many sources: a row of distances for each, to all vertices or to some.
//
// Row i is what sssp returns for sources[i], bit for bit: every method adds weights up along the
// walk from the source, so that all fall to the same fixed point (see sssp.hpp). Weights are not
// negative.
//
//   dijkstra  one queue a source [1]: a thread takes the next source when it is done with one, a
//             warp does so on CUDA. No thread waits for another. On CUDA the queue is a heap; on
//             cores it has buckets, and what it saves in waiting for memory is far more than what
//             relaxing some vertices twice costs (see delta_stepping in sssp.hpp).
//             Short searches (limit, targets) cost what they touch, not a pass over the graph.
//   batched   the distances of one vertex from K sources stand side by side, and one arc relaxes
//             all K at once [2]. A batch's vertices are visited in an order that suits all of its
//             sources.
//
// Rows of sources are written as they are found, straight to where the caller wants them, so the
// whole of `distances` may be a file mapped into memory that is larger than the memory.
//
// [1] Dijkstra: A note on two problems in connexion with graphs. Numer. Math. 1, 1959.
// [2] Then et al.: The more the merrier: efficient multi-source graph traversal. VLDB 8, 2014.
#pragma once

#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpgraph {

namespace cuda {
class DerivedCache;
class Stream;
}  // namespace cuda

enum class ManyToManyMethod { dijkstra, batched };

/// The queue of method dijkstra on CPU cores: buckets, or a heap to be compared with them.
enum class QueueKind { buckets, radix, quaternary, binary };

/// Options that do not depend on the type of weights.
struct ManyToManySettings {
  ManyToManyMethod method = ManyToManyMethod::dijkstra;
  /// Bytes that the search may take beside the result; 0: what is free on the device.
  std::size_t memory_limit = 0;
  QueueKind queue = QueueKind::buckets;
  /// Where many_to_many_cuda keeps what it made of the graph, for the next call; may be null.
  cuda::DerivedCache* derived = nullptr;
};

template <class W>
struct ManyToManyOptions : ManyToManySettings {
  /// Vertices farther than this are left at infinity. Not negative.
  W limit = infinity<W>();
  /// The columns of the result; empty: all vertices, in their order. With targets a search may end
  /// when they are settled, and vertices farther than the farthest of them have no predecessor.
  std::span<const vertex_t> targets;
};

/// Where results go, in host memory but for what is said below. Row i belongs to sources[i], so
/// that a run of the sources is searched by passing that part of them and the result from its first
/// row on.
template <class W>
struct ManyToManyResult {
  W* distances = nullptr;            // as many columns as targets, or vertices
  std::int64_t row_stride = 0;       // from the beginning of a row of distances to that of the next
  vertex_t* predecessors = nullptr;  // rows of n_vertices, close together; nullptr: not wanted
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

/// The same on the stream's device, where `graph` lies; `host` is the same graph on the host, where
/// the culprit of an error is looked for. The result is complete on return.
template <class W>
void many_to_many_cuda(const CsrView<W>& graph, const CsrView<W>& host,
                       std::span<const vertex_t> sources, const ManyToManyOptions<W>& options,
                       ManyToManyResult<W> result, const cuda::Stream& stream);

}  // namespace warpgraph
