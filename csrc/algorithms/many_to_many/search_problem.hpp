// The arguments of a call, and functions that the methods share. Not for use outside this folder.
#pragma once

#include "algorithms/many_to_many/many_to_many.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "core/types.hpp"
#include "primitives/path_trees/predecessors.hpp"
#include "primitives/relaxation/overflow.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace warpgraph::many_to_many_detail {

/// The arguments of a call, for every method.
template <class W>
struct SearchProblem {
  CsrView<W> graph;
  std::span<const vertex_t> sources;
  ManyToManyOptions<W> options;
  ManyToManyResult<W> result;

  [[nodiscard]] std::int64_t n_rows() const { return static_cast<std::int64_t>(sources.size()); }
  [[nodiscard]] bool wants_tree() const { return result.predecessors != nullptr; }
  [[nodiscard]] bool wants_full_rows() const { return options.targets.empty(); }
};

/// The bytes that a search takes beside the graph and the result, and the words of the error where
/// these lack.
struct SearchBytes {
  std::size_t shared;  // by all threads
  std::size_t per_thread;
  std::string_view what;
  std::string_view advice;

  [[nodiscard]] std::size_t with(int threads) const {
    return shared + static_cast<std::size_t>(threads) * per_thread;
  }
  /// Returns what a search asks for: the memory of one thread.
  [[nodiscard]] MemoryNeed need() const {
    return {std::string(what), with(1), std::string(advice)};
  }
};

/// Returns the bytes of a search whose threads take sources one by one.
template <class W>
SearchBytes bytes_row_by_row(std::size_t per_thread) {
  return {0, per_thread, "searching from a source",
          sizeof(W) > 4 ? "ask for a narrower dtype" : ""};
}

template <class W>
void search_one_by_one(const SearchProblem<W>& problem);
template <class W>
SearchBytes bytes_one_by_one(const SearchProblem<W>& problem);
template <class W>
void search_in_batches(const SearchProblem<W>& problem);
template <class W>
SearchBytes bytes_in_batches(const SearchProblem<W>& problem);
template <class W>
void search_with_potentials(const SearchProblem<W>& problem);
template <class W>
SearchBytes bytes_with_potentials(const SearchProblem<W>& problem);

/// Returns the distance beyond which the caller needs no results. `row` has the distances to all
/// vertices.
template <class W>
W farthest_wanted(const SearchProblem<W>& problem, std::span<const W> row) {
  return shortest_paths::farthest_wanted<W>(
      problem.options.limit, problem.options.targets,
      [&](vertex_t v) { return row[static_cast<std::size_t>(v)]; });
}

/// Checks a row in which an integer path grew beyond W: throws if a distance did, too. `row` has
/// the distances to all vertices.
template <class W>
void check_row(const SearchProblem<W>& problem, std::span<const W> row) {
  if (farthest_wanted(problem, row) == infinity<W>()) {
    shortest_paths::check_overflow<W>(problem.graph, row);
  }
}

/// Completes row i, whose distances are in the result: checks for overflow and finds predecessors.
/// full_row() returns the distances to all vertices; it is called only if they are needed. If
/// `overflows`, an integer path grew beyond W, so the check decides whether a distance did, too.
template <class W, class FullRow>
void finish_row(const SearchProblem<W>& problem, std::int64_t i, bool overflows,
                FullRow&& full_row) {
  if (!overflows && !problem.wants_tree()) return;
  const std::span<W> row = full_row();
  if (overflows) check_row<W>(problem, row);
  if (!problem.wants_tree()) return;
  shortest_paths::set_infinite_beyond(farthest_wanted<W>(problem, row), row);
  shortest_paths::recover_predecessors<W>(
      problem.graph, problem.sources.subspan(static_cast<std::size_t>(i), 1), false, row,
      problem.result.predecessors_of(i, problem.graph.n_vertices));
}

/// Returns the maximum finite weight. If it is an integer and the sum with the farthest distance
/// fits W, no path has grown beyond W.
template <class W>
W heaviest_weight(const CsrView<W>& graph) {
  if (graph.weights == nullptr) return W{1};
  return parallel_reduce(
      graph.n_arcs, W{0},
      [&](std::int64_t e) { return graph.weights[e] == infinity<W>() ? W{0} : graph.weights[e]; },
      [](W a, W b) { return std::max(a, b); }, light_grain);
}

template <class W>
bool may_overflow(W farthest, W heaviest) {
  return std::is_integral_v<W> && extend(farthest, heaviest) == infinity<W>();
}

/// The number of threads that search. If memory is limited, each may take `spare_bytes` more than
/// it needs.
struct ThreadBudget {
  int count;
  std::size_t spare_bytes;
};

/// Returns the minimum of cores and rows.
template <class W>
int max_threads(const SearchProblem<W>& problem) {
  return static_cast<int>(std::min<std::int64_t>(num_threads(), problem.n_rows()));
}

/// Returns max_threads(), or fewer if memory is limited. Throws OutOfMemory if one thread does not
/// fit.
template <class W>
ThreadBudget affordable_threads(const SearchProblem<W>& problem, const SearchBytes& bytes) {
  const MemoryBudget budget = problem.options.budget;
  budget.require(bytes.need());
  const int most = max_threads(problem);
  const bool is_limited = budget.is_limited();
  if (!is_limited && most == 1) return {most, 0};
  const std::size_t left = std::max(budget.available(), bytes.with(1)) - bytes.shared;
  const auto threads =
      std::clamp<std::size_t>(left / bytes.per_thread, 1, static_cast<std::size_t>(most));
  return {static_cast<int>(threads), is_limited ? left / threads - bytes.per_thread : 0};
}

/// Searches with threads that take sources one by one. make(spare_bytes) makes a thread's search,
/// whose run(context, i) writes row i.
template <class W, class Make>
void search_row_by_row(const SearchProblem<W>& problem, const SearchBytes& bytes,
                       const Make& make) {
  const auto [threads, spare_bytes] = affordable_threads(problem, bytes);
  std::vector<decltype(make(spare_bytes))> searches(static_cast<std::size_t>(threads));
  parallel_tasks(problem.n_rows(), threads, problem.n_rows(),
                 [&, spare = spare_bytes](const TaskContext& context, std::int64_t i) {
                   auto& search = searches[static_cast<std::size_t>(context.rank())];
                   if (!search) search = make(spare);
                   search->run(context, i);
                 });
}

/// Fills row i of the result, the columns of targets, from the distances to all vertices.
template <class W>
void gather_targets(const SearchProblem<W>& problem, std::int64_t i, std::span<const W> row) {
  W* out = problem.result.distances_of(i);
  for (const vertex_t target : problem.options.targets) {
    *out++ = row[static_cast<std::size_t>(target)];
  }
}

}  // namespace warpgraph::many_to_many_detail
