// What CPU threads do in a round that they share with a device. Private to this folder.
#pragma once

#include "algorithms/mst/hybrid/block_claims.hpp"
#include "algorithms/mst/sorted_rows/host_row_search.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/row_blocks.hpp"

#include <atomic>
#include <mutex>

namespace warpgraph::mst {

/// A round's blocks of rows, which both sides claim.
struct SharedRound {
  std::size_t number;
  BlockClaims claims;
  std::atomic<std::int64_t> n_host_blocks{0};
  /// The device was done with everything before the threads could begin.
  std::atomic<bool> is_hopeless{false};
};

class HybridHost {
 public:
  /// Vertices whose trees a thread brings up to date at a time.
  static constexpr std::int64_t renumber_grain = 1 << 16;

  /// `least`, if any, is a rank for each row that none of its arcs is below.
  HybridHost(const RowsView& rows, const RowBlocks& blocks, const rank_t* least)
      : blocks_(blocks),
        n_vertices_(rows.n_vertices),
        rows_(rows, least),
        tree_of_(rows.n_vertices) {}
  [[nodiscard]] static std::size_t bytes(vertex_t n_vertices) noexcept {
    return HostRowSearch::bytes(n_vertices) +
           static_cast<std::size_t>(n_vertices) * sizeof(vertex_t);
  }

  /// Makes every vertex a tree of its own again.
  void restart() {
    rows_.restart(first_touched_);
    first_touched_ = n_vertices_;
  }

  /// Lowers `choices` along blocks that are claimed from the back of the round. `renumbering` says
  /// what has become of each tree since the round before, which the threads must know. The calling
  /// thread calls attend(), which may throw, every few dozen microseconds; it says whether the
  /// device has anything left to do.
  template <class Attend>
  TreeRange search(SharedRound& round, const vertex_t* renumbering, vertex_t passive,
                   choice_t* choices, Attend&& attend) {
    TreeRange found;
    std::mutex merging;
    std::atomic<std::int64_t> next_vertex{0};
    first_touched_ = 0;  // until all has gone well
    run_team(num_threads(), [&](const Team& team) {
      const auto attend_to_device = [&] { return team.rank() != 0 || attend(); };
      if (round.number > 0) {
        team.guard([&] { renumber(round, renumbering, team, next_vertex, attend_to_device); });
        team.barrier();
      }
      team.guard([&] {
        if (round.is_hopeless) return;
        const TreeRange mine = search_blocks(round, passive, choices, team, attend_to_device);
        const std::lock_guard lock(merging);
        found = found + mine;
      });
    });
    return found;
  }

  /// No thread has searched a row before this one since restart().
  void set_first_touched(vertex_t row) noexcept { first_touched_ = row; }

 private:
  /// Gives up if the device is done before that.
  template <class Attend>
  void renumber(SharedRound& round, const vertex_t* renumbering, const Team& team,
                std::atomic<std::int64_t>& next, Attend&& attend) {
    while (!team.stopping() && !round.is_hopeless.load(std::memory_order_relaxed)) {
      if (!attend()) round.is_hopeless = true;
      const std::int64_t first = next.fetch_add(renumber_grain, std::memory_order_relaxed);
      const std::int64_t last = std::min<std::int64_t>(first + renumber_grain, n_vertices_);
      if (first >= last) break;
      if (round.number == 1) {  // before, every vertex was a tree
        std::copy(renumbering + first, renumbering + last, tree_of_.get() + first);
      } else {
        for (std::int64_t v = first; v < last; ++v) tree_of_[v] = renumbering[tree_of_[v]];
      }
    }
  }

  template <class Attend>
  TreeRange search_blocks(SharedRound& round, vertex_t passive, choice_t* choices, const Team& team,
                          Attend&& attend) const {
    TreeRange found;
    while (!team.stopping()) {
      attend();
      const BlockRange mine = round.claims.from_back(1);
      if (mine.size() == 0) break;
      const vertex_t first = blocks_.first_row(mine.first);
      const vertex_t last = blocks_.first_row(mine.last);
      found =
          found + (round.number == 0 ? rows_.search_first(first, last, choices)
                                     : rows_.search(first, last, tree_of_.get(), passive, choices));
      round.n_host_blocks.fetch_add(1, std::memory_order_relaxed);
    }
    return found;
  }

  const RowBlocks& blocks_;
  const vertex_t n_vertices_;
  const HostRowSearch rows_;
  const HostArray<vertex_t> tree_of_;
  vertex_t first_touched_ = 0;
};

}  // namespace warpgraph::mst
