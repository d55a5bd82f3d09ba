#include "algorithms/bfs/from_many/hop_rows.hpp"
#include "algorithms/bfs/from_many/source_batch.hpp"
#include "core/memory/memory_budget.hpp"

#include <memory>
#include <vector>

namespace warpgraph {
namespace {

using bfs_detail::HopRows;
using bfs_detail::SourceBatch;
using bfs_detail::TargetColumns;

/// Words of the set of sources of a vertex: few sources need one, more of them fill a wide batch.
constexpr int narrow = 1;
constexpr int wide = 4;
/// The smallest graph of which threads share a batch. In a smaller one a level takes less time than
/// passing its work to other threads, so each thread takes batches of its own.
constexpr edge_t min_shared_size = 1 << 18;

std::int64_t n_batches(const BfsFromManyOptions& options, int n_words) {
  return (std::ssize(options.sources) + 64 * n_words - 1) / (64 * n_words);
}

std::size_t bytes_of_columns(const CsrPattern& graph, const BfsFromManyOptions& options) {
  return TargetColumns::bytes(options.targets.size(), graph.n_vertices);
}

template <int n_words, class T>
class ManySources {
 public:
  ManySources(const CsrPattern& graph, const BfsFromManyOptions& options, const HopRows<T>& rows)
      : graph_(graph), options_(options), rows_(rows) {}

  /// Searches from one batch after the other, with all threads.
  void run_together() {
    with_spinning_pool([&] {
      SourceBatch<n_words, T> batch(graph_, options_, rows_);
      for (std::int64_t i = 0; i < n_batches(options_, n_words); ++i) {
        report_progress(first_of(i), n_sources());
        run_batch(batch, i);
      }
    });
    report_progress(n_sources(), n_sources());
  }

  /// Searches from several batches at a time, each with one thread.
  void run_apart(int threads) {
    std::vector<std::unique_ptr<SourceBatch<n_words, T>>> batches(at(threads));
    parallel_tasks(n_batches(options_, n_words), threads, n_sources(),
                   [&](const TaskContext& context, std::int64_t i) {
                     const CallThreads alone(1);
                     auto& batch = batches[at(context.rank())];
                     if (!batch) {
                       batch = std::make_unique<SourceBatch<n_words, T>>(graph_, options_, rows_);
                     }
                     run_batch(*batch, i);
                     context.finish(std::ssize(sources_of(i)));
                   });
  }

 private:
  [[nodiscard]] std::int64_t n_sources() const { return std::ssize(options_.sources); }
  [[nodiscard]] static std::int64_t first_of(std::int64_t batch) { return batch * 64 * n_words; }
  [[nodiscard]] std::span<const vertex_t> sources_of(std::int64_t batch) const {
    const auto rest = options_.sources.subspan(at(first_of(batch)));
    return rest.first(std::min<std::size_t>(rest.size(), 64 * n_words));
  }
  void run_batch(SourceBatch<n_words, T>& batch, std::int64_t i) const {
    batch.run(sources_of(i), first_of(i));
  }

  const CsrPattern& graph_;
  const BfsFromManyOptions& options_;
  HopRows<T> rows_;
};

/// Searches in batches of this width, on as many threads as the memory allows.
template <int n_words, class T>
void search(const CsrPattern& graph, const BfsFromManyOptions& options, const HopRows<T>& rows,
            std::size_t available) {
  ManySources<n_words, T> many(graph, options, rows);
  const std::size_t bytes = SourceBatch<n_words, T>::bytes(graph.n_vertices);
  const auto affordable = static_cast<std::int64_t>(std::min<std::size_t>(
      available / bytes, at(std::min<std::int64_t>(num_threads(), n_batches(options, n_words)))));
  if (graph.n_vertices + graph.n_arcs < min_shared_size) {
    many.run_apart(static_cast<int>(std::max<std::int64_t>(affordable, 1)));
  } else {
    many.run_together();
  }
}

}  // namespace

std::size_t bfs_from_many_bytes_cpu(const CsrPattern& graph, const BfsFromManyOptions& options) {
  return bytes_of_columns(graph, options) + SourceBatch<narrow, double>::bytes(graph.n_vertices);
}

template <class T>
void bfs_from_many_cpu(const CsrPattern& graph, const BfsFromManyOptions& options,
                       const BfsRows<T>& rows) {
  if (options.sources.empty()) return;
  const MemoryBudget budget = options.budget;
  budget.require("breadth-first search from many sources", bfs_from_many_bytes_cpu(graph, options),
                 "use a smaller graph");
  const std::size_t available = budget.available() - bytes_of_columns(graph, options);
  const TargetColumns columns(options.targets, graph.n_vertices);
  const HopRows<T> hop_rows(rows, columns);
  if (std::ssize(options.sources) > 64 * narrow &&
      available >= SourceBatch<wide, T>::bytes(graph.n_vertices)) {
    search<wide>(graph, options, hop_rows, available);
  } else {
    search<narrow>(graph, options, hop_rows, available);
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bfs_from_many_cpu)

}  // namespace warpgraph
