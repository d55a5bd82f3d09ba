// What the sweeps of both devices share: which rows a query needs, how a source's way up is found,
// and what a distance becomes when it is written out.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph::hierarchy_steps {

/// The rows that a sweep down goes through, and the arcs between them. There are n_rows exits, of
/// which the first n_core are the core's, and n_core entrances behind them.
template <class T>
struct SweepView {
  vertex_t n_rows = 0;
  vertex_t n_core = 0;
  const edge_t* offsets = nullptr;
  const vertex_t* heads = nullptr;
  const T* weights = nullptr;
};

template <class T>
SweepView<T> whole(const Hierarchy<T>& hierarchy) {
  return {hierarchy.n_vertices, hierarchy.n_core, hierarchy.down.offsets.data(),
          hierarchy.down.heads.data(), hierarchy.down.weights.data()};
}

/// What lies above some targets: their positions and those from which arcs lead down to them, in
/// order, so that rows are numbered anew. The core is always part of it.
template <class T>
class Selection {
 public:
  Selection(const Hierarchy<T>& hierarchy, std::span<const vertex_t> targets)
      : n_core_(hierarchy.n_core),
        rows_(static_cast<std::size_t>(hierarchy.n_vertices), no_vertex) {
    mark(hierarchy, targets);
    for (vertex_t p = 0; p < hierarchy.n_vertices; ++p) {
      if (rows_[at(p)] == no_vertex) continue;
      rows_[at(p)] = static_cast<vertex_t>(positions_.size());
      positions_.push_back(p);
    }
    copy_arcs(hierarchy);
  }

  [[nodiscard]] SweepView<T> view() const {
    return {static_cast<vertex_t>(positions_.size()), n_core_, down_.offsets.data(),
            down_.heads.data(), down_.weights.data()};
  }
  /// Of a position, or no_vertex.
  [[nodiscard]] const std::vector<vertex_t>& rows() const noexcept { return rows_; }
  [[nodiscard]] const std::vector<vertex_t>& positions() const noexcept { return positions_; }

 private:
  template <class Index>
  static std::size_t at(Index i) {
    return static_cast<std::size_t>(i);
  }

  /// Any number but no_vertex marks a position.
  void mark(const Hierarchy<T>& hierarchy, std::span<const vertex_t> targets) {
    std::fill_n(rows_.begin(), n_core_, vertex_t{0});
    for (const vertex_t v : targets) rows_[at(hierarchy.places[at(v)])] = 0;
    for (vertex_t p = hierarchy.n_vertices; p-- > n_core_;) {
      if (rows_[at(p)] == no_vertex) continue;
      for (edge_t e = hierarchy.down.offsets[at(p)]; e < hierarchy.down.offsets[at(p) + 1]; ++e) {
        rows_[at(hierarchy.down.heads[at(e)])] = 0;
      }
    }
  }

  void copy_arcs(const Hierarchy<T>& hierarchy) {
    const auto n_rows = static_cast<vertex_t>(positions_.size());
    down_.offsets.reserve(positions_.size() + 1);
    for (const vertex_t p : positions_) {
      for (edge_t e = hierarchy.down.offsets[at(p)]; e < hierarchy.down.offsets[at(p) + 1]; ++e) {
        const vertex_t head = hierarchy.down.heads[at(e)];
        down_.heads.push_back(head < hierarchy.n_vertices ? rows_[at(head)]
                                                          : head - hierarchy.n_vertices + n_rows);
        down_.weights.push_back(hierarchy.down.weights[at(e)]);
      }
      down_.offsets.push_back(static_cast<edge_t>(down_.heads.size()));
    }
  }

  vertex_t n_core_;
  std::vector<vertex_t> rows_;
  std::vector<vertex_t> positions_;
  Ladder<T> down_;
};

/// A distance as the caller wants it; `too_large` is set if it does not fit and is no farther than
/// the limit.
template <class T, class R>
WARPGRAPH_HOST_DEVICE R written(T distance, R limit, bool& too_large) {
  if (distance >= unreached<T>()) return infinity<R>();
  if constexpr (std::is_integral_v<R>) {
    // In the wider type; integers are asked for only where distances are integers.
    const auto whole = static_cast<std::int64_t>(distance);
    if (whole < static_cast<std::int64_t>(infinity<R>()) && !(limit < static_cast<R>(whole))) {
      return static_cast<R>(whole);
    }
    too_large |= limit == infinity<R>();
    return infinity<R>();
  } else {
    const R rounded = static_cast<R>(distance);
    return limit < rounded ? infinity<R>() : rounded;
  }
}

}  // namespace warpgraph::hierarchy_steps
