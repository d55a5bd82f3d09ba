// The CPU threads' part of a round that they share with a device. Private to this folder.
#pragma once

#include "algorithms/mst/hybrid/block_deque.hpp"
#include "algorithms/mst/sorted_rows/host_row_search.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/row_blocks.hpp"

#include <atomic>
#include <mutex>
#include <numeric>
#include <utility>

namespace warpgraph::mst {

/// A round whose blocks of rows host and device share.
struct SharedRound {
  std::size_t number;
  BlockDeque blocks;
  std::atomic<std::int64_t> n_host_blocks{0};
  /// Set if the device finished all blocks before the threads could begin.
  std::atomic<bool> device_finished_first{false};
};

class HybridHost {
 public:
  /// The number of vertices whose tree numbers a thread updates at a time.
  static constexpr std::int64_t renumber_grain = 1 << 16;

  /// `min_ranks` is a lower bound on the ranks of each row's arcs.
  HybridHost(const RowsView& rows, const RowBlocks& blocks, const rank_t* min_ranks)
      : blocks_(blocks),
        n_vertices_(rows.n_vertices),
        rows_(rows, min_ranks),
        tree_of_(rows.n_vertices) {}
  [[nodiscard]] static std::size_t bytes(vertex_t n_vertices) noexcept {
    return HostRowSearch::bytes(n_vertices) +
           static_cast<std::size_t>(n_vertices) * sizeof(vertex_t);
  }

  /// Makes every vertex a tree of its own again.
  void reset() {
    rows_.reset(first_touched_);
    first_touched_ = n_vertices_;
  }

  /// Lowers `choices` by searching blocks taken from the back of the round. `renumbering` maps the
  /// tree numbers of the round before to the current ones. The calling thread calls poll_device(),
  /// which may throw, every few dozen microseconds; it returns whether the device has anything left
  /// to do.
  template <class PollDevice>
  TreeRange search(SharedRound& round, const vertex_t* renumbering, vertex_t giant,
                   choice_t* choices, PollDevice&& poll_device) {
    TreeRange found;
    std::mutex merging;
    std::atomic<std::int64_t> next_vertex{0};
    const vertex_t touched_before = std::exchange(first_touched_, 0);  // stays 0 if anything throws
    run_team(num_threads(), [&](const Team& team) {
      const auto poll_on_caller = [&] { return team.rank() != 0 || poll_device(); };
      team.guard([&] { renumber(round, renumbering, team, next_vertex, poll_on_caller); });
      team.barrier();
      team.guard([&] {
        if (round.device_finished_first) return;
        const TreeRange mine = search_blocks(round, giant, choices, team, poll_on_caller);
        const std::lock_guard lock(merging);
        found = found + mine;
      });
    });
    first_touched_ =
        std::min(touched_before, blocks_.first_row(blocks_.size() - round.n_host_blocks));
    return found;
  }

 private:
  /// Updates the tree numbers; gives up if the device finishes first.
  template <class PollDevice>
  void renumber(SharedRound& round, const vertex_t* renumbering, const Team& team,
                std::atomic<std::int64_t>& next, PollDevice&& poll_device) {
    while (!team.stopping() && !round.device_finished_first.load(std::memory_order_relaxed)) {
      if (!poll_device()) round.device_finished_first = true;
      const std::int64_t first = next.fetch_add(renumber_grain, std::memory_order_relaxed);
      const std::int64_t last = std::min<std::int64_t>(first + renumber_grain, n_vertices_);
      if (first >= last) break;
      if (round.number == 0) {  // every vertex is a tree
        std::iota(tree_of_.get() + first, tree_of_.get() + last, static_cast<vertex_t>(first));
      } else if (round.number == 1) {
        std::copy(renumbering + first, renumbering + last, tree_of_.get() + first);
      } else {
        for (std::int64_t v = first; v < last; ++v) tree_of_[v] = renumbering[tree_of_[v]];
      }
    }
  }

  template <class PollDevice>
  TreeRange search_blocks(SharedRound& round, vertex_t giant, choice_t* choices, const Team& team,
                          PollDevice&& poll_device) const {
    TreeRange found;
    while (!team.stopping()) {
      poll_device();
      const BlockRange mine = round.blocks.pop_back(1);
      if (mine.size() == 0) break;
      const vertex_t first = blocks_.first_row(mine.first);
      const vertex_t last = blocks_.first_row(mine.last);
      found = found + rows_.search(first, last, tree_of_.get(), giant, choices);
      round.n_host_blocks.fetch_add(1, std::memory_order_relaxed);
    }
    return found;
  }

  const RowBlocks& blocks_;
  const vertex_t n_vertices_;
  const HostRowSearch rows_;
  const HostArray<vertex_t> tree_of_;
  vertex_t first_touched_ = n_vertices_;  // no row before it was searched since reset()
};

}  // namespace warpgraph::mst
