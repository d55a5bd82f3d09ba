// All pairs on a CUDA device whose memory does not hold the matrix. Not for use outside this
// folder.
//
// The matrix lies in host memory, in bands of rows, where the result will be: numbers of a lane are
// at least as narrow as those of the result, and a row of them lies at the beginning of the
// result's row until the last stage makes one of the other. So the host holds no second matrix,
// with one exception, 64-bit sums for a 32-bit result. A file mapped into memory will do.
//
// The rounds are done in stages of many (stage_panels.hpp). In each the panels are closed on the
// device, and then every band comes by once, is multiplied by them, and goes back; on its way it
// leaves the columns that the next stage begins with. The first stage makes bands of the graph's
// arcs instead of fetching them, and the last converts them while it empties what came back.
// Sums are those that are made in memory, of the same numbers: results are the same bits.
//
// How deep a stage is. A band of b rows takes 2 b * side numbers to copy and b * side * depth steps
// to multiply. The device makes 13e12 steps a second of 32-bit integers; a link that carries 50e9
// bytes a second each way needs 1/12e9 seconds for four bytes, as long as a depth of 1100. But the
// caller's memory is pageable, so that cores copy all numbers to and from page-locked memory, in
// all 16 bytes' worth of traffic a number: at 80e9 bytes a second that is as long as a depth of
// 2600. (64-bit sums take 5 times as long and twice the bytes: 1000.) `deepest` is half as much
// again. Deeper stages hide nothing more, and panels, of which the blocks are few and wait for each
// other, take depth / side of all steps.
#pragma once

#include "algorithms/apsp/apsp.hpp"
#include "algorithms/apsp/arithmetic.hpp"

namespace warpgraph::apsp_steps {

struct StreamPlan {
  std::int64_t side = 0;  // of the matrix, in whole tiles
  std::int64_t tile = 0;
  std::int64_t depth = 0;  // vertices a stage, in whole tiles
  std::int64_t band = 0;   // rows, in whole tiles

  /// Bands that are under way at a time: one on its way in, one on its way out, and two that are
  /// multiplied, so that one fills the device while the other's last blocks end.
  static constexpr int n_slots = 4;
  static constexpr std::int64_t deepest = 4096;
  /// A band is not larger: so much takes a millisecond to copy, long beside what it costs to begin,
  /// and is 768 tiles of 32-bit numbers, three times what the device does at once.
  static constexpr std::size_t largest_band = std::size_t{48} << 20;

  [[nodiscard]] std::size_t device_bytes(std::size_t bytes_a_number) const {
    const std::int64_t panels = 2 * depth * side + depth * depth;
    return static_cast<std::size_t>(panels + n_slots * band * side) * bytes_a_number + 64;
  }
  [[nodiscard]] std::int64_t n_stages() const { return (side + depth - 1) / depth; }
  void tune(const StreamTuning& tuning);
};

/// The deepest stages, up to `deepest`, for which so many bytes suffice; the shallowest there are
/// if they do not.
[[nodiscard]] StreamPlan plan_stream(vertex_t n_vertices, std::size_t bytes_a_number,
                                     std::size_t available);

/// Distances in `lane` of a graph that lies on the stream's device, and is `host` on the host. The
/// result lies in host memory. The device must have plan.device_bytes(). Throws NegativeCycle,
/// std::overflow_error, and OutOfMemory if the host lacks memory for the exception above.
template <Lane lane, class R>
void run_streamed(const CsrView<R>& graph, const CsrView<R>& host, const StreamPlan& plan,
                  ApspResult<R> result, const cuda::Stream& stream);

/// The same with the best plan for the device, or for the memory limit, but for what is tuned.
template <Lane lane, class R>
void run_streamed(const CsrView<R>& graph, const CsrView<R>& host, const ApspOptions& options,
                  ApspResult<R> result, const cuda::Stream& stream);

}  // namespace warpgraph::apsp_steps
