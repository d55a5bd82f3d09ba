// Out-of-core blocked Floyd-Warshall (method blocked of apsp.hpp) on a CUDA device whose memory
// does not hold the matrix. Not for use outside this folder.
//
// The matrix lies in host memory, in bands of rows, in the result's memory: accumulator values are
// at least as narrow as those of the result, and a row of them lies at the start of the result's
// row until the last stage converts it. So the host holds no second matrix, with one exception:
// 64-bit sums for a 32-bit result. A memory-mapped file works.
//
// Rounds are grouped into stages (pivot_panels.hpp). Each stage closes its panels on the device and
// then streams every band through: the band is copied in, updated with the product of the panels,
// and copied back. On the way the band saves its part of the columns that the next stage begins
// with. The first stage builds bands from the graph's arcs instead of loading them, and the last
// converts them as it stores them. Sums are made of the same numbers as in memory: results are
// bit-identical.
//
// The depth of a stage, its number of pivots, is such that the product takes longer than the copies
// and so hides them. In a stage, each value of a band is copied in and out once and takes `depth`
// steps c = min(c, a + b). With 32-bit integers the device makes 13e12 steps a second. A link of
// 50e9 bytes a second each way carries 12e9 values a second, which a product of depth 13e12 / 12e9,
// or 1100, hides. But the caller's memory is pageable, so CPU cores copy all values to and from
// page-locked memory, which takes 16 bytes of memory traffic a value: 80e9 bytes a second are 5e9
// values a second, which a depth of 2600 hides. (With 64-bit sums steps are 5 times as slow and the
// traffic is twice as large, so 1000 suffices.) `max_depth` is about 1.5 times 2600. Beyond it a
// stage only becomes slower: its panels take depth / side of all steps, and have few tiles, which
// wait for each other.
//
// On several devices, each member of a list has panels and slots of its own, and an equal share of
// the rows. All have the pivot rows, which are loaded once from the host's memory. Each closes the
// diagonal block, the columns of the pivots in its own rows, and as many columns of the pivot rows,
// which it sends to the others. Then bands go to any member that has a free slot: first those of
// its own rows, then some of the member that has most left; a band of another member's rows takes
// its columns along, which are depth / side of its size, and returns those of the next stage.
// Since cores copy for all devices, stages of n devices are n times as deep where that is little
// of the side: the diagonal block, which each closes, then takes n * (depth / side)^2 of a stage.
#pragma once

#include "algorithms/apsp/accumulator.hpp"
#include "algorithms/apsp/apsp.hpp"
#include "core/memory/memory_budget.hpp"

#include <algorithm>
#include <span>

namespace warpgraph::apsp_detail {

/// The sizes of stages and bands, in rows or columns. All are multiples of `tile`.
struct StreamPlan {
  std::int64_t side = 0;   // of the matrix, padded
  std::int64_t tile = 0;   // side of a tile
  std::int64_t depth = 0;  // pivots of a stage
  std::int64_t band = 0;   // rows of a band

  /// Bands in flight: one is copied in, one is copied out, and two are multiplied, so that one
  /// fills the device while the other's last blocks end.
  static constexpr int n_slots = 4;
  static constexpr std::int64_t max_depth = 4096;
  /// The size limit of a band. This much takes a millisecond to copy, long compared with the
  /// latency of a copy, and is 768 tiles of 32-bit values, three times what the device runs
  /// concurrently.
  static constexpr std::size_t max_band_bytes = std::size_t{48} << 20;

  /// Returns the bytes that a member takes on its device: the panels, the bands in flight, and the
  /// flag of a negative cycle, which an allocation of 64 bytes holds.
  [[nodiscard]] std::size_t device_bytes(std::size_t bytes_per_value) const {
    const std::int64_t panels = 2 * depth * side + depth * depth;
    return static_cast<std::size_t>(panels + n_slots * band * side) * bytes_per_value + 64;
  }
  /// Returns the limit of the depth for several members. With side / 8, the diagonal block takes
  /// n_members / 64 of a stage.
  [[nodiscard]] std::int64_t max_depth_for(std::size_t n_members) const {
    const auto members = static_cast<std::int64_t>(n_members);
    return std::min(side, std::max(max_depth, std::min(members * max_depth, side / 8)));
  }

  [[nodiscard]] std::int64_t n_stages() const { return (side + depth - 1) / depth; }
};

/// Plans the deepest stages, up to the limit, that fit in `available` bytes for each member, or the
/// smallest ones if none fits.
[[nodiscard]] StreamPlan plan_stream(vertex_t n_vertices, std::size_t bytes_per_value,
                                     std::size_t available, std::size_t n_members = 1);

/// The graph on the device of a member, and the member's stream there. Members may share a device.
template <class R>
struct MemberGraph {
  const CsrView<R>* graph;
  const cuda::Stream* stream;
};

/// Computes distances with accumulator `acc`, which must be allowed for R (is_candidate). `host` is
/// the same graph on the host. The result lies in host memory. Each device must have
/// plan.device_bytes() free for each of its members. Throws NegativeCycle, std::overflow_error, and
/// OutOfMemory if the host lacks memory for 64-bit sums of a 32-bit result.
template <class R>
void run_streamed(Accumulator acc, std::span<const MemberGraph<R>> members, const CsrView<R>& host,
                  const StreamPlan& plan, ApspResult<R> result);

/// Computes distances with a plan for the memory of the devices, each of which has the whole
/// budget. Members that have no memory for the smallest plan are left out. Throws OutOfMemory if
/// none has.
template <class R>
void run_streamed_within(Accumulator acc, std::span<const MemberGraph<R>> members,
                         const CsrView<R>& host, MemoryBudget budget, ApspResult<R> result);

}  // namespace warpgraph::apsp_detail
