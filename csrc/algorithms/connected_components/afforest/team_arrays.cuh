// The arrays of the members of a team, and what each can reach of the others'.
#pragma once

#include "algorithms/connected_components/afforest/team.cuh"
#include "core/containers/at.hpp"
#include "graph/partition/device_partition.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"

namespace warpgraph::afforest {

/// The most blocks of a kernel: more than any device runs at a time.
inline constexpr std::int64_t max_blocks = 4096;

inline Outbox take_outbox(vertex_t n_vertices, cuda::BumpAllocator& memory) {
  Outbox made{};
  made.giant = memory.take<std::uint32_t>(at(n_words(n_vertices)));
  made.giant_root = memory.take<vertex_t>(1);
  made.pairs = memory.take<Pair>(at(n_vertices));
  made.n_pairs = memory.take<unsigned long long>(2);
  return made;
}

/// Returns a function that places the arrays of a member: if memory is not shared, also outboxes
/// for what the others send. The rest is left to connect_members().
inline auto arrays_for(const DevicePartition& parts, vertex_t n_vertices, bool shares_memory) {
  return [&parts, n_vertices, shares_memory](int member, cuda::BumpAllocator& memory) {
    TeamView view{};
    view.member = member;
    view.parts = parts.parts();
    view.n_members = view.parts.n_parts;
    CsrPattern rows = parts.shape(member);
    rows.n_vertices = n_vertices;
    view.own = take_search_arrays(rows, max_blocks, memory);
    view.own.first_row = view.parts.begin(member);
    view.own.end_row = view.parts.end(member);
    view.own.labels = memory.take<vertex_t>(at(n_vertices));
    for (int i = 0; i < view.n_members; ++i) {
      if (i == member || !shares_memory) view.outboxes[i] = take_outbox(n_vertices, memory);
    }
    return view;
  };
}

/// Tells members where their rows are, those with the hub, unless it is no_vertex, and the arrays
/// of the others that they can reach.
inline void connect_members(std::span<TeamView> members, DevicePartition& parts, vertex_t hub,
                            bool shares_memory) {
  for (TeamView& view : members) {
    const vertex_t n_vertices = view.own.graph.n_vertices;
    view.own.graph = parts.pattern(view.member);
    view.own.graph.n_vertices = n_vertices;
    for (int i = 0; i < view.n_members; ++i) {
      const TeamView& readable = shares_memory ? members[at(i)] : view;
      view.outboxes[i] = readable.outboxes[i];
      view.labels[i] = readable.own.labels;
      if (i == view.member || shares_memory) view.giants[i] = readable.own.giant;
    }
    if (hub == no_vertex) continue;
    const int owner = view.parts.owner(hub);
    view.own.hub = hub;
    view.rows_with_hub = parts.pattern(owner);
    view.first_with_hub = view.parts.begin(owner);
  }
}

/// Returns a function that returns the items of a member's slice, of which each word has
/// `items_per_word`.
inline auto slices_of(vertex_t n_vertices, int n_members, std::int64_t items_per_word) {
  return [=](int member) -> runtime::ItemRange {
    const std::int64_t all = items_per_word == 1 ? n_words(n_vertices) : n_vertices;
    const WordSlice slice = slice_of(member, n_members, n_vertices);
    const std::int64_t first = std::min(slice.first * items_per_word, all);
    return {first, at(std::min(slice.end * items_per_word, all) - first)};
  };
}

}  // namespace warpgraph::afforest
