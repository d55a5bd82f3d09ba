// The search of method johnson from one source on one thread, which writes a row of the result.
#pragma once

#include "algorithms/many_to_many/search_problem.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "core/containers/at.hpp"
#include "core/containers/heap.hpp"
#include "core/memory/host_vector.hpp"
#include "core/polls_only.hpp"
#include "primitives/path_trees/predecessors.hpp"
#include "primitives/search/dijkstra_search.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace warpgraph::many_to_many_detail {

/// Dijkstra's algorithm with Johnson's potentials p, by which the reduced weight w + p(u) - p(v) of
/// an arc u -> v is not negative [3 in many_to_many.hpp]. A vertex v of distance d is settled in
/// the order of its reduced distance d - p(v) + p(source). Distances themselves are sums of the
/// weights as given, never of reduced ones, so they need not be converted back. Where reduced
/// distances are rounded, a vertex may be lowered after it was settled; it is settled again. On
/// return no arc can lower a distance, and each is the length of a walk: the fixed point that
/// sssp.hpp defines.
template <class W>
class PotentialSearch {
 public:
  explicit PotentialSearch(const SearchProblem<W>& problem)
      : problem_(problem),
        max_settled_(max_settled_per_vertex * std::int64_t{problem.graph.n_vertices}),
        heap_(problem.graph.n_vertices),
        reduced_(at(problem.graph.n_vertices)),
        own_row_(problem.wants_full_rows() ? 0 : at(problem.graph.n_vertices)) {}

  /// Returns the bytes that a search needs, not including the result.
  static std::size_t bytes_needed(const SearchProblem<W>& problem) {
    const std::size_t for_row = problem.wants_full_rows() ? 0 : sizeof(W);
    const vertex_t n = problem.graph.n_vertices;
    return sizeof(PotentialSearch) + at(n) * (sizeof(Reduced) + for_row) +
           (problem.wants_tree() ? shortest_paths::recovery_bytes(n) : 0) +
           RadixHeap<Reduced>::bytes_needed(n);
  }

  /// Searches from sources[i] and writes row i of the result, unless the call is interrupted.
  void run(const TaskContext& context, std::int64_t i) {
    const std::span<W> row = row_of(i);
    std::fill(row.begin(), row.end(), infinity<W>());
    overflows_ = false;
    const vertex_t source = problem_.sources[at(i)];
    auto keep_on = shortest_paths::every_1024th([&] { return context.keep_on(); });
    if (!search(source, row, keep_on)) return;
    finish(i, source, row);
    context.finish(1);
  }

 private:
  /// The type of reduced distances: that of an integer is not negative, but may need one bit more
  /// than W.
  using Reduced = shortest_paths::NonNegativeSum<W>;

  /// The limit of the mean number of times that vertices are settled, beyond which search_in_rounds
  /// takes over. Exact sums settle each vertex once; sums of floats settle hardly any twice, unless
  /// a cycle is negative by less than was rounded when the potentials were found.
  static constexpr std::int64_t max_settled_per_vertex = 8;

  std::span<W> row_of(std::int64_t i) {
    if (!problem_.wants_full_rows()) return own_row_;
    return {problem_.result.distances_of(i), at(problem_.graph.n_vertices)};
  }

  [[nodiscard]] Reduced potential(vertex_t v) const {
    return static_cast<Reduced>(problem_.options.potentials[at(v)]);
  }

  /// Writes the distances from a source. Returns false if the call was interrupted before the end.
  template <class KeepOn>
  bool search(vertex_t source, std::span<W> row, KeepOn& keep_on) {
    const CsrView<W>& graph = problem_.graph;
    const Reduced of_source = potential(source);
    std::int64_t n_settled = 0;
    heap_.clear();
    row[at(source)] = W{0};
    push(source, Reduced{0});
    while (!heap_.empty()) {
      const auto [settled, u] = heap_.pop();
      if (reduced_[at(u)] < settled) continue;  // outdated
      if (!keep_on(u)) return false;
      if (++n_settled > max_settled_) {
        search_in_rounds(source, row);
        return true;
      }
      const W from = row[at(u)];
      shortest_paths::for_each_arc_of(graph, u, [&, at_least = settled](vertex_t v, W weight) {
        const W through = extend(from, weight);
        if (!(through < row[at(v)])) {
          // An arc of infinite weight is no arc; with any other weight the sum has saturated.
          const bool is_saturated = std::is_integral_v<W> && through == infinity<W>();
          if (is_saturated && weight != infinity<W>()) overflows_ = true;
          return;
        }
        row[at(v)] = through;
        // Rounding may make this less than that of u, which the radix heap would not accept.
        const Reduced reduced = static_cast<Reduced>(through) - potential(v) + of_source;
        push(v, std::max(at_least, reduced));
      });
    }
    return true;
  }

  void push(vertex_t v, Reduced reduced) {
    reduced_[at(v)] = reduced;
    heap_.push(v, reduced, reduced_.data());
  }

  /// Searches by the Bellman-Ford algorithm, which throws NegativeCycle where this search might not
  /// end. Its rounds are no progress of the call, whose unit is a source.
  void search_in_rounds(vertex_t source, std::span<W> row) const {
    SsspOptions<W> options;
    options.method = SsspMethod::bellman_ford;
    options.negative_weights = true;
    PollsOnly hooks;
    const ScopedHooks installed(hooks);
    sssp_cpu<W>(problem_.graph, source, options, {row, {}});
  }

  /// Completes row i from the distances to all vertices. Throws if one does not fit W.
  void finish(std::int64_t i, vertex_t source, std::span<W> row) const {
    if (overflows_) shortest_paths::check_overflow<W>(problem_.graph, row);
    if (problem_.wants_tree()) {
      shortest_paths::recover_predecessors<W>(
          problem_.graph, {&source, 1}, true, row,
          problem_.result.predecessors_of(i, problem_.graph.n_vertices));
    }
    shortest_paths::set_infinite_beyond(problem_.options.limit, row);
    if (!problem_.wants_full_rows()) gather_targets<W>(problem_, i, row);
  }

  const SearchProblem<W>& problem_;
  const std::int64_t max_settled_;
  RadixHeap<Reduced> heap_;
  HostVector<Reduced> reduced_;  // of vertices that have been pushed
  HostVector<W> own_row_;        // if rows of the result have columns of targets only
  bool overflows_ = false;       // a path has grown beyond W
};

}  // namespace warpgraph::many_to_many_detail
