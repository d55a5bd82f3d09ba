// Writes the initial matrix from the arcs of a graph, and converts the matrix to the type of the
// result.
#include "algorithms/apsp/tiles/device_tiles.hpp"
#include "core/atomics.hpp"
#include "core/cuda/launch.cuh"
#include "graph/for_each_edge.cuh"

#include <algorithm>

namespace warpgraph::apsp_detail {
namespace {

/// A block takes `values_per_block` consecutive values of one row.
constexpr std::int64_t values_per_thread = 4;
constexpr std::int64_t values_per_block = values_per_thread * cuda::threads_per_block;

/// Calls visit(row, column) for the entries of the calling thread. Blocks take chunks in a
/// grid-stride loop, since a large matrix has more chunks than a grid has blocks.
template <class Visit>
__device__ void for_each_entry(std::int64_t rows, std::int64_t columns, Visit&& visit) {
  const std::int64_t chunks_per_row = (columns + values_per_block - 1) / values_per_block;
  for (std::int64_t chunk = blockIdx.x; chunk < rows * chunks_per_row; chunk += gridDim.x) {
    const std::int64_t row = chunk / chunks_per_row;
    const std::int64_t first = chunk % chunks_per_row * values_per_block;
#pragma unroll
    for (std::int64_t i = 0; i < values_per_thread; ++i) {
      const std::int64_t column = first + i * cuda::threads_per_block + threadIdx.x;
      if (column < columns) visit(row, column);
    }
  }
}

template <class... Parameters, class... Arguments>
void launch_for_entries(const cuda::Stream& stream, std::int64_t rows, std::int64_t columns,
                        void (*kernel)(Parameters...), Arguments&&... arguments) {
  constexpr std::int64_t max_blocks = 1 << 20;  // enough for load balance on any device
  const std::int64_t chunks = rows * ((columns + values_per_block - 1) / values_per_block);
  cuda::launch(stream, std::min(chunks, max_blocks), cuda::threads_per_block, 0, kernel,
               std::forward<Arguments>(arguments)...);
}

template <Accumulator acc>
__global__ void write_identity(DistanceView<acc> to, std::int64_t first_row,
                               std::int64_t first_column, vertex_t n_vertices) {
  for_each_entry(to.rows, to.columns, [&](std::int64_t row, std::int64_t column) {
    const std::int64_t v = first_row + row;
    const bool itself = v == first_column + column && v < n_vertices;
    to.row(row)[column] = itself ? AccumulatorValue<acc>{0} : ArithmeticOf<acc>::infinity;
  });
}

/// Lowers a 16-bit value atomically, by compare-and-swap on its word: devices have no such minimum
/// for 16 bits.
__device__ void atomic_min_16(std::uint16_t* place, std::uint16_t value) {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  auto& word = *reinterpret_cast<std::uint32_t*>(address & ~std::uintptr_t{3});
  const unsigned shift = (address & 2) != 0 ? 16 : 0;
  for (;;) {
    const std::uint32_t seen = relaxed_load(word);
    if ((seen >> shift & 0xffffu) <= value) return;
    const std::uint32_t others = seen & ~(0xffffu << shift);
    if (compare_and_swap(word, seen, others | std::uint32_t{value} << shift)) return;
  }
}

template <Accumulator acc, class R>
struct WriteArc {
  DistanceView<acc> to;
  const R* weights;  // nullptr: every arc weighs 1
  std::int64_t first_row;
  std::int64_t first_column;

  __device__ void operator()(vertex_t tail, vertex_t head, edge_t position) const {
    const std::int64_t column = head - first_column;
    if (column < 0 || column >= to.columns) return;
    const auto weight = to_accumulator<acc, R>(weights != nullptr ? weights[position] : R{1});
    AccumulatorValue<acc>* const place = to.row(tail - first_row) + column;
    if constexpr (acc == Accumulator::uint16) {
      atomic_min_16(place, weight);
    } else {
      lower(*place, weight);
    }
  }
};

struct VertexRange {
  std::int64_t first;
  std::int64_t n;
  WARPGRAPH_HOST_DEVICE std::int64_t size() const { return n; }
  WARPGRAPH_HOST_DEVICE vertex_t operator[](std::int64_t i) const {
    return static_cast<vertex_t>(first + i);
  }
};

cuda::EdgeMapping edge_mapping(const CsrPattern& graph) {
  if (graph.has_low_degree()) return cuda::EdgeMapping::thread;
  return graph.n_arcs < 512 * edge_t{graph.n_vertices} ? cuda::EdgeMapping::warp
                                                       : cuda::EdgeMapping::block;
}

template <Accumulator acc, class R>
__global__ void write_result_kernel(DistanceView<acc> from, MatrixView<R> to,
                                    std::int64_t first_row, std::int64_t first_column,
                                    std::int64_t* overflow_position) {
  for_each_entry(from.rows, from.columns, [&](std::int64_t row, std::int64_t column) {
    const AccumulatorValue<acc> value = from.row(row)[column];
    if (fits_result<acc, R>(value)) {
      to.row(row)[column] = from_accumulator<acc, R>(value);
    } else {
      lower(*overflow_position, pack_position(first_row + row, first_column + column));
    }
  });
}

}  // namespace

template <Accumulator acc, class R>
void write_adjacency(const CsrView<R>& graph, std::int64_t first_row, std::int64_t first_column,
                     DistanceView<acc> view, const cuda::Stream& stream) {
  launch_for_entries(stream, view.rows, view.columns, write_identity<acc>, view, first_row,
                     first_column, graph.n_vertices);
  const VertexRange range{first_row,
                          std::clamp<std::int64_t>(graph.n_vertices - first_row, 0, view.rows)};
  cuda::for_each_edge(stream, graph, range, edge_mapping(graph),
                      WriteArc<acc, R>{view, graph.weights, first_row, first_column});
}

template <Accumulator acc, class R>
void write_result(DistanceView<acc> from, MatrixView<R> to, std::int64_t first_row,
                  std::int64_t first_column, std::int64_t* overflow_position,
                  const cuda::Stream& stream) {
  launch_for_entries(stream, from.rows, from.columns, write_result_kernel<acc, R>, from, to,
                     first_row, first_column, overflow_position);
}

#define WARPGRAPH_INSTANTIATE(acc, R)                     \
  static_assert(is_candidate<acc, R>);                    \
  WARPGRAPH_INSTANTIATE_FUNCTION(write_adjacency, acc, R) \
  WARPGRAPH_INSTANTIATE_FUNCTION(write_result, acc, R)
WARPGRAPH_FOR_EACH_ACCUMULATOR_AND_RESULT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::apsp_detail
