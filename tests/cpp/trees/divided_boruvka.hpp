// Boruvka's rounds over sorted rows, divided between a device and a plain loop on the host.
#pragma once

#include "algorithms/mst/sorted_rows/device_boruvka.hpp"
#include "on_device.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace warpgraph::mst {

class DividedBoruvka : public test::OnDevice {
 protected:
  /// The ranks of a forest. In each round the device searches the rows below cut_of(round), in two
  /// pieces, and the host searches the others.
  template <class CutOf>
  std::vector<rank_t> divided(const PreparedRows& rows, const RowsView& on_device,
                              CutOf&& cut_of) const {
    return divided(rows, on_device, cut_of,
                   [](DeviceRowSearch& search, const auto&... some) { search.search(some...); });
  }
  /// As above; search_rows(search, trees, first, last) searches on the device.
  template <class CutOf, class SearchRows>
  std::vector<rank_t> divided(const PreparedRows& rows, const RowsView& on_device, CutOf&& cut_of,
                              const SearchRows& search_rows) const {
    const vertex_t n = on_device.n_vertices;
    DeviceBoruvkaTrees trees(n, stream());
    DeviceRowSearch search(on_device, stream());
    std::vector<vertex_t> tree_of(static_cast<std::size_t>(n));
    std::iota(tree_of.begin(), tree_of.end(), 0);
    bool joined = true;
    for (vertex_t round = 0; joined; ++round) {
      const vertex_t cut = cut_of(round);
      search_rows(search, trees, cut / 3, cut);
      search_rows(search, trees, 0, cut / 3);
      const std::vector<choice_t> found = choices_of(rows.view(), cut, tree_of, trees);
      const auto host_choices = cuda::to_device(std::span<const choice_t>(found), stream());
      const vertex_t half = trees.n_trees() / 2;
      trees.merge_choices(host_choices.data(), 0, half);
      trees.merge_choices(host_choices.data() + half, half, trees.n_trees() - half);
      const vertex_t n_before = trees.n_trees();
      joined = trees.join();
      const std::vector<vertex_t> renumbering = fetched(trees.renumbering(), n_before);
      for (vertex_t& tree : tree_of) tree = renumbering[static_cast<std::size_t>(tree)];
      EXPECT_EQ(tree_of, fetched(trees.tree_of(), n));
    }
    return fetched(trees.sorted_ranks().data(), trees.n_chosen());
  }

  /// The lightest outgoing edge of each tree in the rows from `first` on.
  static std::vector<choice_t> choices_of(const RowsView& rows, vertex_t first,
                                          const std::vector<vertex_t>& tree_of,
                                          const DeviceBoruvkaTrees& trees) {
    std::vector<choice_t> choices(static_cast<std::size_t>(trees.n_trees()), no_choice);
    for (vertex_t u = first; u < rows.n_vertices; ++u) {
      const vertex_t tree = tree_of[static_cast<std::size_t>(u)];
      if (tree == trees.giant()) continue;
      for (edge_t e = rows.offsets[u]; e < rows.offsets[std::int64_t{u} + 1]; ++e) {
        const vertex_t target = tree_of[static_cast<std::size_t>(rows.heads[e])];
        choice_t& best = choices[static_cast<std::size_t>(tree)];
        if (target != tree) best = std::min(best, make_choice(rows.ranks[e], target));
      }
    }
    return choices;
  }
};

inline std::vector<rank_t> ranks_of(const PreparedRows& rows, const HostVector<edge_t>& positions) {
  std::vector<rank_t> ranks;
  for (const edge_t position : positions) {
    const auto found = std::find(rows.positions.begin(), rows.positions.end(), position);
    ranks.push_back(static_cast<rank_t>(found - rows.positions.begin()));
  }
  return ranks;
}

}  // namespace warpgraph::mst
