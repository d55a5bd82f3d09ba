// The host matrix of the streamed method. Not for use outside this folder.
#pragma once

#include "algorithms/apsp/accumulator.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <cstddef>
#include <cstring>

namespace warpgraph::apsp_detail {

/// The rows of the result, with their sizes in bytes.
struct ResultRows {
  std::byte* data;
  std::int64_t stride;  // from the start of a row to that of the next
  std::int64_t bytes_per_value;
};

/// The matrix between passes through the device, with n_vertices accumulator values a row. It lies
/// in the result's rows, or in its own memory if accumulator values are wider.
class HostMatrix {
 public:
  HostMatrix(std::int64_t n_vertices, std::int64_t bytes_per_value, ResultRows result)
      : n_(n_vertices),
        row_bytes_(n_vertices * bytes_per_value),
        rows_(result.data),
        stride_(result.stride) {
    if (bytes_per_value <= result.bytes_per_value) return;
    MemoryBudget().require("the matrix of 64-bit sums in the making",
                           static_cast<std::size_t>(n_ * row_bytes_), "ask for dtype=\"int64\"");
    own_ = HostArray<std::byte>(n_ * row_bytes_);
    rows_ = own_.get();
    stride_ = row_bytes_;
  }

  /// Copies rows first .. first + n - 1 to rows that begin `stride` bytes after each other. store()
  /// copies them back.
  void load(std::int64_t first, std::int64_t n, std::byte* to, std::int64_t stride) const {
    for_each_row(n, [&](std::int64_t i) { std::memcpy(to + i * stride, row(first + i), bytes()); });
  }
  void store(std::int64_t first, std::int64_t n, const std::byte* from, std::int64_t stride) const {
    for_each_row(n,
                 [&](std::int64_t i) { std::memcpy(row(first + i), from + i * stride, bytes()); });
  }

  /// Returns the fewest rows, of n_vertices values each, that are worth a thread's while.
  [[nodiscard]] static std::int64_t rows_per_block(std::int64_t n_vertices) {
    return values_per_grain / n_vertices + 1;
  }

 private:
  static constexpr std::int64_t values_per_grain = 1 << 14;

  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(row_bytes_); }
  [[nodiscard]] std::byte* row(std::int64_t i) const { return rows_ + i * stride_; }

  template <class Body>
  void for_each_row(std::int64_t n, Body&& body) const {
    parallel_for(n, body, rows_per_block(n_));
  }

  const std::int64_t n_;
  const std::int64_t row_bytes_;
  std::byte* rows_;
  std::int64_t stride_;
  HostArray<std::byte> own_;
};

}  // namespace warpgraph::apsp_detail
