// Stands in for CUB's header of this name.
#pragma once

#include "emulator/scratch.hpp"

#include <iterator>
#include <limits>
#include <type_traits>

namespace cub {

struct DeviceReduce {
  template <class In, class Out, class N, class Op, class T>
  static cudaError_t Reduce(void* scratch, std::size_t& bytes, In in, Out out, N n, Op op, T init,
                            cudaStream_t stream = nullptr) {
    return emulator::run_algorithm(scratch, bytes, stream, [=] {
      T result = init;
      for (N i = 0; i < n; ++i) result = static_cast<T>(op(result, in[i]));
      *out = result;
    });
  }
  template <class In, class Out, class N>
  static cudaError_t Sum(void* scratch, std::size_t& bytes, In in, Out out, N n,
                         cudaStream_t stream = nullptr) {
    using T = value_of<In>;
    return Reduce(
        scratch, bytes, in, out, n, [](T a, T b) { return a + b; }, T{}, stream);
  }
  template <class In, class Out, class N>
  static cudaError_t Min(void* scratch, std::size_t& bytes, In in, Out out, N n,
                         cudaStream_t stream = nullptr) {
    using T = value_of<In>;
    return Reduce(
        scratch, bytes, in, out, n, [](T a, T b) { return b < a ? b : a; },
        std::numeric_limits<T>::max(), stream);
  }
  template <class In, class Out, class N>
  static cudaError_t Max(void* scratch, std::size_t& bytes, In in, Out out, N n,
                         cudaStream_t stream = nullptr) {
    using T = value_of<In>;
    return Reduce(
        scratch, bytes, in, out, n, [](T a, T b) { return a < b ? b : a; },
        std::numeric_limits<T>::lowest(), stream);
  }

 private:
  template <class In>
  using value_of = std::remove_cv_t<typename std::iterator_traits<In>::value_type>;
};

}  // namespace cub
