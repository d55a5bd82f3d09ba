#include "primitives/products/product_kernel.hpp"

#include "core/processor/intrinsics.hpp"
#include "core/processor/vectors.hpp"

#include <array>

namespace warpgraph {
namespace {

// The sums of a panel stay in registers if vectors have 64 bytes, of which there are 32 registers.
// Of shorter vectors there are 16, so only two of each row are processed at a time.

#if WARPGRAPH_X86_64

/// Adds the products of all columns, in `n_vectors` vectors of 16.
template <int n_vectors>
[[gnu::target("avx512f")]] void add_products_avx512(const float* rows, const float* columns,
                                                    std::int64_t depth, float* sums) noexcept {
  __m512 acc[rows_of_product][n_vectors];
  for (auto& of_row : acc) {
    for (__m512& sum : of_row) sum = _mm512_setzero_ps();
  }
  for (std::int64_t k = 0; k < depth; ++k) {
    __m512 column[n_vectors];
#pragma GCC unroll 4
    for (int v = 0; v < n_vectors; ++v) column[v] = _mm512_loadu_ps(columns + v * panel_lanes);
#pragma GCC unroll 6
    for (int r = 0; r < rows_of_product; ++r) {
      const __m512 row = _mm512_set1_ps(rows[r]);
#pragma GCC unroll 4
      for (int v = 0; v < n_vectors; ++v) acc[r][v] = _mm512_fmadd_ps(row, column[v], acc[r][v]);
    }
    rows += rows_of_product;
    columns += n_vectors * panel_lanes;
  }
#pragma GCC unroll 6
  for (int r = 0; r < rows_of_product; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < n_vectors; ++v) {
      float* const sum = sums + r * max_panel_columns + v * panel_lanes;
      _mm512_storeu_ps(sum, _mm512_add_ps(_mm512_loadu_ps(sum), acc[r][v]));
    }
  }
}

/// Adds the products of 16 columns, in two vectors. `stride` is that of the panel's rows.
[[gnu::target("avx2,fma")]] void add_products_avx2(const float* rows, const float* columns,
                                                   std::int64_t depth, int stride,
                                                   float* sums) noexcept {
  __m256 acc[rows_of_product][2];
  for (auto& of_row : acc) of_row[0] = of_row[1] = _mm256_setzero_ps();
  for (std::int64_t k = 0; k < depth; ++k) {
    const __m256 first = _mm256_loadu_ps(columns);
    const __m256 second = _mm256_loadu_ps(columns + 8);
#pragma GCC unroll 6
    for (int r = 0; r < rows_of_product; ++r) {
      const __m256 row = _mm256_broadcast_ss(rows + r);
      acc[r][0] = _mm256_fmadd_ps(row, first, acc[r][0]);
      acc[r][1] = _mm256_fmadd_ps(row, second, acc[r][1]);
    }
    rows += rows_of_product;
    columns += stride;
  }
#pragma GCC unroll 6
  for (int r = 0; r < rows_of_product; ++r) {
    float* const sum = sums + r * max_panel_columns;
    _mm256_storeu_ps(sum, _mm256_add_ps(_mm256_loadu_ps(sum), acc[r][0]));
    _mm256_storeu_ps(sum + 8, _mm256_add_ps(_mm256_loadu_ps(sum + 8), acc[r][1]));
  }
}

#endif

/// Adds the products of 8 columns, in two vectors, on any processor. Without fused multiply-add,
/// the bound on the error is twice as large.
void add_products_of_all(const float* rows, const float* columns, std::int64_t depth, int stride,
                         float* sums) noexcept {
  using Four = VectorOf<float, 16>::unaligned;
  Four acc[rows_of_product][2]{};
  for (std::int64_t k = 0; k < depth; ++k) {
    const Four first = *reinterpret_cast<const Four*>(columns);
    const Four second = *reinterpret_cast<const Four*>(columns + 4);
#pragma GCC unroll 6
    for (int r = 0; r < rows_of_product; ++r) {
      acc[r][0] += rows[r] * first;
      acc[r][1] += rows[r] * second;
    }
    rows += rows_of_product;
    columns += stride;
  }
  for (int r = 0; r < rows_of_product; ++r) {
    float* const sum = sums + r * max_panel_columns;
    *reinterpret_cast<Four*>(sum) += acc[r][0];
    *reinterpret_cast<Four*>(sum + 4) += acc[r][1];
  }
}

}  // namespace

void add_products(const float* rows, const float* columns, std::int64_t depth, int n_vectors,
                  float* sums) noexcept {
#if WARPGRAPH_X86_64
  static const bool avx512 = has_avx512();
  if (avx512) {
    if (n_vectors == 4) return add_products_avx512<4>(rows, columns, depth, sums);
    if (n_vectors == 3) return add_products_avx512<3>(rows, columns, depth, sums);
    if (n_vectors == 2) return add_products_avx512<2>(rows, columns, depth, sums);
    return add_products_avx512<1>(rows, columns, depth, sums);
  }
  static const bool fused = has_avx2() && has_fma();
  if (fused) {
    for (int v = 0; v < n_vectors; ++v) {
      const int column = v * panel_lanes;
      add_products_avx2(rows, columns + column, depth, n_vectors * panel_lanes, sums + column);
    }
    return;
  }
#endif
  for (int column = 0; column < n_vectors * panel_lanes; column += 8) {
    add_products_of_all(rows, columns + column, depth, n_vectors * panel_lanes, sums + column);
  }
}

}  // namespace warpgraph
