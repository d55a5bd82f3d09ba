// Distances, each a sum over coordinates and a function of that sum. Those of cosine and haversine
// are of unit vectors.
//
// A metric has the type of a coordinate, `Item`, and of a sum, `Sum`; add() adds a coordinate of
// two points to their sum, and distance() is that of all coordinates. Sums are of double or of
// integers, whatever the type of the points, and are added in the order of the coordinates, so that
// distances are equal on every machine, as far as pow() is.
//
// Powers of differences may be beyond float64 where the distance is not. A metric that has them is
// one OfPowers: is_lost() tells which sums are of no use. The distance is then a multiple of that
// of the differences divided by the largest one.
#pragma once

#include "core/error.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace warpgraph {

enum class MetricName {
  manhattan,
  chebyshev,
  minkowski,
  hamming,
  jaccard,
  euclidean,
  cosine,
  haversine
};

/// Returns whether boxes of points bound the distances, as in metric_tree.hpp.
constexpr bool has_box_bounds(MetricName name) noexcept {
  return name == MetricName::manhattan || name == MetricName::chebyshev ||
         name == MetricName::minkowski;
}
/// Returns whether a distance takes a power of each coordinate, which no instruction computes.
constexpr bool takes_powers(MetricName name) noexcept { return name == MetricName::minkowski; }

struct Metric {
  MetricName name = MetricName::manhattan;
  double p = 2;                    // of minkowski
  std::int64_t n_coordinates = 0;  // of hamming: bits are packed into fewer words
};

namespace metrics {

/// Returns the number of bits that are set.
WARPGRAPH_HOST_DEVICE inline int bits_set(std::uint64_t word) noexcept {
#if defined(__CUDA_ARCH__)
  return __popcll(word);
#else
  return std::popcount(word);
#endif
}

struct Manhattan {
  using Item = double;
  using Sum = double;
  static WARPGRAPH_HOST_DEVICE void add(Sum& sum, Item a, Item b) noexcept {
    sum += std::abs(a - b);
  }
  static WARPGRAPH_HOST_DEVICE double distance(Sum sum) noexcept { return sum; }
};

struct Chebyshev {
  using Item = double;
  using Sum = double;
  static WARPGRAPH_HOST_DEVICE void add(Sum& sum, Item a, Item b) noexcept {
    const double apart = std::abs(a - b);
    sum = apart > sum ? apart : sum;
  }
  static WARPGRAPH_HOST_DEVICE double distance(Sum sum) noexcept { return sum; }
};

/// Sums of powers that may overflow, or be so small that some of the powers have vanished.
template <class MetricOf>
struct OfPowers {
  static constexpr bool powers = true;
  static bool is_lost(double sum) noexcept {
    return !(sum >= 1e-280 && sum <= std::numeric_limits<double>::max());
  }
  /// Returns the distance of two points of `width` coordinates, which are the strides apart, from
  /// differences divided by the largest of them, whose powers neither overflow nor all vanish.
  [[nodiscard]] double by_largest(const double* a, std::int64_t stride_a, const double* b,
                                  std::int64_t stride_b, std::int64_t width) const noexcept {
    const auto difference = [&](std::int64_t k) { return a[k * stride_a] - b[k * stride_b]; };
    double largest = 0;
    for (std::int64_t k = 0; k < width; ++k) largest = std::max(largest, std::abs(difference(k)));
    if (largest == 0 || largest > std::numeric_limits<double>::max()) return largest;
    const auto& metric = static_cast<const MetricOf&>(*this);
    double sum = 0;
    for (std::int64_t k = 0; k < width; ++k) metric.add(sum, difference(k) / largest, 0);
    return largest * metric.distance(sum);
  }
};

struct Minkowski : OfPowers<Minkowski> {
  using Item = double;
  using Sum = double;
  double p;
  explicit Minkowski(double power) : p(power) {}
  void add(Sum& sum, Item a, Item b) const noexcept { sum += std::pow(std::abs(a - b), p); }
  [[nodiscard]] double distance(Sum sum) const noexcept { return std::pow(sum, 1 / p); }
};

struct Squares {
  using Item = double;
  using Sum = double;
  static void add(Sum& sum, Item a, Item b) noexcept { sum += (a - b) * (a - b); }
};

struct Euclidean : Squares, OfPowers<Euclidean> {
  static double distance(Sum sum) noexcept { return std::sqrt(sum); }
};

/// Distance of unit vectors: 1 - cos of their angle.
struct CosineOfUnits : Squares {
  static double distance(Sum sum) noexcept { return sum / 2; }
};

/// Distance of unit vectors: their angle.
struct AngleOfUnits : Squares {
  static double distance(Sum sum) noexcept {
    return 2 * std::asin(std::min(std::sqrt(sum) / 2, 1.0));
  }
};

/// The share of coordinates that differ.
struct Hamming {
  using Item = double;
  using Sum = double;
  double n_coordinates;
  static WARPGRAPH_HOST_DEVICE void add(Sum& sum, Item a, Item b) noexcept {
    sum += a != b ? 1.0 : 0.0;
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE double distance(Sum sum) const noexcept {
    return sum / n_coordinates;
  }
};

/// Hamming distance of bits, 64 of them in an item.
struct HammingOfBits {
  using Item = std::uint64_t;
  using Sum = std::int64_t;
  double n_coordinates;
  static WARPGRAPH_HOST_DEVICE void add(Sum& sum, Item a, Item b) noexcept {
    sum += bits_set(a ^ b);
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE double distance(Sum sum) const noexcept {
    return static_cast<double>(sum) / n_coordinates;
  }
};

/// The share of bits that differ among those that are set in one of two rows at least; 0 if there
/// are none.
struct JaccardOfBits {
  using Item = std::uint64_t;
  struct Sum {
    std::int64_t differ = 0;
    std::int64_t set = 0;
  };
  static WARPGRAPH_HOST_DEVICE void add(Sum& sum, Item a, Item b) noexcept {
    sum.differ += bits_set(a ^ b);
    sum.set += bits_set(a | b);
  }
  static WARPGRAPH_HOST_DEVICE double distance(const Sum& sum) noexcept {
    return sum.set == 0 ? 0 : static_cast<double>(sum.differ) / static_cast<double>(sum.set);
  }
};

}  // namespace metrics

/// Calls f(metric) for points of numbers, or of bits that are packed into words.
template <class Coordinate, class F>
auto with_metric(const Metric& metric, F&& f) {
  const auto n_coordinates = static_cast<double>(metric.n_coordinates);
  if constexpr (std::is_same_v<Coordinate, std::uint64_t>) {
    if (metric.name == MetricName::jaccard) return f(metrics::JaccardOfBits{});
    EXPECTS(metric.name == MetricName::hamming, "bits have the metrics hamming and jaccard");
    return f(metrics::HammingOfBits{n_coordinates});
  } else {
    EXPECTS(metric.name != MetricName::jaccard, "the metric jaccard is of bits");
    if (metric.name == MetricName::chebyshev) return f(metrics::Chebyshev{});
    if (metric.name == MetricName::minkowski) return f(metrics::Minkowski(metric.p));
    if (metric.name == MetricName::hamming) return f(metrics::Hamming{n_coordinates});
    if (metric.name == MetricName::euclidean) return f(metrics::Euclidean{});
    if (metric.name == MetricName::cosine) return f(metrics::CosineOfUnits{});
    if (metric.name == MetricName::haversine) return f(metrics::AngleOfUnits{});
    return f(metrics::Manhattan{});
  }
}

}  // namespace warpgraph
