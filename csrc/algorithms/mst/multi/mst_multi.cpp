// Forests of parts on the host and on devices, whose edges lie in host memory: endpoints find the
// positions of a forest's edges.
#include "algorithms/mst/multi/mst_multi.hpp"

#include "algorithms/mst/multi/forest_tree.hpp"
#include "core/containers/at.hpp"
#include "core/containers/bitmap.hpp"
#include "core/memory/memory_budget.hpp"

#include <bit>

namespace warpgraph::mst {
namespace {

/// The positions of edges, in ascending order.
using Positions = HostVector<edge_t>;

/// Returns position(i) for each entry i, below n_entries, of a forest's edges in ascending order.
template <class W, class Renumber>
Positions ascending(const SpanningForest<W>& forest, edge_t n_entries, Renumber&& position) {
  Bitmap chosen(n_entries);
  parallel_for(
      std::ssize(forest.positions),
      [&, view = chosen.view()](std::int64_t i) { view.set_atomically(forest.positions[at(i)]); },
      light_grain);
  Positions found;
  found.reserve(forest.positions.size());
  for (edge_t word = 0; word < std::ssize(chosen.words()); ++word) {
    for (std::uint64_t bits = chosen.words()[at(word)]; bits != 0; bits &= bits - 1) {
      found.push_back(position(64 * word + std::countr_zero(bits)));
    }
  }
  return found;
}

/// Returns the graph with these entries only, in their order.
template <class W>
Csr<W> subgraph(const CsrView<W>& graph, const Positions& positions) {
  const std::int64_t n_offsets = std::int64_t{graph.n_vertices} + 1;
  Csr<W> made{HostVector<edge_t>(at(n_offsets)), HostVector<vertex_t>(positions.size()),
              HostVector<W>(positions.size())};
  parallel_blocks(n_offsets, light_grain, [&](int, std::int64_t first, std::int64_t last) {
    auto next = std::lower_bound(positions.begin(), positions.end(), graph.offsets[first]);
    for (std::int64_t u = first; u < last; ++u) {
      while (next != positions.end() && *next < graph.offsets[u]) ++next;
      made.offsets[at(u)] = next - positions.begin();
    }
  });
  parallel_for(
      std::ssize(positions),
      [&](std::int64_t i) {
        made.heads[at(i)] = graph.heads[positions[at(i)]];
        made.weights[at(i)] = graph.weights[positions[at(i)]];
      },
      light_grain);
  return made;
}

template <class W>
std::size_t bytes_to_merge(const CsrPattern& graph, std::size_t n_edges) {
  return (at(graph.n_vertices) + 1) * sizeof(edge_t) +
         n_edges * (sizeof(edge_t) + sizeof(vertex_t) + sizeof(W));
}

template <class W>
class HostForests {
 public:
  using Found = Positions;

  HostForests(const std::vector<Device>& devices, const CsrView<W>& graph,
              const std::vector<edge_t>& first_entries, const ForestSolver<W>& solver)
      : devices_(devices), graph_(graph), first_entries_(first_entries), solver_(solver) {}

  Positions of_part(std::size_t rank, MemoryBudget budget) const {
    const edge_t first = first_entries_[rank];
    return ascending(solver_.of_part(devices_[rank], rank, budget),
                     first_entries_[rank + 1] - first, [&](edge_t entry) { return first + entry; });
  }

  Positions merged(std::size_t rank, Positions mine, const Positions& theirs,
                   MemoryBudget budget) const {
    mine.insert(mine.end(), theirs.begin(), theirs.end());
    return ascending(forest_of(rank, mine, budget), std::ssize(mine),
                     [&](edge_t entry) { return mine[at(entry)]; });
  }

  SpanningForest<W> whole(Positions mine, const Positions& theirs, MemoryBudget budget) const {
    mine.insert(mine.end(), theirs.begin(), theirs.end());
    SpanningForest<W> forest = forest_of(0, mine, budget);
    for (edge_t& entry : forest.positions) entry = mine[at(entry)];
    return forest;
  }

 private:
  /// Returns the forest of the edges at these positions.
  [[nodiscard]] SpanningForest<W> forest_of(std::size_t rank, const Positions& both,
                                            MemoryBudget budget) const {
    const Device device = devices_[rank];
    const std::size_t bytes = bytes_to_merge<W>(graph_, both.size());
    (device.is_cuda() ? MemoryBudget() : budget)
        .require("merging two forests", bytes, "pass fewer devices");
    const Csr<W> graph = subgraph(graph_, both);
    return solver_.of_graph(device, graph.view(), device.is_cuda() ? budget : budget.after(bytes));
  }

  const std::vector<Device>& devices_;
  const CsrView<W>& graph_;
  const std::vector<edge_t>& first_entries_;
  const ForestSolver<W>& solver_;
};

}  // namespace

template <class W>
SpanningForest<W> mst_multi(const std::vector<Device>& devices, const CsrView<W>& graph,
                            const std::vector<edge_t>& first_entries, const ForestSolver<W>& solver,
                            MemoryBudget budget) {
  HostForests<W> parts(devices, graph, first_entries, solver);
  return ForestTree<W, HostForests<W>>(devices, parts, budget).run();
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_multi)

}  // namespace warpgraph::mst
