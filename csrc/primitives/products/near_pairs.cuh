// Candidates for the k nearest neighbours of points, or of queries among points, from products of
// panels.
//
// A product gives bounds of a pair's square (panel_scale.hpp). Points are considered in rounds,
// each of three times as many points as all before. The k-th least upper bound of a query so far
// bounds the square of its last neighbour: in the next round, only pairs with a lower bound that is
// not above it become candidates. As the order of points is as good as random, these are about 3 k
// a round whatever the points are, so that lists of a fixed size suffice. The lists of points with
// many copies may not, nor those of clusters that are narrower than the error; these are left out
// and counted, and so are queries out of range.
#pragma once

#include "core/cuda/warp.cuh"
#include "core/interrupt.hpp"
#include "primitives/products/device_panels.cuh"
#include "primitives/products/on_devices.hpp"

#include <cuda_pipeline_primitives.h>

#include <cmath>

namespace warpgraph::products {

/// The number of times as many points as before that have been considered after a round.
inline constexpr int growth = 4;

/// Returns the size of a list: k neighbours, the (growth - 1) k candidates that a round is expected
/// to add, and more than six standard deviations.
inline int list_size(int k) {
  const int most = growth * k + static_cast<int>(6 * growth * std::sqrt(static_cast<double>(k)));
  return (most + panel_width) / panel_width * panel_width;
}

struct alignas(8) Candidate {
  float low;  // lower bound of the square, less that of the query's length
  std::int32_t position;
};

/// View of the candidates of the points of some panels: the i-th of the query at position
/// first_position + q is at candidates[q * size + i].
struct CandidateLists {
  Candidate* candidates;
  int* count;    // more than `size` if some did not fit
  float* limit;  // of the lower bounds; inf until k have been found
  std::int64_t first_position;
  std::int64_t n_queries;
  int size;
  bool are_own;  // whether queries are the points, and no neighbours of themselves

  [[nodiscard]] __device__ bool is_full(std::int64_t q) const { return count[q] > size; }
};

struct alignas(16) [[gnu::may_alias]] FourFloats {
  float at[4];
};

inline constexpr unsigned product_threads = 256;
inline constexpr int sums_per_side = 8;  // of a thread, in two groups of four

/// The slices of two panels in shared memory.
struct PanelSlices {
  static constexpr int n_stages = 3;
  FourFloats queries[n_stages][panel_step * panel_width / 4];
  FourFloats points[n_stages][panel_step * panel_width / 4];

  /// Begins to load a slice of both; all threads of the block call it.
  __device__ void load(int stage, const float* from_queries, const float* from_points) {
    const unsigned i = threadIdx.x;  // there are as many threads as vectors
    __pipeline_memcpy_async(&queries[stage][i], from_queries + 4 * i, sizeof(FourFloats));
    __pipeline_memcpy_async(&points[stage][i], from_points + 4 * i, sizeof(FourFloats));
  }
};
static_assert(panel_step * panel_width == 4 * product_threads);

/// Adds the products of all pairs of two panels. Of queries, the thread (row, column) has the four
/// from 4 row on and the four from 64 + 4 row on; of points, those of its column likewise.
__device__ __forceinline__ void multiply_panels(const float* queries, const float* points,
                                                std::int64_t depth, PanelSlices& slices,
                                                unsigned row, unsigned column,
                                                float (&sums)[sums_per_side][sums_per_side]) {
  constexpr int slice = panel_step * panel_width;
  constexpr int stages = PanelSlices::n_stages;
  const int n_steps = static_cast<int>(depth) / panel_step;
#pragma unroll
  for (int step = 0; step < stages - 1; ++step) {
    if (step < n_steps) slices.load(step, queries + step * slice, points + step * slice);
    __pipeline_commit();
  }
  for (int step = 0; step < n_steps; ++step) {
    __pipeline_wait_prior(stages - 2);
    __syncthreads();  // the slice is there, and all are done with the one that is replaced
    const int next = step + stages - 1;
    if (next < n_steps) {
      slices.load(next % stages, queries + std::int64_t{next} * slice,
                  points + std::int64_t{next} * slice);
    }
    __pipeline_commit();
#pragma unroll
    for (int k = 0; k < panel_step; ++k) {
      const FourFloats* const a = slices.queries[step % stages] + k * (panel_width / 4);
      const FourFloats* const b = slices.points[step % stages] + k * (panel_width / 4);
      const FourFloats a_parts[2] = {a[row], a[row + 16]};
      const FourFloats b_parts[2] = {b[column], b[column + 16]};
#pragma unroll
      for (int i = 0; i < sums_per_side; ++i) {
#pragma unroll
        for (int j = 0; j < sums_per_side; ++j) {
          sums[i][j] = fmaf(a_parts[i / 4].at[i % 4], b_parts[j / 4].at[j % 4], sums[i][j]);
        }
      }
    }
  }
}

/// Collects the candidates among the pairs of the lists' queries and the points of panels from
/// `first_panel` on. A block multiplies two panels. Blocks with the same points are neighbours, so
/// that they read these from the L2 cache. `kept`: the part of a square that its error leaves.
///
/// `is_first`: there are no limits yet, and the candidate from position p is at p in its list.
template <bool is_first>
__global__ void __launch_bounds__(product_threads, 2)
    collect_candidates(Panels queries, Panels points, CandidateLists lists,
                       std::int64_t first_panel, float kept) {
  __shared__ PanelSlices slices;
  const std::int64_t query_panels = lists.n_queries / panel_width;
  const std::int64_t of_queries = blockIdx.x % query_panels;
  const std::int64_t of_points = first_panel + blockIdx.x / query_panels;
  const unsigned row = threadIdx.x / 16;
  const unsigned column = threadIdx.x % 16;
  float sums[sums_per_side][sums_per_side] = {};
  multiply_panels(queries.panel(lists.first_position / panel_width + of_queries),
                  points.panel(of_points), points.depth, slices, row, column, sums);
  const auto place = [](unsigned of, int i) {
    return i / 4 * 64 + static_cast<int>(of) * 4 + i % 4;
  };
  float squares[sums_per_side];
#pragma unroll
  for (int j = 0; j < sums_per_side; ++j) {
    squares[j] = points.squares[of_points * panel_width + place(column, j)] * kept;
  }
#pragma unroll
  for (int i = 0; i < sums_per_side; ++i) {
    const std::int64_t query = of_queries * panel_width + place(row, i);
    const float limit = is_first ? infinity<float>() : lists.limit[query];
#pragma unroll
    for (int j = 0; j < sums_per_side; ++j) {
      const std::int64_t point = of_points * panel_width + place(column, j);
      const float low = fmaf(-2.0F, sums[i][j], squares[j]);
      const bool is_other =
          point < points.n_points && !(lists.are_own && point == lists.first_position + query);
      if constexpr (is_first) {
        lists.candidates[query * lists.size + point] = {is_other ? low : infinity<float>(),
                                                        static_cast<std::int32_t>(point)};
      } else if (low <= limit && is_other) {
        const int at = atomicAdd(lists.count + query, 1);
        if (at < lists.size) {
          lists.candidates[query * lists.size + at] = {low, static_cast<std::int32_t>(point)};
        }
      }
    }
  }
}

/// Returns the unsigned number that has the place of a float in their order.
__device__ inline unsigned order_of(float number) {
  const unsigned bits = __float_as_uint(number);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
}
__device__ inline float number_at(unsigned order) {
  return __uint_as_float((order >> 31) != 0 ? order & 0x7fffffffU : ~order);
}

/// Returns the k-th least of `count` numbers in shared memory, bit by bit. All lanes of a warp call
/// it.
__device__ inline float kth_least(const unsigned* orders, int count, int k) {
  unsigned found = 0;
  for (int bit = 31; bit >= 0; --bit) {
    const unsigned middle = found | 1U << bit;
    int below = 0;
    for (int i = cuda::lane(); i < count; i += cuda::warp_lanes) {
      below += orders[i] < middle ? 1 : 0;
    }
    below = cuda::warp_sum(below);
    if (below < k) found = middle;
  }
  return number_at(found);
}

/// Returns the least float that is not below a number.
__device__ inline float rounded_up(double number) {
  const auto nearest = static_cast<float>(number);
  return static_cast<double>(nearest) >= number ? nearest : nextafterf(nearest, infinity<float>());
}

/// Returns the limit of lower bounds if k candidates have at most the upper bound `high`; inf if
/// keys may be inf, whose order is that of ids.
__device__ inline float limit_of(float high, float square_of_query, const SquareErrors& errors) {
  const double square = static_cast<double>(square_of_query);
  const double largest =
      (1 + errors.of_square) * square + static_cast<double>(high) + SquareErrors::least;
  const double key = errors.largest_key(largest);
  if (!(key < errors.largest_finite_key)) return infinity<float>();
  return rounded_up(errors.largest_square(key) - (1 - errors.of_square) * square +
                    SquareErrors::least);
}

inline constexpr unsigned warps_of_lists = 4;

/// Lowers the limits of queries, a warp each, and drops the candidates beyond. A list that was too
/// small, and that of a query out of range, gets a limit that no pair meets.
static __global__ void tighten_limits(Panels queries, Panels points, CandidateLists lists, int k,
                                      SquareErrors errors) {
  const unsigned warp = threadIdx.x / cuda::warp_lanes;
  const std::int64_t query = cuda::global_warp();
  if (query >= lists.n_queries) return;
  const float square = queries.squares[lists.first_position + query];
  if (lists.is_full(query) || !(square >= 0)) {
    if (cuda::lane() != 0) return;
    lists.limit[query] = -infinity<float>();
    lists.count[query] = lists.size + 1;
    return;
  }
  unsigned* const orders =
      cuda::dynamic_shared<unsigned>() + static_cast<std::int64_t>(warp) * lists.size;
  Candidate* const list = lists.candidates + query * lists.size;
  const int count = lists.count[query];
  const auto error = static_cast<float>(2 * errors.of_square * (1 + 1e-6));
  for (int i = cuda::lane(); i < count; i += cuda::warp_lanes) {
    const Candidate candidate = list[i];
    orders[i] = order_of(fmaf(points.squares[candidate.position], error, candidate.low));
  }
  __syncwarp();
  float limit = lists.limit[query];
  if (count >= k) {
    const float high = kth_least(orders, count, k);
    limit = min(limit, limit_of(high, square, errors));
  }
  int n_kept = 0;
  for (int first = 0; first < count; first += cuda::warp_lanes) {
    const int i = first + cuda::lane();
    const Candidate candidate = i < count ? list[i] : Candidate{infinity<float>(), 0};
    const bool stays = i < count && candidate.low <= limit && candidate.low < infinity<float>();
    const unsigned staying = __ballot_sync(cuda::all_lanes, stays);
    __syncwarp();  // all have read theirs
    if (stays) list[n_kept + __popc(staying & cuda::lanemask_lt())] = candidate;
    n_kept += __popc(staying);
    __syncwarp();
  }
  if (cuda::lane() != 0) return;
  lists.limit[query] = limit;
  lists.count[query] = n_kept;
}

/// The memory of the candidates of up to `n_queries` points, and the rounds that collect them.
class CandidateSearch {
 public:
  /// `queries` may be the panels of the points themselves.
  CandidateSearch(const Panels& queries, const Panels& points, const SquareErrors& errors,
                  std::int64_t n_queries, int k, const cuda::Stream& stream)
      : queries_(queries),
        points_(points),
        errors_(errors),
        k_(k),
        stream_(stream),
        candidates_(static_cast<std::size_t>(n_queries * list_size(k)), stream),
        counts_(static_cast<std::size_t>(n_queries), stream),
        limits_(static_cast<std::size_t>(n_queries), stream) {}

  static std::size_t bytes(std::size_t n_queries, int k) {
    return n_queries * (static_cast<std::size_t>(list_size(k)) * sizeof(Candidate) + sizeof(int) +
                        sizeof(float));
  }

  /// Collects the candidates of the points of some panels.
  CandidateLists run(std::int64_t first_panel, std::int64_t last_panel) const {
    const CandidateLists lists{candidates_.data(),
                               counts_.data(),
                               limits_.data(),
                               first_panel * panel_width,
                               (last_panel - first_panel) * panel_width,
                               list_size(k_),
                               queries_.coordinates == points_.coordinates};
    const std::int64_t first_round =
        std::min<std::int64_t>(lists.size / panel_width, points_.n_panels);
    cuda::fill(lists.count, static_cast<int>(first_round) * panel_width, lists.n_queries, stream_);
    cuda::fill(lists.limit, infinity<float>(), lists.n_queries, stream_);
    collect<true>(lists, 0, first_round);
    for (std::int64_t seen = first_round; seen < points_.n_panels;) {
      const std::int64_t end = std::min(growth * seen, points_.n_panels);
      collect<false>(lists, seen, end);
      seen = end;
    }
    return lists;
  }

 private:
  /// Multiply-adds of a launch: about a hundredth of a second.
  static constexpr std::int64_t work_per_launch = std::int64_t{1} << 38;

  template <bool is_first>
  void collect(const CandidateLists& lists, std::int64_t first, std::int64_t last) const {
    const auto kept = static_cast<float>(1 - errors_.of_square);
    const std::int64_t of_panel = lists.n_queries * panel_width * points_.depth;
    const std::int64_t at_once = std::max<std::int64_t>(work_per_launch / of_panel, 1);
    for (std::int64_t panel = first; panel < last; panel += at_once) {
      stream_.synchronize();
      poll();
      const std::int64_t n_panels = std::min(at_once, last - panel);
      cuda::launch(stream_, n_panels * (lists.n_queries / panel_width), product_threads, 0,
                   collect_candidates<is_first>, queries_, points_, lists, panel, kept);
    }
    cuda::launch(stream_, (lists.n_queries + warps_of_lists - 1) / warps_of_lists,
                 warps_of_lists * cuda::warp_lanes,
                 warps_of_lists * static_cast<std::size_t>(lists.size) * sizeof(unsigned),
                 tighten_limits, queries_, points_, lists, k_, errors_);
  }

  Panels queries_;
  Panels points_;
  SquareErrors errors_;
  int k_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<Candidate> candidates_;
  cuda::DeviceBuffer<int> counts_;
  cuda::DeviceBuffer<float> limits_;
};

}  // namespace warpgraph::products
