// How many min-plus relaxations a second, c = min(c, a + b), a core makes out of registers: the
// rate that no code can beat. machine.py compiles it for the machine that it runs on.
#include <chrono>
#include <cstdint>
#include <type_traits>

namespace {

#if defined(__AVX512BW__)
constexpr int vector_bytes = 64;
constexpr int columns = 3;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
constexpr int columns = 2;
#else
constexpr int vector_bytes = 16;
constexpr int columns = 2;
#endif
// Independent minima enough for any latency; with more of them, Zen 5 was seen to hand those of
// floats' bits to the units that add.
constexpr int rows = 4;

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(vector_bytes)));
};

/// The compiler may not guess what lies in a register.
template <class Vector>
inline void hide(Vector& value) {
#if defined(__x86_64__)
  asm volatile("" : "+v"(value));
#else
  asm volatile("" : "+w"(value));
#endif
}

/// `Compared`: what two numbers are compared as. That of floats which are not negative may also be
/// made by the units for integers, while others add.
template <class T, class Compared>
double rate(double seconds) {
  using Clock = std::chrono::steady_clock;
  using Vector = typename VectorOf<T>::type;
  using Bits = typename VectorOf<Compared>::type;
  Vector a[rows], b[columns], c[rows][columns];
  for (int i = 0; i < rows; ++i) a[i] = Vector{} + static_cast<T>(i + 1);
  for (int j = 0; j < columns; ++j) b[j] = Vector{} + static_cast<T>(j + 1);
  for (auto& row : c) {
    for (auto& best : row) best = Vector{} + static_cast<T>(100);
  }
  std::int64_t rounds = 0;
  const auto begin = Clock::now();
  double elapsed = 0;
  do {
    for (int k = 0; k < 100'000; ++k) {
      for (int j = 0; j < columns; ++j) hide(b[j]);
#pragma GCC unroll 16
      for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 16
        for (int j = 0; j < columns; ++j) {
          const Vector through = static_cast<Vector>(a[i] + b[j]);
          const Bits x = (Bits)through, y = (Bits)c[i][j];
          c[i][j] = (Vector)(x < y ? x : y);
        }
      }
    }
    rounds += 100'000;
    elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
  } while (elapsed < seconds);
  for (auto& row : c) {
    for (auto& best : row) hide(best);
  }
  constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
  return static_cast<double>(rounds) * rows * columns * lanes / elapsed;
}

template <class T, class Bits>
double best_rate(double seconds) {
  const double values = rate<T, T>(seconds);
  const double bits = rate<T, Bits>(seconds);
  return values < bits ? bits : values;
}

}  // namespace

extern "C" {
double rate_uint16(double seconds) { return rate<std::uint16_t, std::uint16_t>(seconds); }
double rate_int32(double seconds) { return rate<std::int32_t, std::int32_t>(seconds); }
double rate_int64(double seconds) { return rate<std::int64_t, std::int64_t>(seconds); }
double rate_float32(double seconds) { return best_rate<float, std::int32_t>(seconds); }
double rate_float64(double seconds) { return best_rate<double, std::int64_t>(seconds); }
}
