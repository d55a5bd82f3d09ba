// Views of matrices in host or device memory. Not for use outside this folder.
#pragma once

#include "core/types.hpp"

namespace warpgraph::apsp_detail {

/// A non-owning view of a matrix; row i starts at data + i * stride.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::int64_t stride = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  [[nodiscard]] WARPGRAPH_HOST_DEVICE T* row(std::int64_t i) const { return data + i * stride; }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE MatrixView submatrix(std::int64_t first_row,
                                                           std::int64_t first_column,
                                                           std::int64_t n_rows,
                                                           std::int64_t n_columns) const {
    return {data + first_row * stride + first_column, stride, n_rows, n_columns};
  }
};

}  // namespace warpgraph::apsp_detail
