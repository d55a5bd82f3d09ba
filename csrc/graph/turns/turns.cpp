#include "graph/turns/turns.hpp"

#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace warpgraph {
namespace {

template <class W>
void validate_turn(const CsrView<W>& graph, const Turns<W>& turns, std::size_t row) {
  const vertex_t end = graph.heads[turns.from[row]];
  const vertex_t begin = tail_of(graph, turns.to[row]);
  EXPECTS(end == begin, "turn ", row, " passes from edge ", turns.from[row],
          ", which ends at vertex ", ByName{end}, ", to edge ", turns.to[row],
          ", which begins at vertex ", ByName{begin});
}

/// Returns the rows of the table in the order of their arcs. Of equal ones, the first is kept.
template <class W>
HostVector<std::int64_t> sorted_rows(const Turns<W>& turns) {
  HostVector<std::int64_t> rows(turns.from.size());
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  const auto key = [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    return std::tuple(turns.from[i], turns.to[i], row);
  };
  parallel_sort_rows(rows, [&](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
  const auto is_same = [&](std::int64_t a, std::int64_t b) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    if (turns.from[i] != turns.from[j] || turns.to[i] != turns.to[j]) return false;
    EXPECTS(turns.costs[i] == turns.costs[j], "turns ", a, " and ", b, " both pass from edge ",
            turns.from[i], " to edge ", turns.to[i], ", with the costs ", turns.costs[i], " and ",
            turns.costs[j]);
    return true;
  };
  rows.erase(std::unique(rows.begin(), rows.end(), is_same), rows.end());
  return rows;
}

/// The states of vertices with turns, and the arcs of the expanded graph.
template <class W>
class Expansion {
 public:
  Expansion(const CsrView<W>& graph, const Turns<W>& turns)
      : graph_(graph), turns_(turns), rows_(sorted_rows(turns)) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const edge_t from = from_of(i);
      if (!from_arcs_.empty() && from_arcs_.back() == from) continue;
      from_arcs_.push_back(from);
      first_rows_.push_back(static_cast<std::int64_t>(i));
    }
    first_rows_.push_back(static_cast<std::int64_t>(rows_.size()));
    number_states();
  }

  [[nodiscard]] std::int64_t n_states() const { return std::ssize(origins_); }

  Csr<W> make(MemoryBudget budget) {
    const std::int64_t n = graph_.n_vertices + n_states();
    Csr<W> made;
    made.offsets.assign(static_cast<std::size_t>(n) + 1, 0);
    parallel_for(n, [&](std::int64_t x) {
      edge_t count = 0;
      for_each_arc_of(x, [&](vertex_t, W) { ++count; });
      made.offsets[static_cast<std::size_t>(x)] = count;
    });
    const auto n_arcs =
        static_cast<std::size_t>(exclusive_scan_in_place(made.offsets.data(), n + 1));
    budget.require("a graph with turns", n_arcs * (sizeof(vertex_t) + sizeof(W)),
                   "use fewer turns");
    made.heads.resize(n_arcs);
    made.weights.resize(n_arcs);
    parallel_for(n, [&](std::int64_t x) {
      auto slot = static_cast<std::size_t>(made.offsets[static_cast<std::size_t>(x)]);
      for_each_arc_of(x, [&](vertex_t head, W weight) {
        made.heads[slot] = head;
        made.weights[slot++] = weight;
      });
    });
    return made;
  }

  HostVector<vertex_t> take_origins() { return std::move(origins_); }
  HostVector<vertex_t> take_starts() { return std::move(starts_); }

 private:
  [[nodiscard]] edge_t from_of(std::size_t i) const {
    return turns_.from[static_cast<std::size_t>(rows_[i])];
  }

  void number_states() {
    const vertex_t n = graph_.n_vertices;
    const std::int64_t most = n + 2 * std::ssize(from_arcs_);
    if (most > infinity<vertex_t>()) {
      throw std::overflow_error(concat("a graph with turns has at most ", infinity<vertex_t>(),
                                       " vertices and states, got up to ", most));
    }
    starts_.resize(static_cast<std::size_t>(n));
    std::iota(starts_.begin(), starts_.end(), vertex_t{0});
    for (const edge_t from : from_arcs_) {
      const vertex_t v = graph_.heads[from];
      if (is_divided(v)) continue;
      starts_[static_cast<std::size_t>(v)] = n + static_cast<vertex_t>(n_states());
      origins_.push_back(v);
    }
    first_of_arcs_ = n + static_cast<vertex_t>(n_states());
    for (const edge_t from : from_arcs_) origins_.push_back(graph_.heads[from]);
  }

  [[nodiscard]] bool is_divided(vertex_t v) const {
    return starts_[static_cast<std::size_t>(v)] != v;
  }

  /// Returns the state in which an arc into a divided vertex enters it.
  [[nodiscard]] vertex_t entered(edge_t e) const {
    const auto found = std::lower_bound(from_arcs_.begin(), from_arcs_.end(), e);
    if (found == from_arcs_.end() || *found != e) {
      return starts_[static_cast<std::size_t>(graph_.heads[e])];
    }
    return first_of_arcs_ + static_cast<vertex_t>(found - from_arcs_.begin());
  }

  /// Calls visit(head, weight) for the arcs that an arc of the graph becomes.
  template <class Visit>
  void expand_arc(edge_t e, W weight, Visit&& visit) const {
    const vertex_t head = graph_.heads[e];
    const vertex_t state = is_divided(head) ? entered(e) : head;
    // From the state where paths start, an arc of length 0 leads to the vertex.
    if (state != starts_[static_cast<std::size_t>(head)]) visit(head, weight);
    visit(state, weight);
  }

  template <class Visit>
  void for_each_arc_of(std::int64_t x, Visit&& visit) const {
    const vertex_t n = graph_.n_vertices;
    if (x < n && is_divided(static_cast<vertex_t>(x))) return;
    if (x >= first_of_arcs_) return leave_arc(static_cast<std::size_t>(x - first_of_arcs_), visit);
    const vertex_t v = x < n ? static_cast<vertex_t>(x) : origins_[static_cast<std::size_t>(x - n)];
    if (x >= n) visit(v, W{0});
    for (edge_t e = graph_.begin(v); e < graph_.end(v); ++e)
      expand_arc(e, graph_.weights[e], visit);
  }

  /// Visits the arcs that follow an arc with turns.
  template <class Visit>
  void leave_arc(std::size_t i, Visit&& visit) const {
    const vertex_t v = graph_.heads[from_arcs_[i]];
    auto turn = static_cast<std::size_t>(first_rows_[i]);
    const auto end = static_cast<std::size_t>(first_rows_[i + 1]);
    for (edge_t e = graph_.begin(v); e < graph_.end(v); ++e) {
      const auto row = [&] { return static_cast<std::size_t>(rows_[turn]); };
      if (turn == end || turns_.to[row()] != e) {
        expand_arc(e, graph_.weights[e], visit);
        continue;
      }
      const W cost = turns_.costs[row()];
      if (cost != infinity<W>()) expand_arc(e, sum(graph_.weights[e], cost, row()), visit);
      ++turn;
    }
  }

  [[nodiscard]] W sum(W weight, W cost, std::size_t row) const {
    if constexpr (std::is_integral_v<W>) {
      if (weight > infinity<W>() - cost) {
        constexpr const char* advice = sizeof(W) == 4 ? "give the graph weights of int64 or float64"
                                                      : "give the graph weights of float64";
        throw std::overflow_error(concat("the cost ", cost, " of turn ", row, " and the weight ",
                                         weight, " of the edge that follows do not fit ",
                                         8 * sizeof(W), "-bit integers; ", advice));
      }
    }
    return weight + cost;
  }

  const CsrView<W> graph_;
  const Turns<W> turns_;
  const HostVector<std::int64_t> rows_;
  HostVector<edge_t> from_arcs_;         // arcs with turns, ascending
  HostVector<std::int64_t> first_rows_;  // of each of them, in rows_; and the end
  HostVector<vertex_t> origins_;
  HostVector<vertex_t> starts_;
  vertex_t first_of_arcs_ = 0;  // the state of the first arc with turns
};

}  // namespace

template <class W>
TurnExpansion<W> expand_turns(const CsrView<W>& graph, const Turns<W>& turns, MemoryBudget budget) {
  for (std::size_t row = 0; row < turns.from.size(); ++row) validate_turn(graph, turns, row);
  const std::size_t n_turns = turns.from.size();
  budget.require("a graph with turns",
                 n_turns * (sizeof(edge_t) + 2 * sizeof(std::int64_t) + 2 * sizeof(vertex_t)) +
                     static_cast<std::size_t>(graph.n_vertices) * sizeof(vertex_t),
                 "use fewer turns");
  Expansion<W> expansion(graph, turns);
  TurnExpansion<W> made;
  made.graph = expansion.make(budget);
  made.origins = expansion.take_origins();
  made.starts = expansion.take_starts();
  return made;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(expand_turns)

}  // namespace warpgraph
