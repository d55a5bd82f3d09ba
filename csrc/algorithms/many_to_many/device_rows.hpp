// From rows of distances on a device to where the caller wants them. Not for use outside this
// folder.
#pragma once

#include "algorithms/many_to_many/many_to_many.hpp"
#include "core/cuda/staging.hpp"

#include <span>

namespace warpgraph::many_to_many_steps {

/// Copies rows to the memory of the result.
template <class W>
class RowCopier {
 public:
  /// `columns` distances a row, which lie close together on the device. What is called row i below
  /// is row order[i] of the result, if an order is given.
  RowCopier(const ManyToManyResult<W>& result, std::int64_t columns, const cuda::Stream& stream,
            std::span<const std::int64_t> order = {})
      : result_(result),
        columns_(columns),
        stream_(stream),
        order_(order),
        staging_(stream.device()) {}

  /// Rows first .. first + n - 1. Complete on return.
  void copy(const W* rows, std::int64_t first, std::int64_t n) {
    staging_.copy(
        rows, n, columns_, [this, first](std::int64_t row) { return result_row(first + row); },
        stream_);
    staging_.finish();
  }

  /// For what else is to be copied.
  [[nodiscard]] cuda::Staging& staging() noexcept { return staging_; }

 private:
  [[nodiscard]] W* result_row(std::int64_t row) const {
    return result_.distances_of(order_.empty() ? row : order_[static_cast<std::size_t>(row)]);
  }

  const ManyToManyResult<W> result_;
  const std::int64_t columns_;
  const cuda::Stream& stream_;
  const std::span<const std::int64_t> order_;
  cuda::Staging staging_;
};

}  // namespace warpgraph::many_to_many_steps
