// APSP on a CUDA device: the driver for a matrix that fits device memory, and the choice of the
// streamed method for one that does not.
#include "algorithms/apsp/accumulator_choice.hpp"
#include "algorithms/apsp/device_predecessors.hpp"
#include "algorithms/apsp/streamed/device_errors.cuh"
#include "algorithms/apsp/streamed/distance_matrix.hpp"
#include "algorithms/apsp/streamed/streamed.hpp"
#include "algorithms/apsp/tiles/device_rounds.hpp"
#include "core/cuda/copies/map_while_waiting.hpp"
#include "core/cuda/copies/staging.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/derived_cache.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <optional>

namespace warpgraph {
namespace {

using namespace apsp_detail;

template <class R>
class InMemoryApsp {
 public:
  InMemoryApsp(Accumulator acc, const CsrView<R>& graph, const CsrView<R>& host,
               const ApspOptions& options, ApspResult<R> result, const cuda::Stream& stream)
      : acc_(acc), graph_(graph), host_(host), options_(options), result_(result), stream_(stream) {
    side_ = padded_side(graph.n_vertices, options.method);
    rows_per_chunk_ = std::clamp<std::int64_t>(values_per_chunk / n_vertices(), 1, n_vertices());
  }

  [[nodiscard]] MemoryBudget budget() const { return options_.budget.on(stream_.device()); }
  /// Returns whether there is memory for the matrix.
  [[nodiscard]] bool fits() const { return bytes_needed() <= budget().available(); }

  /// Computes the result and returns whether predecessors were written.
  bool run() {
    const bool has_predecessors = plan_predecessors();
    budget().require("the matrix of all pairs' distances in the making", bytes_needed(),
                     "use device=\"cpu\"");
    const cuda::MapWhileWaiting distance_pages(result_.distances_to_map(n_vertices()));
    const cuda::MapWhileWaiting tree_pages(
        result_.predecessors,
        has_predecessors ? static_cast<std::size_t>(n_vertices() * n_vertices()) * sizeof(vertex_t)
                         : 0);
    make_matrix();
    BatchQueue batches(errors_->negative(), stream_);
    submit_rounds(batches);
    if (result_.on_device) write_on_device();  // at once, even if a negative cycle makes it useless
    if (has_predecessors) predecessors_.emplace(host_, options_, result_, rows_per_chunk_, stream_);
    if (result_.on_device && !has_predecessors) {
      batches.finish();
    } else {
      with_spinning_pool([&] {
        batches.finish();
        write_outputs();
      });
    }
    if (saturates() && result_.on_device) check_rows_of_device();
    errors_->template refuse_overflow<R>(acc_, [&](vertex_t from, vertex_t to) {
      return matrix().template view<Accumulator::int64>().row(from) + to;
    });
    if (predecessors_) predecessors_->finish();
    return predecessors_.has_value();
  }

 private:
  /// Values copied to the host at a time: enough to convert at the device's full rate.
  static constexpr std::int64_t values_per_chunk = 8 << 20;
  /// The fewest rows for which predecessors pay off: a warp has a lane for each.
  static constexpr std::int64_t min_rows_per_chunk = 32;

  [[nodiscard]] std::int64_t n_vertices() const { return graph_.n_vertices; }
  [[nodiscard]] bool saturates() const { return acc_ == Accumulator::saturating_int64; }
  /// Calls f.operator()<acc>() for the accumulator.
  template <class F>
  decltype(auto) dispatch(F&& f) const {
    return dispatch_accumulator<R>(acc_, f);
  }

  [[nodiscard]] DistanceMatrix matrix() const {
    if (is_in_place()) {
      return {acc_, reinterpret_cast<std::byte*>(result_.distances), result_.row_stride, side_,
              side_};
    }
    return {acc_, matrix_.data(), side_, side_, side_};
  }
  /// Returns whether the matrix lies in the result's memory, which needs whole, aligned tiles
  /// there.
  [[nodiscard]] bool is_in_place() const {
    bool same_type = false;
    dispatch([&]<Accumulator acc>() { same_type = in_place<acc, R>; });
    if (!same_type || !result_.on_device || side_ != n_vertices()) return false;
    return is_aligned(MatrixView<R>{result_.distances, result_.row_stride, side_, side_});
  }
  [[nodiscard]] DistanceMatrix rows(std::int64_t first, std::int64_t n) const {
    return matrix().submatrix(first, 0, n, n_vertices());
  }

  [[nodiscard]] std::size_t bytes_needed() const {
    const std::size_t chunk_bytes =
        result_.on_device && !saturates()
            ? 0
            : static_cast<std::size_t>(rows_per_chunk_ * n_vertices()) * sizeof(R);
    return (is_in_place() ? 0 : matrix_bytes()) + chunk_bytes + bytes_of_rounds(graph_.n_vertices);
  }
  [[nodiscard]] std::size_t matrix_bytes() const {
    return static_cast<std::size_t>(side_ * side_ * bytes_per_value(acc_));
  }

  /// Returns whether there is memory to compute predecessors beside the distances; chunks shrink to
  /// make space for them.
  bool plan_predecessors() {
    if (result_.predecessors == nullptr || options_.negative_weights) return false;
    const MemoryBudget available = budget();
    const std::int64_t max_rows = rows_per_chunk_;
    for (;; rows_per_chunk_ = (rows_per_chunk_ + 1) / 2) {
      if (available.has(bytes_needed() +
                        DevicePredecessors<R>::bytes_needed(host_, rows_per_chunk_))) {
        return true;
      }
      if (rows_per_chunk_ <= min_rows_per_chunk) break;
    }
    rows_per_chunk_ = max_rows;
    return false;
  }

  void make_matrix() {
    if (!is_in_place()) matrix_ = {matrix_bytes(), stream_};
    errors_.emplace(stream_);
    dispatch([&]<Accumulator acc>() {
      write_adjacency<acc, R>(graph_, 0, 0, matrix().template view<acc>(), stream_);
    });
  }

  void submit_rounds(BatchQueue& batches) const {
    vertex_t* const negative = errors_->negative();
    dispatch([&]<Accumulator acc>() {
      const DistanceView<acc> view = matrix().template view<acc>();
      if (options_.method == ApspMethod::naive) {
        run_naive_rounds<acc>(view, graph_.n_vertices, negative, batches, stream_);
      } else {
        run_blocked_rounds<acc>(view, tile_side(graph_.n_vertices), options_.negative_weights,
                                negative, batches, stream_);
      }
    });
  }

  void write_on_device() const {
    bool is_result = false;
    dispatch([&]<Accumulator acc>() { is_result = matches_result<acc, R>; });
    if (is_result && is_in_place()) return;
    write_rows(0, {result_.distances, result_.row_stride, n_vertices(), n_vertices()});
  }
  /// Writes rows of the result from `first` on.
  void write_rows(std::int64_t first, const MatrixView<R>& to) const {
    dispatch([&]<Accumulator acc>() {
      write_result<acc, R>(rows(first, to.rows).template view<acc>(), to, first, 0,
                           errors_->overflow_position(), stream_);
    });
  }

  /// Calls use(rows, first, n) for each chunk of the result: n rows from row `first` on. `rows` is
  /// a copy of them on the device, in the type of the result.
  template <class Use>
  void for_each_chunk(Use&& use) const {
    const cuda::DeviceBuffer<R> chunk(static_cast<std::size_t>(rows_per_chunk_ * n_vertices()),
                                      stream_);
    for (std::int64_t first = 0; first < n_vertices(); first += rows_per_chunk_) {
      const std::int64_t n = std::min(rows_per_chunk_, n_vertices() - first);
      write_rows(first, {chunk.data(), n_vertices(), n, n_vertices()});
      use(chunk.data(), first, n);
      poll();
    }
  }

  void write_outputs() {
    cuda::Staging staging(stream_.device());
    if (predecessors_) {
      // Sums of integers are exact. Those of floats are of the type R itself, and the distances
      // tell whether they are exact.
      if (acc_ == Accumulator::float32 || acc_ == Accumulator::float64) {
        const DistanceMatrix distances = matrix();
        predecessors_->set_summation(false, reinterpret_cast<const R*>(distances.data),
                                     distances.stride);
      } else {
        predecessors_->set_summation(true, nullptr, 0);
      }
    }
    if (!result_.on_device) {
      copy_to_host(staging);
    } else if (predecessors_) {
      attach_on_device(staging);
    }
    staging.finish();
  }

  /// Copies the distances to the host, chunk by chunk. Meanwhile the device finds the predecessors
  /// in the rows of a chunk, on another stream; they are copied next.
  void copy_to_host(cuda::Staging& staging) {
    for_each_chunk([&](const R* rows, std::int64_t first, std::int64_t n) {
      if (predecessors_) predecessors_->attach(rows, n_vertices(), first, n);
      const auto row_of = [result = result_, first](std::int64_t row) {
        return result.distances + (first + row) * result.row_stride;
      };
      staging.copy(rows, n, n_vertices(), row_of, stream_);
      if (predecessors_) predecessors_->copy(staging);
      if (saturates()) {
        staging.finish();
        for (std::int64_t i = 0; i < n; ++i) check_saturation(host_, row_of(i));
      }
    });
  }

  void attach_on_device(cuda::Staging& staging) {
    for (std::int64_t first = 0; first < n_vertices(); first += rows_per_chunk_) {
      const std::int64_t n = std::min(rows_per_chunk_, n_vertices() - first);
      predecessors_->attach(result_.distances + first * result_.row_stride, result_.row_stride,
                            first, n);
      predecessors_->copy(staging);
    }
  }

  /// Finds saturated sums from the arcs, on the host. Weights that cause them are rare.
  void check_rows_of_device() const {
    HostVector<R> on_host(static_cast<std::size_t>(rows_per_chunk_ * n_vertices()));
    for_each_chunk([&](const R* rows, std::int64_t, std::int64_t n) {
      cuda::copy(on_host.data(), rows, static_cast<std::size_t>(n * n_vertices()), stream_);
      stream_.synchronize();
      for (std::int64_t i = 0; i < n; ++i) {
        check_saturation(host_, on_host.data() + i * n_vertices());
      }
    });
  }

  const Accumulator acc_;
  const CsrView<R>& graph_;
  const CsrView<R>& host_;
  const ApspOptions& options_;
  const ApspResult<R> result_;
  const cuda::Stream& stream_;
  std::int64_t side_ = 0;
  std::int64_t rows_per_chunk_ = 0;
  cuda::DeviceBuffer<std::byte> matrix_;
  std::optional<DeviceErrors> errors_;
  std::optional<DevicePredecessors<R>> predecessors_;  // if they are wanted and fit in memory
};

/// The accumulator chosen for a graph, cached with it: choosing takes a third of the time at a
/// thousand vertices.
template <class R>
struct ChosenAccumulator {
  Accumulator acc;
  [[nodiscard]] std::size_t bytes() const noexcept { return sizeof(*this); }
};

template <class R>
Accumulator accumulator_of(const CsrView<R>& graph, const CsrView<R>& host,
                           const ApspOptions& options, const cuda::Stream& stream) {
  const auto choose = [&](const cuda::Stream& on) {
    return ChosenAccumulator<R>{
        choose_accumulator_on_device(graph, host, affordable_rounds(host), on)};
  };
  if (options.derived == nullptr) return choose(stream).acc;
  return options.derived->template get<ChosenAccumulator<R>>(host.weights != nullptr, choose)->acc;
}

}  // namespace

template <class R>
bool apsp_cuda(const CsrView<R>& graph, const CsrView<R>& host, const ApspOptions& options,
               ApspResult<R> result, const cuda::Stream& stream) {
  if (graph.n_vertices == 0) return true;
  const Accumulator acc = accumulator_of(graph, host, options, stream);
  InMemoryApsp<R> in_memory(acc, graph, host, options, result, stream);
  const bool may_stream = options.method == ApspMethod::blocked && !result.on_device;
  if (may_stream && !in_memory.fits()) {
    const MemberGraph<R> member{&graph, &stream};
    run_streamed_within<R>(acc, {&member, 1}, host, options.budget, result);
    return false;
  }
  return in_memory.run();
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(apsp_cuda)

}  // namespace warpgraph
