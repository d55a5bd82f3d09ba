// The host matrix of the streamed method. Not for use outside this folder.
#pragma once

#include "algorithms/apsp/convert_rows.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <cstring>

namespace warpgraph::apsp_detail {

/// The matrix between passes through the device, with n_vertices accumulator values a row. It lies
/// in the result's rows, or in its own memory if accumulator values are wider.
template <Accumulator acc, class R>
class HostMatrix {
 public:
  using Value = AccumulatorValue<acc>;

  HostMatrix(vertex_t n_vertices, ApspResult<R> result) : n_(n_vertices), result_(result) {
    if constexpr (!in_result) {
      const auto size = static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_);
      MemoryBudget(Device{}).require("the matrix of 64-bit sums in the making",
                                     size * sizeof(Value), "ask for dtype=\"int64\"");
      own_.resize(size);
    }
  }

  /// Copies rows first .. first + n - 1 to rows that are `stride` values apart.
  void load(std::int64_t first, std::int64_t n, Value* to, std::int64_t stride) {
    for_each_row(n, [&](std::int64_t i) { std::memcpy(to + i * stride, row(first + i), bytes()); });
  }
  void store(std::int64_t first, std::int64_t n, const Value* from, std::int64_t stride) {
    for_each_row(n,
                 [&](std::int64_t i) { std::memcpy(row(first + i), from + i * stride, bytes()); });
  }
  /// The same, converted to the result's type. Throws std::overflow_error if a distance does not
  /// fit.
  void convert(std::int64_t first, std::int64_t n, const Value* from, std::int64_t stride) {
    convert_rows<acc>(from, stride, first, n, static_cast<vertex_t>(n_), result_, rows_per_block());
  }

 private:
  static constexpr bool in_result = sizeof(Value) <= sizeof(R);
  /// The least work for a thread.
  static constexpr std::int64_t values_per_grain = 1 << 14;

  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(n_) * sizeof(Value); }
  [[nodiscard]] void* row(std::int64_t i) {
    if constexpr (in_result) {
      return result_.distances + i * result_.row_stride;
    } else {
      return own_.data() + i * n_;
    }
  }

  [[nodiscard]] std::int64_t rows_per_block() const { return values_per_grain / n_ + 1; }

  template <class Body>
  void for_each_row(std::int64_t n, Body&& body) const {
    parallel_for(n, body, rows_per_block());
  }

  const std::int64_t n_;
  const ApspResult<R> result_;
  HostVector<Value> own_;
};

}  // namespace warpgraph::apsp_detail
