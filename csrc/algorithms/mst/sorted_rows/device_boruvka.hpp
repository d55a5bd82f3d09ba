// The four procedures of mst_boruvka.hpp on a device, in two independent halves: the search for
// lightest edges only lowers the choices of trees. So a graph's rows may be searched partly by the
// device and partly by CPU threads. Private to this folder.
#pragma once

#include "algorithms/mst/sorted_rows/prepared_rows.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/memory/memory_budget.hpp"

namespace warpgraph::mst {

/// Prepared rows on a device.
class DevicePreparedRows {
 public:
  /// Prepares the rows as prepare_rows does. The stream must outlive this.
  template <class W>
  DevicePreparedRows(const CsrView<W>& graph, bool maximum, MemoryBudget budget,
                     const cuda::Stream& stream);

  [[nodiscard]] RowsView view() const noexcept;
  /// Returns, for each rank, the position of the edge in the graph.
  [[nodiscard]] const edge_t* positions() const noexcept { return positions_.data(); }
  [[nodiscard]] std::size_t bytes() const noexcept;

 protected:
  const cuda::Stream* stream_;
  vertex_t n_vertices_;
  cuda::DeviceBuffer<edge_t> offsets_;
  cuda::DeviceBuffer<vertex_t> heads_;
  cuda::DeviceBuffer<rank_t> ranks_;
  cuda::DeviceBuffer<edge_t> positions_;
};

/// The values that the host reads after each round.
struct RoundSummary {
  vertex_t n_trees;
  vertex_t giant;
};

/// The trees of a forest that grows by procedures two to four, which join them along their choices.
/// Trees are numbered from 0.
class DeviceBoruvkaTrees {
 public:
  /// Makes every vertex a tree. The stream must outlive this.
  DeviceBoruvkaTrees(vertex_t n_vertices, const cuda::Stream& stream);
  [[nodiscard]] static std::size_t bytes(vertex_t n_vertices);

  [[nodiscard]] vertex_t n_trees() const noexcept { return n_trees_; }
  /// Returns a tree that need not choose: probably the largest, with an end of most edges that are
  /// left. By the cut property any subset of trees may choose, and each edge between trees has
  /// another end.
  [[nodiscard]] vertex_t giant() const noexcept { return giant_; }
  /// Returns, on the device, the tree of each vertex.
  [[nodiscard]] const vertex_t* tree_of() const noexcept { return tree_of_.data(); }
  /// Returns, on the device, the choice of each tree, no_choice at first.
  [[nodiscard]] choice_t* choices() const noexcept { return choices_.data(); }

  /// Lowers the choices of n trees from `first` on to these, which the device can read. Does not
  /// wait.
  void merge_choices(const choice_t* choices, vertex_t first, std::int64_t n) const;
  /// Joins every tree to the one that it has chosen. Waits. Returns false when no tree has chosen:
  /// then the forest is complete.
  bool join();
  /// Returns the map, on the device, of tree numbers from before to after the last join() that
  /// joined any.
  [[nodiscard]] const vertex_t* renumbering() const noexcept { return parent_.data(); }

  [[nodiscard]] std::int64_t n_chosen() const noexcept { return n_chosen_; }
  /// Returns the ranks, on the device, of the forest's edges, in no particular order.
  [[nodiscard]] const rank_t* chosen() const noexcept { return chosen_.data(); }
  /// Returns the ranks in ascending order, which is Kruskal's. Does not wait.
  [[nodiscard]] cuda::DeviceBuffer<rank_t> sorted_ranks() const;

 private:
  const cuda::Stream& stream_;
  vertex_t n_vertices_;
  vertex_t n_trees_;
  vertex_t giant_ = no_vertex;
  std::int64_t n_chosen_ = 0;
  cuda::DeviceBuffer<vertex_t> tree_of_;
  cuda::DeviceBuffer<choice_t> choices_;
  cuda::DeviceBuffer<vertex_t> parent_;
  cuda::DeviceBuffer<vertex_t> numbers_;  // of each root, then their count
  cuda::DeviceBuffer<rank_t> chosen_;
  cuda::DeviceBuffer<unsigned> unfinished_;
  cuda::DeviceBuffer<RoundSummary> summary_;
};

/// The arc at which the scan of each row stands: all arcs before it lie within a tree.
struct RowCursors {
  std::uint32_t* n_passed;  // the number of these arcs
  rank_t* rank;             // lower bound on the ranks of the remaining arcs
  vertex_t* head;           // of the arc there; no_vertex if it was not read yet
};

/// Procedure one, the search for lightest edges along rows.
class DeviceRowSearch {
 public:
  /// Begins with no row read. The stream must outlive this.
  DeviceRowSearch(const RowsView& rows, const cuda::Stream& stream);
  [[nodiscard]] static std::size_t bytes(vertex_t n_rows);

  /// Lowers the choices of trees that have vertices among the rows first .. last - 1. A round need
  /// not search all rows here: the host may search others, see merge_choices(). It may search along
  /// other heads than the round before, see search_along(). Does not wait.
  void search(const DeviceBoruvkaTrees& trees, vertex_t first, vertex_t last);
  /// Searches along heads in another form than the rows' own. For sources that include
  /// row_search.cuh.
  template <class Heads>
  void search_along(const Heads& heads, const DeviceBoruvkaTrees& trees, vertex_t first,
                    vertex_t last);
  /// Sets a lower bound on the ranks of each row's arcs, before the first search. `min_ranks` is on
  /// the device. Rows that cannot lower a choice are then never read. Does not wait.
  void set_min_ranks(const rank_t* min_ranks) {
    cuda::copy(rank_.data(), min_ranks, rank_.size(), stream_);
  }

 private:
  RowsView rows_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<std::uint32_t> n_passed_;
  cuda::DeviceBuffer<rank_t> rank_;
  cuda::DeviceBuffer<vertex_t> head_;
};

/// The rounds that reports of progress expect: each leaves at most half of the trees that are not
/// complete, and as a rule far fewer.
inline constexpr std::int64_t rounds_expected = 8;

/// Runs all rounds on a device alone.
DeviceBoruvkaTrees grow_trees(const RowsView& rows, const cuda::Stream& stream);

}  // namespace warpgraph::mst
