// Sweeps on CPU cores. A thread processes a batch of sources at a time, whose distances to one
// vertex fill a cache line.
#include "algorithms/hierarchy/sweep/sweep.hpp"
#include "algorithms/hierarchy/upward_search.hpp"
#include "core/containers/at.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/processor/function_clones.hpp"
#include "core/threads/parallel.hpp"

#include <atomic>
#include <optional>

namespace warpgraph {
namespace {

using namespace hierarchy_detail;

/// The width of an AVX2 vector. GCC splits wider vectors badly. SSE has no minimum of 32-bit
/// integers before SSE4.1.
constexpr std::size_t simd_bytes = 32;
/// The bytes of the distances of one vertex: a cache line. Twice as much takes a quarter longer per
/// source on New York's roads, where rows are then evicted from the second-level cache sooner.
constexpr std::size_t row_bytes = 64;
template <class T>
constexpr std::int64_t batch_size = static_cast<std::int64_t>(row_bytes / sizeof(T));
/// The rows between two polls for an interrupt: about a millisecond.
constexpr vertex_t rows_per_poll = 1 << 14;
/// The vertices whose rows are written out together; they fit the first-level cache.
constexpr vertex_t tile = 64;

/// Computes rows first .. last of the downward sweep. `touched` marks rows that hold upward
/// distances.
template <class T>
[[gnu::always_inline]] inline void pull_rows(const SweepView<T>& view, const std::uint8_t* touched,
                                             T* rows, vertex_t first, vertex_t last) {
  using Simd [[gnu::vector_size(simd_bytes), gnu::may_alias]] = T;
  constexpr int n_simd = static_cast<int>(row_bytes / simd_bytes);
  for (vertex_t p = first; p < last; ++p) {
    Simd* const row = reinterpret_cast<Simd*>(rows + p * batch_size<T>);
    Simd best[n_simd];
    for (int i = 0; i < n_simd; ++i) best[i] = touched[p] != 0 ? row[i] : Simd{} + unreached<T>();
    for (edge_t e = view.offsets[p], end = view.offsets[p + 1]; e < end; ++e) {
      const Simd* const above = reinterpret_cast<const Simd*>(rows + view.heads[e] * batch_size<T>);
      for (int i = 0; i < n_simd; ++i) {
        const Simd through = above[i] + view.weights[e];
        best[i] = through < best[i] ? through : best[i];
      }
    }
    for (int i = 0; i < n_simd; ++i) row[i] = best[i];
  }
}

#define WARPGRAPH_DEFINE_SWEEP(T)                                                               \
  WARPGRAPH_FOR_THIS_CPU void sweep_rows(const SweepView<T>& view, const std::uint8_t* touched, \
                                         T* rows, vertex_t first, vertex_t last) {              \
    pull_rows(view, touched, rows, first, last);                                                \
  }
WARPGRAPH_FOR_EACH_HIERARCHY(WARPGRAPH_DEFINE_SWEEP)
#undef WARPGRAPH_DEFINE_SWEEP

/// The distances of one thread's batch.
template <class T>
struct DistanceRows {
  struct alignas(row_bytes) Row {
    T distances[at(batch_size<T>)];
  };
  explicit DistanceRows(const SweepView<T>& view)
      : rows(at(view.n_rows) + at(view.n_core)), touched(rows.size(), 0) {}
  T* data() { return rows.front().distances; }

  HostVector<Row> rows;
  std::vector<std::uint8_t> touched;
};

template <class T, class R>
class CpuSweeps {
 public:
  CpuSweeps(const Hierarchy<T>& hierarchy, const HierarchyQuery<R>& query,
            HierarchyResult<R> result)
      : hierarchy_(hierarchy),
        query_(query),
        result_(result),
        n_sources_(static_cast<std::int64_t>(query.sources.size())),
        n_columns_(query.has_targets ? static_cast<std::int64_t>(query.targets.size())
                                     : hierarchy.n_vertices) {}

  void run() {
    if (n_sources_ == 0 || n_columns_ == 0) return;
    if (query_.has_targets) selection_.emplace(hierarchy_, query_.targets);
    view_ = selection_ ? selection_->view() : sweep_view(hierarchy_.down, hierarchy_.n_core);
    const std::int64_t n_batches = (n_sources_ + batch_size<T> - 1) / batch_size<T>;
    parallel_for(
        count_workers(n_batches), [&](std::int64_t) { run_worker(n_batches); }, 1);
    if (too_large_.load(std::memory_order_relaxed)) {
      throw_distance_overflow<R>();
    }
    report_progress(n_sources_, n_sources_);
  }

 private:
  /// Returns as many threads as the memory limit allows; at least one.
  [[nodiscard]] std::int64_t count_workers(std::int64_t n_batches) const {
    const std::int64_t n_rows = std::int64_t{view_.n_rows} + view_.n_core;
    const MemoryNeed of_worker = need_of_sweep<T>(n_rows, hierarchy_.n_vertices);
    query_.budget.require(of_worker);
    const auto affordable = static_cast<std::int64_t>(query_.budget.available() / of_worker.bytes);
    return std::max<std::int64_t>(1,
                                  std::min({n_batches, affordable, std::int64_t{num_threads()}}));
  }

  /// Processes batches until none are left. An exception in one thread stops all threads.
  void run_worker(std::int64_t n_batches) {
    DistanceRows<T> rows(view_);
    UpwardSearch<T> upward_search(hierarchy_);
    try {
      while (!stopping_.load(std::memory_order_relaxed)) {
        const std::int64_t batch = next_batch_.fetch_add(1, std::memory_order_relaxed);
        if (batch >= n_batches) return;
        const std::int64_t first = batch * batch_size<T>;
        const std::int64_t last = std::min(first + batch_size<T>, n_sources_);
        run_upward_searches(first, last, upward_search, rows);
        if (!sweep_down(rows)) return;
        write_out(first, last, rows);
        report_progress(last, n_sources_);
      }
    } catch (...) {
      stopping_.store(true, std::memory_order_relaxed);
      throw;
    }
  }

  void run_upward_searches(std::int64_t first, std::int64_t last, UpwardSearch<T>& upward_search,
                           DistanceRows<T>& rows) {
    std::fill(rows.touched.begin(), rows.touched.end(), std::uint8_t{0});
    T* const entrances = rows.data() + view_.n_rows * batch_size<T>;
    std::fill_n(entrances, view_.n_core * batch_size<T>, unreached<T>());
    for (std::int64_t i = first; i < last; ++i) {
      for (const auto& reached : upward_search.run(query_.sources[at(i)])) {
        const bool in_core = reached.position < hierarchy_.n_core;
        const vertex_t row = in_core ? view_.n_rows + reached.position : row_of(reached.position);
        if (row == no_vertex) continue;
        T* const distances = rows.rows[at(row)].distances;
        if (!in_core && rows.touched[at(row)] == 0) {
          rows.touched[at(row)] = 1;
          std::fill_n(distances, batch_size<T>, unreached<T>());
        }
        distances[i - first] = reached.distance;
      }
    }
  }

  [[nodiscard]] vertex_t row_of(vertex_t position) const {
    return selection_ ? selection_->rows()[at(position)] : position;
  }

  /// Sweeps downward. Returns false if another thread has failed.
  bool sweep_down(DistanceRows<T>& rows) {
    for (vertex_t first = 0; first < view_.n_rows; first += rows_per_poll) {
      poll();
      if (stopping_.load(std::memory_order_relaxed)) return false;
      const vertex_t last = std::min(view_.n_rows - first, rows_per_poll) + first;
      sweep_rows(view_, rows.touched.data(), rows.data(), first, last);
    }
    return true;
  }

  void write_out(std::int64_t first, std::int64_t last, const DistanceRows<T>& rows) {
    bool too_large = false;
    const R limit = query_.limit;
    for (std::int64_t column = 0; column < n_columns_; column += tile) {
      if (column % rows_per_poll == 0) poll();
      const std::int64_t width = std::min<std::int64_t>(tile, n_columns_ - column);
      const T* from[at(tile)];
      for (std::int64_t j = 0; j < width; ++j) {
        const std::int64_t c = column + j;
        const vertex_t v = query_.has_targets ? query_.targets[at(c)] : static_cast<vertex_t>(c);
        from[j] = rows.rows[at(row_of(hierarchy_.position_of[at(v)]))].distances;
      }
      for (std::int64_t i = first; i < last; ++i) {
        R* const to = result_.distances + i * result_.row_stride + column;
        for (std::int64_t j = 0; j < width; ++j) {
          to[j] = to_result<T, R>(from[j][i - first], limit, too_large);
        }
      }
    }
    if (too_large) too_large_.store(true, std::memory_order_relaxed);
  }

  const Hierarchy<T>& hierarchy_;
  const HierarchyQuery<R>& query_;
  const HierarchyResult<R> result_;
  const std::int64_t n_sources_;
  const std::int64_t n_columns_;
  std::optional<TargetSelection<T>> selection_;
  SweepView<T> view_;
  std::atomic<std::int64_t> next_batch_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> too_large_{false};
};

}  // namespace

template <class T>
MemoryNeed need_of_sweep(std::int64_t n_rows, vertex_t n_vertices) {
  return {"sweeping over a hierarchy", at(n_rows) * (row_bytes + 1) + at(n_vertices) * sizeof(T),
          "use method=\"dijkstra\""};
}

template <class T, class R>
void sweep_cpu(const Hierarchy<T>& hierarchy, const HierarchyQuery<R>& query,
               HierarchyResult<R> result) {
  CpuSweeps<T, R>(hierarchy, query, result).run();
}

WARPGRAPH_INSTANTIATE_FOR_EACH_HIERARCHY(need_of_sweep)
#define WARPGRAPH_INSTANTIATE(T, R) WARPGRAPH_INSTANTIATE_FUNCTION(sweep_cpu, T, R)
WARPGRAPH_FOR_EACH_HIERARCHY_AND_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
