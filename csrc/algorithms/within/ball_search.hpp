// The search from one source on one thread, which lists what it reaches. Private to this folder.
#pragma once

#include "core/containers/at.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/relaxation/overflow.hpp"
#include "primitives/search/bucket_search.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace warpgraph::within_detail {

/// Rows of which more than 1 / touched_divisor was touched are read as a whole: that is as fast as
/// random accesses to an eighth of a row.
constexpr std::int64_t touched_divisor = 8;

/// A graph, and how far searches go.
template <class W>
struct Search {
  CsrView<W> graph;
  W limit;
  double bucket_width;
};

/// A search from one source after another. It keeps its memory, and resets what it touched.
template <class W>
class BallSearch {
 public:
  /// `list_bytes` limits the bytes of the lists, or is ListBudget::unbounded.
  BallSearch(const Search<W>& search, std::size_t list_bytes)
      : graph_(search.graph),
        limit_(search.limit),
        max_touched_(max_touched(graph_)),
        search_(graph_, search.bucket_width, list_bytes),
        row_(at(graph_.n_vertices), infinity<W>()),
        touched_(max_touched_) {}

  static std::size_t list_bytes(const CsrPattern& graph) {
    return shortest_paths::min_list_bytes<W>(graph.n_vertices, graph.n_arcs);
  }
  static std::size_t bytes_needed(const CsrPattern& graph) {
    return sizeof(BallSearch) + at(graph.n_vertices) * sizeof(W) +
           at(max_touched(graph)) * sizeof(vertex_t) + list_bytes(graph);
  }

  /// Searches. Returns false as soon as context.keep_on() has returned false.
  bool run(const TaskContext& context, vertex_t source) {
    n_touched_ = 0;
    bool finished = true;
    const bool fits = search_.run(
        {&source, 1}, {limit_, {}}, row_.data(),
        [&](std::int64_t) { return finished = context.keep_on(); }, [&](vertex_t v) { touch(v); });
    if (finished && !fits && limit_ == infinity<W>()) {
      shortest_paths::check_overflow<W>(graph_, row_);
    }
    return finished;
  }

  /// Puts the reached vertices into ascending order, and returns their number.
  std::int64_t sort() {
    if (knows_touched()) {
      vertex_t* const first = touched_.get();
      std::sort(first, first + n_touched_);
      n_touched_ = std::unique(first, first + n_touched_) - first;
      return n_touched_;
    }
    const auto is_reached = [](W distance) { return distance != infinity<W>(); };
    return std::count_if(row_.begin(), row_.end(), is_reached);
  }

  /// Calls visit(vertex, distance) once for each reached vertex, after sort() in ascending order.
  /// Resets the row.
  template <class Visit>
  void take(Visit&& visit) {
    const auto take_one = [&](vertex_t v) {
      const W distance = std::exchange(row_[at(v)], infinity<W>());
      if (distance != infinity<W>()) visit(v, distance);
    };
    if (knows_touched()) {
      for (std::int64_t i = 0; i < n_touched_; ++i) take_one(touched_[i]);
    } else {
      for (vertex_t v = 0; v < graph_.n_vertices; ++v) take_one(v);
    }
  }

 private:
  static std::int64_t max_touched(const CsrPattern& graph) {
    return graph.n_vertices / touched_divisor + 1;
  }
  [[nodiscard]] bool knows_touched() const noexcept { return n_touched_ < max_touched_; }

  void touch(vertex_t v) {
    if (!knows_touched()) return;
    touched_[n_touched_++] = v;
  }

  const CsrView<W> graph_;
  const W limit_;
  const std::int64_t max_touched_;
  shortest_paths::BucketSearch<W> search_;
  HostVector<W> row_;
  HostArray<vertex_t> touched_;  // a vertex that was lowered twice is in it twice
  std::int64_t n_touched_ = 0;   // max_touched_: or more
};

/// Calls use(search, context, i) for each source i, when it was searched from.
template <class W, class Use>
void search_from_each(const Search<W>& search, std::span<const vertex_t> sources, int threads,
                      std::size_t list_bytes, const Use& use) {
  std::vector<std::unique_ptr<BallSearch<W>>> searches(at(threads));
  const auto n = static_cast<std::int64_t>(sources.size());
  parallel_tasks(n, threads, n, [&](const TaskContext& context, std::int64_t i) {
    auto& own = searches[at(context.rank())];
    if (!own) own = std::make_unique<BallSearch<W>>(search, list_bytes);
    if (!own->run(context, sources[at(i)])) return;
    use(*own, context, i);
    context.finish(1);
  });
}

/// Threads that search, and the bytes that the lists of each may take.
struct Searchers {
  int threads;
  std::size_t list_bytes;
  std::size_t bytes;  // of all searches
};

/// Returns all threads, or as many as take half of a limited memory. Throws OutOfMemory if one does
/// not fit.
template <class W>
Searchers affordable_searchers(const CsrPattern& graph, std::int64_t n_sources,
                               MemoryBudget budget) {
  const MemoryNeed need = need_of_ball<W>(graph);
  budget.require(need);
  const std::size_t one = need.bytes;
  const auto most = std::min<std::int64_t>(num_threads(), std::max<std::int64_t>(n_sources, 1));
  if (most == 1 && !budget.is_limited()) return {1, ListBudget::unbounded, one};
  const std::size_t half = budget.available() / 2;
  const auto threads = static_cast<int>(std::clamp<std::size_t>(half / one, 1, at(most)));
  const std::size_t lists =
      budget.is_limited() ? BallSearch<W>::list_bytes(graph) : ListBudget::unbounded;
  return {threads, lists, at(threads) * one};
}

}  // namespace warpgraph::within_detail
