// k-d trees whose keys are distances under a metric, for the searches of primitives/kd_tree.
//
// A distance has the same bits as by comparing all pairs (ColumnBlocks in
// primitives/metric/column_blocks.hpp): it is computed in double, coordinate by coordinate, by the
// same functions. Coordinates of padding axes are 0, which changes no distance.
//
// Bounds of manhattan and chebyshev are sums, or maxima, of the same shape as distances, of gaps
// that are no larger. Rounding is monotone, so no bound exceeds a computed distance.
//
// Powers take much longer than a box is worth, and pow() is not monotone. So minkowski has bounds
// from the norms 1, 2 and infinity of the same gaps, which hold for every p of at least 1 in d
// dimensions:
//   |x|_p >= |x|_inf,   |x|_p >= d^(1/p - 1) |x|_1,   |x|_p >= min(1, d^(1/p - 1/2)) |x|_2.
// In two dimensions the largest of these is at most 7 % below |x|_p; in more it may be further
// below, up to about 23 % for d = 8 and 35 % for d = 32. Each is lowered by a part of 10^-12 + d *
// 2^-51, norm 2 by half of that. Together, a computed distance and a computed bound are closer to
// the true ones: their sums of d numbers are exact to a part of d * 2^-53 each, pow() is exact to
// an ulp, and rounding 1 / p multiplies the distance by at most 1 + 709 * 2^-53, since the power is
// in the range of double. The second powers of norm 2 may vanish, so their limit is never below
// 1e-290. Only the pairs whose bound is within the limit of a search get a distance.
#pragma once

#include "primitives/kd_tree/kd_tree.hpp"
#include "primitives/metric/metrics.hpp"

#include <cmath>
#include <type_traits>

namespace warpgraph {

/// The norms of gaps, of LeafVectors or of a single pair.
template <class Lanes>
struct Norms {
  typename Lanes::Passed sum{};      // norm 1
  typename Lanes::Passed squares{};  // norm 2, squared
  typename Lanes::Passed largest{};  // norm infinity
};
struct SinglePair {
  using Passed = double;
};

/// Lower bounds of norm p.
class NormBounds {
 public:
  NormBounds(double p, int dimension) noexcept
      : lowered_(1 - 1e-12 - 0x1p-51 * dimension),
        of_sum_(lowered_ * std::pow(dimension, 1 / p - 1)),
        of_squares_(lowered_ * std::pow(dimension, std::min(0.0, 2 / p - 1))) {}

  /// Sets `bound` to the larger of the bounds from the norms 1 and infinity.
  template <class Lanes, class Vector>
  [[gnu::always_inline]] void bound(const Norms<Lanes>& norms, Vector& bound) const noexcept {
    // A sum that overflows tells nothing.
    const Vector of_sum = norms.sum <= most ? norms.sum * of_sum_ : Vector{};
    const Vector of_largest = norms.largest * lowered_;
    bound = of_sum > of_largest ? of_sum : of_largest;
  }
  /// Returns a bound of norm p.
  [[nodiscard]] double bound(const Norms<SinglePair>& norms) const noexcept {
    double of_others = 0;
    bound(norms, of_others);
    const bool is_lost = !(norms.squares >= least_square && norms.squares <= most);
    return is_lost ? of_others
                   : std::max(of_others, lowered_ * std::sqrt(of_squares_ * norms.squares));
  }
  /// Sets `within` to where norm p may be within the limits.
  template <class Lanes, class Vector, class Within>
  [[gnu::always_inline]] void find_within(const Norms<Lanes>& norms, const Vector& limits,
                                          Within& within) const noexcept {
    Vector of_others;
    bound(norms, of_others);
    const Vector squares = limits * limits + least_square;
    within =
        (of_others <= limits) & ((norms.squares * of_squares_ <= squares) | (norms.squares > most));
  }

 private:
  static constexpr double least_square = 1e-290;
  static constexpr double most = std::numeric_limits<double>::max();

  double lowered_;
  double of_sum_;
  double of_squares_;
};

template <class MetricOf, int D>
class MetricTree : public KdTree<double, D> {
  static constexpr bool is_minkowski = std::is_same_v<MetricOf, metrics::Minkowski>;
  static constexpr bool is_chebyshev = std::is_same_v<MetricOf, metrics::Chebyshev>;
  static_assert(is_minkowski || is_chebyshev || std::is_same_v<MetricOf, metrics::Manhattan>);

 public:
  static constexpr bool divides_by_factor = true;

  MetricTree(PointsView<double> points, MetricOf metric)
      : KdTree<double, D>(points), metric_(metric), bounds_(power_of(metric), this->dimension()) {}

  template <int bytes, class Vector>
  [[gnu::always_inline]] void keys_of_lanes(const double* points, int stride, const double* other,
                                            int other_stride, const Vector& limit,
                                            Vector& keys) const noexcept {
    using Lanes = LeafVectors<double, bytes>;
    Norms<Lanes> norms;
    for (int k = 0; k < this->dimension(); ++k) {
      Vector apart = Lanes::at(points + k * stride).lanes - other[k * other_stride];
      make_absolute<bytes>(apart);
      add(norms, apart);
    }
    if constexpr (is_minkowski) {
      typename Lanes::PassedWords within;
      bounds_.find_within(norms, limit, within);
      for (int lane = 0; lane < Lanes::lanes; ++lane) {
        keys[lane] = within[lane] == 0 ? std::numeric_limits<double>::infinity()
                                       : power_distance(points + lane, stride, other, other_stride);
      }
    } else {
      keys = is_chebyshev ? norms.largest : norms.sum;
    }
  }
  [[nodiscard]] double key_of(const double* a, const double* b) const noexcept {
    if constexpr (is_minkowski) {
      return power_distance(a, 1, b, 1);
    } else {
      double sum = 0;
      for (int k = 0; k < this->dimension(); ++k) metric_.add(sum, a[k], b[k]);
      return metric_.distance(sum);
    }
  }
  /// Divides keys by a factor.
  template <class Keys>
  [[gnu::always_inline]] static void scale(Keys& keys, double factor) noexcept {
    keys /= factor;
  }
  /// Multiplies limits by a factor. Rounded up, so that no key is lost whose quotient rounds down
  /// to the limit.
  template <class Limits>
  [[gnu::always_inline]] static void unscale(Limits& limits, double factor) noexcept {
    limits = limits * (factor * (1 + 1e-12)) + std::numeric_limits<double>::min();
  }

  template <int bytes>
  [[gnu::always_inline]] std::uint64_t near_box(const double* points, int stride, int count,
                                                std::int32_t node, double factor,
                                                const double* limits) const noexcept {
    using Lanes = LeafVectors<double, bytes>;
    using Vector = typename Lanes::Passed;
    const double* low = box(node);
    const double* high = low + this->dimension();
    return Lanes::bits_of(
        count, [&](int i, auto& near) __attribute__((always_inline)) {
          Norms<Lanes> norms;
          for (int k = 0; k < this->dimension(); ++k) {
            const Vector x = Lanes::at(points + k * stride + i).lanes;
            const Vector below = low[k] - x;
            const Vector above = x - high[k];
            Vector gap = below > above ? below : above;
            gap = gap > 0.0 ? gap : Vector{};
            add(norms, gap);
          }
          Vector limit = Lanes::at(limits + i).lanes;
          if constexpr (is_minkowski) {
            unscale(limit, factor);
            bounds_.find_within(norms, limit, near);
          } else {
            near = (is_chebyshev ? norms.largest : norms.sum) / factor <= limit;
          }
        });
  }
  [[nodiscard]] double bound(std::int32_t a, std::int32_t b) const noexcept {
    return bound_of_boxes(box(a), box(a) + this->dimension(), b);
  }
  [[nodiscard]] double bound_of_point(const double* point, std::int32_t node) const noexcept {
    return bound_of_boxes(point, point, node);
  }

 private:
  static double power_of(MetricOf metric) noexcept {
    if constexpr (is_minkowski) {
      return metric.p;
    } else {
      return 1;
    }
  }
  /// Clears the signs.
  template <int bytes, class Vector>
  [[gnu::always_inline]] static void make_absolute(Vector& numbers) noexcept {
    using Words = typename LeafVectors<double, bytes>::PassedWords;
    numbers = reinterpret_cast<Vector>(reinterpret_cast<Words>(numbers) &
                                       std::numeric_limits<std::int64_t>::max());
  }
  /// Adds a gap to the norms that the metric needs.
  template <class Lanes, class Vector>
  [[gnu::always_inline]] static void add(Norms<Lanes>& norms, const Vector& gap) noexcept {
    if constexpr (!is_chebyshev) norms.sum += gap;
    if constexpr (is_minkowski) norms.squares += gap * gap;
    if constexpr (is_chebyshev || is_minkowski) {
      norms.largest = gap > norms.largest ? gap : norms.largest;
    }
  }
  [[nodiscard]] const double* box(std::int32_t node) const noexcept {
    return this->boxes_.data() + std::int64_t{2} * node * this->dimension();
  }
  [[nodiscard]] double bound_of_boxes(const double* low, const double* high,
                                      std::int32_t node) const noexcept {
    const double* const other_low = box(node);
    const double* const other_high = other_low + this->dimension();
    Norms<SinglePair> norms;
    for (int k = 0; k < this->dimension(); ++k) {
      const double gap = std::max(std::max(low[k] - other_high[k], other_low[k] - high[k]), 0.0);
      add(norms, gap);
    }
    if constexpr (is_minkowski) {
      return bounds_.bound(norms);
    } else {
      return is_chebyshev ? norms.largest : norms.sum;
    }
  }
  /// Returns the distance of two points whose coordinates are the strides apart.
  [[gnu::noinline]] double power_distance(const double* a, int stride_a, const double* b,
                                          int stride_b) const noexcept requires is_minkowski {
    double sum = 0;
    for (int k = 0; k < this->dimension(); ++k) metric_.add(sum, a[k * stride_a], b[k * stride_b]);
    if (!MetricOf::is_lost(sum)) return metric_.distance(sum);
    return metric_.by_largest(a, stride_a, b, stride_b, this->dimension());
  }

  MetricOf metric_;
  NormBounds bounds_;
};

}  // namespace warpgraph
