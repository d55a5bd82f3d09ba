#include "algorithms/bipartite_matching/bipartite_matching.hpp"
#include "core/containers/at.hpp"
#include "core/interrupt.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace warpgraph {
namespace {

/// Arcs that are read between two polls.
constexpr edge_t arcs_per_poll = 1 << 16;

class PhasesOfPaths {
 public:
  PhasesOfPaths(const CsrPattern& rows, std::span<vertex_t> column_of, std::span<vertex_t> row_of)
      : rows_(rows),
        column_of_(column_of),
        row_of_(row_of),
        levels_(at(rows.n_vertices) + 1),
        list_(at(rows.n_vertices) + 1),
        parents_(at(rows.n_vertices)) {
    std::ranges::fill(column_of_, no_vertex);
    std::ranges::fill(row_of_, free());
  }

  static std::size_t bytes(std::size_t n_rows) { return 3 * (n_rows + 1) * sizeof(vertex_t); }

  void run() {
    while (find_levels()) {
      for (vertex_t root = 0; root < rows_.n_vertices; ++root) {
        if (column_of_[at(root)] == no_vertex) search_from(root);
      }
    }
    std::ranges::replace(row_of_, free(), no_vertex);
  }

 private:
  static constexpr vertex_t unreached = std::numeric_limits<vertex_t>::max();

  /// Returns the row that unmatched columns have.
  [[nodiscard]] vertex_t free() const { return rows_.n_vertices; }

  [[nodiscard]] vertex_t head(edge_t e) {
    if (++n_read_ % arcs_per_poll == 0) poll();
    return rows_.heads[e];
  }

  /// Finds the level of each row, by alternating paths from unmatched rows, up to the level of
  /// unmatched columns. Returns whether there is one.
  bool find_levels() {
    std::int64_t end = 0;
    for (vertex_t v = 0; v < rows_.n_vertices; ++v) {
      const bool is_root = column_of_[at(v)] == no_vertex;
      levels_[at(v)] = is_root ? 0 : unreached;
      if (is_root) list_[at(end++)] = v;
    }
    vertex_t& last = levels_[at(free())] = unreached;
    for (std::int64_t i = 0; i < end; ++i) {
      const vertex_t v = list_[at(i)];
      if (levels_[at(v)] >= last) continue;
      for (edge_t e = rows_.begin(v); e < rows_.end(v); ++e) {
        const vertex_t next = row_of_[at(head(e))];
        if (levels_[at(next)] != unreached) continue;
        levels_[at(next)] = levels_[at(v)] + 1;
        list_[at(end++)] = next;
      }
    }
    return last != unreached;
  }

  /// Flips a path from an unmatched row to an unmatched column, if there is one. The level of a row
  /// is inverted where it is pushed, and stays so unless it is still on the stack at the end: other
  /// rows are on the path, or none of their arcs leads to an unmatched column any more.
  void search_from(vertex_t root) {
    std::int64_t top = 0;  // of the stack
    push(root, root, top);
    bool is_found = false;
    while (top > 0 && !is_found) is_found = follow(list_[at(--top)], root, top);
    for (std::int64_t i = 0; i < top; ++i) invert(list_[at(i)]);
  }

  void invert(vertex_t v) { levels_[at(v)] = ~levels_[at(v)]; }

  void push(vertex_t v, vertex_t parent, std::int64_t& top) {
    invert(v);
    parents_[at(v)] = parent;
    list_[at(top++)] = v;
  }

  /// Pushes the rows that follow a row on shortest paths, or flips the path if it ends here.
  bool follow(vertex_t v, vertex_t root, std::int64_t& top) {
    const vertex_t next_level = ~levels_[at(v)] + 1;
    for (edge_t e = rows_.begin(v); e < rows_.end(v); ++e) {
      const vertex_t column = head(e);
      const vertex_t next = row_of_[at(column)];
      if (levels_[at(next)] != next_level) continue;
      if (next == free()) {
        flip(v, column, root);
        return true;
      }
      push(next, v, top);
    }
    return false;
  }

  void flip(vertex_t v, vertex_t column, vertex_t root) {
    while (true) {
      row_of_[at(column)] = v;
      column = std::exchange(column_of_[at(v)], column);
      if (v == root) return;
      v = parents_[at(v)];
    }
  }

  const CsrPattern rows_;
  const std::span<vertex_t> column_of_;
  const std::span<vertex_t> row_of_;
  HostVector<vertex_t> levels_;   // of the rows, and of unmatched columns
  HostVector<vertex_t> list_;     // the queue of a phase, then the stack of each of its searches
  HostVector<vertex_t> parents_;  // the row before each one on the paths of a search
  edge_t n_read_ = 0;
};

}  // namespace

void maximum_bipartite_matching_cpu(const CsrPattern& rows, const BipartiteMatchingOptions& options,
                                    std::span<vertex_t> column_of, std::span<vertex_t> row_of) {
  options.budget.require("matching rows and columns", PhasesOfPaths::bytes(column_of.size()), "");
  PhasesOfPaths(rows, column_of, row_of).run();
}

vertex_t maximum_bipartite_matching_reference(const CsrPattern& rows, vertex_t n_columns) {
  std::vector<vertex_t> row_of(at(n_columns), no_vertex);
  vertex_t size = 0;
  for (vertex_t root = 0; root < rows.n_vertices; ++root) {
    std::vector<bool> is_seen(at(n_columns));
    const auto finds_column = [&](const auto& search, vertex_t row) -> bool {
      for (edge_t e = rows.begin(row); e < rows.end(row); ++e) {
        const vertex_t column = rows.heads[e];
        if (is_seen[at(column)]) continue;
        is_seen[at(column)] = true;
        if (row_of[at(column)] != no_vertex && !search(search, row_of[at(column)])) continue;
        row_of[at(column)] = row;
        return true;
      }
      return false;
    };
    size += finds_column(finds_column, root) ? 1 : 0;
  }
  return size;
}

}  // namespace warpgraph
