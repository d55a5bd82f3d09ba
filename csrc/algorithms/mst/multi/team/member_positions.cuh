// The edges that a team has chosen: each member lists those of its own rows.
#pragma once

#include "algorithms/mst/multi/team/team_member.cuh"
#include "core/containers/at.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"

#include <deque>
#include <vector>

namespace warpgraph::mst {

/// The ascending positions of a member's chosen edges on its device, counted from its first entry.
struct MemberPositions {
  cuda::DeviceBuffer<edge_t> items;
  std::int64_t n = 0;
};

/// The words of the bitmap of all entries that have the bits of a member's.
struct Words {
  std::size_t first;
  std::size_t n;
  edge_t before;  // entries of others in the first word
};
template <class Passes>
Words words_of(const Passes& passes) {
  const edge_t begin = passes.entries().first_position;
  const edge_t first = begin / bits_per_word;
  const edge_t end = (begin + passes.graph().n_arcs + bits_per_word - 1) / bits_per_word;
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(end - first),
          begin - first * bits_per_word};
}

/// Adds the bits of others[i] to own[i] and keeps those of the entries first .. end - 1, counted
/// from bit 0 of own[0].
static __global__ void take_bits(std::uint64_t* own, const std::uint64_t* others, std::int64_t n,
                                 edge_t first, edge_t end) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  std::uint64_t bits = own[i] | others[i];
  if (const edge_t before = first - 64 * i; before > 0) bits &= ~std::uint64_t{0} << before;
  if (const edge_t inside = end - 64 * i; inside < 64) bits &= (std::uint64_t{1} << inside) - 1;
  own[i] = bits;
}

static __global__ void subtract(edge_t what, edge_t* positions, std::int64_t n) {
  if (const std::int64_t i = cuda::global_index(); i < n) positions[i] -= what;
}

/// Gives each member the bits of its entries that the first member has chosen.
template <class Bits, class WordRank>
void take_bits_of_first(const std::deque<TeamMember<Bits, WordRank>>& members,
                        const runtime::DeviceTeam& team) {
  using Member = TeamMember<Bits, WordRank>;
  const auto chosen_of = [](const Member& member, const Words& words) {
    return member.passes.trees().chosen.words + words.first;
  };
  // The candidate list is no longer needed.
  const auto received_by = [](const Member& member) {
    return reinterpret_cast<std::uint64_t*>(member.passes.rounds().list.items);
  };
  team.barrier();
  for (const Member& member : members) {
    const Words words = words_of(member.passes);
    cuda::copy(received_by(member), chosen_of(members.front(), words), words.n, member.stream());
  }
  team.barrier();  // since two members have entries in the same word
  for (const Member& member : members) {
    const Words words = words_of(member.passes);
    cuda::launch_for(member.stream(), static_cast<std::int64_t>(words.n), take_bits,
                     chosen_of(member, words), received_by(member),
                     static_cast<std::int64_t>(words.n), words.before,
                     words.before + member.passes.graph().n_arcs);
  }
}

/// Returns the forest's edges that each member has. Waits.
template <class Bits, class WordRank>
std::vector<MemberPositions> list_positions(std::deque<TeamMember<Bits, WordRank>>& members,
                                            const runtime::DeviceTeam& team, vertex_t n_vertices) {
  using Member = TeamMember<Bits, WordRank>;
  take_bits_of_first(members, team);
  std::vector<MemberPositions> listed;
  for (Member& member : members) {
    const edge_t most = std::min<edge_t>(n_vertices, member.passes.graph().n_arcs);
    const Words words = words_of(member.passes);
    MemberPositions made;
    made.items = cuda::DeviceBuffer<edge_t>(static_cast<std::size_t>(most), member.stream());
    member.passes.list_positions(words.first, words.n, made.items.data());
    listed.push_back(std::move(made));
  }
  const auto counts = runtime::read_back<std::int64_t>(
      team, [&](int i) { return &members[at(i)].passes.counters()->n_chosen; });
  for (std::size_t i = 0; i < listed.size(); ++i) {
    listed[i].n = counts[i];
    cuda::launch_for(members[i].stream(), counts[i], subtract, words_of(members[i].passes).before,
                     listed[i].items.data(), counts[i]);
  }
  return listed;
}

}  // namespace warpgraph::mst
