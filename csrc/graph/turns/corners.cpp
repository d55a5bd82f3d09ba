#include "graph/turns/corners.hpp"

#include "core/containers/at.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace warpgraph {
namespace {

constexpr const char* fewer_turns = "pass fewer turns";

/// Sorts the rows of a table by their keys; rows of equal keys stay in their order.
template <class Key>
void sort_rows(HostVector<std::int64_t>& rows, Key key) {
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  parallel_sort_rows(rows, [&](std::int64_t a, std::int64_t b) {
    return std::tuple_cat(key(a), std::tuple(a)) < std::tuple_cat(key(b), std::tuple(b));
  });
}

/// Throws std::invalid_argument if two rows are one turn of different costs.
template <class W>
void refuse_two_costs(const Corners<W>& corners) {
  const auto turn = [&](std::int64_t i) {
    return std::tuple(corners.before[at(i)], corners.via[at(i)], corners.after[at(i)]);
  };
  HostVector<std::int64_t> rows(corners.via.size());
  sort_rows(rows, turn);
  std::int64_t bad = std::ssize(rows), other = 0, first = 0;
  for (const std::int64_t row : rows) {
    if (turn(row) != turn(first) || row == rows.front()) first = row;
    if (corners.costs[at(row)] == corners.costs[at(first)] || row >= bad) continue;
    bad = row;
    other = first;
  }
  if (bad == std::ssize(rows)) return;
  throw_invalid({"corners[", other, "] and corners[", bad, "] are one turn, from vertex ",
                 ByName{corners.before[at(bad)]}, " via vertex ", ByName{corners.via[at(bad)]},
                 " to vertex ", ByName{corners.after[at(bad)]}, ", but cost ",
                 corners.costs[at(other)], " and ", corners.costs[at(bad)]});
}

/// The arcs between two columns of a table.
class ArcsOfRows {
 public:
  ArcsOfRows(std::span<const vertex_t> tails, std::span<const vertex_t> heads)
      : tails_(tails), heads_(heads), arcs_of_(tails.size()) {}

  /// Finds the arcs of all rows.
  void find(const CsrPattern& graph, MemoryBudget budget) {
    HostVector<std::int64_t> rows(tails_.size());
    sort_rows(rows, [&](std::int64_t i) { return ends(i); });
    reserve(graph, rows, budget);
    HostVector<edge_t> leaving;  // from a vertex, in the order of their heads
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto [tail, head] = ends(rows[i]);
      if (i > 0 && ends(rows[i]) == ends(rows[i - 1])) {
        arcs_of_[at(rows[i])] = arcs_of_[at(rows[i - 1])];
        continue;
      }
      if (i == 0 || tail != tails_[at(rows[i - 1])]) list_leaving(graph, tail, leaving);
      const auto head_of = [&](edge_t e) { return graph.heads[e]; };
      const auto first = std::ranges::lower_bound(leaving, head, {}, head_of);
      const auto last = std::ranges::upper_bound(leaving, head, {}, head_of);
      arcs_of_[at(rows[i])] = {std::ssize(arcs_), std::ssize(arcs_) + (last - first)};
      arcs_.insert(arcs_.end(), first, last);
    }
  }

  /// Throws std::invalid_argument that names the first row without an arc.
  void require_arcs(const char* from, const char* to) const {
    for (std::size_t i = 0; i < arcs_of_.size(); ++i) {
      EXPECTS(!of(i).empty(), "corners[", i, "]: no edge leads from vertex ", ByName{tails_[i]},
              " (", from, ") to vertex ", ByName{heads_[i]}, " (", to, ")");
    }
  }

  /// Returns the arcs of a row, in their order in the graph.
  [[nodiscard]] std::span<const edge_t> of(std::size_t row) const {
    const auto [begin, end] = arcs_of_[row];
    return std::span(arcs_).subspan(at(begin), at(end - begin));
  }

  [[nodiscard]] static constexpr std::size_t bytes_a_row() {
    return sizeof(std::int64_t) + sizeof(std::pair<std::int64_t, std::int64_t>);
  }

 private:
  [[nodiscard]] std::pair<vertex_t, vertex_t> ends(std::int64_t row) const {
    return {tails_[at(row)], heads_[at(row)]};
  }

  /// Checks the memory for the arcs of the widest vertex, and makes room for one arc a row. Only
  /// parallel arcs, of which there are few, take more.
  void reserve(const CsrPattern& graph, const HostVector<std::int64_t>& rows, MemoryBudget budget) {
    edge_t widest = 0;
    for (const std::int64_t row : rows) widest = std::max(widest, graph.degree(tails_[at(row)]));
    budget.require("finding the edges of a table of turns",
                   (at(widest) + rows.size()) * sizeof(edge_t), fewer_turns);
    arcs_.reserve(rows.size());
  }

  static void list_leaving(const CsrPattern& graph, vertex_t v, HostVector<edge_t>& leaving) {
    leaving.resize(at(graph.degree(v)));
    std::iota(leaving.begin(), leaving.end(), graph.begin(v));
    const auto is_less = [&](edge_t a, edge_t b) {
      return std::pair(graph.heads[a], a) < std::pair(graph.heads[b], b);
    };
    if (!std::ranges::is_sorted(leaving, is_less)) std::ranges::sort(leaving, is_less);
  }

  std::span<const vertex_t> tails_;
  std::span<const vertex_t> heads_;
  HostVector<edge_t> arcs_;
  HostVector<std::pair<std::int64_t, std::int64_t>> arcs_of_;  // of each row: its part of arcs_
};

/// Combines each arc before a turn with all that follow it.
TurnsOfCorners combine(const ArcsOfRows& before, const ArcsOfRows& after, std::size_t n_rows,
                       MemoryBudget budget) {
  std::size_t n_turns = 0;
  for (std::size_t i = 0; i < n_rows; ++i) n_turns += before.of(i).size() * after.of(i).size();
  budget.require("finding the turns of a table",
                 n_turns * (2 * sizeof(edge_t) + sizeof(std::int64_t)), fewer_turns);
  TurnsOfCorners made;
  made.from.reserve(n_turns);
  made.to.reserve(n_turns);
  made.rows.reserve(n_turns);
  for (std::size_t i = 0; i < n_rows; ++i) {
    for (const edge_t from : before.of(i)) {
      made.from.insert(made.from.end(), after.of(i).size(), from);
      made.to.insert(made.to.end(), after.of(i).begin(), after.of(i).end());
      made.rows.insert(made.rows.end(), after.of(i).size(), static_cast<std::int64_t>(i));
    }
  }
  return made;
}

}  // namespace

template <class W>
TurnsOfCorners find_turns(const CsrPattern& graph, const Corners<W>& corners, MemoryBudget budget) {
  const std::size_t n_rows = corners.via.size();
  const std::size_t taken = 2 * n_rows * ArcsOfRows::bytes_a_row();
  const MemoryBudget left =
      budget.charge("reading the rows of a table of turns", taken, fewer_turns);
  refuse_two_costs(corners);
  ArcsOfRows before(corners.before, corners.via), after(corners.via, corners.after);
  before.find(graph, left);
  before.require_arcs("from", "via");
  after.find(graph, left);
  after.require_arcs("via", "to");
  return combine(before, after, n_rows, left);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(find_turns)

}  // namespace warpgraph
