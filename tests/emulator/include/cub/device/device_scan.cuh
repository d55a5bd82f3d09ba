// Stands in for CUB's header of this name.
#pragma once

#include "emulator/scratch.hpp"

#include <iterator>
#include <type_traits>

namespace cub {

struct DeviceScan {
  template <class In, class Out, class Op, class T, class N>
  static cudaError_t ExclusiveScan(void* scratch, std::size_t& bytes, In in, Out out, Op op, T init,
                                   N n, cudaStream_t stream = nullptr) {
    return emulator::run_algorithm(scratch, bytes, stream, [=] {
      T sum = init;
      for (N i = 0; i < n; ++i) {
        const T next = static_cast<T>(op(sum, in[i]));  // `in` and `out` may be the same
        out[i] = sum;
        sum = next;
      }
    });
  }
  template <class In, class Out, class Op, class N>
  static cudaError_t InclusiveScan(void* scratch, std::size_t& bytes, In in, Out out, Op op, N n,
                                   cudaStream_t stream = nullptr) {
    using T = std::remove_cv_t<typename std::iterator_traits<In>::value_type>;
    return emulator::run_algorithm(scratch, bytes, stream, [=] {
      T sum{};
      for (N i = 0; i < n; ++i) {
        sum = i == 0 ? static_cast<T>(in[i]) : static_cast<T>(op(sum, in[i]));
        out[i] = sum;
      }
    });
  }
  template <class In, class Out, class N>
  static cudaError_t ExclusiveSum(void* scratch, std::size_t& bytes, In in, Out out, N n,
                                  cudaStream_t stream = nullptr) {
    using T = std::remove_cv_t<typename std::iterator_traits<In>::value_type>;
    return ExclusiveScan(
        scratch, bytes, in, out, [](T a, T b) { return a + b; }, T{}, n, stream);
  }
  template <class In, class Out, class N>
  static cudaError_t InclusiveSum(void* scratch, std::size_t& bytes, In in, Out out, N n,
                                  cudaStream_t stream = nullptr) {
    using T = std::remove_cv_t<typename std::iterator_traits<In>::value_type>;
    return InclusiveScan(
        scratch, bytes, in, out, [](T a, T b) { return a + b; }, n, stream);
  }
};

}  // namespace cub
