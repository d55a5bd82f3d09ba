// The forest of a graph by a team of devices, each of which has the entries of some rows: the
// method "filter" (filter_boruvka) in rounds.
//
// Passes over the entries are divided: each member lists the edges of its own rows that join two
// trees, and finds the lightest of these for each tree. Then they join trees in rounds
// (team_rounds.cuh). From few_candidates() on, a round takes longer than it saves: the first member
// gets all candidates that are left, goes on alone, and sends the roots of all vertices to the
// others for the next pass. So it does at once if devices cannot access each other's memory.
//
// Cost model, for an R-MAT graph of 2^24 vertices, 9 M of them with edges, and 521 M entries of 8
// bytes, on H100s (2.9 TB/s, 50 MB of cache, 70 G reads a second of random words beyond it, 350
// GB/s between two of them). One takes 18.5 ms: 3 for the pass that lists 27 M light edges, 8 for
// rounds on those, 1 for labels, 4.5 for the pass over the heavy edges, 1 for the last rounds. Of
// two, each reads and updates half as much in the passes and rounds. In the first round, 12 bytes a
// vertex move, 0.6 ms, and in later ones little. That makes 11 ms; measured are 12.7, of which the
// passes take 4.5, the rounds 7 and labels 0.8. Local forests of both halves instead take 11 ms,
// and their 18 M edges once more 7: such forests have n - 1 edges, however few entries a part has.
#pragma once

#include "algorithms/mst/filter_boruvka/device/pass_plan.cuh"
#include "algorithms/mst/multi/team_rounds.cuh"
#include "core/interrupt.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"
#include "runtime/worklist/shares.hpp"

#include <deque>
#include <numeric>
#include <span>
#include <vector>

namespace warpgraph::mst {

/// Ascending positions on a device, counted from the first entry of the member.
struct MemberPositions {
  cuda::DeviceBuffer<edge_t> items;
  std::int64_t n = 0;
};

template <class W, class WordRank>
class TeamForest {
 public:
  using Passes = DevicePasses<W, WordRank>;
  using Key = order_key_t<W>;
  using Candidate = DeviceCandidate<WordRank>;

  /// rows[i]: of member i, over all vertices; first_entries[i]: the position of its first entry,
  /// and one item more. `other_bytes`: what the caller allocates on each device.
  TeamForest(const std::vector<CsrView<W>>& rows, const std::vector<edge_t>& first_entries,
             const MstOptions& options, const std::vector<Device>& devices, std::size_t other_bytes,
             runtime::DeviceTeam& team)
      : n_vertices_(rows.front().n_vertices),
        n_entries_(first_entries.back()),
        team_(team),
        plan_(n_vertices_, n_entries_, options, FirstRound::none) {
    // The list becomes an array for the bits of a member's entries: take_bits_of_first().
    edge_t longest = 0;
    for (const CsrView<W>& part : rows) longest = std::max(longest, part.n_arcs);
    constexpr edge_t bits_per_candidate = 8 * sizeof(Candidate);
    const std::int64_t capacity =
        std::max(choose_capacity(options, devices, other_bytes), longest / bits_per_candidate + 2);
    plan_.use_capacity(capacity * n_lists());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const KeyedGraph<W> graph(rows[i], options.maximum);
      members_.emplace_back(graph, EntryRange{first_entries[i], n_entries_}, capacity,
                            slice_of(static_cast<int>(i)).n, team.stream(static_cast<int>(i)));
    }
  }

  /// Those of the forest's edges that each member has. Waits.
  std::vector<MemberPositions> solve() {
    const runtime::TeamWait wait(team_);
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
      const bool all_fitted = join();
      if (all_fitted && !(end < last)) break;
      label();
      team_.end_step("label");
      if (all_fitted) {
        begin = end;
      } else {
        plan_.lower_limit();
      }
    }
    std::vector<MemberPositions> positions = list_positions();
    team_.end_step("list positions");
    report_progress(steps_expected, steps_expected);
    return positions;
  }

 private:
  /// For progress: light edges, heavy edges, the order.
  static constexpr std::int64_t steps_expected = 3;

  /// Of a round: candidates that are left, roots that are left in the slice.
  struct Counts {
    unsigned long long n_left;
    unsigned long long n_roots;
  };

  struct Member {
    Passes passes;
    std::int64_t n_blocks;  // of rounds: each warp has a chunk of the list
    cuda::DeviceBuffer<unsigned> chunk_sizes;
    cuda::DeviceBuffer<Counts> counts;
    cuda::DeviceBuffer<Candidate> packed;
    // Of this round, then of the next.
    std::pair<cuda::DeviceBuffer<vertex_t>, cuda::DeviceBuffer<vertex_t>> roots;
    cuda::PinnedBuffer<Counts> host_counts{1};

    Member(const KeyedGraph<W>& graph, EntryRange entries, std::int64_t capacity,
           std::int64_t slice, const cuda::Stream& stream)
        : passes(graph, entries, capacity, false, stream),
          n_blocks(passes.blocks_for(update_part<WordRank>, passes.lanes_for_list())),
          chunk_sizes(
              static_cast<std::size_t>(n_blocks) * cuda::threads_per_block / cuda::warp_lanes,
              stream),
          counts(1, stream),
          packed(static_cast<std::size_t>(few_candidates(graph.n_vertices, capacity)), stream),
          roots{cuda::DeviceBuffer<vertex_t>(static_cast<std::size_t>(slice), stream),
                cuda::DeviceBuffer<vertex_t>(static_cast<std::size_t>(slice), stream)} {}

    [[nodiscard]] const cuda::Stream& stream() const { return passes.stream(); }
  };

  /// Each member lists its own candidates; without shared memory, the first one gets all of them.
  [[nodiscard]] int n_lists() const { return team_.shares_memory() ? team_.size() : 1; }

  /// Rounds on fewer take less time than the exchange between members.
  [[nodiscard]] static std::int64_t few_candidates(vertex_t n_vertices, std::int64_t capacity) {
    return std::min<std::int64_t>(n_vertices / 8, capacity);
  }

  [[nodiscard]] std::int64_t choose_capacity(const MstOptions& options,
                                             const std::vector<Device>& devices,
                                             std::size_t other_bytes) const {
    const auto n = static_cast<std::size_t>(n_vertices_);
    const std::size_t beside = other_bytes + n / 8 * sizeof(Candidate) +
                               (n / devices.size() + 1) * 2 * sizeof(vertex_t) +
                               Passes::fixed_bytes(n_vertices_, n_entries_);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Device device : devices) {
      const std::size_t share = runtime::share_of_memory(devices, device, options.memory_limit);
      least = std::min(
          least,
          plan_.choose_capacity(MemoryBudget(device, share), "a spanning forest by several devices",
                                beside, "raise memory_limit or pass more devices", n_lists()));
    }
    return least;
  }

  /// The rank before which the pass that starts at `begin` should stop. Waits.
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

  /// An item of each member. Waits.
  template <class PlaceOf>
  [[nodiscard]] std::vector<std::int64_t> read_counts(const PlaceOf& place_of) {
    for (Member& member : members_) {
      cuda::copy(&member.host_counts.data()->n_left, place_of(member), 1, member.stream());
    }
    std::vector<std::int64_t> counts;
    for (Member& member : members_) {
      member.stream().synchronize();
      counts.push_back(static_cast<std::int64_t>(member.host_counts.data()->n_left));
    }
    return counts;
  }
  [[nodiscard]] static std::int64_t sum(const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  }

  /// Joins trees along the listed edges, unless they are more than a list holds. Waits.
  bool join() {
    std::vector<std::int64_t> n_left = read_counts(
        [](const Member& member) { return &member.passes.counters()->state.n_collected; });
    const std::int64_t capacity = members_.front().passes.capacity();
    if (std::ranges::max(n_left) > capacity) return false;
    if (!team_.shares_memory() && sum(n_left) > capacity) return false;
    const std::int64_t few = few_candidates(n_vertices_, capacity);
    parity_ = 0;
    roots_.clear();
    for (int i = 0; i < team_.size(); ++i) roots_.push_back(slice_of(i));
    bool is_first = true;
    for (; team_.shares_memory() && sum(n_left) > few; is_first = false) {
      poll();
      run_round(is_first);
      n_left = end_round();
    }
    if (!is_first) pack();
    team_.end_step("rounds");
    finish(n_left, !is_first);
    team_.end_step("last rounds");
    return true;
  }

  /// Takes the lists of roots that a round has left. Returns how many candidates each member has
  /// left.
  [[nodiscard]] std::vector<std::int64_t> end_round() {
    for (Member& member : members_) {
      cuda::copy(member.host_counts.data(), member.counts.data(), 1, member.stream());
    }
    std::vector<std::int64_t> n_left;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Member& member = members_[i];
      member.stream().synchronize();
      n_left.push_back(static_cast<std::int64_t>(member.host_counts.data()->n_left));
      std::swap(member.roots.first, member.roots.second);
      roots_[i] = {0, static_cast<std::int64_t>(member.host_counts.data()->n_roots),
                   member.roots.first.data()};
    }
    return n_left;
  }

  /// Which arrays have the lightest edges changes from round to round.
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
      all.parent[all.n_members] = rounds.trees.parent;
      all.state[all.n_members++] = rounds.state;
    }
    return all;
  }

  void run_round(bool is_first) {
    const TeamTrees<WordRank> all = team_trees();
    on_slices(combine_keys<WordRank>, all);
    if constexpr (WordRank::has_two_words) {
      on_parts(update_low_part<WordRank>, is_first);
      on_slices(combine_low<WordRank>, all);
    }
    for (const Member& member : members_) {
      reset(rounds_of(member).trees.next, member.stream());
      cuda::fill_bytes(member.counts.data(), 0, 1, member.stream());
    }
    on_parts(hook_part<WordRank>, is_first);
    team_.barrier();
    combine_all_parents(all, is_first);
    team_.barrier();
    parity_ = 1 - parity_;
    on_parts(update_part<WordRank>, is_first);
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
  /// Between barriers.
  template <class Kernel>
  void on_slices(Kernel kernel, const TeamTrees<WordRank>& all) const {
    team_.barrier();
    for (std::size_t i = 0; i < members_.size(); ++i) {
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
  [[nodiscard]] Roots slice_of(int member) const {
    const auto bound = [&](std::int64_t i) {
      return static_cast<vertex_t>(n_vertices_ * i / team_.size());
    };
    return {bound(member), bound(member + 1) - bound(member), nullptr};
  }
  void reset(const LightestEdges<WordRank>& edges, const cuda::Stream& stream) const {
    const auto n = static_cast<std::size_t>(n_vertices_);
    cuda::fill_bytes(edges.high, 0xff, n, stream);
    if constexpr (WordRank::has_two_words) cuda::fill_bytes(edges.low, 0xff, n, stream);
  }

  void pack() const {
    for (const Member& member : members_) {
      cuda::fill_bytes(member.counts.data(), 0, 1, member.stream());
      cuda::launch(member.stream(), member.n_blocks, cuda::threads_per_block, 0,
                   pack_part<WordRank>, view_of(member, false), member.packed.data(),
                   &member.counts.data()->n_left);
    }
  }

  /// The first member joins trees along all candidates that are left.
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

  /// All members get the roots of the vertices.
  void label() {
    const vertex_t* const parent = members_.front().passes.trees().parent;
    team_.barrier();
    for (Member& member : members_) {
      if (&member != &members_.front()) {
        cuda::copy(member.passes.trees().parent, parent, static_cast<std::size_t>(n_vertices_),
                   member.stream());
      }
    }
    team_.barrier();
    for (Member& member : members_) member.passes.label();
  }

  /// The words of the bitmap of all entries that have those of a member.
  struct Words {
    std::size_t first;
    std::size_t n;
    edge_t before;  // entries of others in the first word
  };
  [[nodiscard]] static Words words_of(const Passes& passes) {
    const edge_t begin = passes.entries().first_position;
    const edge_t first = begin / bits_per_word;
    const edge_t end = (begin + passes.graph().n_arcs + bits_per_word - 1) / bits_per_word;
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(end - first),
            begin - first * bits_per_word};
  }

  [[nodiscard]] std::vector<MemberPositions> list_positions() {
    take_bits_of_first();
    std::vector<MemberPositions> listed;
    for (Member& member : members_) {
      const edge_t most = std::min<edge_t>(n_vertices_, member.passes.graph().n_arcs);
      const Words words = words_of(member.passes);
      MemberPositions made;
      made.items = cuda::DeviceBuffer<edge_t>(static_cast<std::size_t>(most), member.stream());
      member.passes.list_positions(words.first, words.n, made.items.data());
      listed.push_back(std::move(made));
    }
    const std::vector<std::int64_t> counts =
        read_counts([](Member& member) { return &member.passes.counters()->n_chosen; });
    for (std::size_t i = 0; i < listed.size(); ++i) {
      listed[i].n = counts[i];
      cuda::launch_for(members_[i].stream(), counts[i], subtract,
                       words_of(members_[i].passes).before, listed[i].items.data(), counts[i]);
    }
    return listed;
  }

  /// The first member has chosen entries of all of them.
  void take_bits_of_first() {
    const auto chosen_of = [](const Member& member, const Words& words) {
      return member.passes.trees().chosen.words + words.first;
    };
    // The list is no longer needed.
    const auto received_by = [](const Member& member) {
      return reinterpret_cast<std::uint64_t*>(member.passes.rounds().list.items);
    };
    team_.barrier();
    for (const Member& member : members_) {
      const Words words = words_of(member.passes);
      cuda::copy(received_by(member), chosen_of(members_.front(), words), words.n, member.stream());
    }
    team_.barrier();  // since two members have entries in the same word
    for (const Member& member : members_) {
      const Words words = words_of(member.passes);
      cuda::launch_for(member.stream(), static_cast<std::int64_t>(words.n), take_bits,
                       chosen_of(member, words), received_by(member),
                       static_cast<std::int64_t>(words.n), words.before,
                       words.before + member.passes.graph().n_arcs);
    }
  }

  const vertex_t n_vertices_;
  const edge_t n_entries_;
  runtime::DeviceTeam& team_;
  PassPlan<W, WordRank> plan_;
  std::deque<Member> members_;
  std::vector<Roots> roots_;  // that the members go through
  int parity_ = 0;
  std::uint64_t n_samples_ = 0;
};

}  // namespace warpgraph::mst
