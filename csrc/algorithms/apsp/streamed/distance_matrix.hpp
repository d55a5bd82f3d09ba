// Matrices whose accumulator is known at run time. Not for use outside this folder.
//
// The functions that submit kernels depend on the accumulator in the size of a value and in the
// kernels alone: they are compiled once for all accumulators.
#pragma once

#include "algorithms/apsp/tiles/device_tiles.hpp"

#include <cstddef>

namespace warpgraph::apsp_detail {

/// Calls f.operator()<acc>() for an accumulator known at run time.
template <class F>
decltype(auto) with_accumulator(Accumulator acc, F&& f) {
  switch (acc) {
    case Accumulator::uint16:
      return f.template operator()<Accumulator::uint16>();
    case Accumulator::int32:
      return f.template operator()<Accumulator::int32>();
    case Accumulator::int64:
      return f.template operator()<Accumulator::int64>();
    case Accumulator::saturating_int64:
      return f.template operator()<Accumulator::saturating_int64>();
    case Accumulator::float32:
      return f.template operator()<Accumulator::float32>();
    default:
      return f.template operator()<Accumulator::float64>();
  }
}

[[nodiscard]] inline std::int64_t bytes_per_value(Accumulator acc) {
  std::int64_t bytes = 0;
  with_accumulator(acc, [&]<Accumulator of>() { bytes = sizeof(AccumulatorValue<of>); });
  return bytes;
}

/// A view of a matrix, like DistanceView, whose accumulator is known at run time.
struct DistanceMatrix {
  Accumulator acc{};
  std::byte* data = nullptr;
  std::int64_t stride = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  [[nodiscard]] std::byte* at(std::int64_t row, std::int64_t column) const {
    return data + (row * stride + column) * bytes_per_value(acc);
  }
  [[nodiscard]] DistanceMatrix submatrix(std::int64_t first_row, std::int64_t first_column,
                                         std::int64_t n_rows, std::int64_t n_columns) const {
    return {acc, at(first_row, first_column), stride, n_rows, n_columns};
  }
  template <Accumulator of>
  [[nodiscard]] DistanceView<of> view() const {
    return {reinterpret_cast<AccumulatorValue<of>*>(data), stride, rows, columns};
  }
};

}  // namespace warpgraph::apsp_detail
