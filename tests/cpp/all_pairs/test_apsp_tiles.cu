// The kernels of all-pairs shortest paths on CUDA devices, where there is a device, against
// sequential loops.
#include "algorithms/apsp/tiles/device_tiles.hpp"
#include "all_pairs/apsp_accumulators.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "graph/generate/random.hpp"
#include "on_device.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace warpgraph::apsp_detail {
namespace {

/// A rectangle on the host, with the same stride as on the device.
template <Accumulator acc>
struct Matrix {
  using Value = AccumulatorValue<acc>;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t stride;
  std::vector<Value> values;

  Matrix(std::int64_t n_rows, std::int64_t n_columns, std::int64_t n_stride)
      : rows(n_rows),
        columns(n_columns),
        stride(n_stride),
        values(static_cast<std::size_t>(n_rows * n_stride), Value{7}) {}
  Value& at(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(i * stride + j)];
  }
  [[nodiscard]] DistanceView<acc> on(const cuda::DeviceBuffer<Value>& memory) const {
    return {memory.data(), stride, rows, columns};
  }
};

/// Half of the entries are infinite; floats have fractions, so that their sums are rounded.
template <Accumulator acc>
Matrix<acc> random_matrix(std::int64_t rows, std::int64_t columns, std::int64_t stride,
                          std::uint64_t seed) {
  Matrix<acc> matrix(rows, columns, stride);
  const CounterRandom random(seed, 0);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::uint64_t bits = random.bits(static_cast<std::uint64_t>(i * columns + j));
      const double whole = static_cast<double>(bits >> 40 & 0xfff);
      using Value = AccumulatorValue<acc>;
      const bool fraction = std::is_floating_point_v<Value>;
      matrix.at(i, j) = (bits & 1) != 0 ? ArithmeticOf<acc>::infinity
                                        : static_cast<Value>(fraction ? whole / 7 : whole);
    }
  }
  return matrix;
}

template <Accumulator acc>
void relax(AccumulatorValue<acc>& c, AccumulatorValue<acc> a, AccumulatorValue<acc> b) {
  c = std::min(c, ArithmeticOf<acc>::add(a, b));
}

template <Accumulator acc>
Matrix<acc> product(Matrix<acc> c, Matrix<acc> a, Matrix<acc> b) {
  Matrix<acc> result = c;
  for (std::int64_t i = 0; i < c.rows; ++i) {
    for (std::int64_t k = 0; k < b.rows; ++k) {
      for (std::int64_t j = 0; j < c.columns; ++j) {
        relax<acc>(result.at(i, j), a.at(i, k), b.at(k, j));
      }
    }
  }
  return result;
}

template <Accumulator acc>
Matrix<acc> closure(Matrix<acc> tile) {
  for (std::int64_t k = 0; k < tile.rows; ++k) {
    for (std::int64_t i = 0; i < tile.rows; ++i) {
      for (std::int64_t j = 0; j < tile.rows; ++j) {
        relax<acc>(tile.at(i, j), tile.at(i, k), tile.at(k, j));
      }
    }
  }
  return tile;
}

template <class Tag>
class ApspTiles : public test::OnDevice {
 protected:
  static constexpr Accumulator acc = Tag::acc;
  using Value = AccumulatorValue<acc>;

  cuda::DeviceBuffer<Value> sent(const Matrix<acc>& matrix) {
    return cuda::to_device(std::span<const Value>(matrix.values), stream());
  }

  void check_product(std::int64_t rows, std::int64_t depth, std::int64_t columns,
                     std::int64_t spare) {
    const auto c = random_matrix<acc>(rows, columns, columns + spare, 1);
    const auto a = random_matrix<acc>(rows, depth, depth + spare, 2);
    const auto b = random_matrix<acc>(depth, columns, columns + spare, 3);
    const auto on_c = sent(c);
    const auto on_a = sent(a);
    const auto on_b = sent(b);
    multiply_into<acc>(c.on(on_c), a.on(on_a), b.on(on_b), stream());
    EXPECT_EQ(fetched(on_c), product(c, a, b).values)
        << rows << " x " << depth << " x " << columns << ", " << spare << " between rows";
  }

  vertex_t check_closure(Matrix<acc> tile, vertex_t first, bool result_matters = true) {
    const auto on = sent(tile);
    const cuda::DeviceBuffer<vertex_t> negative(1, stream());
    cuda::copy(negative.data(), &no_vertex, 1, stream());
    close_tile<acc>(tile.on(on), first, negative.data(), stream());
    const auto closed = fetched(on);
    if (result_matters) {
      EXPECT_EQ(closed, closure(tile).values) << tile.rows << " rows";
    }
    return cuda::read_back(negative.data(), stream());
  }
};

TYPED_TEST_SUITE(ApspTiles, Accumulators, AccumulatorName);

TYPED_TEST(ApspTiles, MultiplyLikeThreeLoops) {
  this->check_product(1, 1, 1, 0);
  this->check_product(3, 5, 2, 3);
  this->check_product(64, 64, 64, 0);
  this->check_product(64, 8, 128, 64);
  this->check_product(65, 24, 127, 1);  // partial tiles, at unaligned addresses
  this->check_product(70, 16, 200, 8);  // partial tiles next to whole ones
  this->check_product(5, 33, 64, 31);
}

TYPED_TEST(ApspTiles, MultiplyByLargeTiles) {
  this->check_product(128 * 11 + 1, 8, 128 * 12 + 8, 0);
}

TYPED_TEST(ApspTiles, CloseLikeThreeLoops) {
  constexpr Accumulator acc = TypeParam::acc;
  for (const std::int64_t side : {1, 2, 63, 64, 65, 127, 128}) {
    Matrix<acc> tile = random_matrix<acc>(side, side, side + side % 2, 4);
    for (std::int64_t i = 0; i < side; ++i) tile.at(i, i) = 0;
    EXPECT_EQ(this->check_closure(tile, 1000), no_vertex);
  }
}

TYPED_TEST(ApspTiles, CloseInPlacePanels) {
  constexpr Accumulator acc = TypeParam::acc;
  const cuda::Stream& stream = this->stream();
  for (const std::int64_t side : {40, 64, 128}) {
    const auto tile = random_matrix<acc>(side, side, 128, 5);
    const auto on_tile = this->sent(tile);
    const auto row = random_matrix<acc>(side, 200, 208, 6);
    const auto on_row = this->sent(row);
    update_row_panel<acc>(row.on(on_row), tile.on(on_tile), stream);
    EXPECT_EQ(this->fetched(on_row), product(row, tile, row).values);
    const auto column = random_matrix<acc>(200, side, 128, 7);
    const auto on_column = this->sent(column);
    update_column_panel<acc>(column.on(on_column), tile.on(on_tile), stream);
    EXPECT_EQ(this->fetched(on_column), product(column, column, tile).values);
  }
}

TYPED_TEST(ApspTiles, TellTheFirstVertexOfANegativeCycle) {
  constexpr Accumulator acc = TypeParam::acc;
  if constexpr (acc != Accumulator::uint16) {
    for (const std::int64_t side : {50, 100}) {
      Matrix<acc> tile = random_matrix<acc>(side, side, side, 8);
      for (std::int64_t i = 0; i < side; ++i) tile.at(i, i) = 0;
      for (auto& value : tile.values) value = value == 0 ? value : ArithmeticOf<acc>::infinity;
      tile.at(30, 20) = 4;
      tile.at(20, 30) = -5;
      tile.at(40, 45) = -2;
      tile.at(45, 40) = 1;
      EXPECT_EQ(this->check_closure(tile, 256, false), 256 + 30);
    }
  }
}

template <class R>
class ApspMatrix : public test::OnDevice {
 protected:
  /// A rectangle of a graph's adjacency matrix, written with an accumulator and converted to R.
  template <Accumulator acc>
  std::vector<R> written(const CsrView<R>& graph, std::int64_t row, std::int64_t column,
                         std::int64_t rows, std::int64_t columns, std::int64_t& overflow_position) {
    const test::CopiedGraph<R> there(graph, stream());
    const std::int64_t stride = columns + 3;
    const cuda::DeviceBuffer<AccumulatorValue<acc>> memory(static_cast<std::size_t>(rows * stride),
                                                           stream());
    const DistanceView<acc> rectangle{memory.data(), stride, rows, columns};
    const cuda::DeviceBuffer<R> result(static_cast<std::size_t>(rows * columns), stream());
    const cuda::DeviceBuffer<std::int64_t> far(1, stream());
    cuda::fill(far.data(), infinity<std::int64_t>(), 1, stream());
    write_adjacency<acc, R>(there.view(), row, column, rectangle, stream());
    write_result<acc, R>(rectangle, {result.data(), columns, rows, columns}, row, column,
                         far.data(), stream());
    overflow_position = cuda::read_back(far.data(), stream());
    return fetched(result);
  }

  static std::vector<R> expected(const CsrView<R>& graph, std::int64_t row, std::int64_t column,
                                 std::int64_t rows, std::int64_t columns) {
    std::vector<R> values(static_cast<std::size_t>(rows * columns), infinity<R>());
    const auto at = [&](std::int64_t u, std::int64_t v) -> R* {
      const bool inside = u >= row && u < row + rows && v >= column && v < column + columns;
      return inside ? &values[static_cast<std::size_t>((u - row) * columns + v - column)] : nullptr;
    };
    for (vertex_t v = 0; v < graph.n_vertices; ++v) {
      if (R* const place = at(v, v)) *place = 0;
    }
    for_each_arc(graph, 0, graph.n_arcs, [&](vertex_t u, vertex_t v, edge_t e) {
      if (R* const place = at(u, v)) *place = std::min(*place, graph.weights[e]);
    });
    return values;
  }
};
using Results = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(ApspMatrix, Results);

TYPED_TEST(ApspMatrix, HoldsTheLightestOfParallelArcs) {
  using R = TypeParam;
  for (const edge_t arcs : {3, 700, 9000, 40000}) {  // few, and hundreds per row
    Csr<R> graph = test::random_graph<R>(60, arcs, 5);
    graph.weights[1] = infinity<R>();
    const CsrView<R> view = graph.view();
    std::int64_t overflow_position = 0;
    const auto check = [&]<Accumulator acc>() {
      EXPECT_EQ(this->template written<acc>(view, 0, 0, 64, 64, overflow_position),
                this->expected(view, 0, 0, 64, 64));
      EXPECT_EQ(this->template written<acc>(view, 17, 5, 20, 41, overflow_position),
                this->expected(view, 17, 5, 20, 41));
      EXPECT_EQ(overflow_position, infinity<std::int64_t>());
    };
    dispatch_accumulator<R>(Accumulator::uint16, check);
    dispatch_accumulator<R>(Accumulator::int32, check);
    dispatch_accumulator<R>(Accumulator::int64, check);
    dispatch_accumulator<R>(Accumulator::saturating_int64, check);
  }
}

class ApspMatrixOfIntegers : public test::OnDevice {};

TEST_F(ApspMatrixOfIntegers, TellsTheFirstDistanceThatIsTooLarge) {
  Matrix<Accumulator::int64> sums(5, 7, 7);
  for (auto& value : sums.values) value = ArithmeticOf<Accumulator::int64>::infinity;
  sums.at(2, 6) = std::int64_t{infinity<std::int32_t>()};
  sums.at(3, 1) = std::int64_t{detail::lowest<std::int32_t>} - 1;
  sums.at(1, 1) = infinity<std::int32_t>() - 1;
  const auto from = cuda::to_device(std::span<const std::int64_t>(sums.values), stream());
  const cuda::DeviceBuffer<std::int32_t> to(35, stream());
  const cuda::DeviceBuffer<std::int64_t> far(1, stream());
  cuda::fill(far.data(), infinity<std::int64_t>(), 1, stream());
  write_result<Accumulator::int64, std::int32_t>(sums.on(from), {to.data(), 7, 5, 7}, 100, 1000,
                                                 far.data(), stream());
  EXPECT_EQ(cuda::read_back(far.data(), stream()), pack_position(102, 1006));
  EXPECT_EQ(cuda::read_back(to.data() + 8, stream()), infinity<std::int32_t>() - 1);
}

}  // namespace
}  // namespace warpgraph::apsp_detail
