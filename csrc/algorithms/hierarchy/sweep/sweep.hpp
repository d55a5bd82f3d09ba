// What sweeps on CPUs and on CUDA devices share: the choice of the rows that a query needs, and the
// conversion of distances to the requested type.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"
#include "core/containers/at.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph::hierarchy_detail {

/// The rows of a downward sweep and the arcs between them: n_rows rows, of which the first n_core
/// are the core's exits, followed by n_core entrances.
template <class T>
struct SweepView {
  vertex_t n_rows = 0;
  vertex_t n_core = 0;
  const edge_t* offsets = nullptr;
  const vertex_t* heads = nullptr;
  const T* weights = nullptr;
};

/// Returns the view of `down`, which has a row of arcs for each of the first n_rows rows.
template <class T>
SweepView<T> sweep_view(const Csr<T>& down, vertex_t n_core) {
  return {static_cast<vertex_t>(down.offsets.size() - 1), n_core, down.offsets.data(),
          down.heads.data(), down.weights.data()};
}

template <class R>
[[noreturn]] void throw_distance_overflow() {
  throw std::overflow_error(concat("a distance is more than ", infinity<R>() - 1,
                                   ", the largest that the dtype asked for can hold; ask for a "
                                   "wider dtype or a limit"));
}

/// Returns the positions of the targets and of all vertices above them, ascending. Includes the
/// core.
template <class T>
std::vector<vertex_t> select_positions(const Hierarchy<T>& hierarchy,
                                       std::span<const vertex_t> targets) {
  std::vector<char> marks(at(hierarchy.n_vertices), 0);
  std::fill_n(marks.begin(), hierarchy.n_core, char{1});
  for (const vertex_t v : targets) marks[at(hierarchy.position_of[at(v)])] = 1;
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

/// The part of a hierarchy at and above some targets, with renumbered rows: the target selection
/// of [4] in hierarchy.hpp.
template <class T>
class TargetSelection {
 public:
  TargetSelection(const Hierarchy<T>& hierarchy, std::span<const vertex_t> targets)
      : n_core_(hierarchy.n_core),
        rows_(at(hierarchy.n_vertices), no_vertex),
        positions_(select_positions(hierarchy, targets)) {
    for (std::size_t row = 0; row < positions_.size(); ++row) {
      rows_[at(positions_[row])] = static_cast<vertex_t>(row);
    }
    copy_arcs(hierarchy);
  }

  [[nodiscard]] SweepView<T> view() const { return sweep_view(down_, n_core_); }
  /// Returns the row of each position, or no_vertex.
  [[nodiscard]] const std::vector<vertex_t>& rows() const noexcept { return rows_; }

 private:
  void copy_arcs(const Hierarchy<T>& hierarchy) {
    const auto n_rows = static_cast<vertex_t>(positions_.size());
    down_.offsets.reserve(positions_.size() + 1);
    for (const vertex_t p : positions_) {
      for (edge_t e = hierarchy.down.offsets[at(p)]; e < hierarchy.down.offsets[at(p) + 1]; ++e) {
        const vertex_t head = hierarchy.down.heads[at(e)];  // from n_vertices on, an entrance
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
  Csr<T> down_;
};

/// Converts a distance to the requested type: infinity beyond the limit. Sets `too_large` if the
/// distance is within the limit but does not fit.
template <class T, class R>
WARPGRAPH_HOST_DEVICE R to_result(T distance, R limit, bool& too_large) {
  if (distance >= unreached<T>()) return infinity<R>();
  if constexpr (std::is_integral_v<R>) {
    // Compares in the wider type. R is an integer type only where distances are integers.
    const auto wide = static_cast<std::int64_t>(distance);
    if (wide < static_cast<std::int64_t>(infinity<R>()) && !(limit < static_cast<R>(wide))) {
      return static_cast<R>(wide);
    }
    too_large |= limit == infinity<R>();  // other limits are less than what does not fit
    return infinity<R>();
  } else {
    const R rounded = static_cast<R>(distance);
    return limit < rounded ? infinity<R>() : rounded;
  }
}

}  // namespace warpgraph::hierarchy_detail
