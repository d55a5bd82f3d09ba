// Communities: groups of vertices with more edges inside than chance would have, by the methods of
// Louvain [1] and Leiden [2].
//
// Both increase a quality of the partition: modularity [3],
//     sum over communities c of   e(c) / m - resolution (K(c) / 2m)^2,
// with the weight e(c) of the edges inside c, the sum K(c) of its vertices' weighted degrees, and
// the weight m of all edges; or the constant Potts model [4],
//     sum over communities c of   e(c) - resolution n(c) (n(c) - 1) / 2,
// with the number n(c) of its vertices. A loop counts twice in a degree.
//
// 1. Local moving: every vertex begins as a community. A vertex moves to the community of a
//    neighbour, or to an empty one, where that increases the quality most; its neighbours are
//    looked at again [2].
// 2. Leiden: each community is divided anew. Its vertices begin alone, and those that are well
//    connected to the rest of it join the part that increases the quality most. So no community
//    consists of parts that are not connected, as Louvain's may. Vertices come in a random order,
//    another one in each iteration: in the same order, they would join the same parts again.
// 3. The parts (Louvain: the communities) become the vertices of a smaller graph, which is treated
//    in the same way until nothing moves.
//
// Label propagation [5] is local moving of the first level alone, to where the weight of a vertex'
// edges is greatest: that of the edges inside communities increases, and moving ends.
//
// Parallel, and the same for any number of threads: the vertices are divided at random into batches
// that depend on the seed alone. In a batch, all threads look for the best moves in the state
// before it. Of neighbours whose moves touch the same community, only the first of the batch, whose
// order is random, may move. Then the moves are made in order by one thread, each only if it still
// increases the quality: the weights towards both communities are still exact, and the sums of
// these are up to date. So the quality increases with every move. If few vertices wait for a look,
// one thread moves them one by one, whatever the number of threads. Weights are integers: those of
// the caller, or multiples of a power of two, so that sums do not depend on their order.
//
// [1] Blondel, Guillaume, Lambiotte, Lefebvre: Fast unfolding of communities in large networks.
//     J. Statistical Mechanics, 2008.
// [2] Traag, Waltman, van Eck: From Louvain to Leiden: guaranteeing well-connected communities.
//     Scientific Reports 9, 2019.
// [3] Newman, Girvan: Finding and evaluating community structure in networks. Physical Review E 69,
//     2004.
// [4] Traag, Van Dooren, Nesterov: Narrow scope for resolution-limit-free community detection.
//     Physical Review E 84, 2011.
// [5] Raghavan, Albert, Kumara: Near linear time algorithm to detect community structures in
//     large-scale networks. Physical Review E 76, 2007.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpgraph {

enum class CommunityMethod { leiden, louvain, label_propagation };
enum class PartitionQuality { modularity, cpm };

struct CommunitiesOptions {
  CommunityMethod method = CommunityMethod::leiden;
  PartitionQuality quality = PartitionQuality::modularity;
  double resolution = 1;
  /// Repetitions from the partition that was found; the last if one changes nothing.
  std::int64_t n_iterations = 2;
  std::uint64_t seed = 0;
  /// Bytes that the call may take beside the result; 0: the free memory.
  MemoryBudget budget = {};
};

struct CommunitiesResult {
  vertex_t n_communities = 0;
  double quality = 0;
};

/// Writes the number of each vertex' community, which are numbered from 0 by their smallest vertex.
/// The graph has each edge both ways, loops once, and no NaN; without weights each weighs 1.
/// Weights of parallel edges are added. Throws std::invalid_argument that names the first weight
/// that is negative or infinite.
template <class W>
CommunitiesResult communities_cpu(const CsrView<W>& graph, const CommunitiesOptions& options,
                                  std::span<vertex_t> labels);

/// Returns what it asks for if the longest row has so many arcs.
[[nodiscard]] MemoryNeed need_of_communities(const CsrPattern& graph, bool is_weighted,
                                             CommunityMethod method, edge_t longest_row);

}  // namespace warpgraph
