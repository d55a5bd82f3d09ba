// Warp-wide functions. They synchronise the lanes of their mask and no others; between two of them,
// lanes run in any order.
#pragma once

#include "emulator/thread.hpp"

#include <cstring>
#include <type_traits>

namespace emulator {

inline constexpr unsigned all_lanes = ~0u;

template <class T>
std::uint64_t to_bits(T value) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

/// The values of the lanes of a mask.
struct Brought {
  std::uint64_t all[warp_size];

  template <class T>
  Brought(const char* what, unsigned mask, T mine) {
    exchange(what, mask, to_bits(mine), all);
  }
  template <class T>
  T of(unsigned lane) const {
    return from_bits<T>(all[lane]);
  }
  /// The lanes of the mask for which is(bits) holds.
  template <class Is>
  unsigned lanes_where(unsigned mask, Is&& is) const {
    unsigned lanes = 0;
    for (unsigned i = 0; i < warp_size; ++i) {
      if ((mask >> i & 1) != 0 && is(all[i])) lanes |= 1u << i;
    }
    return lanes;
  }
};

template <class T>
concept shuffled = std::is_arithmetic_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

template <class T, class Op>
T reduce(const char* what, unsigned mask, T mine, Op&& op) {
  const Brought brought(what, mask, mine);
  T result = mine;
  for (unsigned i = 0; i < warp_size; ++i) {
    if ((mask >> i & 1) != 0 && i != lane()) result = op(result, brought.of<T>(i));
  }
  return result;
}

}  // namespace emulator

inline unsigned __activemask() { return emulator::converged_lanes(); }
inline void __syncwarp(unsigned mask = emulator::all_lanes) {
  emulator::Brought("__syncwarp", mask, 0);
}

template <emulator::shuffled T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const emulator::Brought brought("__shfl_sync", mask, value);
  const auto last = static_cast<unsigned>(width - 1);
  return brought.template of<T>((emulator::lane() & ~last) |
                                (static_cast<unsigned>(source) & last));
}
template <emulator::shuffled T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const emulator::Brought brought("__shfl_up_sync", mask, value);
  const unsigned lane = emulator::lane();
  return delta > lane % static_cast<unsigned>(width) ? value : brought.template of<T>(lane - delta);
}
template <emulator::shuffled T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const emulator::Brought brought("__shfl_down_sync", mask, value);
  const unsigned lane = emulator::lane();
  const auto size = static_cast<unsigned>(width);
  return lane % size + delta >= size ? value : brought.template of<T>(lane + delta);
}
template <emulator::shuffled T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
  const emulator::Brought brought("__shfl_xor_sync", mask, value);
  const unsigned lane = emulator::lane();
  const unsigned source = lane ^ static_cast<unsigned>(lanes);
  const unsigned begin = lane & ~static_cast<unsigned>(width - 1);
  return source >= begin + static_cast<unsigned>(width) ? value : brought.template of<T>(source);
}

inline unsigned __ballot_sync(unsigned mask, int vote) {
  return emulator::Brought("__ballot_sync", mask, vote != 0)
      .lanes_where(mask, [](std::uint64_t bits) { return bits != 0; });
}
inline int __any_sync(unsigned mask, int vote) {
  return emulator::Brought("__any_sync", mask, vote != 0).lanes_where(mask, [](std::uint64_t bits) {
    return bits != 0;
  }) != 0;
}
inline int __all_sync(unsigned mask, int vote) {
  return emulator::Brought("__all_sync", mask, vote != 0).lanes_where(mask, [](std::uint64_t bits) {
    return bits != 0;
  }) == mask;
}
template <emulator::shuffled T>
unsigned __match_any_sync(unsigned mask, T value) {
  const std::uint64_t mine = emulator::to_bits(value);
  return emulator::Brought("__match_any_sync", mask, value)
      .lanes_where(mask, [=](std::uint64_t bits) { return bits == mine; });
}
template <emulator::shuffled T>
unsigned __match_all_sync(unsigned mask, T value, int* all) {
  const std::uint64_t mine = emulator::to_bits(value);
  *all =
      emulator::Brought("__match_all_sync", mask, value).lanes_where(mask, [=](std::uint64_t bits) {
        return bits == mine;
      }) == mask;
  return *all != 0 ? mask : 0;
}

#define EMULATOR_REDUCE(type, name, expression)                                 \
  inline type __reduce_##name##_sync(unsigned mask, type value) {               \
    return emulator::reduce("__reduce_" #name "_sync", mask, value,             \
                            [](type a, type b) -> type { return expression; }); \
  }
EMULATOR_REDUCE(unsigned, add, a + b)
EMULATOR_REDUCE(unsigned, min, a < b ? a : b)
EMULATOR_REDUCE(unsigned, max, a < b ? b : a)
EMULATOR_REDUCE(int, add, a + b)
EMULATOR_REDUCE(int, min, a < b ? a : b)
EMULATOR_REDUCE(int, max, a < b ? b : a)
EMULATOR_REDUCE(unsigned, and, a& b)
EMULATOR_REDUCE(unsigned, or, a | b)
EMULATOR_REDUCE(unsigned, xor, a ^ b)
#undef EMULATOR_REDUCE
