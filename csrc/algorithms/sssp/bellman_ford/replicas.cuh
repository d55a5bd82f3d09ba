// The distances of all members of a team in Bellman-Ford, and what each has lowered: see
// bellman_ford_cuda.cu.
#pragma once

#include "core/atomics.hpp"
#include "core/cuda/warp.cuh"
#include "core/types.hpp"
#include "graph/partition/partition.hpp"

namespace warpgraph::shortest_paths {

/// The last round, for each block of vertices, in which a member lowered one of their distances by
/// relaxing a frontier: the last 8 bits of its number. If an older round has the same bits, the
/// distances of the block are read in vain.
class BlockMarks {
 public:
  static constexpr int block_size = cuda::warp_lanes;

  BlockMarks() = default;
  explicit BlockMarks(std::uint8_t* rounds) : rounds_(rounds) {}
  [[nodiscard]] static constexpr std::size_t bytes(vertex_t n_vertices) {
    return static_cast<std::size_t>(n_vertices / block_size) + 1;
  }
  __device__ void set(vertex_t v, std::int32_t round) const {
    relaxed_store(rounds_[v / block_size], static_cast<std::uint8_t>(round));
  }
  [[nodiscard]] __device__ bool is_set(std::int64_t block, std::int32_t round) const {
    return rounds_[block] == static_cast<std::uint8_t>(round);
  }

 private:
  std::uint8_t* rounds_ = nullptr;
};

/// The arrays of all members; if one device searches, it is the only member.
template <class W>
struct Replicas {
  int n;
  W* distances[max_parts];
  BlockMarks marks[max_parts];

  static_assert(max_parts == 64);
  /// A set of members, a bit for each.
  using MemberMask = std::uint64_t;
  [[nodiscard]] __device__ MemberMask everyone() const { return ~MemberMask{0} >> (max_parts - n); }
  [[nodiscard]] __device__ MemberMask that_lowered(std::int64_t block, std::int32_t round) const {
    MemberMask members = 0;
    for (int k = 0; k < n; ++k) {
      if (marks[k].is_set(block, round)) members |= MemberMask{1} << k;
    }
    return members;
  }

  /// Gives all members the least distance of a vertex v and returns it. Each lane of a warp has a
  /// vertex, or v = no_vertex. All members had the distance `before`; those in `lowering` may have
  /// lowered it. A sector of memory, 32 bytes, is written as a whole or not at all, since parts of
  /// sectors take more time on their way to other devices.
  __device__ W exchange(vertex_t v, W before, MemberMask lowering) const {
    W least = before;
    MemberMask having_least = v == no_vertex ? everyone() : find_least(v, lowering, least);
    constexpr unsigned lanes_of_sector = 32 / sizeof(W);
    const unsigned sector = (~0u >> (cuda::warp_lanes - lanes_of_sector))
                            << (cuda::lane() / lanes_of_sector * lanes_of_sector);
    for (int k = 0; k < n; ++k, having_least >>= 1) {
      const unsigned lacking = __ballot_sync(cuda::all_lanes, (having_least & 1) == 0);
      if ((lacking & sector) != 0 && v != no_vertex) distances[k][v] = least;
    }
    return least;
  }

 private:
  /// Returns the members whose distance of v is the least one. On entry `least` is the distance
  /// that all had before.
  __device__ MemberMask find_least(vertex_t v, MemberMask lowering, W& least) const {
    constexpr int together = 4;  // loads of that many members are in flight
    const W before = least;
    MemberMask having_least = everyone();
    for (int first = 0; first < n; first += together) {
      W found[together];
#pragma unroll
      for (int i = 0; i < together; ++i) {
        const int k = first + i;
        found[i] = (lowering >> k & 1) != 0 ? distances[k][v] : before;
      }
#pragma unroll
      for (int i = 0; i < together; ++i) {
        const MemberMask member = MemberMask{1} << (first + i);
        if (found[i] < least) having_least = 0;
        having_least = found[i] <= least ? having_least | member : having_least & ~member;
        if (found[i] < least) least = found[i];
      }
    }
    return having_least;
  }
};

}  // namespace warpgraph::shortest_paths
