// What many_to_many_cpu.cpp puts together. Not for use outside this folder.
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
#include <string_view>
#include <type_traits>

namespace warpgraph::many_to_many_steps {

/// What all methods are called with.
template <class W>
struct Problem {
  CsrView<W> graph;
  std::span<const vertex_t> sources;
  ManyToManyOptions<W> options;
  ManyToManyResult<W> result;

  [[nodiscard]] std::int64_t n_rows() const { return static_cast<std::int64_t>(sources.size()); }
  [[nodiscard]] bool wants_tree() const { return result.predecessors != nullptr; }
  [[nodiscard]] bool to_all() const { return options.targets.empty(); }
};

/// Fewer targets than this are likely to be settled long before the whole graph is.
inline constexpr std::size_t few_targets = 8;

/// Whether a search is likely to end before it has seen all of the graph.
template <class W>
bool ends_early(const ManyToManyOptions<W>& options) {
  return options.limit != infinity<W>() ||
         (!options.targets.empty() && options.targets.size() < few_targets);
}

template <class W>
void search_one_by_one(const Problem<W>& problem);
template <class W>
void search_in_batches(const Problem<W>& problem);

/// What is left to do with a row whose distances are in the result: `full_row` fetches the
/// distances to all vertices, which is done only if they are needed. `overflows`: an integer path
/// grew beyond its type, and it is to be found out whether the distance did, too.
template <class W, class FullRow>
void finish_row(const Problem<W>& problem, std::int64_t i, bool overflows, FullRow&& full_row) {
  if (!overflows && !problem.wants_tree()) return;
  const std::span<const vertex_t> targets = problem.options.targets;
  const std::span<W> row = full_row();
  const W wanted = shortest_paths::farthest_wanted<W>(
      problem.options.limit, targets, [&](vertex_t v) { return row[static_cast<std::size_t>(v)]; });
  if (overflows && wanted == infinity<W>()) shortest_paths::check_overflow<W>(problem.graph, row);
  if (!problem.wants_tree()) return;
  shortest_paths::forget_beyond(wanted, row);
  shortest_paths::recover_predecessors<W>(
      problem.graph, problem.sources[static_cast<std::size_t>(i)], false, row,
      problem.result.predecessors_of(i, problem.graph.n_vertices));
}

/// The heaviest weight that can be part of a path. If it is integer and added to the farthest
/// distance it fits, no path has grown beyond its type.
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

/// How many threads search, and what each may take beyond what it needs, if memory is limited.
struct Threads {
  int number;
  std::size_t spare_bytes;
};

/// As many threads as there are cores and rows, or as memory allows: `shared` bytes and some for
/// each thread. Throws OutOfMemory if it does not allow one.
template <class W>
Threads affordable_threads(const Problem<W>& problem, std::string_view what, std::size_t shared,
                           std::size_t bytes_a_thread, std::string_view way_out) {
  const MemoryBudget budget(Device{}, problem.options.memory_limit);
  budget.require(what, shared + bytes_a_thread, way_out);
  const auto most = static_cast<int>(std::min<std::int64_t>(num_threads(), problem.n_rows()));
  const bool is_limited = problem.options.memory_limit != 0;
  if (!is_limited && (most == 1 || bytes_a_thread == 0)) return {most, 0};
  const std::size_t left = std::max(budget.available(), shared + bytes_a_thread) - shared;
  const std::size_t affordable = left / std::max<std::size_t>(bytes_a_thread, 1);
  const auto threads = std::clamp<std::size_t>(affordable, 1, static_cast<std::size_t>(most));
  return {static_cast<int>(threads), is_limited ? left / threads - bytes_a_thread : 0};
}

/// Fills the columns of targets from the distances to all vertices.
template <class W>
void gather_targets(const Problem<W>& problem, std::int64_t i, std::span<const W> row) {
  W* out = problem.result.distances_of(i);
  for (const vertex_t target : problem.options.targets) {
    *out++ = row[static_cast<std::size_t>(target)];
  }
}

}  // namespace warpgraph::many_to_many_steps
