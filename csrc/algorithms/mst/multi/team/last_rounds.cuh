// The last rounds of Boruvka's algorithm on a team: the first member takes the few candidates that
// all have left and joins trees along them alone.
#pragma once

#include "algorithms/mst/multi/team/team_member.cuh"
#include "core/containers/at.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"

#include <deque>
#include <vector>

namespace warpgraph::mst {

/// Packs the candidates that are left. `n_packed` is 0 before.
template <class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block)
    pack_part(MemberRounds<WordRank> member, DeviceCandidate<WordRank>* packed,
              unsigned long long* n_packed) {
  const CandidateChunk<WordRank> chunk = member.chunk();
  if (chunk.n == 0) return;
  const unsigned long long first =
      cuda::warp_fetch_add(*n_packed, static_cast<unsigned long long>(chunk.n));
  for (std::int64_t i = cuda::lane(); i < chunk.n; i += cuda::warp_lanes) {
    packed[first + static_cast<unsigned long long>(i)] = chunk.items[i];
  }
}

/// Prepares the rounds of one device alone on a list of n candidates.
template <class WordRank>
__global__ void begin_list(MemberRounds<WordRank> member, std::int64_t n) {
  RoundState& state = *member.rounds.state;
  state.giant[0] = member.giant();
  state.n_collected = static_cast<unsigned long long>(n);
  state.n_trees[0] = state.n_trees[1] = state.n_single_block = 0;
}

/// Updates the lightest edges, which are reset, with all candidates of the list.
template <class WordRank>
__global__ void update_listed(DeviceRounds<WordRank> rounds) {
  const std::int64_t i = cuda::global_index();
  const bool found[1] = {i < rounds.list.size()};
  if (!found[0]) return;
  const DeviceCandidate<WordRank> candidate[1] = {rounds.list[i]};
  rounds.trees.update_minima(candidate, found, relaxed_load(rounds.state->giant[0]));
}

/// Packs the candidates that members have left after rounds. Asynchronous.
template <class Bits, class WordRank>
void pack_candidates(const std::deque<TeamMember<Bits, WordRank>>& members, int parity) {
  for (const TeamMember<Bits, WordRank>& member : members) {
    cuda::fill_bytes(member.counts.data(), 0, 1, member.stream());
    member.run(pack_part<WordRank>, member.view(parity, false), member.packed.data(),
               &member.counts.data()->n_left);
  }
}

/// Makes the first member join trees along all candidates, of which members have these numbers:
/// those of its packed arrays, or of its lists. Asynchronous.
template <class Bits, class WordRank>
void join_on_first(std::deque<TeamMember<Bits, WordRank>>& members,
                   const std::vector<std::int64_t>& counts, bool are_packed, int parity,
                   const runtime::DeviceTeam& team) {
  using Candidate = DeviceCandidate<WordRank>;
  TeamMember<Bits, WordRank>& first = members.front();
  const DeviceRounds<WordRank> rounds = first.passes.rounds();
  team.barrier();
  std::int64_t n = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Candidate* const from =
        are_packed ? members[i].packed.data() : members[i].passes.rounds().list.items;
    if (from != rounds.list.items) {
      cuda::copy(rounds.list.items + n, from, at(counts[i]), first.stream());
    }
    n += counts[i];
  }
  cuda::launch(first.stream(), 1, 1, 0, begin_list<WordRank>, first.view(parity, true), n);
  first.passes.reset(rounds.trees.current);
  first.passes.reset(rounds.trees.next);
  cuda::launch_for(first.stream(), n, update_listed<WordRank>, rounds);
  first.passes.join_along_list();
}

}  // namespace warpgraph::mst
