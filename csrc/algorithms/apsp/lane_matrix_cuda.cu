// The matrix's way in, from the arcs of a graph, and its way out, to the type of the result.
#include "algorithms/apsp/tiles/device_tiles.hpp"
#include "core/atomics.hpp"
#include "core/cuda/launch.cuh"
#include "graph/for_each_edge.cuh"

#include <algorithm>

namespace warpgraph::apsp_steps {
namespace {

/// A block takes so many numbers of one row, side by side.
constexpr std::int64_t numbers_a_thread = 4;
constexpr std::int64_t numbers_a_block = numbers_a_thread * cuda::threads_per_block;

/// Calls visit(row, column) for the numbers of a rectangle that the calling thread has. Blocks take
/// piece after piece, since a large matrix has more of them than a grid has blocks.
template <class Visit>
__device__ void visit_numbers(std::int64_t rows, std::int64_t columns, Visit&& visit) {
  const std::int64_t pieces_a_row = (columns + numbers_a_block - 1) / numbers_a_block;
  for (std::int64_t piece = blockIdx.x; piece < rows * pieces_a_row; piece += gridDim.x) {
    const std::int64_t row = piece / pieces_a_row;
    const std::int64_t first = piece % pieces_a_row * numbers_a_block;
#pragma unroll
    for (std::int64_t i = 0; i < numbers_a_thread; ++i) {
      const std::int64_t column = first + i * cuda::threads_per_block + threadIdx.x;
      if (column < columns) visit(row, column);
    }
  }
}

template <class... Parameters, class... Arguments>
void launch_for_numbers(const cuda::Stream& stream, std::int64_t rows, std::int64_t columns,
                        void (*kernel)(Parameters...), Arguments&&... arguments) {
  constexpr std::int64_t most_blocks = 1 << 20;  // enough to be even, whatever the device
  const std::int64_t pieces = rows * ((columns + numbers_a_block - 1) / numbers_a_block);
  cuda::launch(stream, std::min(pieces, most_blocks), cuda::threads_per_block, 0, kernel,
               std::forward<Arguments>(arguments)...);
}

template <Lane lane>
__global__ void write_no_arcs(LaneRectangle<lane> to, std::int64_t first_row,
                              std::int64_t first_column, vertex_t n_vertices) {
  visit_numbers(to.rows, to.columns, [&](std::int64_t row, std::int64_t column) {
    const std::int64_t v = first_row + row;
    const bool itself = v == first_column + column && v < n_vertices;
    to.row(row)[column] = itself ? LaneValue<lane>{0} : ArithmeticOf<lane>::infinity;
  });
}

/// Lowers one of two 16-bit numbers in a word. Devices have no atomic minimum of 16 bits.
__device__ void lower_half(std::uint16_t* place, std::uint16_t value) {
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

template <Lane lane, class R>
struct WriteArc {
  LaneRectangle<lane> to;
  const R* weights;  // nullptr: every arc weighs 1
  std::int64_t first_row;
  std::int64_t first_column;

  __device__ void operator()(vertex_t tail, vertex_t head, edge_t position) const {
    const std::int64_t column = head - first_column;
    if (column < 0 || column >= to.columns) return;
    const auto weight = to_lane<lane, R>(weights != nullptr ? weights[position] : R{1});
    LaneValue<lane>* const place = to.row(tail - first_row) + column;
    if constexpr (lane == Lane::uint16) {
      lower_half(place, weight);
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

cuda::EdgeMapping threads_a_row(const CsrPattern& graph) {
  const edge_t degree = graph.n_arcs / std::max(graph.n_vertices, 1);
  if (degree < 8) return cuda::EdgeMapping::thread;
  return degree < 512 ? cuda::EdgeMapping::warp : cuda::EdgeMapping::block;
}

template <Lane lane, class R>
__global__ void write_result_kernel(LaneRectangle<lane> from, Rectangle<R> to,
                                    std::int64_t first_row, std::int64_t first_column,
                                    std::int64_t* too_far) {
  visit_numbers(from.rows, from.columns, [&](std::int64_t row, std::int64_t column) {
    const LaneValue<lane> value = from.row(row)[column];
    if (fits_result<lane, R>(value)) {
      to.row(row)[column] = from_lane<lane, R>(value);
    } else {
      lower(*too_far, position_of(first_row + row, first_column + column));
    }
  });
}

}  // namespace

template <Lane lane, class R>
void write_arcs(const CsrView<R>& graph, std::int64_t first_row, std::int64_t first_column,
                LaneRectangle<lane> rectangle, const cuda::Stream& stream) {
  launch_for_numbers(stream, rectangle.rows, rectangle.columns, write_no_arcs<lane>, rectangle,
                     first_row, first_column, graph.n_vertices);
  const VertexRange range{
      first_row, std::clamp<std::int64_t>(graph.n_vertices - first_row, 0, rectangle.rows)};
  cuda::for_each_edge(stream, graph, range, threads_a_row(graph),
                      WriteArc<lane, R>{rectangle, graph.weights, first_row, first_column});
}

template <Lane lane, class R>
void write_result(LaneRectangle<lane> from, Rectangle<R> to, std::int64_t first_row,
                  std::int64_t first_column, std::int64_t* too_far, const cuda::Stream& stream) {
  launch_for_numbers(stream, from.rows, from.columns, write_result_kernel<lane, R>, from, to,
                     first_row, first_column, too_far);
}

#define WARPGRAPH_INSTANTIATE(lane, R)                                                 \
  static_assert(suits<lane, R>);                                                       \
  template void write_arcs<lane, R>(const CsrView<R>&, std::int64_t, std::int64_t,     \
                                    LaneRectangle<lane>, const cuda::Stream&);         \
  template void write_result<lane, R>(LaneRectangle<lane>, Rectangle<R>, std::int64_t, \
                                      std::int64_t, std::int64_t*, const cuda::Stream&);
WARPGRAPH_FOR_EACH_LANE_AND_RESULT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::apsp_steps
