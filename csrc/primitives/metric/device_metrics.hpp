// The metrics by which devices compare points: those that have the same distances there, bit for
// bit, and so take no pow() and no functions of angles.
#pragma once

#include "primitives/metric/metrics.hpp"

#include <type_traits>

namespace warpgraph {
namespace metrics {

template <class MetricOf, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<MetricOf, Others> || ...);
template <class MetricOf>
inline constexpr bool is_on_devices =
    is_one_of<MetricOf, Manhattan, Chebyshev, Hamming, HammingOfBits, JaccardOfBits>;

}  // namespace metrics

/// Calls f(metric) as with_metric() does. Throws DeviceError for other metrics.
template <class Coordinate, class F>
void with_device_metric(const Metric& metric, F&& f) {
  with_metric<Coordinate>(metric, [&]<class MetricOf>(const MetricOf& of) {
    if constexpr (metrics::is_on_devices<MetricOf>) {
      f(of);
    } else {
      throw DeviceError("distances by this metric are computed on the CPU only");
    }
  });
}

/// The advice to users if a device has less memory than a search needs.
template <class Coordinate>
inline constexpr const char* advice_for =
    std::is_same_v<Coordinate, double> ? "pass fewer points, or float32 instead of float64"
                                       : "pass fewer points";

}  // namespace warpgraph
