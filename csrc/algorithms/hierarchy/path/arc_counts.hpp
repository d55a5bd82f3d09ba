// A bound on the number of arcs of a path, from its length.
#pragma once

#include "core/containers/at.hpp"
#include "graph/csr.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace warpgraph {

/// Of each vertex the least positive weight that enters it, counted by its power of two. A path
/// that repeats no vertex enters as many different vertices as it has arcs.
class ArcCounts {
 public:
  /// Float weights; those that are infinite are not used.
  template <class W>
  explicit ArcCounts(const CsrView<W>& transposed) {
    for (vertex_t v = 0; v < transposed.n_vertices; ++v) {
      W lightest = infinity<W>();
      for (edge_t e = transposed.begin(v); e < transposed.end(v); ++e) {
        const W weight = transposed.weights == nullptr ? W{1} : transposed.weights[e];
        if (weight == infinity<W>()) continue;
        heaviest_ = std::max(heaviest_, double{weight});
        if (weight > W{0}) lightest = std::min(lightest, weight);
      }
      if (lightest < infinity<W>()) ++counts_[at(std::ilogb(double{lightest}) - least_exponent)];
    }
  }

  /// The largest weight.
  [[nodiscard]] double heaviest() const { return heaviest_; }

  /// Upper bound of the arcs of positive weight on a path of this length that repeats no vertex.
  [[nodiscard]] double most_arcs(double length) const {
    constexpr double rounding = 1e-9;  // more than that of the subtractions below
    double left = length * (1 + rounding);
    double n_arcs = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] == 0) continue;
      const double lightest = std::ldexp(1.0, static_cast<int>(i) + least_exponent);
      const auto count = static_cast<double>(counts_[i]);
      if (count * lightest > left) return n_arcs + std::floor(left / lightest);
      n_arcs += count;
      left -= count * lightest;
    }
    return n_arcs;
  }

 private:
  using Limits = std::numeric_limits<double>;
  static constexpr int least_exponent = Limits::min_exponent - Limits::digits;  // of denormals
  std::array<std::int64_t, at(Limits::max_exponent - least_exponent)> counts_{};
  double heaviest_ = 0;
};

}  // namespace warpgraph
