// The sum of weights on a device, bit for bit that of sum_weights(): digits of doubles and halves
// of integers are added as integers, so the order does not matter. A forest has its edges in the
// order of their weights, so the exponents that a thread meets seldom change: until one does, it
// adds in registers.
#include "algorithms/mst/forest/device_forest.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/exact_sum.hpp"

#include <algorithm>
#include <limits>

namespace warpgraph {
namespace {

/// Sums of digits, by their places; the numbers of values that are not finite.
struct FloatSums {
  static constexpr int n_digits = static_cast<int>(ExactSum::n_digits);
  std::int64_t digits[n_digits];
  std::int32_t n_positive_infinities;
  std::int32_t n_negative_infinities;
  std::int32_t n_nans;
};

__device__ void add_to(std::int64_t& sum, std::int64_t value) {
  if (value == 0) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&sum), static_cast<unsigned long long>(value));
}

/// Sums of three digits in registers, whose places are first, first + 1 and first + 2.
struct DigitsOfThread {
  std::int32_t first = 0;
  std::int64_t digits[3] = {};

  __device__ void add(const DigitsOfDouble& summand, std::int64_t* sums) {
    if (summand.first != first) flush(sums);
    first = summand.first;
    for (int i = 0; i < 3; ++i) digits[i] += summand.digits[i];
  }
  __device__ void flush(std::int64_t* sums) {
    for (int i = 0; i < 3; ++i) {
      add_to(sums[first + i], digits[i]);
      digits[i] = 0;
    }
  }
};

template <class W>
__global__ void sum_float_weights(const W* weights, std::int64_t n, FloatSums* sums) {
  __shared__ std::int64_t of_block[FloatSums::n_digits];
  for (unsigned i = threadIdx.x; i < FloatSums::n_digits; i += blockDim.x) of_block[i] = 0;
  __syncthreads();
  DigitsOfThread mine;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = cuda::global_index(); i < n; i += stride) {
    const double weight = weights[i];
    const DigitsOfDouble digits(weight);
    if (digits.is_finite) {
      mine.add(digits, of_block);
    } else if (weight > 0) {
      atomicAdd(&sums->n_positive_infinities, 1);
    } else if (weight < 0) {
      atomicAdd(&sums->n_negative_infinities, 1);
    } else {
      atomicAdd(&sums->n_nans, 1);
    }
  }
  mine.flush(of_block);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < FloatSums::n_digits; i += blockDim.x) {
    add_to(sums->digits[i], of_block[i]);
  }
}

template <class W>
__global__ void sum_integer_weights(const W* weights, std::int64_t n, IntegerSum* sum) {
  IntegerSum mine;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = cuda::global_index(); i < n; i += stride) {
    const std::int64_t weight = weights[i];
    mine.high += weight >> 32;
    mine.low += weight & 0xffffffff;
  }
  mine.high = cuda::warp_sum(mine.high);
  mine.low = cuda::warp_sum(mine.low);
  if (cuda::lane() != 0) return;
  add_to(sum->high, mine.high);
  add_to(sum->low, mine.low);
}

/// Returns what a kernel adds to sums that are zero.
template <class Sums, class W>
Sums sums_by(void (*kernel)(const W*, std::int64_t, Sums*), std::span<const W> weights,
             const cuda::Stream& stream) {
  const cuda::DeviceBuffer<Sums> sums(1, stream);
  cuda::fill_bytes(sums.data(), 0, 1, stream);
  constexpr unsigned threads = cuda::threads_per_block;
  const std::int64_t n = std::ssize(weights);
  const std::int64_t blocks =
      std::min((n + threads - 1) / threads, cuda::resident_blocks(stream, kernel, threads, 0));
  cuda::launch(stream, blocks, threads, 0, kernel, weights.data(), n, sums.data());
  return cuda::read_back(sums.data(), stream);
}

double value_of(const FloatSums& sums) {
  constexpr double inf = infinity<double>();
  ExactSum total;
  total.add_digits(sums.digits);
  if (sums.n_positive_infinities != 0) total.add(inf);
  if (sums.n_negative_infinities != 0) total.add(-inf);
  if (sums.n_nans != 0) total.add(std::numeric_limits<double>::quiet_NaN());
  return total.value();
}

}  // namespace

template <class W>
SumOfWeights<W> sum_weights_cuda(std::span<const W> weights, const cuda::Stream& stream) {
  if constexpr (std::is_floating_point_v<W>) {
    return value_of(sums_by(sum_float_weights<W>, weights, stream));
  } else {
    return sums_by(sum_integer_weights<W>, weights, stream);
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sum_weights_cuda)

}  // namespace warpgraph
