#include "algorithms/apsp/convert_rows.hpp"
#include "algorithms/apsp/naive/floyd_serial.hpp"
#include "algorithms/apsp/tiles/blocked_floyd.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/small_work.hpp"

namespace warpgraph {
namespace {

using namespace apsp_detail;

/// Rows that a task fills or converts.
constexpr std::int64_t rows_per_block = 8;
/// The time of a relaxation in small graphs, on one core.
constexpr double relaxation_ns = 0.03;

/// Writes the initial matrix and returns whether any entry is negative.
template <Accumulator acc, class R>
bool fill_matrix(const CsrView<R>& graph, const MatrixView<AccumulatorValue<acc>>& matrix) {
  std::atomic<bool> negative{false};
  parallel_for(
      graph.n_vertices,
      [&](std::int64_t u) {
        AccumulatorValue<acc>* const row = matrix.row(u);
        fill_row(graph, static_cast<vertex_t>(u), ArithmeticOf<acc>::infinity, row,
                 [](R weight) { return to_accumulator<acc>(weight); });
        const bool any = std::any_of(row, row + graph.n_vertices, [](auto d) { return d < 0; });
        if (any) negative.store(true, std::memory_order_relaxed);
      },
      rows_per_block);
  return negative.load(std::memory_order_relaxed);
}

/// Converts distances from the accumulator's type to the result's, and checks them.
template <Accumulator acc, class R>
void write_distances(const CsrView<R>& graph, const MatrixView<AccumulatorValue<acc>>& matrix,
                     ApspResult<R> result) {
  const vertex_t n = graph.n_vertices;
  if constexpr (acc == Accumulator::saturating_int64) {
    for (vertex_t u = 0; u < n; ++u) check_saturation(graph, matrix.row(u));
  } else if constexpr (!matches_result<acc, R>) {
    convert_rows<acc>(matrix.data, matrix.stride, 0, n, n, result, rows_per_block);
  }
}

/// Returns the bytes that the blocked method takes beside the result.
template <Accumulator acc, class R>
std::size_t bytes_needed(vertex_t n) {
  const std::size_t matrix =
      in_place<acc, R> ? 0
                       : static_cast<std::size_t>(n * padded_stride<AccumulatorValue<acc>>(n)) *
                             sizeof(AccumulatorValue<acc>);
  return matrix + BlockedFloyd<acc>::bytes(n, tile_side(n));
}

template <Accumulator acc, class R>
void run_blocked(const CsrView<R>& graph, ApspResult<R> result) {
  using Value = AccumulatorValue<acc>;
  const vertex_t n = graph.n_vertices;
  const auto run = [&](Value* matrix, std::int64_t stride) {
    const MatrixView<Value> view{matrix, stride, n, n};
    const bool negative = fill_matrix<acc>(graph, view);
    BlockedFloyd<acc>(view, tile_side(n), negative).run();
    write_distances<acc>(graph, view, result);
  };
  if constexpr (in_place<acc, R>) {
    run(result.distances, result.row_stride);
  } else {
    const std::int64_t stride = padded_stride<Value>(n);
    AlignedBuffer<Value> matrix(n * stride);
    run(matrix.data(), stride);
  }
}

/// Returns an accumulator that works in the result's memory and holds all values of `acc`; `acc` if
/// there is none.
template <class R>
Accumulator in_place_accumulator(Accumulator acc) {
  if constexpr (std::is_same_v<R, double>) return Accumulator::float64;
  if constexpr (std::is_same_v<R, float>) return Accumulator::float32;
  if constexpr (std::is_same_v<R, std::int32_t>) {
    return acc == Accumulator::uint16 ? Accumulator::int32 : acc;
  }
  return acc == Accumulator::saturating_int64 ? acc : Accumulator::int64;
}

template <class R>
MemoryNeed need_with(Accumulator acc, vertex_t n) {
  return {"the matrix of all pairs' distances in the making",
          dispatch_accumulator<R>(acc,
                                  [&]<Accumulator chosen>() { return bytes_needed<chosen, R>(n); }),
          "use method=\"many_to_many\""};
}

/// Returns the accumulator, which works in the result's memory if no other one is affordable.
template <class R>
Accumulator affordable_accumulator(const CsrView<R>& graph, MemoryBudget budget) {
  const Accumulator acc = choose_accumulator(graph);
  const bool is_affordable = budget.has(need_with<R>(acc, graph.n_vertices).bytes);
  return is_affordable ? acc : in_place_accumulator<R>(acc);
}

CallThreads threads_of_apsp(double n) { return threads_for(relaxation_ns * n * n * n); }

}  // namespace

template <class R>
MemoryNeed need_of_pivots(const CsrView<R>& graph, MemoryBudget budget) {
  const CallThreads threads = threads_of_apsp(graph.n_vertices);
  return need_with<R>(affordable_accumulator(graph, budget), graph.n_vertices);
}

template <class R>
void apsp_cpu(const CsrView<R>& graph, const ApspOptions& options, ApspResult<R> result) {
  if (graph.n_vertices == 0) return;
  const CallThreads threads = threads_of_apsp(graph.n_vertices);
  if (options.method == ApspMethod::naive) return floyd_serial(graph, result);
  const Accumulator acc = affordable_accumulator(graph, options.budget);
  options.budget.require(need_with<R>(acc, graph.n_vertices));
  dispatch_accumulator<R>(acc, [&]<Accumulator chosen>() { run_blocked<chosen>(graph, result); });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(need_of_pivots)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(apsp_cpu)

}  // namespace warpgraph
