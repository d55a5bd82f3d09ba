#include "algorithms/emst/kd_tree/sorted_columns.hpp"

#include "core/simd.hpp"
#include "core/threads/this_cpu.hpp"

#include <bit>

namespace warpgraph::emst {

class MergeExchange {
 public:
  /// Algorithm M of Knuth: The Art of Computer Programming 3, 5.2.2.
  [[gnu::always_inline]] static void run(SortedColumns& columns, std::size_t length) noexcept {
    const std::size_t top = std::bit_ceil(length) / 2;
    for (std::size_t p = top; p > 0; p /= 2) {
      std::size_t q = top;
      std::size_t r = 0;
      for (std::size_t distance = p; distance > 0; distance = q - p, q /= 2, r = p) {
        for (std::size_t i = 0; i + distance < length; ++i) {
          if ((i & p) == r) compare_and_exchange(columns, i, i + distance);
        }
      }
    }
  }

 private:
  /// Half of the lists: see leaf_vectors.hpp.
  static constexpr std::size_t lanes = SortedColumns::width / 2;
  using Row = VectorOf<double, sizeof(double) * lanes>::type;
  using Mask = VectorOf<std::int64_t, sizeof(double) * lanes>::type;

  template <class Vector, class Items>
  [[gnu::always_inline]] static auto& as(Items* items) noexcept {
    return *reinterpret_cast<std::conditional_t<std::is_const_v<Items>, const Vector, Vector>*>(
        items);
  }
  [[gnu::always_inline]] static void compare_and_exchange(SortedColumns& columns, std::size_t a,
                                                          std::size_t b) noexcept {
    for (std::size_t first = 0; first < SortedColumns::width; first += lanes) {
      compare_and_exchange(columns.keys_[a].data() + first, columns.keys_[b].data() + first,
                           columns.tags_[a].data() + first, columns.tags_[b].data() + first);
    }
  }
  [[gnu::always_inline]] static void compare_and_exchange(double* keys_a, double* keys_b,
                                                          double* tags_a, double* tags_b) noexcept {
    // The sign of a difference, since GCC takes logical operations on two comparisons apart.
    const Row difference = as<Row>(tags_b) - as<Row>(tags_a);
    const Mask tag_is_greater = as<Mask>(&difference) >> 63;
    const Mask is_equal = as<Row>(keys_a) == as<Row>(keys_b);
    const Mask is_greater = as<Row>(keys_a) > as<Row>(keys_b);
    const Mask exchanges = is_greater + (is_equal & tag_is_greater);
    exchange_if(exchanges, keys_a, keys_b);
    exchange_if(exchanges, tags_a, tags_b);
  }
  [[gnu::always_inline]] static void exchange_if(const Mask& mask, double* a, double* b) noexcept {
    const Mask change = (as<Mask>(a) ^ as<Mask>(b)) & mask;
    as<Mask>(a) ^= change;
    as<Mask>(b) ^= change;
  }
};

namespace {

WARPGRAPH_FOR_THIS_CPU_UP_TO_AVX512 void merge_exchange(SortedColumns& columns,
                                                        std::size_t length) noexcept {
  MergeExchange::run(columns, length);
}

}  // namespace

void SortedColumns::sort(int length) noexcept {
  merge_exchange(*this, static_cast<std::size_t>(length));
}

}  // namespace warpgraph::emst
