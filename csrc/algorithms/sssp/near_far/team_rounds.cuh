// Near-far search by a team of devices, for near_far_cuda.cu. Each member has the rows of a part as
// a graph of all vertices, in which the rows of others are empty, and an array of all distances.
// So it can lower the distances of others' vertices, and need not know that relaxing them is in
// vain. A round:
//
//   search_near_far  A member relaxes its near vertices until none is left. Where all have agreed
//                    on it, it raises the threshold first.
//   send_lowered     It sends vertices of others to their owners, if their distances have been
//                    lowered since. Each is sent once a round, however often it was lowered. Only
//                    those in its halo can have been: the heads of its rows.
//   take_mail        An owner lowers its distances; vertices that were lowered are near or far.
//   report, agree    Only if no member has a near vertex, all raise the threshold; all by the same
//                    rule, from the same reports. If none has a far vertex either, they have ended.
//
// A barrier of the team follows send_lowered and report. No distance up to the threshold is lowered
// after all members have run out of near vertices, since their mail was taken before they report.
#pragma once

#include "algorithms/sssp/near_far/near_far_state.cuh"
#include "core/cuda/containers/bitmap_words.cuh"
#include "graph/partition/partition.hpp"

namespace warpgraph::shortest_paths {

/// The vertices with their new distances that one member has sent to another.
template <class W>
struct Mailbox {
  vertex_t* vertices;
  W* distances;
};

/// The facts about a member's search that all members have to know.
template <class W>
struct RoundReport {
  unsigned long long n_near;
  W min_far;  // as in NearFarState
  bool is_narrow;
};

/// A member's view of the search. Arrays `.._at`, `.._to` or `.._by` a member are in the memory of
/// that member; the others are this one's.
template <class W>
struct TeamRoundView {
  NearFarView<W> own;
  PartitionView parts;
  int member;
  W* sent;                    // distances of vertices of others that their owners know
  const std::uint32_t* halo;  // a bit for each vertex
  Mailbox<W> mail_to[max_parts];
  Mailbox<W> mail_from[max_parts];
  unsigned long long* n_mailed;  // to each member
  const unsigned long long* n_mailed_by[max_parts];
  RoundReport<W>* reports_at[max_parts];  // of all members
  RoundReport<W>* reports;
};

template <class W>
__global__ void send_lowered(const __grid_constant__ TeamRoundView<W> team) {
  if (team.own.state->is_done) return;
  for (int to = 0; to < team.parts.n_parts; ++to) {
    const std::int64_t begin = team.parts.begin(to);
    const std::int64_t end = team.parts.end(to);
    if (to == team.member || begin == end) continue;
    const auto read = [&](std::int64_t word) { return team.halo[word]; };
    cuda::visit_words(begin / 32, (end + 31) / 32, read, [&](std::int64_t word, unsigned bits) {
      const std::int64_t v = word * 32 + cuda::lane();
      const bool may_be_lowered = (bits >> cuda::lane() & 1u) != 0 && begin <= v && v < end;
      const W distance = may_be_lowered ? team.own.distances[v] : infinity<W>();
      const bool is_lowered[1] = {may_be_lowered && distance < team.sent[v]};
      const WarpSlots<unsigned long long, 1> slots(team.n_mailed[to], is_lowered);
      if (!is_lowered[0]) return;
      team.sent[v] = distance;
      team.mail_to[to].vertices[slots[0]] = static_cast<vertex_t>(v);
      team.mail_to[to].distances[slots[0]] = distance;
    });
  }
}

template <class W>
__global__ void take_mail(const __grid_constant__ TeamRoundView<W> team) {
  __shared__ unsigned long long n_arrived[max_parts];
  if (static_cast<int>(threadIdx.x) < team.parts.n_parts) {
    const auto from = static_cast<int>(threadIdx.x);
    n_arrived[from] = from == team.member ? 0 : team.n_mailed_by[from][team.member];
  }
  __syncthreads();
  const NearFarView<W>& own = team.own;
  NearFarState<W>& state = *own.state;
  NearFarCounters<W>& counters = *own.counters;
  const ItemList<W>& near = state.step % 2 == 0 ? own.near_even : own.near_odd;
  const ItemList<W>& far = state.n_splits % 2 == 0 ? own.far_even : own.far_odd;
  for (int from = 0; from < team.parts.n_parts; ++from) {
    const auto end = static_cast<std::int64_t>(n_arrived[from]);
    for (std::int64_t first = cuda::global_warp() * cuda::warp_lanes; first < end;
         first += cuda::n_global_warps() * cuda::warp_lanes) {
      const std::int64_t i = first + cuda::lane();
      const vertex_t v[1] = {i < end ? team.mail_from[from].vertices[i] : 0};
      const W distance[1] = {i < end ? team.mail_from[from].distances[i] : W{0}};
      const bool is_lowered = i < end && lower_non_negative(own.distances[v[0]], distance[0]);
      const bool is_near[1] = {is_lowered && distance[0] <= state.threshold};
      const bool is_far[1] = {is_lowered && !is_near[0] && state.far_is_listed};
      append(near, counters.near[state.step % 3], is_near, v, distance);
      append(far, counters.far[state.n_splits % 3], is_far, v, distance);
    }
    // No bound of the far distances is known: this mail may be far, or lead there.
    if (end != 0 && cuda::global_index() == 0) state.min_far = W{0};
  }
}

/// Reports to all members. One block of at least as many threads as there are members runs this, as
/// it does agree().
template <class W>
__global__ void report(const __grid_constant__ TeamRoundView<W> team) {
  const auto i = static_cast<int>(threadIdx.x);
  if (i >= team.parts.n_parts) return;
  const NearFarState<W>& state = *team.own.state;
  team.reports_at[i][team.member] = {team.own.counters->near[state.step % 3], state.min_far,
                                     state.is_narrow};
}

template <class W>
__global__ void agree(const __grid_constant__ TeamRoundView<W> team) {
  const auto i = static_cast<int>(threadIdx.x);
  if (i < team.parts.n_parts) team.n_mailed[i] = 0;  // has been taken
  if (i != 0) return;
  unsigned long long n_near = 0;
  W min_far = infinity<W>();
  bool is_narrow = true;
  for (int k = 0; k < team.parts.n_parts; ++k) {
    const RoundReport<W>& of_member = team.reports[k];
    n_near += of_member.n_near;
    if (of_member.min_far < min_far) min_far = of_member.min_far;
    is_narrow = is_narrow && of_member.is_narrow;
  }
  NearFarState<W>& state = *team.own.state;
  state.is_done = n_near == 0 && min_far == infinity<W>();
  state.may_split = n_near == 0 && !state.is_done;
  if (!state.may_split) return;
  state.min_far = min_far;
  state.is_narrow = is_narrow;
}

}  // namespace warpgraph::shortest_paths
