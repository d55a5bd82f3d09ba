// Stands in for CUDA's header of this name.
#pragma once

#include "cuda_runtime.h"

namespace cooperative_groups {

/// Lanes of one warp, ranked in their order.
class lane_group {
 public:
  explicit lane_group(unsigned mask) : mask_(mask) {}

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(__popc(mask_)); }
  [[nodiscard]] unsigned num_threads() const { return size(); }
  [[nodiscard]] unsigned thread_rank() const {
    return static_cast<unsigned>(__popc(mask_ & ((1u << emulator::lane()) - 1)));
  }
  void sync() const { __syncwarp(mask_); }

  template <class T>
  T shfl(T value, unsigned rank) const {
    return brought("shfl", value).template of<T>(lane_of(rank));
  }
  template <class T>
  T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank() + delta;
    return brought("shfl_down", value).template of<T>(lane_of(rank < size() ? rank : rank - delta));
  }
  template <class T>
  T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return brought("shfl_up", value).template of<T>(lane_of(delta <= rank ? rank - delta : rank));
  }
  template <class T>
  T shfl_xor(T value, unsigned ranks) const {
    return brought("shfl_xor", value).template of<T>(lane_of(thread_rank() ^ ranks));
  }
  [[nodiscard]] unsigned ballot(int vote) const {
    return ranks_of(brought("ballot", vote != 0).lanes_where(mask_, [](std::uint64_t bits) {
      return bits != 0;
    }));
  }
  [[nodiscard]] int any(int vote) const { return ballot(vote) != 0; }
  [[nodiscard]] int all(int vote) const { return __popc(ballot(vote)) == __popc(mask_); }
  template <class T>
  unsigned match_any(T value) const {
    const std::uint64_t mine = emulator::to_bits(value);
    return ranks_of(brought("match_any", value).lanes_where(mask_, [=](std::uint64_t bits) {
      return bits == mine;
    }));
  }

  /// For the functions of reduce.h and scan.h: the value of each rank.
  template <class T, class Visit>
  void visit_all(const char* what, T value, Visit&& visit) const {
    const emulator::Brought all = brought(what, value);
    for (unsigned rank = 0; rank < size(); ++rank) visit(rank, all.template of<T>(lane_of(rank)));
  }

 private:
  template <class T>
  emulator::Brought brought(const char* what, T value) const {
    return {what, mask_, value};
  }
  [[nodiscard]] unsigned lane_of(unsigned rank) const {
    unsigned left = mask_;
    for (; rank > 0; --rank) left &= left - 1;
    return left != 0 ? static_cast<unsigned>(std::countr_zero(left)) : emulator::lane();
  }
  [[nodiscard]] unsigned ranks_of(unsigned lanes) const {
    unsigned ranks = 0;
    for (unsigned rank = 0; rank < size(); ++rank) ranks |= (lanes >> lane_of(rank) & 1) << rank;
    return ranks;
  }

  unsigned mask_;
};

class coalesced_group : public lane_group {
  using lane_group::lane_group;
};

/// Lanes that are at the same place of the program: a random subset of them.
inline coalesced_group coalesced_threads() { return coalesced_group(emulator::converged_lanes()); }

class thread_block {
 public:
  static void sync() { __syncthreads(); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
};
inline thread_block this_thread_block() { return {}; }

class grid_group {
 public:
  static void sync() { emulator::meet_grid(); }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  static unsigned long long size() { return num_blocks() * thread_block::size(); }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
};
inline grid_group this_grid() { return {}; }

/// Neighbouring lanes, a power of two of them.
template <unsigned n, class Parent = thread_block>
class thread_block_tile : public lane_group {
  static_assert(n >= 1 && n <= 32 && (n & (n - 1)) == 0);

 public:
  thread_block_tile()
      : lane_group((emulator::all_lanes >> (32 - n)) << (emulator::lane() / n * n)) {}
  static unsigned meta_group_rank() { return thread_block::thread_rank() / n; }
  static unsigned meta_group_size() { return thread_block::size() / n; }
};
template <unsigned n, class Parent>
thread_block_tile<n, Parent> tiled_partition(const Parent&) {
  return {};
}

}  // namespace cooperative_groups
