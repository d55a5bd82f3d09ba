// What the sweeps of both devices share: which rows a query needs, how a source's way up is found,
// and what a distance becomes when it is written out.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"
#include "core/error.hpp"

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

template <class R>
[[noreturn]] void throw_too_far() {
  throw std::overflow_error(concat("a distance is more than ", infinity<R>() - 1,
                                   ", the largest that the dtype asked for can hold; ask for a "
                                   "wider dtype or a limit"));
}

/// Where targets lie and from where arcs lead down to them, in order. The core is always part.
template <class T>
std::vector<vertex_t> positions_above(const Hierarchy<T>& hierarchy,
                                      std::span<const vertex_t> targets) {
  const auto at = [](auto i) { return static_cast<std::size_t>(i); };
  std::vector<char> marks(at(hierarchy.n_vertices), 0);
  std::fill_n(marks.begin(), hierarchy.n_core, char{1});
  for (const vertex_t v : targets) marks[at(hierarchy.places[at(v)])] = 1;
  std::vector<vertex_t> positions;
  for (vertex_t p = hierarchy.n_vertices; p-- > 0;) {
    if (marks[at(p)] == 0) continue;
    positions.push_back(p);
    if (p < hierarchy.n_core) continue;
    for (edge_t e = hierarchy.down.offsets[at(p)]; e < hierarchy.down.offsets[at(p) + 1]; ++e) {
      marks[at(hierarchy.down.heads[at(e)])] = 1;
    }
  }
  std::reverse(positions.begin(), positions.end());
  return positions;
}

/// The part of a hierarchy that lies above some targets; its rows are numbered anew.
template <class T>
class Selection {
 public:
  Selection(const Hierarchy<T>& hierarchy, std::span<const vertex_t> targets)
      : n_core_(hierarchy.n_core),
        rows_(static_cast<std::size_t>(hierarchy.n_vertices), no_vertex),
        positions_(positions_above(hierarchy, targets)) {
    for (std::size_t row = 0; row < positions_.size(); ++row) {
      rows_[at(positions_[row])] = static_cast<vertex_t>(row);
    }
    copy_arcs(hierarchy);
  }

  [[nodiscard]] SweepView<T> view() const {
    return {static_cast<vertex_t>(positions_.size()), n_core_, down_.offsets.data(),
            down_.heads.data(), down_.weights.data()};
  }
  /// Of a position, or no_vertex.
  [[nodiscard]] const std::vector<vertex_t>& rows() const noexcept { return rows_; }

 private:
  template <class Index>
  static std::size_t at(Index i) {
    return static_cast<std::size_t>(i);
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
