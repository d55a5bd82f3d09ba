// The article's four procedures on a device, in two halves that do not know each other: whoever
// searches for lightest edges only lowers the choices of trees. So the rows of a graph may be
// searched partly by the device and partly by CPU threads. Private to this folder.
#pragma once

#include "algorithms/mst/sorted_rows/boruvka_rows.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "graph/transform/device_compress.hpp"

namespace warpgraph::mst {

/// Prepared rows on a device.
class DeviceRows {
 public:
  /// Copies them. The stream must outlive this.
  DeviceRows(const PreparedRows& rows, const cuda::Stream& stream);
  /// Prepares them there, as prepare_rows does.
  template <class W>
  DeviceRows(const CsrView<W>& graph, bool maximum, std::size_t memory_limit,
             const cuda::Stream& stream);
  /// By CPU threads; waits for the stream that they were made on.
  void compress_heads();

  [[nodiscard]] RowsView view() const noexcept;
  /// In the graph, of the edge of each rank.
  [[nodiscard]] const edge_t* positions() const noexcept { return positions_.data(); }
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  [[nodiscard]] CsrPattern pattern() const noexcept;

  const cuda::Stream* stream_;
  vertex_t n_vertices_;
  cuda::DeviceBuffer<edge_t> offsets_;
  cuda::DeviceBuffer<vertex_t> heads_;
  DeviceCompressed codes_;  // in place of the heads, after compress_heads()
  cuda::DeviceBuffer<rank_t> ranks_;
  cuda::DeviceBuffer<edge_t> positions_;
};

/// What the host reads after each round.
struct RoundSummary {
  vertex_t n_trees;
  vertex_t passive;
};

/// Procedures two to four: what trees have chosen joins them. Trees are numbered from 0.
class DeviceTrees {
 public:
  /// Every vertex is a tree. The stream must outlive this.
  DeviceTrees(vertex_t n_vertices, const cuda::Stream& stream);
  [[nodiscard]] static std::size_t bytes(vertex_t n_vertices);

  [[nodiscard]] vertex_t n_trees() const noexcept { return n_trees_; }
  /// A tree that need not choose: probably the largest, with an end of most edges that are left. By
  /// the cut property any set of trees may choose, and each edge between trees has another end.
  [[nodiscard]] vertex_t passive() const noexcept { return passive_; }
  /// On the device: the tree of each vertex, and what each tree has chosen, no_choice at first.
  [[nodiscard]] const vertex_t* tree_of() const noexcept { return tree_of_.data(); }
  [[nodiscard]] choice_t* choices() const noexcept { return choices_.data(); }

  /// Lowers the choices of n trees from `first` on to these, which the device can read. Does not
  /// wait.
  void offer(const choice_t* choices, vertex_t first, std::int64_t n) const;
  /// Joins every tree to the one that it has chosen. Waits; false when no tree has chosen, and so
  /// the forest is complete.
  bool join();
  /// On the device: the number of each tree before the last join() that joined any, after it.
  [[nodiscard]] const vertex_t* renumbering() const noexcept { return parent_.data(); }

  [[nodiscard]] std::int64_t n_chosen() const noexcept { return n_chosen_; }
  /// On the device: the ranks of the forest's edges, in no particular order.
  [[nodiscard]] const rank_t* chosen() const noexcept { return chosen_.data(); }
  /// In their order, which is Kruskal's. Does not wait.
  [[nodiscard]] cuda::DeviceBuffer<rank_t> sorted_ranks() const;

 private:
  void number_roots();
  void merge_trees();

  const cuda::Stream& stream_;
  vertex_t n_vertices_;
  vertex_t n_trees_;
  vertex_t passive_ = no_vertex;
  std::int64_t n_chosen_ = 0;
  cuda::DeviceBuffer<vertex_t> tree_of_;
  cuda::DeviceBuffer<choice_t> choices_;
  cuda::DeviceBuffer<vertex_t> parent_;
  cuda::DeviceBuffer<vertex_t> number_;  // of each root, and at the end how many there are
  cuda::DeviceBuffer<rank_t> chosen_;
  cuda::DeviceBuffer<unsigned> unfinished_;
  cuda::DeviceBuffer<RoundSummary> summary_;
  cuda::DeviceBuffer<std::byte> scan_scratch_;
};

/// Where the scan of each row stands: arcs before it are known to lie within a tree.
struct RowStops {
  std::uint32_t* n_passed;
  rank_t* rank;    // none of the other arcs has a smaller one
  vertex_t* head;  // of the arc there; no_vertex if it was not looked at yet
};

/// Procedure one, the search for lightest edges along some rows.
class DeviceRowSearch {
 public:
  /// The rows first .. last - 1; nothing of them is read yet. The stream must outlive this.
  DeviceRowSearch(const RowsView& rows, vertex_t first, vertex_t last, const cuda::Stream& stream);
  [[nodiscard]] static std::size_t bytes(vertex_t n_rows);

  /// Lowers the choices of trees that have vertices among the rows first .. last - 1. Not all rows
  /// need be searched in a round, nor by the same search as in the round before. Does not wait.
  void search(const DeviceTrees& trees, vertex_t first, vertex_t last);
  /// Says, before the first search, a rank for each row that none of its arcs is below. `least`
  /// lies on the device. Rows that cannot offer anything are then never read. Does not wait.
  void set_least_ranks(const rank_t* least) {
    cuda::copy(rank_.data(), least, rank_.size(), stream_);
  }

 private:
  RowsView rows_;
  vertex_t first_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<std::uint32_t> n_passed_;
  cuda::DeviceBuffer<rank_t> rank_;
  cuda::DeviceBuffer<vertex_t> head_;
};

}  // namespace warpgraph::mst
