#include "algorithms/core_numbers/core_numbers.hpp"
#include "core/atomics.hpp"
#include "core/containers/at.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/simple_rows.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

namespace warpgraph {
namespace {

/// Vertices that a thread removes between two polls.
constexpr std::int64_t removals_per_poll = 1 << 10;
/// The fewest arcs for which several threads peel: rounds of few vertices end sooner on one.
constexpr edge_t arcs_worth_threads = 1 << 17;

/// Writes the number of other vertices in each row of a graph with simple rows.
void count_neighbours(const CsrPattern& graph, std::span<vertex_t> counts) {
  parallel_for(graph.n_vertices, [&](std::int64_t row) {
    const auto u = static_cast<vertex_t>(row);
    const bool has_loop = find_arc(graph, u, u) >= 0;
    counts[at(u)] = static_cast<vertex_t>(graph.degree(u) - (has_loop ? 1 : 0));
  });
}

/// The vertices sorted by how many neighbours are left of each, in buckets of equal numbers.
class DegreeBuckets {
 public:
  explicit DegreeBuckets(std::span<vertex_t> counts)
      : counts_(counts), order_(counts.size()), places_(counts.size()) {
    const vertex_t most = counts.empty() ? 0 : *std::ranges::max_element(counts);
    starts_.assign(at(most) + 2, 0);
    for (const vertex_t count : counts) ++starts_[at(count) + 1];
    for (std::size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
    std::vector<vertex_t, UninitialisedAllocator<vertex_t>> next = starts_;
    for (std::size_t v = 0; v < counts.size(); ++v) {
      places_[v] = next[at(counts[v])]++;
      order_[at(places_[v])] = static_cast<vertex_t>(v);
    }
  }

  [[nodiscard]] vertex_t operator[](std::int64_t i) const { return order_[at(i)]; }

  /// Moves a vertex to the end of the bucket before its own.
  void count_down(vertex_t v) {
    vertex_t& start = starts_[at(counts_[at(v)])];
    const vertex_t other = order_[at(start)];
    std::swap(order_[at(start)], order_[at(places_[at(v)])]);
    std::swap(places_[at(other)], places_[at(v)]);
    ++start;
    --counts_[at(v)];
  }

 private:
  std::span<vertex_t> counts_;
  HostVector<vertex_t> order_;
  HostVector<vertex_t> places_;  // of the vertices in order_
  HostVector<vertex_t> starts_;  // of the buckets in order_
};

void peel_by_buckets(const CsrPattern& graph, std::span<vertex_t> cores) {
  DegreeBuckets buckets(cores);
  for (std::int64_t i = 0; i < graph.n_vertices; ++i) {
    if (i % removals_per_poll == 0) report_progress(i, graph.n_vertices);
    const vertex_t v = buckets[i];
    for (edge_t e = graph.begin(v); e < graph.end(v); ++e) {
      const vertex_t u = graph.heads[e];
      if (cores[at(u)] > cores[at(v)]) buckets.count_down(u);
    }
  }
}

/// Peeling by several threads.
class TeamPeeling {
 public:
  TeamPeeling(const CsrPattern& graph, std::span<vertex_t> counts)
      : graph_(graph),
        counts_(counts),
        left_(counts.size()),
        below_(counts.size()),
        n_left_(graph.n_vertices) {}

  void run(int threads) {
    run_team(threads, [&](const Team& team) { run_on(team); });
  }

 private:
  void run_on(const Team& team) {
    const std::int64_t n = graph_.n_vertices;
    const std::int64_t first = n * team.rank() / team.size();
    std::int64_t last = n * (team.rank() + 1) / team.size();
    for (std::int64_t v = first; v < last; ++v) left_[at(v)] = static_cast<vertex_t>(v);
    for (vertex_t k = 0; n_left_.load(std::memory_order_relaxed) > 0; ++k) {
      vertex_t top = no_vertex;  // of the stack of vertices to remove
      last = take_vertices_of(k, first, last, top);
      team.barrier();
      team.guard([&] { remove(k, top, team); });
      team.barrier();
      if (team.stopping()) return;
    }
  }

  void push(vertex_t v, vertex_t& top) { below_[at(v)] = std::exchange(top, v); }

  /// Drops removed vertices from a list, and moves those with k neighbours to the stack. Returns
  /// the end of the list.
  std::int64_t take_vertices_of(vertex_t k, std::int64_t first, std::int64_t last, vertex_t& top) {
    std::int64_t end = first;
    for (std::int64_t i = first; i < last; ++i) {
      const vertex_t v = left_[at(i)];
      const vertex_t count = counts_[at(v)];
      if (count > k) left_[at(end++)] = v;
      if (count == k) push(v, top);
    }
    return end;
  }

  /// Removes the vertices of the stack, and neighbours that are left with k others.
  void remove(vertex_t k, vertex_t top, const Team& team) {
    std::int64_t n_removed = 0;
    while (top != no_vertex) {
      const vertex_t v = std::exchange(top, below_[at(top)]);
      if (++n_removed % removals_per_poll == 0) {
        if (team.rank() == 0) poll();
        if (team.stopping()) return;
      }
      for (edge_t e = graph_.begin(v); e < graph_.end(v); ++e) {
        if (count_down(graph_.heads[e], k)) push(graph_.heads[e], top);
      }
    }
    const std::int64_t before = n_left_.fetch_sub(n_removed, std::memory_order_relaxed);
    if (team.rank() == 0) report_progress(graph_.n_vertices - before, graph_.n_vertices);
  }

  /// Counts one neighbour less, but not below k. Returns whether that has left k: of several
  /// threads that do so at a time, one gets that answer, and those that come later undo theirs.
  bool count_down(vertex_t u, vertex_t k) {
    if (relaxed_load(counts_[at(u)]) <= k) return false;
    const std::atomic_ref<vertex_t> count(counts_[at(u)]);
    const vertex_t before = count.fetch_sub(1, std::memory_order_relaxed);
    if (before <= k) count.fetch_add(1, std::memory_order_relaxed);
    return before == k + 1;
  }

  const CsrPattern graph_;
  const std::span<vertex_t> counts_;
  HostVector<vertex_t> left_;   // each thread's vertices that have not been removed
  HostVector<vertex_t> below_;  // the next vertex of the stack that a vertex is in
  std::atomic<std::int64_t> n_left_;
};

}  // namespace

MemoryNeed need_of_core_numbers(const CsrPattern& graph) {
  // Buckets take a fourth array of at most n + 1 items while they are filled.
  return {"finding core numbers", (4 * at(graph.n_vertices) + 4) * sizeof(vertex_t), ""};
}

void core_numbers_cpu(const CsrPattern& graph, const CoreNumbersOptions& options,
                      std::span<vertex_t> cores) {
  const MemoryBudget left = options.budget.charge(need_of_core_numbers(graph));
  if (!has_simple_rows(graph)) {
    const Csr<float> simple = to_simple_rows(CsrView<float>{graph, nullptr}, left);
    core_numbers_cpu(simple_view(simple), options, cores);
    return;
  }
  count_neighbours(graph, cores);
  const int threads = graph.n_arcs < arcs_worth_threads ? 1 : threads_for_rounds();
  if (threads == 1) {
    peel_by_buckets(graph, cores);
  } else {
    TeamPeeling(graph, cores).run(threads);
  }
  report_progress(graph.n_vertices, graph.n_vertices);
}

void core_numbers_reference(const CsrPattern& graph, std::span<vertex_t> cores) {
  std::vector<std::set<vertex_t>> neighbours(at(graph.n_vertices));
  for_each_arc(graph, 0, graph.n_arcs, [&](vertex_t u, vertex_t v, edge_t) {
    if (u != v) neighbours[at(u)].insert(v);
  });
  std::vector<bool> is_removed(at(graph.n_vertices));
  vertex_t k = 0;
  for (vertex_t round = 0; round < graph.n_vertices; ++round) {
    vertex_t least = no_vertex;
    for (vertex_t v = 0; v < graph.n_vertices; ++v) {
      if (is_removed[at(v)]) continue;
      const bool is_less =
          least == no_vertex || neighbours[at(v)].size() < neighbours[at(least)].size();
      if (is_less) least = v;
    }
    k = std::max(k, static_cast<vertex_t>(neighbours[at(least)].size()));
    cores[at(least)] = k;
    is_removed[at(least)] = true;
    for (const vertex_t u : neighbours[at(least)]) neighbours[at(u)].erase(least);
  }
}

}  // namespace warpgraph
