// Core numbers: the largest k for which a vertex is in the k-core, the largest subgraph whose
// vertices all have at least k neighbours in it [1].
//
// Peeling: vertices of fewer than k neighbours are removed until none is left, for k = 1, 2, ...; a
// vertex has the number k - 1 of the round that removes it. Every order of removals ends with the
// same cores, so that the numbers do not depend on the number of threads.
//
// One thread keeps the vertices sorted by the number of neighbours that are left, in buckets, and
// moves a vertex to the bucket before whenever a neighbour is removed [2]. Several threads count
// neighbours down by atomic operations. In a round, each thread has a list of vertices of its own,
// finds those that the round removes, and then also removes those whose count its own removals have
// made too small: threads meet twice a round, however long the chains of removals are [3]. What is
// left of a list is scanned once a round, which costs at most the sum of all core numbers.
//
// Loops, parallel arcs and directions do not count.
//
// [1] Seidman: Network structure and minimum degree. Social Networks 5, 1983.
// [2] Batagelj, Zaversnik: An O(m) algorithm for cores decomposition of networks. 2003.
// [3] Kabir, Madduri: Parallel k-core decomposition on multicore platforms. IPDPSW 2017.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <span>

namespace warpgraph {

struct CoreNumbersOptions {
  /// Bytes that the call may take beside the result; 0: the free memory.
  MemoryBudget budget = {};
};

/// Returns what core_numbers_cpu asks for, beside a copy of a graph without simple rows.
[[nodiscard]] MemoryNeed need_of_core_numbers(const CsrPattern& graph);

/// Writes the core number of each vertex of a graph that has each edge both ways.
void core_numbers_cpu(const CsrPattern& graph, const CoreNumbersOptions& options,
                      std::span<vertex_t> cores);

/// Writes the same by removing a vertex of the fewest neighbours at a time, in quadratic time.
void core_numbers_reference(const CsrPattern& graph, std::span<vertex_t> cores);

}  // namespace warpgraph
