// Copies rows of a matrix on a device to arbitrary rows in host memory.
#pragma once

#include "core/cuda/memory/staging.hpp"

#include <cstdint>
#include <span>

namespace warpgraph::cuda {

/// Copies rows to a matrix whose row i begins at `result + i * stride`.
template <class T>
class RowCopier {
 public:
  /// Rows of `columns` items are contiguous on the device. With an order, row i goes to row
  /// order[i] of the result.
  RowCopier(T* result, std::int64_t stride, std::int64_t columns, const Stream& stream,
            std::span<const std::int64_t> order = {})
      : result_(result),
        stride_(stride),
        columns_(columns),
        stream_(stream),
        order_(order),
        staging_(stream.device()) {}

  /// Rows first .. first + n - 1. Complete on return.
  void copy(const T* rows, std::int64_t first, std::int64_t n) {
    staging_.copy(
        rows, n, columns_, [this, first](std::int64_t row) { return result_row(first + row); },
        stream_);
    staging_.finish();
  }

  /// The staging buffers, for other copies between two calls of copy().
  [[nodiscard]] Staging& staging() noexcept { return staging_; }

 private:
  [[nodiscard]] T* result_row(std::int64_t row) const {
    return result_ + (order_.empty() ? row : order_[static_cast<std::size_t>(row)]) * stride_;
  }

  T* const result_;
  const std::int64_t stride_;
  const std::int64_t columns_;
  const Stream& stream_;
  const std::span<const std::int64_t> order_;
  Staging staging_;
};

}  // namespace warpgraph::cuda
