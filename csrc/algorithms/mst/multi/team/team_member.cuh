// A member of a team with its memory for the rounds of team_rounds.cuh, beside its passes.
#pragma once

#include "algorithms/mst/filter_boruvka/device/device_passes.cuh"
#include "algorithms/mst/filter_boruvka/device/pass_plan.cuh"
#include "algorithms/mst/multi/team/team_rounds.cuh"
#include "core/memory/memory_budget.hpp"
#include "runtime/worklist/shares.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

namespace warpgraph::mst {

/// Returns the number of candidates up to which rounds take less time than the exchange between
/// members.
inline std::int64_t few_candidates(vertex_t n_vertices, std::int64_t capacity) {
  return std::min<std::int64_t>(n_vertices / 8, capacity);
}

/// The counts of a round: candidates that are left, roots that are left in the slice.
struct RoundCounts {
  unsigned long long n_left;
  unsigned long long n_roots;
};

template <class Bits, class WordRank>
struct TeamMember {
  using Candidate = DeviceCandidate<WordRank>;

  DevicePasses<Bits, WordRank> passes;
  std::int64_t n_blocks;  // of rounds: each warp has a chunk of the list
  cuda::DeviceBuffer<unsigned> chunk_sizes;
  cuda::DeviceBuffer<RoundCounts> counts;
  cuda::DeviceBuffer<Candidate> packed;
  cuda::DeviceBuffer<std::uint32_t> has_edge;  // bits of vertices
  // The roots of this round, then of the next.
  std::pair<cuda::DeviceBuffer<vertex_t>, cuda::DeviceBuffer<vertex_t>> roots;

  /// Allocates. `slice` is the number of vertices of the member's slice.
  TeamMember(const KeyedBits<Bits>& graph, EntryRange entries, std::int64_t capacity,
             std::int64_t slice, const cuda::Stream& stream)
      : passes(graph, entries, capacity, false, stream),
        n_blocks(passes.blocks_for(update_part<WordRank>, passes.lanes_for_list())),
        chunk_sizes(static_cast<std::size_t>(n_blocks) * cuda::threads_per_block / cuda::warp_lanes,
                    stream),
        counts(1, stream),
        packed(static_cast<std::size_t>(few_candidates(graph.n_vertices, capacity)), stream),
        has_edge(static_cast<std::size_t>(graph.n_vertices) / 32 + 1, stream),
        roots{cuda::DeviceBuffer<vertex_t>(static_cast<std::size_t>(slice), stream),
              cuda::DeviceBuffer<vertex_t>(static_cast<std::size_t>(slice), stream)} {}

  /// Returns the bytes that a member needs on its device beside the list of candidates.
  static std::size_t fixed_bytes(vertex_t n_vertices, edge_t n_entries,
                                 const std::vector<Device>& devices) {
    const auto n = static_cast<std::size_t>(n_vertices);
    return n / 8 * sizeof(Candidate) + n / 8 + (n / devices.size() + 1) * 2 * sizeof(vertex_t) +
           DevicePasses<Bits, WordRank>::fixed_bytes(n_vertices, n_entries);
  }

  [[nodiscard]] const cuda::Stream& stream() const { return passes.stream(); }

  /// Returns the arrays of a round of even or odd number: the lightest edges of this round and of
  /// the next one change places.
  [[nodiscard]] DeviceRounds<WordRank> rounds(int parity) const {
    DeviceRounds<WordRank> of_round = passes.rounds();
    if (parity == 1) of_round.trees.begin_round();
    return of_round;
  }
  [[nodiscard]] MemberRounds<WordRank> view(int parity, bool is_first) const {
    return {rounds(parity), chunk_sizes.data(), &counts.data()->n_left, is_first};
  }
  /// Returns an empty list for the roots that a round leaves.
  [[nodiscard]] cuda::WorklistView<vertex_t> roots_left() const {
    return {roots.second.data(), &counts.data()->n_roots,
            static_cast<std::int64_t>(roots.second.size())};
  }
  /// Launches a kernel whose warps have a chunk of the list each.
  template <class... Parameters, class... Arguments>
  void run(void (*kernel)(Parameters...), const Arguments&... arguments) const {
    cuda::launch(stream(), n_blocks, cuda::threads_per_block, 0, kernel, arguments...);
  }
};

/// Returns the capacity for which the memory of each device suffices beside `fixed_bytes`. Throws
/// OutOfMemory. `n_lists` members share the candidates.
template <class Bits, class WordRank>
std::int64_t capacity_on_all(const PassPlan<Bits, WordRank>& plan, const MemoryBudget& budget,
                             const std::vector<Device>& devices, std::size_t fixed_bytes,
                             int n_lists) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Device device : devices) {
    const MemoryBudget share = runtime::share_of_budget(devices, device, budget);
    least = std::min(least,
                     plan.choose_capacity(share.on(device), "a spanning forest by several devices",
                                          fixed_bytes, "pass more devices", n_lists));
  }
  return least;
}

/// Returns the arrays of all members in a round of even or odd number.
template <class Bits, class WordRank>
TeamTrees<WordRank> trees_of(const std::deque<TeamMember<Bits, WordRank>>& members, int parity) {
  TeamTrees<WordRank> all{};
  for (const TeamMember<Bits, WordRank>& member : members) {
    const DeviceRounds<WordRank> rounds = member.rounds(parity);
    all.current[all.n_members] = rounds.trees.current;
    all.next[all.n_members] = rounds.trees.next;
    all.has_edge[all.n_members] = member.has_edge.data();
    all.parent[all.n_members] = rounds.trees.parent;
    all.state[all.n_members++] = rounds.state;
  }
  return all;
}

}  // namespace warpgraph::mst
