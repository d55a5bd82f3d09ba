// The forest of a graph by a team of devices, each of which has the entries of some rows: the
// method "filter" (filter_boruvka) in rounds.
//
// Passes over the entries are divided: each member lists the edges of its own rows that join two
// trees, and finds the lightest of these for each tree. Then they join trees in rounds
// (team_boruvka.cuh). From few_candidates() on, a round takes longer than it saves: the first
// member gets all candidates that are left, and goes on alone. Then the others get the parents of
// the roots that it has joined; for the next pass, each finds the roots of a slice of the vertices,
// and sends them to all. The first member goes on alone at once, and the others get all parents, if
// devices cannot access each other's memory.
#pragma once

#include "algorithms/mst/multi/team/member_positions.cuh"
#include "algorithms/mst/multi/team/team_boruvka.cuh"
#include "core/interrupt.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"

#include <deque>
#include <vector>

namespace warpgraph::mst {

template <class Bits, class WordRank>
class TeamForest {
 public:
  using Key = Bits;
  using Member = TeamMember<Bits, WordRank>;
  using Candidate = DeviceCandidate<WordRank>;

  /// Allocates. rows[i] are those of member i, over all vertices; first_entries[i] is the position
  /// of its first entry, and there is one item more. The caller allocates `other_bytes` on each
  /// device.
  TeamForest(const std::vector<KeyedBits<Bits>>& rows, const std::vector<edge_t>& first_entries,
             const MstOptions& options, const std::vector<Device>& devices, std::size_t other_bytes,
             runtime::DeviceTeam& team)
      : n_vertices_(rows.front().n_vertices),
        n_entries_(first_entries.back()),
        team_(team),
        plan_(n_vertices_, n_entries_, options, FirstRound::none) {
    // The list becomes an array for the bits of a member's entries: take_bits_of_first().
    edge_t longest = 0;
    for (const KeyedBits<Bits>& part : rows) longest = std::max(longest, part.n_arcs);
    constexpr edge_t bits_per_candidate = 8 * sizeof(Candidate);
    const std::size_t beside = other_bytes + Member::fixed_bytes(n_vertices_, n_entries_, devices);
    const std::int64_t capacity =
        std::max(capacity_on_all(plan_, options.budget, devices, beside, n_lists()),
                 longest / bits_per_candidate + 2);
    plan_.use_capacity(capacity * n_lists());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int member = static_cast<int>(i);
      members_.emplace_back(rows[i], EntryRange{first_entries[i], n_entries_}, capacity,
                            slice_of(member, team.size(), n_vertices_).n, team.stream(member));
    }
  }

  /// Returns the forest's edges that each member has. Waits.
  std::vector<MemberPositions> solve() {
    const runtime::TeamWait wait(team_);
    TeamBoruvka<Bits, WordRank> boruvka(members_, n_vertices_, team_);
    for (Member& member : members_) member.passes.init_vertices();
    team_.end_step("begin");
    Rank<Key> begin{Key{0}, 0};
    const Rank<Key> last = members_.front().passes.end_rank();
    for (std::int64_t step = 0;; ++step) {
      report_progress(std::min(step, steps_expected - 1), steps_expected);
      const Rank<Key> end = choose_threshold(begin);
      team_.end_step("find a threshold");
      poll();
      for (Member& member : members_) member.passes.collect_edges(begin, end);
      team_.end_step("collect edges");
      const bool all_fitted = boruvka.join();
      if (all_fitted && !(end < last)) break;
      label(boruvka);
      team_.end_step("label");
      if (all_fitted) {
        begin = end;
      } else {
        plan_.lower_limit();
      }
    }
    std::vector<MemberPositions> positions = list_positions(members_, team_, n_vertices_);
    team_.end_step("list positions");
    report_progress(steps_expected, steps_expected);
    return positions;
  }

 private:
  /// The steps of progress: light edges, heavy edges, the order.
  static constexpr std::int64_t steps_expected = 3;

  /// Returns the number of lists: each member lists its own candidates; without shared memory, the
  /// first one gets all of them.
  [[nodiscard]] int n_lists() const { return team_.shares_memory() ? team_.size() : 1; }

  /// Returns the rank before which the pass that starts at `begin` should stop. Waits.
  Rank<Key> choose_threshold(Rank<Key> begin) {
    const Rank<Key> last = members_.front().passes.end_rank();
    if (!plan_.needs_sample()) return last;
    for (Member& member : members_) member.passes.sample(begin, n_samples_++);
    std::vector<Rank<Key>> hits;
    std::int64_t n_trees = 0;
    std::int64_t n_sampled = 0;
    const Member* lead = nullptr;  // has found the giant component
    for (Member& member : members_) {
      const auto sample = member.passes.read_sample();
      if (member.passes.graph().n_arcs == 0) continue;
      if (lead == nullptr) lead = &member;
      hits.insert(hits.end(), sample->hits, sample->hits + sample->n_hits);
      n_trees += static_cast<std::int64_t>(sample->n_trees);
      n_sampled += sample_size;
    }
    for (Member& member : members_) {
      cuda::copy(&member.passes.counters()->state.giant[0],
                 &lead->passes.counters()->state.giant[0], 1, member.stream());
    }
    return plan_.threshold(std::move(hits), n_sampled, n_trees, begin, last);
  }

  /// Gives all members the roots of the vertices: each finds those of its slice.
  void label(const TeamBoruvka<Bits, WordRank>& boruvka) {
    boruvka.share_parents();
    for (int i = 0; i < team_.size(); ++i) {
      const Roots slice = slice_of(i, team_.size(), n_vertices_);
      Member& member = members_[at(i)];
      member.passes.label(slice.first, slice.first + static_cast<vertex_t>(slice.n));
      member.passes.reset(member.passes.trees().current);
    }
    team_.barrier();
    const auto range_of = [&](int i) -> runtime::ItemRange {
      const Roots slice = slice_of(i, team_.size(), n_vertices_);
      return {slice.first, at(slice.n)};
    };
    team_.all_gather(range_of, [&](int i) { return members_[at(i)].passes.trees().parent; });
    team_.barrier();
  }

  const vertex_t n_vertices_;
  const edge_t n_entries_;
  runtime::DeviceTeam& team_;
  PassPlan<Bits, WordRank> plan_;
  std::deque<Member> members_;
  std::uint64_t n_samples_ = 0;
};

}  // namespace warpgraph::mst
