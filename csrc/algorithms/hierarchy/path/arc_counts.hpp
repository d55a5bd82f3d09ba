// A bound on the number of arcs of a path, from its length.
#pragma once

#include "core/containers/at.hpp"
#include "graph/csr.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace warpgraph {

/// The least positive weights that enter each vertex, counted by their powers of two. A path that
/// repeats no vertex enters as many different vertices as it has arcs.
class ArcCounts {
 public:
  /// Counts float weights; those that are infinite are not used.
  template <class W>
  explicit ArcCounts(const CsrView<W>& transposed) {
    constexpr int min_exponent = Limits::min_exponent - Limits::digits;  // of denormal numbers
    std::array<std::int64_t, at(Limits::max_exponent - min_exponent)> counts{};
    for (vertex_t v = 0; v < transposed.n_vertices; ++v) {
      W lightest = infinity<W>();
      for (edge_t e = transposed.begin(v); e < transposed.end(v); ++e) {
        const W weight = transposed.weights == nullptr ? W{1} : transposed.weights[e];
        if (weight == infinity<W>()) continue;
        heaviest_ = std::max(heaviest_, double{weight});
        if (weight > W{0}) lightest = std::min(lightest, weight);
      }
      if (lightest < infinity<W>()) ++counts[at(std::ilogb(double{lightest}) - min_exponent)];
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      groups_.push_back(
          {std::ldexp(1.0, static_cast<int>(i) + min_exponent), static_cast<double>(counts[i])});
    }
  }

  /// Returns the largest weight.
  [[nodiscard]] double heaviest() const { return heaviest_; }

  /// Returns an upper bound of the arcs of positive weight on a path of this length that repeats no
  /// vertex.
  [[nodiscard]] double max_arcs(double length) const {
    constexpr double rounding = 1e-9;  // more than that of the subtractions below
    double left = length * (1 + rounding);
    double n_arcs = 0;
    for (const auto [lightest, count] : groups_) {
      if (count * lightest > left) return n_arcs + std::floor(left / lightest);
      n_arcs += count;
      left -= count * lightest;
    }
    return n_arcs;
  }

  [[nodiscard]] std::size_t bytes() const { return groups_.capacity() * sizeof(Group); }

 private:
  using Limits = std::numeric_limits<double>;
  /// The vertices whose lightest entering weight is at least `lightest`, and less than twice that.
  struct Group {
    double lightest;
    double count;
  };

  std::vector<Group> groups_;  // by ascending weight
  double heaviest_ = 0;
};

}  // namespace warpgraph
