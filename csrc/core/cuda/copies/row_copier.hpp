// Copies rows of a matrix on a device to rows in host memory.
#pragma once

#include "core/cuda/copies/staging.hpp"

#include <cstdint>

namespace warpgraph::cuda {

/// Copies rows to a matrix whose row i begins at `result + i * stride`.
template <class T>
class RowCopier {
 public:
  /// Makes a copier of rows of `columns` items, which are contiguous on the device.
  RowCopier(T* result, std::int64_t stride, std::int64_t columns, const Stream& stream)
      : result_(result),
        stride_(stride),
        columns_(columns),
        stream_(stream),
        staging_(stream.device()) {}

  /// Copies rows first .. first + n - 1, and waits until they are complete.
  void copy(const T* rows, std::int64_t first, std::int64_t n) {
    staging_.copy(
        rows, n, columns_,
        [this, first](std::int64_t row) { return result_ + (first + row) * stride_; }, stream_);
    staging_.finish();
  }

  /// Returns the staging buffers, for other copies between two calls of copy().
  [[nodiscard]] Staging& staging() noexcept { return staging_; }

 private:
  T* const result_;
  const std::int64_t stride_;
  const std::int64_t columns_;
  const Stream& stream_;
  Staging staging_;
};

}  // namespace warpgraph::cuda
