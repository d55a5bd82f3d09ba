// Groups of sources that lie near each other, judged by their distances from a few landmarks: two
// that are near each other differ little in any of them, and on roads the converse holds well
// enough. Not for use outside this folder.
#pragma once

#include "core/types.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace warpgraph::many_to_many_steps {

class LandmarkGroups {
 public:
  /// distances[row * n_landmarks + l] is how far the row's source lies from landmark l. All groups
  /// but the last have `size` rows.
  template <class W>
  LandmarkGroups(std::span<const W> distances, std::int64_t n_landmarks, std::int64_t size)
      : n_landmarks_(n_landmarks), size_(size), order_(distances.size() / at(n_landmarks)) {
    // What cannot be reached lies farther than all that can.
    double farthest = 0;
    for (const W distance : distances) {
      if (distance != infinity<W>()) farthest = std::max(farthest, static_cast<double>(distance));
    }
    places_.reserve(distances.size());
    for (const W distance : distances) {
      places_.push_back(distance != infinity<W>() ? static_cast<double>(distance) : 2 * farthest);
    }
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
    split(0, n_rows());
    for (std::int64_t first = 0; first < n_rows(); first += size) {
      centres_.push_back(centre(first, std::min(first + size, n_rows())));
    }
  }

  /// The rows, group by group.
  [[nodiscard]] const std::vector<std::int64_t>& order() const noexcept { return order_; }
  /// A row of each group whose source lies in its middle.
  [[nodiscard]] const std::vector<std::int64_t>& centres() const noexcept { return centres_; }

 private:
  struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    [[nodiscard]] double width() const { return most - least; }
  };

  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] std::int64_t n_rows() const { return static_cast<std::int64_t>(order_.size()); }
  [[nodiscard]] double place(std::int64_t row, std::int64_t landmark) const {
    return places_[at(row * n_landmarks_ + landmark)];
  }

  [[nodiscard]] Range range(std::int64_t first, std::int64_t last, std::int64_t landmark) const {
    Range range;
    for (std::int64_t i = first; i < last; ++i) {
      const double distance = place(order_[at(i)], landmark);
      range.least = std::min(range.least, distance);
      range.most = std::max(range.most, distance);
    }
    return range;
  }

  /// Cuts where the rows lie farthest apart, between whole groups.
  void split(std::int64_t first, std::int64_t last) {
    const std::int64_t n_groups = (last - first + size_ - 1) / size_;
    if (n_groups <= 1) return;
    std::int64_t widest = 0;
    double width = -1;
    for (std::int64_t l = 0; l < n_landmarks_; ++l) {
      const double its_width = range(first, last, l).width();
      if (its_width > width) {
        widest = l;
        width = its_width;
      }
    }
    const std::int64_t middle = first + n_groups / 2 * size_;
    std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                     [&](std::int64_t a, std::int64_t b) {
                       const double of_a = place(a, widest);
                       const double of_b = place(b, widest);
                       return of_a < of_b || (of_a == of_b && a < b);
                     });
    split(first, middle);
    split(middle, last);
  }

  /// Distances from a landmark differ by no more than two sources lie apart.
  [[nodiscard]] double least_distance(std::int64_t a, std::int64_t b) const {
    double least = 0;
    for (std::int64_t l = 0; l < n_landmarks_; ++l) {
      least = std::max(least, std::abs(place(a, l) - place(b, l)));
    }
    return least;
  }

  [[nodiscard]] std::int64_t centre(std::int64_t first, std::int64_t last) const {
    std::int64_t centre = order_[at(first)];
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t i = first; i < last; ++i) {
      double most = 0;
      for (std::int64_t j = first; j < last; ++j) {
        most = std::max(most, least_distance(order_[at(i)], order_[at(j)]));
      }
      if (most < least) {
        centre = order_[at(i)];
        least = most;
      }
    }
    return centre;
  }

  std::int64_t n_landmarks_;
  std::int64_t size_;
  std::vector<double> places_;
  std::vector<std::int64_t> order_;
  std::vector<std::int64_t> centres_;
};

}  // namespace warpgraph::many_to_many_steps
