// All pairs on a CUDA device: the driver where its memory holds the whole matrix, and the choice of
// the streamed method where it does not.
#include "algorithms/apsp/device_trees.hpp"
#include "algorithms/apsp/streamed/streamed.hpp"
#include "algorithms/apsp/survey.hpp"
#include "algorithms/apsp/tiles/device_rounds.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/derived_cache.hpp"
#include "core/cuda/memory/staging.hpp"
#include "core/memory/host_pages.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <optional>

namespace warpgraph {
namespace {

using namespace apsp_steps;

struct Findings {
  std::int64_t too_far;  // as in write_result()
  vertex_t negative;     // as in RoundsAhead
};

template <Lane lane, class R>
class ApspOnCuda {
 public:
  ApspOnCuda(const CsrView<R>& graph, const CsrView<R>& host, const ApspOptions& options,
             ApspResult<R> result, const cuda::Stream& stream)
      : graph_(graph), host_(host), options_(options), result_(result), stream_(stream) {
    side_ = matrix_side(graph.n_vertices, options.method);
    rows_a_piece_ = std::clamp<std::int64_t>(numbers_a_piece / n_vertices(), 1, n_vertices());
  }

  /// Whether there is memory for the matrix.
  [[nodiscard]] bool fits() const { return bytes_needed() <= budget().available(); }

  /// Returns whether predecessors were written.
  bool run() {
    const bool has_trees = plan_trees();
    budget().require("the matrix of all pairs' distances in the making", bytes_needed(),
                     "raise memory_limit, or use device=\"cpu\"");
    make_matrix();
    RoundsAhead ahead(&findings_.data()->negative, stream_);
    work_off_rounds(ahead);
    if (result_.on_device) write_on_device();  // at once, although it may be in vain
    if (has_trees) trees_.emplace(host_, options_, result_, rows_a_piece_, stream_);
    run_crew([&] {
      map_results();
      ahead.finish();
      hand_over();
    });
    if constexpr (lane == Lane::wide) {
      if (result_.on_device) check_rows_of_device();
    }
    check_range();
    if (trees_) trees_->finish();
    return trees_.has_value();
  }

 private:
  using Value = LaneValue<lane>;
  /// Numbers that go to the host at a time, enough to be converted at the device's full rate.
  static constexpr std::int64_t numbers_a_piece = 8 << 20;
  /// That predecessors are worthwhile for: a warp has a lane for each.
  static constexpr std::int64_t fewest_rows_a_piece = 32;

  [[nodiscard]] std::int64_t n_vertices() const { return graph_.n_vertices; }
  [[nodiscard]] LaneRectangle<lane> matrix() const {
    if constexpr (in_place<lane, R>) {
      if (is_in_place()) return {result_.distances, result_.row_stride, side_, side_};
    }
    return {matrix_.data(), side_, side_, side_};
  }
  /// Whether the matrix lies where the result goes: so it does where tiles fit there.
  [[nodiscard]] bool is_in_place() const {
    if (!in_place<lane, R> || !result_.on_device || side_ != n_vertices()) return false;
    return is_aligned(Rectangle<R>{result_.distances, result_.row_stride, side_, side_});
  }
  [[nodiscard]] LaneRectangle<lane> rows(std::int64_t first, std::int64_t n) const {
    return matrix().part(first, 0, n, n_vertices());
  }

  [[nodiscard]] std::int64_t* too_far() const { return &findings_.data()->too_far; }

  [[nodiscard]] MemoryBudget budget() const {
    return MemoryBudget(stream_.device(), options_.memory_limit);
  }
  [[nodiscard]] std::size_t bytes_needed() const {
    const std::size_t of_matrix =
        is_in_place() ? 0 : static_cast<std::size_t>(side_ * side_) * sizeof(Value);
    const std::size_t of_piece =
        result_.on_device && lane != Lane::wide
            ? 0
            : static_cast<std::size_t>(rows_a_piece_ * n_vertices()) * sizeof(R);
    return of_matrix + of_piece + bytes_of_rounds(graph_.n_vertices);
  }

  /// Whether predecessors can be found beside the distances; pieces become smaller for them.
  bool plan_trees() {
    if (result_.predecessors == nullptr || options_.negative_weights) return false;
    const MemoryBudget all = budget();
    const std::int64_t at_most = rows_a_piece_;
    for (;; rows_a_piece_ = (rows_a_piece_ + 1) / 2) {
      if (all.has(bytes_needed() + DeviceTrees<R>::bytes_needed(host_, rows_a_piece_))) return true;
      if (rows_a_piece_ <= fewest_rows_a_piece) break;
    }
    rows_a_piece_ = at_most;
    return false;
  }

  void make_matrix() {
    if (!is_in_place()) matrix_ = {static_cast<std::size_t>(side_ * side_), stream_};
    findings_ = {1, stream_};
    cuda::fill(findings_.data(), Findings{infinity<std::int64_t>(), no_vertex}, 1, stream_);
    write_arcs<lane, R>(graph_, 0, 0, matrix(), stream_);
  }

  /// While the device is busy.
  void map_results() const {
    const auto n = static_cast<std::size_t>(n_vertices() * n_vertices());
    if (result_.is_fresh && !result_.on_device) map_pages(result_.distances, n * sizeof(R));
    if (trees_) map_pages(result_.predecessors, n * sizeof(vertex_t));
  }

  void work_off_rounds(RoundsAhead& ahead) const {
    vertex_t* const negative = &findings_.data()->negative;
    if (options_.method == ApspMethod::naive) {
      run_naive_rounds<lane>(matrix(), graph_.n_vertices, negative, ahead, stream_);
    } else {
      run_blocked_rounds<lane>(matrix(), tile_side(graph_.n_vertices), options_.negative_weights,
                               negative, ahead, stream_);
    }
  }

  void write_on_device() const {
    if (is_result<lane, R> && is_in_place()) return;
    write_result<lane, R>(rows(0, n_vertices()),
                          {result_.distances, result_.row_stride, n_vertices(), n_vertices()}, 0, 0,
                          too_far(), stream_);
  }

  /// Calls use(rows, first, n) for pieces of the result, as wide as it is, on the device.
  template <class Use>
  void for_each_piece(Use&& use) const {
    const cuda::DeviceBuffer<R> piece(static_cast<std::size_t>(rows_a_piece_ * n_vertices()),
                                      stream_);
    for (std::int64_t first = 0; first < n_vertices(); first += rows_a_piece_) {
      const std::int64_t n = std::min(rows_a_piece_, n_vertices() - first);
      write_result<lane, R>(rows(first, n), {piece.data(), n_vertices(), n, n_vertices()}, first, 0,
                            too_far(), stream_);
      use(piece.data(), first, n);
      poll();
    }
  }

  void hand_over() {
    cuda::Staging staging(stream_.device());
    if (trees_) {
      const auto distances = rows(0, n_vertices());
      if constexpr (std::is_same_v<Value, R> && std::is_floating_point_v<R>) {
        trees_->set_sums(false, distances.data, distances.stride);
      } else {
        trees_->set_sums(true, nullptr, 0);
      }
    }
    if (!result_.on_device) {
      copy_to_host(staging);
    } else if (trees_) {
      hang_on_device(staging);
    }
    staging.finish();
  }

  /// While the distances of a piece travel, its vertices are hung.
  void copy_to_host(cuda::Staging& staging) {
    for_each_piece([&](const R* rows, std::int64_t first, std::int64_t n) {
      if (trees_) trees_->hang(rows, n_vertices(), first, n);
      const auto row_of = [result = result_, first](std::int64_t row) {
        return result.distances + (first + row) * result.row_stride;
      };
      staging.copy(rows, n, n_vertices(), row_of, stream_);
      if (trees_) trees_->copy(staging);
      if constexpr (lane == Lane::wide) {
        staging.finish();
        for (std::int64_t i = 0; i < n; ++i) check_stuck(host_, row_of(i));
      }
    });
  }

  void hang_on_device(cuda::Staging& staging) {
    for (std::int64_t first = 0; first < n_vertices(); first += rows_a_piece_) {
      const std::int64_t n = std::min(rows_a_piece_, n_vertices() - first);
      trees_->hang(result_.distances + first * result_.row_stride, result_.row_stride, first, n);
      trees_->copy(staging);
    }
  }

  /// Sums that stuck are found from the arcs, on the host. Hardly anyone has such weights.
  void check_rows_of_device() const {
    HostVector<R> on_host(static_cast<std::size_t>(rows_a_piece_ * n_vertices()));
    for_each_piece([&](const R* rows, std::int64_t, std::int64_t n) {
      cuda::copy(on_host.data(), rows, static_cast<std::size_t>(n * n_vertices()), stream_);
      stream_.synchronize();
      for (std::int64_t i = 0; i < n; ++i) check_stuck(host_, on_host.data() + i * n_vertices());
    });
  }

  /// Integers that may be too large are those of 64 bits in a result of 32.
  void check_range() const {
    if constexpr (lane == Lane::int64 && std::is_same_v<R, std::int32_t>) {
      const std::int64_t position = cuda::read_back(too_far(), stream_);
      if (position == infinity<std::int64_t>()) return;
      const auto from = static_cast<vertex_t>(position >> 32);
      const auto to = static_cast<vertex_t>(position & 0x7fffffff);
      throw_too_far(from, to, cuda::read_back(matrix().row(from) + to, stream_));
    }
  }

  const CsrView<R>& graph_;
  const CsrView<R>& host_;
  const ApspOptions& options_;
  const ApspResult<R> result_;
  const cuda::Stream& stream_;
  std::int64_t side_ = 0;
  std::int64_t rows_a_piece_ = 0;
  cuda::DeviceBuffer<Value> matrix_;
  cuda::DeviceBuffer<Findings> findings_;
  std::optional<DeviceTrees<R>> trees_;  // if predecessors are wanted and can be had here
};

/// Kept with the graph: to choose it takes a third of the time of a thousand vertices.
template <class R>
struct ChosenLane {
  Lane lane;
  [[nodiscard]] std::size_t bytes() const noexcept { return sizeof(*this); }
};

template <class R>
Lane lane_of(const CsrView<R>& graph, const CsrView<R>& host, const ApspOptions& options,
             const cuda::Stream& stream) {
  const auto choose = [&](const cuda::Stream& on) {
    return ChosenLane<R>{choose_lane_on(graph, host, worthwhile_rounds(host), on)};
  };
  if (options.derived == nullptr) return choose(stream).lane;
  return options.derived->template get<ChosenLane<R>>(host.weights != nullptr, choose)->lane;
}

}  // namespace

template <class R>
bool apsp_cuda(const CsrView<R>& graph, const CsrView<R>& host, const ApspOptions& options,
               ApspResult<R> result, const cuda::Stream& stream) {
  if (graph.n_vertices == 0) return true;
  return dispatch_lane<R>(lane_of(graph, host, options, stream), [&]<Lane lane>() {
    ApspOnCuda<lane, R> in_memory(graph, host, options, result, stream);
    const bool may_stream = options.method == ApspMethod::blocked && !result.on_device;
    if (may_stream && (options.stream.stage > 0 || !in_memory.fits())) {
      run_streamed<lane, R>(graph, host, options, result, stream);
      return false;
    }
    return in_memory.run();
  });
}

#define WARPGRAPH_INSTANTIATE(R)                                                       \
  template bool apsp_cuda<R>(const CsrView<R>&, const CsrView<R>&, const ApspOptions&, \
                             ApspResult<R>, const cuda::Stream&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
