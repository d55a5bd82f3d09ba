// k-means++ on a GPU. Candidates, trees and chosen centres stay on the device: the host only
// launches kernels.
#include "algorithms/kmeans/starts/plus_plus.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/warp.cuh"

#include <string>

namespace warpgraph {
namespace {

using namespace kmeans_detail;

/// The state of a search in device memory.
template <class T>
struct Draws {
  WeightedPoints<T> points;
  TreeShape shape;
  std::int64_t n_trials;
  T* distances;          // to the nearest centre but the last one
  double* trees;         // one for each trial
  vertex_t* candidates;  // one for each trial
  vertex_t* chosen;
  std::int64_t* best;  // whose tree has the values that the chosen centres leave

  [[nodiscard]] __device__ double* tree(std::int64_t trial) const {
    return trees + trial * shape.n_nodes;
  }
};

/// Sums n_trials rows of fan_out values in pairs, as sum_in_pairs does. A warp takes a row;
/// store(row, sum) is called by one thread.
template <class ValueOf, class Store>
__device__ void sum_rows_in_pairs(std::int64_t n_rows, ValueOf&& value, Store&& store) {
  static_assert(fan_out == 4 * cuda::warp_lanes);
  const int lane = cuda::lane();
  for (std::int64_t row = threadIdx.x / cuda::warp_lanes; row < n_rows;
       row += blockDim.x / cuda::warp_lanes) {
    const double even = value(row, lane) + value(row, lane + 2 * cuda::warp_lanes);
    const double odd =
        value(row, lane + cuda::warp_lanes) + value(row, lane + 3 * cuda::warp_lanes);
    double sum = even + odd;
    for (int half = cuda::warp_lanes / 2; half > 0; half /= 2) {
      sum += __shfl_down_sync(cuda::all_lanes, sum, half);
    }
    if (lane == 0) store(row, sum);
  }
}

/// Lowers the distances by the chosen centre `last`, if >= 0, and sums the values that each
/// candidate would leave, or with `has_candidates` false the values as they are. A block takes a
/// node, a thread a point.
template <class T>
__global__ void sum_values(Draws<T> draws, std::int64_t last, bool has_candidates) {
  double* const values = cuda::dynamic_shared<double>();  // fan_out for each trial
  const WeightedPoints<T>& points = draws.points;
  const std::int64_t n_trials = has_candidates ? draws.n_trials : 1;
  const std::int64_t p = cuda::global_index();
  const bool is_point = p < points.n_points;
  T nearest = is_point ? draws.distances[p] : T(0);
  if (is_point && last >= 0) {
    nearest = min(
        nearest, squared_distance(points.row(p), points.row(draws.chosen[last]), points.dimension));
    draws.distances[p] = nearest;
  }
  for (std::int64_t t = 0; t < n_trials; ++t) {
    T distance = nearest;
    if (is_point && has_candidates) {
      distance = min(nearest, squared_distance(points.row(p), points.row(draws.candidates[t]),
                                               points.dimension));
    }
    values[t * fan_out + threadIdx.x] = is_point ? value_of(points, p, distance) : 0.0;
  }
  __syncthreads();
  sum_rows_in_pairs(
      n_trials, [&](std::int64_t t, int i) { return values[t * fan_out + i]; },
      [&](std::int64_t t, double sum) { draws.tree(t)[blockIdx.x] = sum; });
}

/// Sums the nodes of a level below. A block takes a node of `level`.
template <class T>
__global__ void sum_level(Draws<T> draws, int level, std::int64_t n_trials) {
  const std::int64_t first = std::int64_t{blockIdx.x} * fan_out;
  const std::int64_t below = draws.shape.begin[level - 1];
  const std::int64_t size = draws.shape.size[level - 1];
  sum_rows_in_pairs(
      n_trials,
      [&](std::int64_t t, int i) {
        return first + i < size ? draws.tree(t)[below + first + i] : 0.0;
      },
      [&](std::int64_t t, double sum) {
        draws.tree(t)[draws.shape.begin[level] + blockIdx.x] = sum;
      });
}

/// Draws a candidate for each trial; a block takes one. `last` is as for sum_values.
template <class T>
__global__ void draw_candidates(Draws<T> draws, const double* uniforms, std::int64_t last) {
  __shared__ double values[fan_out];
  __shared__ double rest;
  __shared__ std::int64_t node;  // -1: all values are 0
  const WeightedPoints<T>& points = draws.points;
  const double* const tree = draws.tree(*draws.best);
  const TreeShape& shape = draws.shape;
  if (threadIdx.x == 0) {
    rest = uniforms[blockIdx.x] * tree[shape.n_nodes - 1];
    node = 0;
  }
  for (int level = shape.n_levels - 2; level >= -1; --level) {
    __syncthreads();
    const bool are_points = level < 0;
    const std::int64_t first = node * fan_out;
    const std::int64_t end = are_points ? points.n_points : shape.size[level];
    const std::int64_t i = first + threadIdx.x;
    double value = 0;
    if (i < end && !are_points) value = tree[shape.begin[level] + i];
    if (i < end && are_points) {
      T distance = draws.distances[i];
      if (last >= 0) {
        distance = min(distance, squared_distance(points.row(i), points.row(draws.chosen[last]),
                                                  points.dimension));
      }
      value = value_of(points, i, distance);
    }
    values[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
      const auto count = static_cast<int>(min(std::int64_t{fan_out}, end - first));
      const int child = choose_child(values, count, rest);
      node = child < 0 ? -1 : first + child;
    }
    __syncthreads();
    if (node < 0) break;
  }
  if (threadIdx.x == 0) {
    const vertex_t otherwise = last >= 0 ? draws.chosen[0] : 0;
    draws.candidates[blockIdx.x] = node < 0 ? otherwise : static_cast<vertex_t>(node);
  }
}

/// A loop body that chooses the candidate that leaves the least sum.
template <class T>
struct ChooseBest {
  Draws<T> draws;
  std::int64_t n_trials;
  std::int64_t centre;
  __device__ void operator()(std::int64_t) const {
    const std::int64_t root = draws.shape.n_nodes - 1;
    std::int64_t best = 0;
    for (std::int64_t t = 1; t < n_trials; ++t) {
      if (draws.tree(t)[root] < draws.tree(best)[root]) best = t;
    }
    *draws.best = best;
    draws.chosen[centre] = draws.candidates[best];
  }
};

template <class T>
class DevicePlusPlus {
 public:
  DevicePlusPlus(const WeightedPoints<T>& points, vertex_t k, std::span<const double> uniforms,
                 const cuda::Stream& stream)
      : stream_(stream),
        k_(k),
        n_trials_(trials_of(std::ssize(uniforms), k)),
        shape_(points.n_points),
        uniforms_(cuda::to_device(uniforms, stream)),
        distances_(static_cast<std::size_t>(points.n_points), stream),
        trees_(static_cast<std::size_t>(n_trials_ * shape_.n_nodes), stream),
        candidates_(static_cast<std::size_t>(n_trials_), stream),
        chosen_(static_cast<std::size_t>(k), stream),
        best_(1, stream),
        draws_{points,         shape_,
               n_trials_,      distances_.data(),
               trees_.data(),  candidates_.data(),
               chosen_.data(), best_.data()} {}

  std::vector<vertex_t> run() {
    const std::int64_t n = draws_.points.n_points;
    cuda::fill(best_.data(), std::int64_t{0}, 1, stream_);
    cuda::fill(distances_.data(), T(1), n, stream_);
    sum(-1, 0);
    choose(0, 1);
    cuda::fill(distances_.data(), infinity<T>(), n, stream_);
    draws_.n_trials = 1;  // the values that the first centre leaves, as of a single candidate
    sum(-1, 1);
    draws_.n_trials = n_trials_;
    for (std::int64_t c = 1; c < k_; ++c) {
      poll();
      choose(c, n_trials_);
    }
    return cuda::to_host<std::vector<vertex_t>>(chosen_.data(), chosen_.size(), stream_);
  }

 private:
  /// Draws candidates for a centre, and chooses one.
  void choose(std::int64_t centre, std::int64_t n_trials) {
    const std::int64_t drawn = centre == 0 ? 0 : 1 + (centre - 1) * n_trials_;
    cuda::launch(stream_, n_trials, fan_out, 0, draw_candidates<T>, draws_,
                 uniforms_.data() + drawn, centre - 1);
    if (centre > 0) sum(centre - 1, n_trials);
    cuda::for_each(stream_, 1, ChooseBest<T>{draws_, centre > 0 ? n_trials : 1, centre});
  }

  /// Sums values. `last` is the centre by which distances are lowered, or -1; n_trials 0: without
  /// candidates.
  void sum(std::int64_t last, std::int64_t n_trials) {
    const std::int64_t n_rows = std::max<std::int64_t>(n_trials, 1);
    const std::size_t shared = static_cast<std::size_t>(n_rows) * fan_out * sizeof(double);
    cuda::launch(stream_, shape_.size[0], fan_out, shared, sum_values<T>, draws_, last,
                 n_trials > 0);
    for (int level = 1; level < shape_.n_levels; ++level) {
      cuda::launch(stream_, shape_.size[static_cast<std::size_t>(level)], fan_out, 0, sum_level<T>,
                   draws_, level, n_rows);
    }
  }

  const cuda::Stream& stream_;
  std::int64_t k_;
  std::int64_t n_trials_;
  TreeShape shape_;
  cuda::DeviceBuffer<double> uniforms_;
  cuda::DeviceBuffer<T> distances_;
  cuda::DeviceBuffer<double> trees_;
  cuda::DeviceBuffer<vertex_t> candidates_;
  cuda::DeviceBuffer<vertex_t> chosen_;
  cuda::DeviceBuffer<std::int64_t> best_;
  Draws<T> draws_;
};

}  // namespace

template <class T>
std::vector<vertex_t> plus_plus_points_cuda(const WeightedPoints<T>& points, vertex_t k,
                                            std::span<const double> uniforms, MemoryBudget budget,
                                            const cuda::Stream& stream) {
  budget.require(need_of_plus_plus<T>(points.n_points, k, std::ssize(uniforms)));
  return DevicePlusPlus<T>(points, k, uniforms, stream).run();
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(plus_plus_points_cuda)

}  // namespace warpgraph
