// Boruvka's algorithm on a team of devices: the order of the steps of team_rounds.cuh.
#pragma once

#include "algorithms/mst/multi/team_member.cuh"
#include "core/containers/at.hpp"
#include "core/interrupt.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"

#include <deque>
#include <numeric>
#include <vector>

namespace warpgraph::mst {

template <class W, class WordRank>
class TeamBoruvka {
 public:
  using Member = TeamMember<W, WordRank>;

  TeamBoruvka(std::deque<Member>& members, vertex_t n_vertices, runtime::DeviceTeam& team)
      : members_(members), n_vertices_(n_vertices), team_(team) {}

  /// Joins trees along the listed edges, and returns true, unless they are more than a list holds.
  /// Waits.
  bool join() {
    roots_.clear();
    auto n_left = runtime::read_back<std::int64_t>(
        team_, [&](int i) { return &members_[at(i)].passes.counters()->state.n_collected; });
    const std::int64_t capacity = members_.front().passes.capacity();
    if (std::ranges::max(n_left) > capacity) return false;
    if (!team_.shares_memory() && sum(n_left) > capacity) return false;
    const std::int64_t few = few_candidates(n_vertices_, capacity);
    parity_ = 0;
    for (int i = 0; i < team_.size(); ++i) roots_.push_back(slice_of(i, team_.size(), n_vertices_));
    bool is_first = true;
    for (; team_.shares_memory() && sum(n_left) > few; is_first = false) {
      poll();
      run_round(is_first);
      n_left = end_round();
    }
    if (!is_first) pack();
    team_.end_step("pack");
    finish(n_left, !is_first);
    team_.end_step("last rounds");
    return true;
  }

  /// Gives all members the trees that the first one has joined alone.
  void share_parents() const {
    team_.barrier();
    const TeamTrees<WordRank> all = team_trees();
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const cuda::Stream& stream = members_[i].stream();
      if (!team_.shares_memory()) {
        const vertex_t* const parent = all.parent[0];
        if (i != 0) cuda::copy(all.parent[i], parent, at(n_vertices_), stream);
      } else if (!roots_.empty()) {
        cuda::launch_for(stream, roots_[i].n, send_parents_of_first<WordRank>, all, roots_[i]);
      }
    }
    team_.barrier();
  }

  void reset(const LightestEdges<WordRank>& edges, const cuda::Stream& stream) const {
    cuda::fill_bytes(edges.high, 0xff, at(n_vertices_), stream);
    if constexpr (WordRank::has_two_words) {
      cuda::fill_bytes(edges.low, 0xff, at(n_vertices_), stream);
    }
  }

 private:
  using Candidate = DeviceCandidate<WordRank>;

  [[nodiscard]] static std::int64_t sum(const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  }

  /// Takes the lists of roots that a round has left. Returns how many candidates each member has
  /// left.
  [[nodiscard]] std::vector<std::int64_t> end_round() {
    const auto counts = runtime::read_back<RoundCounts>(
        team_, [&](int i) { return members_[at(i)].counts.data(); });
    std::vector<std::int64_t> n_left;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      auto& roots = members_[i].roots;
      std::swap(roots.first, roots.second);
      roots_[i] = {0, static_cast<std::int64_t>(counts[i].n_roots), roots.first.data()};
      n_left.push_back(static_cast<std::int64_t>(counts[i].n_left));
    }
    return n_left;
  }

  /// Returns a member's arrays; which have the lightest edges changes from round to round.
  [[nodiscard]] DeviceRounds<WordRank> rounds_of(const Member& member) const {
    DeviceRounds<WordRank> rounds = member.passes.rounds();
    if (parity_ == 1) rounds.trees.begin_round();
    return rounds;
  }
  [[nodiscard]] MemberRounds<WordRank> view_of(const Member& member, bool is_first) const {
    return {rounds_of(member), member.chunk_sizes.data(), &member.counts.data()->n_left, is_first};
  }
  [[nodiscard]] TeamTrees<WordRank> team_trees() const {
    TeamTrees<WordRank> all{};
    for (const Member& member : members_) {
      const DeviceRounds<WordRank> rounds = rounds_of(member);
      all.current[all.n_members] = rounds.trees.current;
      all.next[all.n_members] = rounds.trees.next;
      all.has_edge[all.n_members] = member.has_edge.data();
      all.parent[all.n_members] = rounds.trees.parent;
      all.state[all.n_members++] = rounds.state;
    }
    return all;
  }

  void run_round(bool is_first) {
    const TeamTrees<WordRank> all = team_trees();
    if (is_first && !WordRank::has_two_words) {
      for (const Member& member : members_) {
        cuda::launch_for(member.stream(), n_vertices_, mark_edges<WordRank>,
                         rounds_of(member).trees.current, n_vertices_, member.has_edge.data());
      }
    }
    on_slices(combine_keys<WordRank>, all);
    team_.end_step("combine lightest edges");
    if constexpr (WordRank::has_two_words) {
      on_parts(update_low_part<WordRank>, is_first);
      on_slices(combine_low<WordRank>, all);
    }
    for (const Member& member : members_) {
      if (is_first) reset(rounds_of(member).trees.next, member.stream());
      cuda::fill_bytes(member.counts.data(), 0, 1, member.stream());
    }
    on_parts(hook_part<WordRank>, is_first);
    team_.barrier();
    team_.end_step("hook");
    combine_all_parents(all, is_first);
    team_.barrier();
    team_.end_step("combine parents");
    parity_ = 1 - parity_;
    on_parts(update_part<WordRank>, is_first);
    team_.end_step("update candidates");
  }
  void combine_all_parents(const TeamTrees<WordRank>& all, bool is_first) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Member& member = members_[i];
      const cuda::WorklistView<vertex_t> left{
          member.roots.second.data(), &member.counts.data()->n_roots,
          static_cast<std::int64_t>(member.roots.second.size())};
      cuda::launch_for(member.stream(), roots_[i].n, combine_parents<WordRank>, all, roots_[i],
                       view_of(member, is_first), left);
      if (is_first) continue;  // the sample has found the giant component
      cuda::copy(&all.state[i]->giant[0], &all.state[0]->giant[1], 1, member.stream());
    }
  }
  /// Runs a kernel on the members' slices, between barriers.
  template <class Kernel>
  void on_slices(Kernel kernel, TeamTrees<WordRank> all) const {
    team_.barrier();
    for (std::size_t i = 0; i < members_.size(); ++i) {
      all.own = static_cast<int>(i);
      cuda::launch_for(members_[i].stream(), roots_[i].n, kernel, all, roots_[i]);
    }
    team_.barrier();
  }
  template <class Kernel>
  void on_parts(Kernel kernel, bool is_first) const {
    for (const Member& member : members_) {
      cuda::launch(member.stream(), member.n_blocks, cuda::threads_per_block, 0, kernel,
                   view_of(member, is_first));
    }
  }
  void pack() const {
    for (const Member& member : members_) {
      cuda::fill_bytes(member.counts.data(), 0, 1, member.stream());
      cuda::launch(member.stream(), member.n_blocks, cuda::threads_per_block, 0,
                   pack_part<WordRank>, view_of(member, false), member.packed.data(),
                   &member.counts.data()->n_left);
    }
  }

  /// Makes the first member join trees along all candidates that are left.
  void finish(const std::vector<std::int64_t>& counts, bool are_packed) {
    Member& first = members_.front();
    const DeviceRounds<WordRank> rounds = first.passes.rounds();
    team_.barrier();
    std::int64_t n = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Candidate* const from =
          are_packed ? members_[i].packed.data() : members_[i].passes.rounds().list.items;
      if (from != rounds.list.items) {
        cuda::copy(rounds.list.items + n, from, static_cast<std::size_t>(counts[i]),
                   first.stream());
      }
      n += counts[i];
    }
    cuda::launch(first.stream(), 1, 1, 0, begin_list<WordRank>, view_of(first, true), n);
    reset(rounds.trees.current, first.stream());
    reset(rounds.trees.next, first.stream());
    cuda::launch_for(first.stream(), n, update_listed<WordRank>, rounds);
    first.passes.join_along_list();
  }

  std::deque<Member>& members_;
  const vertex_t n_vertices_;
  runtime::DeviceTeam& team_;
  std::vector<Roots> roots_;  // that the members go through
  int parity_ = 0;
};

}  // namespace warpgraph::mst
