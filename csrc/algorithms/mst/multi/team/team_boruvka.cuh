// Boruvka's algorithm on a team of devices: the order of the steps of team_rounds.cuh.
#pragma once

#include "algorithms/mst/multi/team/last_rounds.cuh"
#include "core/containers/at.hpp"
#include "core/interrupt.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"

#include <deque>
#include <numeric>
#include <vector>

namespace warpgraph::mst {

template <class Bits, class WordRank>
class TeamBoruvka {
 public:
  using Member = TeamMember<Bits, WordRank>;

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
    if (!is_first) pack_candidates(members_, parity_);
    team_.end_step("pack");
    join_on_first(members_, n_left, !is_first, parity_, team_);
    team_.end_step("last rounds");
    return true;
  }

  /// Gives all members the trees that the first one has joined alone.
  void share_parents() const {
    team_.barrier();
    const TeamTrees<WordRank> all = trees_of(members_, parity_);
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

 private:
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

  void run_round(bool is_first) {
    const TeamTrees<WordRank> all = trees_of(members_, parity_);
    if (is_first && !WordRank::has_two_words) {
      for (const Member& member : members_) {
        cuda::launch_for(member.stream(), n_vertices_, mark_edges<WordRank>,
                         member.rounds(parity_).trees.current, n_vertices_, member.has_edge.data());
      }
    }
    on_slices(combine_keys<WordRank>, all);
    team_.end_step("combine lightest edges");
    if constexpr (WordRank::has_two_words) {
      on_parts(update_low_part<WordRank>, is_first);
      on_slices(combine_low<WordRank>, all);
    }
    for (const Member& member : members_) {
      if (is_first) member.passes.reset(member.rounds(parity_).trees.next);
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
      cuda::launch_for(member.stream(), roots_[i].n, combine_parents<WordRank>, all, roots_[i],
                       member.view(parity_, is_first), member.roots_left());
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
    for (const Member& member : members_) member.run(kernel, member.view(parity_, is_first));
  }

  std::deque<Member>& members_;
  const vertex_t n_vertices_;
  runtime::DeviceTeam& team_;
  std::vector<Roots> roots_;  // that the members go through
  int parity_ = 0;
};

}  // namespace warpgraph::mst
