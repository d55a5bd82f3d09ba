// CUDA's atomic functions, for the types that CUDA defines them for. Relaxed, as CUDA's.
#pragma once

#include <concepts>
#include <type_traits>

namespace emulator {

template <class T, class... Types>
concept one_of = (std::same_as<T, Types> || ...);

/// Replaces `place` by next(place) and returns what was there.
template <class T, class Next>
T update(T* place, Next&& next) {
  T seen;
  __atomic_load(place, &seen, __ATOMIC_RELAXED);
  for (;;) {
    T value = next(seen);
    if (__atomic_compare_exchange(place, &seen, &value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      return seen;
    }
  }
}

template <class T>
concept word = one_of<T, int, unsigned, unsigned long long>;
template <class T>
using same = std::type_identity_t<T>;

}  // namespace emulator

template <class T>
requires(emulator::word<T> || emulator::one_of<T, float, double>) T
    atomicAdd(T* place, emulator::same<T> value) {
  return emulator::update(place, [=](T seen) { return static_cast<T>(seen + value); });
}
template <class T>
requires emulator::one_of<T, int, unsigned> T atomicSub(T* place, emulator::same<T> value) {
  return __atomic_fetch_sub(place, value, __ATOMIC_RELAXED);
}
template <class T>
requires(emulator::word<T> || emulator::one_of<T, long long>) T
    atomicMin(T* place, emulator::same<T> value) {
  return emulator::update(place, [=](T seen) { return value < seen ? value : seen; });
}
template <class T>
requires(emulator::word<T> || emulator::one_of<T, long long>) T
    atomicMax(T* place, emulator::same<T> value) {
  return emulator::update(place, [=](T seen) { return seen < value ? value : seen; });
}
template <emulator::word T>
T atomicAnd(T* place, emulator::same<T> value) {
  return __atomic_fetch_and(place, value, __ATOMIC_RELAXED);
}
template <emulator::word T>
T atomicOr(T* place, emulator::same<T> value) {
  return __atomic_fetch_or(place, value, __ATOMIC_RELAXED);
}
template <emulator::word T>
T atomicXor(T* place, emulator::same<T> value) {
  return __atomic_fetch_xor(place, value, __ATOMIC_RELAXED);
}
template <class T>
requires(emulator::word<T> || emulator::one_of<T, float>) T
    atomicExch(T* place, emulator::same<T> value) {
  return emulator::update(place, [=](T) { return value; });
}
template <emulator::word T>
T atomicCAS(T* place, emulator::same<T> expected, emulator::same<T> desired) {
  __atomic_compare_exchange_n(place, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
