// Groups of nearby sources, by their distances from a few landmarks. By the triangle inequality two
// nearby sources differ little in each of these distances; on roads the converse holds well enough.
// Not for use outside this folder.
#pragma once

#include "core/types.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace warpgraph::many_to_many_detail {

class LandmarkGroups {
 public:
  /// distances[row * n_landmarks + l] is the distance of the row's source from landmark l. All
  /// groups but the last have `size` rows.
  template <class W>
  LandmarkGroups(std::span<const W> distances, std::int64_t n_landmarks, std::int64_t size)
      : n_landmarks_(n_landmarks), size_(size), order_(distances.size() / at(n_landmarks)) {
    // A source that a landmark does not reach gets a larger coordinate than all that it reaches.
    double farthest = 0;
    for (const W distance : distances) {
      if (distance != infinity<W>()) farthest = std::max(farthest, static_cast<double>(distance));
    }
    coordinates_.reserve(distances.size());
    for (const W distance : distances) {
      coordinates_.push_back(distance != infinity<W>() ? static_cast<double>(distance)
                                                       : 2 * farthest);
    }
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
    split(0, n_rows());
    for (std::int64_t first = 0; first < n_rows(); first += size) {
      centres_.push_back(centre(first, std::min(first + size, n_rows())));
    }
  }

  /// The rows, group by group.
  [[nodiscard]] const std::vector<std::int64_t>& order() const noexcept { return order_; }
  /// For each group a row whose source is in the middle of the group.
  [[nodiscard]] const std::vector<std::int64_t>& centres() const noexcept { return centres_; }

 private:
  struct Range {
    double min = std::numeric_limits<double>::infinity();
    double max = 0;
    [[nodiscard]] double width() const { return max - min; }
  };

  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] std::int64_t n_rows() const { return static_cast<std::int64_t>(order_.size()); }
  [[nodiscard]] double coordinate(std::int64_t row, std::int64_t landmark) const {
    return coordinates_[at(row * n_landmarks_ + landmark)];
  }

  [[nodiscard]] Range range(std::int64_t first, std::int64_t last, std::int64_t landmark) const {
    Range range;
    for (std::int64_t i = first; i < last; ++i) {
      const double distance = coordinate(order_[at(i)], landmark);
      range.min = std::min(range.min, distance);
      range.max = std::max(range.max, distance);
    }
    return range;
  }

  /// Recursive bisection, as in a k-d tree: splits the rows at a group boundary, by the coordinate
  /// with the widest range.
  void split(std::int64_t first, std::int64_t last) {
    const std::int64_t n_groups = (last - first + size_ - 1) / size_;
    if (n_groups <= 1) return;
    std::int64_t widest = 0;
    double max_width = -1;
    for (std::int64_t l = 0; l < n_landmarks_; ++l) {
      const double width = range(first, last, l).width();
      if (width > max_width) {
        widest = l;
        max_width = width;
      }
    }
    const std::int64_t middle = first + n_groups / 2 * size_;
    std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                     [&](std::int64_t a, std::int64_t b) {
                       const double of_a = coordinate(a, widest);
                       const double of_b = coordinate(b, widest);
                       return of_a < of_b || (of_a == of_b && a < b);
                     });
    split(first, middle);
    split(middle, last);
  }

  /// A lower bound: the distances of two sources from a landmark differ by no more than the sources
  /// are apart.
  [[nodiscard]] double distance_bound(std::int64_t a, std::int64_t b) const {
    double bound = 0;
    for (std::int64_t l = 0; l < n_landmarks_; ++l) {
      bound = std::max(bound, std::abs(coordinate(a, l) - coordinate(b, l)));
    }
    return bound;
  }

  [[nodiscard]] std::int64_t centre(std::int64_t first, std::int64_t last) const {
    std::int64_t centre = order_[at(first)];
    double min_radius = std::numeric_limits<double>::infinity();
    for (std::int64_t i = first; i < last; ++i) {
      double radius = 0;
      for (std::int64_t j = first; j < last; ++j) {
        radius = std::max(radius, distance_bound(order_[at(i)], order_[at(j)]));
      }
      if (radius < min_radius) {
        centre = order_[at(i)];
        min_radius = radius;
      }
    }
    return centre;
  }

  std::int64_t n_landmarks_;
  std::int64_t size_;
  std::vector<double> coordinates_;
  std::vector<std::int64_t> order_;
  std::vector<std::int64_t> centres_;
};

}  // namespace warpgraph::many_to_many_detail
