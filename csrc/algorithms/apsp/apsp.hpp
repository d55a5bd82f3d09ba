// All-pairs shortest paths (APSP): the matrix of distances from every vertex to every other.
//
// naive    Floyd-Warshall [1]: for each k, every pair is relaxed through k. One thread on CPU, the
//          reference. On CUDA one launch for each k, with a grid-stride loop over pairs [2].
// blocked  Blocked Floyd-Warshall [3] on square tiles. Each round has a pivot tile on the diagonal
//          and three phases. Phase 1 closes the pivot tile: it computes all shortest paths through
//          the tile's own vertices, its min-plus closure. Phase 2 multiplies the panels, the other
//          tiles of the pivot's row and column, by it. Phase 3 updates every remaining tile with
//          the product of its two panel tiles. "Multiply" is the min-plus product,
//          c = min(c, a + b). All phases but the first are as regular as a matrix product and run
//          at the arithmetic rate.
//
// Reproducibility. A minimum does not depend on the order of its terms, so a blocked result depends
// on the tiling alone. All implementations use tile_side(), so results are bit-identical on every
// device and with any number of threads, floats included. Floats are added in another order than
// along the path: a sum that is rounded to nearest n - 1 times, in any order, is off by at most n -
// 1 rounding units, and so is the minimum of such sums. Where all weights are integers, sums use
// the narrowest integers that are proven to hold them (accumulator.hpp), whatever the type of the
// result: this is exact, and two to four times as fast.
//
// A negative cycle shows as a negative diagonal entry before its vertex becomes the pivot; that
// vertex is on the cycle.
//
// [1] Floyd: Algorithm 97: shortest path. CACM 5, 1962. Warshall: A theorem on Boolean matrices.
//     JACM 9, 1962.
// [2] Zhang, Zhao: Research of parallel APSP on GPU (in Chinese). Electronic Design Eng. 20, 2012.
// [3] Venkataraman, Sahni, Mukhopadhyaya: A blocked all-pairs shortest-paths algorithm. J. Exp.
//     Algorithmics 8, 2003.
#pragma once

#include "core/device.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"
#include "primitives/distance_bounds/weight_summary.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace warpgraph {

namespace cuda {
class DerivedCache;
class Stream;
}  // namespace cuda

enum class ApspMethod { naive, blocked };

struct ApspOptions {
  ApspMethod method = ApspMethod::blocked;
  /// Bytes that the work may take beside the result; 0: the device's free memory. On CUDA a matrix
  /// that does not fit is streamed through the device in bands.
  MemoryBudget budget = {};
  /// The graph has negative weights. Sums are then slower on CUDA, and predecessors take longer to
  /// compute.
  bool negative_weights = false;
  /// Rows that each of several devices updates between two polls; 0: chosen automatically.
  std::int64_t rows_per_piece = 0;
  /// The cache of data derived from the graph, for the next call of apsp_cuda; may be null.
  cuda::DerivedCache* derived = nullptr;
};

/// Outputs: an n_vertices x n_vertices matrix of distances, and predecessors (see apsp_cuda).
template <class R>
struct ApspResult {
  R* distances = nullptr;
  std::int64_t row_stride = 0;  // from the start of a row to that of the next
  bool on_device = false;       // in the memory of the stream's device; otherwise in the host's
  bool is_fresh = false;        // distances are in host memory that was never written
  vertex_t* predecessors = nullptr;  // rows without gaps; nullptr: not wanted

  /// Returns the distances if their pages are to be mapped beforehand: not those of a user's array,
  /// which may be a mapped file, whose pages would be written to disk twice.
  [[nodiscard]] std::span<R> distances_to_map(std::int64_t n_vertices) const {
    if (!is_fresh) return {};
    return {distances, static_cast<std::size_t>(n_vertices * n_vertices)};
  }
};

/// Returns the tile side for a graph of n_vertices vertices, on every device.
[[nodiscard]] constexpr vertex_t tile_side(vertex_t n_vertices) {
  // Small tiles give small matrices more parallelism; large tiles halve the traffic, since the
  // matrix is read and written once a round. On an H200 the two take equal time at 5000 to 6000
  // vertices; CPUs show no difference.
  return n_vertices <= 5120 ? 64 : 128;
}

/// The numbers that the method adds for distances of type R: the narrowest that are proven to hold
/// them, or wider ones; and whether all methods find the same bits.
struct ApspSums {
  std::string_view type;  // as of NumPy
  bool are_exact = false;
};
template <class R>
[[nodiscard]] ApspSums sums_of_apsp(const shortest_paths::WeightSummary& weights,
                                    vertex_t n_vertices);

/// Returns what apsp_cpu asks for by the method on tiles. Reads the weights, which decide on the
/// numbers that are added.
template <class R>
[[nodiscard]] MemoryNeed need_of_pivots(const CsrView<R>& graph, MemoryBudget budget);
/// Runs on CPU cores. graph.weights may be nullptr: every arc then weighs 1. An arc of infinite
/// weight is never used. Throws NegativeCycle, and std::overflow_error if an integer distance does
/// not fit R.
template <class R>
void apsp_cpu(const CsrView<R>& graph, const ApspOptions& options, ApspResult<R> result);

/// Computes the distances on the stream's device, where `graph` lies; `host` is the same graph on
/// the host. The result is complete on return. Returns whether predecessors have been written by
/// the rule of trees.hpp: if they are wanted, the device has enough memory and no weight is
/// negative. Otherwise recover_trees() computes them.
template <class R>
bool apsp_cuda(const CsrView<R>& graph, const CsrView<R>& host, const ApspOptions& options,
               ApspResult<R> result, const cuda::Stream& stream);

/// Runs the blocked method on several CUDA devices, which may repeat: each has a range of rows of
/// the matrix. graphs[i] is the graph on devices[i]. The result lies on the host, without
/// predecessors. options.budget is for each device. A matrix that does not fit on all of them
/// together is streamed through them from the host.
template <class R>
void apsp_multi(const std::vector<CsrView<R>>& graphs, const CsrView<R>& host,
                const ApspOptions& options, ApspResult<R> result,
                const std::vector<Device>& devices);

}  // namespace warpgraph
