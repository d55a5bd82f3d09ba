// All pairs: the matrix of distances from every vertex to every other.
//
// naive    Floyd's three loops [1]: for each k, every pair tries the way through k. On CPU one
//          thread, the truth; on CUDA a launch for each k, in which a thread takes pair after pair
//          [2].
// blocked  The matrix in square tiles [3]. A round closes the tile on the diagonal (all paths
//          through its own vertices), multiplies the tiles of its row and of its column by it, and
//          then every other tile by the two of its row and column that were just made, where
//          "multiply" is min-plus: c = min(c, a + b). All but the first step is as regular as a
//          matrix product, and runs at the rate of the arithmetic.
//
// Sums: a minimum does not depend on the order of its terms, so what a blocked result is depends on
// how vertices are cut into tiles and on nothing else. tile_side() is asked by all: results are the
// same bits on every device and with every number of threads, for floats as well. Floats are added
// in another order than along the path: a sum that is rounded to nearest n - 1 times, in any order,
// is off by n - 1 rounding units at most, and so is the least of them. Where all weights are
// integers, sums are made of the narrowest integers that are proven to hold them (arithmetic.hpp),
// whatever the type of the result: exact, and two to four times as fast.
//
// A negative cycle shows as a negative entry on the diagonal before its vertex is used; that vertex
// is on the cycle.
//
// [1] Floyd: Algorithm 97: shortest path. CACM 5, 1962. Warshall: A theorem on Boolean matrices.
//     JACM 9, 1962.
// [2] Zhang, Zhao: Research of parallel APSP on GPU (in Chinese). Electronic Design Eng. 20, 2012.
// [3] Venkataraman, Sahni, Mukhopadhyaya: A blocked all-pairs shortest-paths algorithm. J. Exp.
//     Algorithmics 8, 2003.
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

enum class ApspMethod { naive, blocked };

/// For measurements: how a matrix passes through a device, in whole tiles. 0: as memory suggests.
struct StreamTuning {
  vertex_t stage = 0;  // vertices that all pieces are worked off for in one pass
  vertex_t band = 0;   // rows of a piece
};

struct ApspOptions {
  ApspMethod method = ApspMethod::blocked;
  /// Bytes that the work may take beside the result; 0: what is free on the device. On CUDA a
  /// matrix that does not fit passes through the device in pieces.
  std::size_t memory_limit = 0;
  /// The graph has negative weights, which takes longer to add up on CUDA, and predecessors of its
  /// distances longer to find.
  bool negative_weights = false;
  StreamTuning stream{};
  /// Where apsp_cuda keeps what it found out about the graph, for the next call; may be null.
  cuda::DerivedCache* derived = nullptr;
};

/// Where the distances go, n_vertices rows of as many columns, and predecessors, see apsp_cuda.
template <class R>
struct ApspResult {
  R* distances = nullptr;
  std::int64_t row_stride = 0;       // from the beginning of a row to that of the next
  bool on_device = false;            // in the memory of the stream's device; otherwise the host's
  bool is_fresh = false;             // distances are in memory of the host that was never written
  vertex_t* predecessors = nullptr;  // the same, rows close together; nullptr: not wanted
};

/// The side of a tile for a graph of so many vertices, on every device.
[[nodiscard]] constexpr vertex_t tile_side(vertex_t n_vertices) {
  // Small matrices have few tiles to share out; large ones are read and written once a round. On an
  // H200 the two take the same time at 5000 to 6000 vertices, and cores do not care.
  return n_vertices <= 5120 ? 64 : 128;
}

/// Works on CPU cores. graph.weights may be nullptr: every arc then weighs 1. An infinite weight is
/// an arc that is never used. Throws NegativeCycle, and std::overflow_error if an integer distance
/// does not fit R.
template <class R>
void apsp_cpu(const CsrView<R>& graph, const ApspOptions& options, ApspResult<R> result);

/// The same on the stream's device, where `graph` lies; `host` is the same graph on the host.
/// Complete on return. Returns whether predecessors have been written, too, by the rule of
/// trees.hpp. They are if they are wanted, unless the device has no memory for it or weights are
/// negative: then recover_trees() does it.
template <class R>
bool apsp_cuda(const CsrView<R>& graph, const CsrView<R>& host, const ApspOptions& options,
               ApspResult<R> result, const cuda::Stream& stream);

}  // namespace warpgraph
