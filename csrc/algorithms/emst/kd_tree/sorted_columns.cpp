#include "algorithms/emst/kd_tree/sorted_columns.hpp"

#include "core/processor/vectors.hpp"

#include <bit>

namespace warpgraph::emst {

/// A sorting network, so that all columns make the same comparisons, in vectors of columns.
class MergeExchange {
 public:
  /// Runs algorithm M of Knuth: The Art of Computer Programming 3, 5.2.2.
  template <int bytes>
  [[gnu::always_inline]] static void run(SortedColumns& columns, std::size_t length) noexcept {
    const std::size_t top = std::bit_ceil(length) / 2;
    for (std::size_t p = top; p > 0; p /= 2) {
      std::size_t q = top;
      std::size_t r = 0;
      for (std::size_t distance = p; distance > 0; distance = q - p, q /= 2, r = p) {
        for (std::size_t i = 0; i + distance < length; ++i) {
          if ((i & p) == r) compare_and_exchange<bytes>(columns, i, i + distance);
        }
      }
    }
  }

 private:
  template <class Vector, class Items>
  [[gnu::always_inline]] static auto& as(Items* items) noexcept {
    return *reinterpret_cast<std::conditional_t<std::is_const_v<Items>, const Vector, Vector>*>(
        items);
  }
  /// Exchanges the items of rows a and b in the columns where they are out of order.
  template <int bytes>
  [[gnu::always_inline]] static void compare_and_exchange(SortedColumns& columns, std::size_t a,
                                                          std::size_t b) noexcept {
    constexpr int lanes = bytes / static_cast<int>(sizeof(double));
    for (int column = 0; column < SortedColumns::width; column += lanes) {
      compare_and_exchange<bytes>(
          columns.keys_[a].data() + column, columns.tags_[a].data() + column,
          columns.keys_[b].data() + column, columns.tags_[b].data() + column);
    }
  }
  template <int bytes>
  [[gnu::always_inline]] static void compare_and_exchange(double* keys_a, double* tags_a,
                                                          double* keys_b, double* tags_b) noexcept {
    using Row = typename VectorOf<double, bytes>::type;
    using Mask = typename VectorOf<std::int64_t, bytes>::type;
    // Tags are compared by the sign of their difference, since GCC takes logical operations on two
    // comparisons of vectors apart.
    const Row difference = as<Row>(tags_b) - as<Row>(tags_a);
    const Mask tag_is_greater = as<Mask>(&difference) >> 63;
    const Mask is_equal = as<Row>(keys_a) == as<Row>(keys_b);
    const Mask is_greater = as<Row>(keys_a) > as<Row>(keys_b);
    const Mask exchanges = is_greater + (is_equal & tag_is_greater);
    exchange_if(exchanges, keys_a, keys_b);
    exchange_if(exchanges, tags_a, tags_b);
  }
  template <class Mask>
  [[gnu::always_inline]] static void exchange_if(const Mask& mask, double* a, double* b) noexcept {
    const Mask change = (as<Mask>(a) ^ as<Mask>(b)) & mask;
    as<Mask>(a) ^= change;
    as<Mask>(b) ^= change;
  }
};

void SortedColumns::sort(int length) noexcept {
  with_longest_vectors([ this, length ]<int bytes>() __attribute__((always_inline)) {
    MergeExchange::run<bytes>(*this, static_cast<std::size_t>(length));
  });
}

}  // namespace warpgraph::emst
