// The level search of a team of devices, of which each has the rows of a part. Two kernels search a
// level, with a barrier of the team after each:
//
//   expand  Each member searches from its part of the frontier, or from its own unreached vertices.
//           Top-down, it mails vertices of others that it has reached to their owners.
//   settle  Each takes its mail, and tells the others which of its vertices the level has reached:
//           as words of the bitmap, and as counts, from which all choose the same direction.
//
// A member's bitmap has the bits of all vertices that were reached before the level, and those that
// the member itself has reached in it. So it mails each vertex at most once in a search, and
// mailboxes that are as long as the part of the owner need not be emptied.
//
// Bottom-up levels write the bits of own vertices to a second bitmap. Top-down levels set those of
// the first. So after a level, own words that differ are those that others have to know. A word at
// the border of two parts has two owners, who set their own bits atomically.
//
// For R-MAT graphs with 2^24 vertices and two devices, a level moves at most 1 MB of bitmap each
// way, and the two or three top-down levels together less mail than that.
// Private to this folder.
#pragma once

#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/levels/device_levels.cuh"
#include "core/ordered_atomics.hpp"
#include "graph/partition/device_partition.hpp"

namespace warpgraph::bfs_detail {

/// A member's view of the search. Arrays `.._at` or `.._to` a member are in the memory of that
/// member; the others are this one's.
struct TeamLevelView {
  /// The view of the member's own search. Rows are numbered from 0, vertices as in the whole graph.
  /// `state` has the states before levels of even and of odd numbers. `reached` has all vertices in
  /// the first bitmap, in the second those that a bottom-up level has reached.
  LevelSearchView own;
  PartitionView parts;
  int member;
  std::uint32_t* added;  // bits of own vertices, by the last bottom-up level
  std::uint32_t* reached_at[max_parts];
  vertex_t* mail_to[max_parts];
  vertex_t* mail_from[max_parts];
  unsigned long long* n_mailed;                 // to each member
  unsigned long long* n_arrived_at[max_parts];  // from each member
  unsigned long long* n_arrived;
  unsigned long long* n_taken;       // of what has arrived
  Frontier* frontier_at[max_parts];  // the parts of all members
  Frontier* frontier;
  std::uint32_t* predecessors;  // of all vertices, by the arcs of own rows
};

/// Returns the arcs that enter the rows of parts.
inline DevicePartition& entering_of(const BfsOptions& options) {
  return options.entering == nullptr ? *options.parts : *options.entering;
}

/// Returns a function that places the arrays of a member. Graphs, and the arrays of others, are
/// left to connect_members().
inline auto arrays_for(const BfsOptions& options, bool has_tree) {
  return [&options, has_tree](int member, cuda::BumpAllocator& memory) {
    TeamLevelView view{};
    view.own =
        take_level_arrays(options.parts->shape(member), entering_of(options).shape(member), memory);
    view.own.limit = options.limit;
    view.parts = options.parts->parts();
    view.member = member;
    const int n_parts = view.parts.n_parts;
    const vertex_t n_vertices = view.parts.end(n_parts - 1);
    const auto n_words = at(bitmap_words(n_vertices));
    view.own.hops = memory.take<vertex_t>(at(n_vertices));
    view.own.reached[0] = memory.take<std::uint32_t>(n_words);
    view.own.reached[1] = memory.take<std::uint32_t>(n_words);
    view.added = memory.take<std::uint32_t>(n_words);
    view.n_mailed = memory.take<unsigned long long>(at(n_parts));
    view.n_arrived = memory.take<unsigned long long>(at(n_parts));
    view.n_taken = memory.take<unsigned long long>(at(n_parts));
    view.frontier = memory.take<Frontier>(at(n_parts));
    for (int i = 0; i < n_parts; ++i) {
      if (i != member) view.mail_from[i] = memory.take<vertex_t>(at(view.parts.size(member)));
    }
    if (has_tree) view.predecessors = memory.take<std::uint32_t>(at(n_vertices));
    return view;
  };
}

/// Tells members where their rows, the arcs that enter these, and the arrays of the others are.
inline void connect_members(std::span<TeamLevelView> members, const BfsOptions& options) {
  for (TeamLevelView& view : members) {
    view.own.graph = options.parts->pattern(view.member);
    view.own.transposed = entering_of(options).pattern(view.member);
    for (std::size_t i = 0; i < members.size(); ++i) {
      view.reached_at[i] = members[i].own.reached[0];
      view.mail_to[i] = members[i].mail_from[view.member];
      view.n_arrived_at[i] = members[i].n_arrived;
      view.frontier_at[i] = members[i].frontier;
    }
  }
}

/// The values that the first level begins with.
struct TeamLevelStart {
  vertex_t source;
  Frontier frontier;
  LevelState state;
};

/// Makes the source the frontier and queues its chunks at its owner, by a thread for each vertex,
/// and for each chunk and member.
static __global__ void start_team_levels(const __grid_constant__ TeamLevelView team,
                                         const __grid_constant__ TeamLevelStart start) {
  const std::int64_t i = cuda::global_index();
  const LevelSearchView& own = team.own;
  const vertex_t source = start.source;
  const vertex_t n_vertices = team.parts.end(team.parts.n_parts - 1);
  const int owner = team.parts.owner(source);
  const bool is_here = owner == team.member;
  const std::int64_t n_chunks = is_here ? chunks_of(start.frontier.arcs, chunk_arcs) : 0;
  if (i < n_vertices) own.hops[i] = i == source ? 0 : unreached;
  if (i < bitmap_words(n_vertices)) {
    own.reached[0][i] = own.reached[1][i] = i == source / 32 ? 1u << (source % 32) : 0;
  }
  if (i < n_chunks) {
    own.queue[i] = {source - team.parts.begin(owner), static_cast<std::uint32_t>(i)};
  }
  if (i < team.parts.n_parts) {
    team.n_mailed[i] = team.n_arrived[i] = team.n_taken[i] = 0;
    team.frontier[i] = i == owner ? start.frontier : Frontier{};
  }
  if (i < n_level_counts) own.counts[i] = {};
  if (i != 0) return;
  own.counts[0].chunks = static_cast<unsigned long long>(n_chunks);
  own.state[0] = start.state;
}

/// The shared memory of a block.
struct TeamLevelMemory {
  LevelMemory levels;
  vertex_t outboxes[queue_warps][warp_buffer_size];
};

/// The rows of a member; WholeGraph has the same interface.
class PartOfGraph {
 public:
  static constexpr bool swaps_bitmaps = false;

  /// Mails vertices to their owners. All lanes of a warp call its functions.
  class Outbox : public WarpBuffer {
   public:
    __device__ Outbox(const TeamLevelView& team, vertex_t* buffer)
        : WarpBuffer(buffer), team_(team) {}
    __device__ void make_room(int n) {
      if (!has_room(n)) flush();
    }
    __device__ void flush() {
      __syncwarp();
      for (int first = 0; first < n_buffered_; first += cuda::warp_lanes) {
        const int place = first + cuda::lane();
        mail(place < n_buffered_ ? buffer_[place] : no_vertex);
      }
      __syncwarp();
      n_buffered_ = 0;
    }

   private:
    __device__ void mail(vertex_t v) {
      const int owner = v == no_vertex ? -1 : team_.parts.owner(v);
      for (unsigned rest = __ballot_sync(cuda::all_lanes, owner >= 0); rest != 0;) {
        const int to = __shfl_sync(cuda::all_lanes, owner, cuda::first_lane(rest));
        const unsigned same = __ballot_sync(cuda::all_lanes, owner == to);
        const auto n = static_cast<unsigned long long>(__popc(same));
        const auto slot = cuda::warp_fetch_add(team_.n_mailed[to], n);
        if (owner == to) team_.mail_to[to][slot + __popc(same & cuda::lanemask_lt())] = v;
        rest &= ~same;
      }
    }

    const TeamLevelView& team_;
  };

  __device__ PartOfGraph(const TeamLevelView& team, TeamLevelMemory& memory)
      : team_(team),
        memory_(memory),
        begin_(team.parts.begin(team.member)),
        end_(team.parts.end(team.member)) {}

  __device__ std::int64_t first_word() const { return begin_ / cuda::warp_lanes; }
  __device__ std::int64_t end_word() const {
    return begin_ == end_ ? first_word() : (end_ - 1) / cuda::warp_lanes + 1;
  }
  __device__ bool has_row(std::int64_t v) const { return begin_ <= v && v < end_; }
  __device__ bool owns(vertex_t v) const { return has_row(v); }
  __device__ vertex_t row(vertex_t v) const { return v - begin_; }
  __device__ Outbox outbox(int warp) const { return {team_, memory_.outboxes[warp]}; }
  __device__ std::uint32_t added_bits(std::int64_t word, int) const { return team_.added[word]; }
  /// Returns the bits of a word that are those of rows.
  __device__ std::uint32_t own_bits(std::int64_t word) const {
    const std::int64_t first = word * cuda::warp_lanes;
    return cuda::lanes_between(static_cast<int>(begin_ - first), static_cast<int>(end_ - first));
  }

 private:
  const TeamLevelView& team_;
  TeamLevelMemory& memory_;
  const vertex_t begin_;
  const vertex_t end_;
};

/// One thread's part of a member's search.
class TeamLevels : LevelSearch<PartOfGraph> {
 public:
  __device__ TeamLevels(const TeamLevelView& team, TeamLevelMemory& memory)
      : LevelSearch(team.own, memory.levels, PartOfGraph(team, memory)), team_(team) {}

  /// Expands the frontier. `level` counts the levels of the search from 0.
  __device__ void expand(int level) {
    const auto grid = cooperative_groups::this_grid();
    LevelCounts& before = counts_of(level);
    if (grid.thread_rank() == 0) counts_of(level + 2) = {};
    load_state(level);
    advance(before, [&] { return sum_of_parts(); });
    if (!has_ended()) search_level(grid, before, counts_of(level + 1));
    if (blockIdx.x != 0) return;
    if (threadIdx.x == 0) view_.state[(level + 1) % 2] = *view_.last_state = state_;
    for_each_member(
        [&](int i) { team_.n_arrived_at[i][team_.member] = relaxed_load(team_.n_mailed[i]); });
  }

  __device__ void settle(int level) {
    const auto grid = cooperative_groups::this_grid();
    LevelCounts& counts = counts_of(level + 1);
    load_state(level + 1);
    if (!has_ended()) {
      take_mail(counts);
      grid.sync();
      share_words();
    }
    if (blockIdx.x != 0) return;
    for_each_member([&](int i) {
      team_.n_taken[i] = team_.n_arrived[i];
      team_.frontier_at[i][team_.member] = {
          static_cast<std::int64_t>(relaxed_load(counts.vertices)),
          static_cast<edge_t>(relaxed_load(counts.arcs))};
    });
  }

 private:
  __device__ LevelCounts& counts_of(int level) const {
    return view_.counts[level % n_level_counts];
  }

  __device__ void load_state(int level) {
    if (threadIdx.x == 0) state_ = view_.state[level % 2];
    __syncthreads();
  }

  /// Calls visit(i) for each member i, by a thread of the block each.
  template <class Visit>
  __device__ void for_each_member(Visit&& visit) const {
    const auto i = static_cast<int>(threadIdx.x);
    if (i < team_.parts.n_parts) visit(i);
  }

  __device__ Frontier sum_of_parts() const {
    Frontier sum{};
    for (int i = 0; i < team_.parts.n_parts; ++i) {
      sum.vertices += team_.frontier[i].vertices;
      sum.arcs += team_.frontier[i].arcs;
    }
    return sum;
  }

  /// Reaches the vertices in the mail. Vertices that several members have reached come several
  /// times.
  __device__ void take_mail(LevelCounts& counts) {
    QueueAppender queue = appender(counts);
    for (int i = 0; i < team_.parts.n_parts; ++i) {
      if (i == team_.member) continue;
      const auto end = static_cast<std::int64_t>(team_.n_arrived[i]);
      for (auto first =
               static_cast<std::int64_t>(team_.n_taken[i]) + cuda::global_warp() * cuda::warp_lanes;
           first < end; first += cuda::n_global_warps() * cuda::warp_lanes) {
        const std::int64_t place = first + cuda::lane();
        const vertex_t v = place < end ? team_.mail_from[i][place] : no_vertex;
        const bool reached = is_open(v) && set_shared_bit(v);
        if (reached) view_.hops[v] = state_.depth + 1;
        vertices_ += reached ? 1 : 0;
        queue.make_room(1);
        queue.append(reached, place_.row(v));
      }
    }
    queue.flush();
    arcs_ += queue.arcs();
    add_up(counts);
  }

  /// Sets the bit of v, and returns whether this thread was the first to do so. Another member may
  /// be setting its own bits of the same word.
  __device__ bool set_shared_bit(vertex_t v) const {
    const std::uint32_t bit = 1u << (v % cuda::warp_lanes);
    return (shared_fetch_or(view_.reached[0][v / cuda::warp_lanes], bit) & bit) == 0;
  }

  /// Gives the words that the level has changed to all members.
  __device__ void share_words() const {
    const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
    const std::int64_t end = place_.end_word();
    for (std::int64_t word = place_.first_word() + cuda::global_index(); word < end;
         word += stride) {
      const std::uint32_t own = place_.own_bits(word);
      const std::uint32_t top_down = relaxed_load(view_.reached[0][word]);
      const std::uint32_t bottom_up = view_.reached[1][word];
      const std::uint32_t added = (top_down ^ bottom_up) & own;
      if (state_.bottom_up) team_.added[word] = added;
      if (added == 0) continue;
      const std::uint32_t reached = top_down | bottom_up;
      view_.reached[1][word] = reached;
      for (int i = 0; i < team_.parts.n_parts; ++i) {
        std::uint32_t& shared = team_.reached_at[i][word];
        if (own == cuda::all_lanes) {
          shared = reached;
        } else {
          shared_fetch_or(shared, reached & own);
        }
      }
    }
  }

  const TeamLevelView& team_;
};

static __global__ void __launch_bounds__(queue_threads, blocks_per_multiprocessor)
    expand_level(const __grid_constant__ TeamLevelView team, int level) {
  __shared__ TeamLevelMemory memory;
  TeamLevels(team, memory).expand(level);
}

static __global__ void __launch_bounds__(queue_threads, blocks_per_multiprocessor)
    settle_level(const __grid_constant__ TeamLevelView team, int level) {
  __shared__ TeamLevelMemory memory;
  TeamLevels(team, memory).settle(level);
}

}  // namespace warpgraph::bfs_detail
