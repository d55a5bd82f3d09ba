#include "algorithms/apsp/steps.hpp"
#include "algorithms/apsp/tiles/blocked.hpp"
#include "core/memory/memory_budget.hpp"

namespace warpgraph {
namespace {

using namespace apsp_steps;

/// Rows that are filled or converted at a time.
constexpr std::int64_t rows_per_block = 8;

/// Whether some arc is negative.
template <Lane lane, class R>
bool fill(const CsrView<R>& graph, LaneValue<lane>* matrix, std::int64_t stride) {
  std::atomic<bool> negative{false};
  parallel_for(
      graph.n_vertices,
      [&](std::int64_t u) {
        LaneValue<lane>* const row = matrix + u * stride;
        fill_row(graph, static_cast<vertex_t>(u), ArithmeticOf<lane>::infinity, row,
                 [](R weight) { return to_lane<lane>(weight); });
        const bool any = std::any_of(row, row + graph.n_vertices, [](auto d) { return d < 0; });
        if (any) negative.store(true, std::memory_order_relaxed);
      },
      rows_per_block);
  return negative.load(std::memory_order_relaxed);
}

/// The first row of which a distance does not fit, and how many there are if all fit.
template <Lane lane, class R>
vertex_t convert(const LaneValue<lane>* matrix, std::int64_t stride, vertex_t n_vertices,
                 ApspResult<R> result) {
  return parallel_reduce(
      n_vertices, n_vertices,
      [&](std::int64_t u) {
        const LaneValue<lane>* const from = matrix + u * stride;
        R* const to = result.distances + u * result.row_stride;
        bool fit = true;
        for (vertex_t v = 0; v < n_vertices; ++v) {
          fit &= fits_result<lane, R>(from[v]);
          to[v] = from_lane<lane, R>(from[v]);
        }
        return fit ? n_vertices : static_cast<vertex_t>(u);
      },
      [](vertex_t a, vertex_t b) { return std::min(a, b); }, rows_per_block);
}

/// Distances in the lane become the result's.
template <Lane lane, class R>
void finish(const CsrView<R>& graph, const LaneValue<lane>* matrix, std::int64_t stride,
            ApspResult<R> result) {
  const vertex_t n = graph.n_vertices;
  if constexpr (lane == Lane::wide) {
    for (vertex_t u = 0; u < n; ++u) check_stuck(graph, result.distances + u * result.row_stride);
  } else if constexpr (!is_result<lane, R>) {
    const vertex_t u = convert<lane>(matrix, stride, n, result);
    if constexpr (std::is_integral_v<LaneValue<lane>>) {
      for (vertex_t v = 0; u < n && v < n; ++v) {
        const LaneValue<lane> distance = matrix[u * stride + v];
        if (!fits_result<lane, R>(distance)) throw_too_far(u, v, distance);
      }
    }
  }
}

/// Bytes that the blocked method takes beside the result.
template <Lane lane, class R>
std::size_t bytes_in(vertex_t n) {
  const std::size_t matrix = in_place<lane, R>
                                 ? 0
                                 : static_cast<std::size_t>(n * padded_stride<LaneValue<lane>>(n)) *
                                       sizeof(LaneValue<lane>);
  return matrix + BlockedFloyd<lane>::bytes(n, tile_side(n));
}

template <Lane lane, class R>
void floyd_in(const CsrView<R>& graph, const MemoryBudget& budget, ApspResult<R> result) {
  using Value = LaneValue<lane>;
  const vertex_t n = graph.n_vertices;
  budget.require("the matrix of all pairs' distances in the making", bytes_in<lane, R>(n),
                 "raise memory_limit, or use method=\"many_to_many\"");
  const auto run = [&](Value* matrix, std::int64_t stride) {
    const bool negative = fill<lane>(graph, matrix, stride);
    BlockedFloyd<lane>(n, tile_side(n), matrix, stride, negative).run();
    finish<lane>(graph, matrix, stride, result);
  };
  if constexpr (in_place<lane, R>) {
    run(result.distances, result.row_stride);
  } else {
    const std::int64_t stride = padded_stride<Value>(n);
    AlignedValues<Value> matrix(n * stride);
    run(matrix.data(), stride);
  }
}

/// The lane that works where the result goes, if it holds what `lane` holds; else `lane`.
template <class R>
Lane without_matrix(Lane lane) {
  if constexpr (std::is_same_v<R, double>) return Lane::float64;
  if constexpr (std::is_same_v<R, float>) return Lane::float32;
  if constexpr (std::is_same_v<R, std::int32_t>) return lane == Lane::uint16 ? Lane::int32 : lane;
  return lane == Lane::wide ? lane : Lane::int64;
}

template <class R>
void floyd_blocked(const CsrView<R>& graph, std::size_t memory_limit, ApspResult<R> result) {
  const MemoryBudget budget({}, memory_limit);
  const auto is_affordable = [&]<Lane lane>() {
    return bytes_in<lane, R>(graph.n_vertices) <= budget.available();
  };
  Lane lane = choose_lane(graph);
  if (!dispatch_lane<R>(lane, is_affordable)) lane = without_matrix<R>(lane);
  dispatch_lane<R>(lane, [&]<Lane chosen>() { floyd_in<chosen>(graph, budget, result); });
}

}  // namespace

template <class R>
void apsp_cpu(const CsrView<R>& graph, const ApspOptions& options, ApspResult<R> result) {
  if (graph.n_vertices == 0) return;
  if (options.method == ApspMethod::naive) return floyd_serial(graph, result);
  floyd_blocked(graph, options.memory_limit, result);
}

#define WARPGRAPH_INSTANTIATE(R) \
  template void apsp_cpu<R>(const CsrView<R>&, const ApspOptions&, ApspResult<R>);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
