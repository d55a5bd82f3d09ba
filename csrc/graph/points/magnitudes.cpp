#include "graph/points/magnitudes.hpp"

#include "core/threads/parallel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpgraph {
namespace {

/// The range of every eighth coordinate, so that vector instructions compare them.
template <class T>
class Lanes {
 public:
  static constexpr std::int64_t n = 8;

  Lanes() {
    least_.fill(std::numeric_limits<T>::infinity());
    largest_.fill(0);
  }

  void add(std::size_t lane, T coordinate) noexcept {
    const T given = std::abs(coordinate);
    const T magnitude = given <= std::numeric_limits<T>::max() ? given : 0;
    const T other = magnitude == 0 ? std::numeric_limits<T>::infinity() : magnitude;
    largest_[lane] = magnitude > largest_[lane] ? magnitude : largest_[lane];
    least_[lane] = other < least_[lane] ? other : least_[lane];
  }

  [[nodiscard]] Magnitudes range() const noexcept {
    return {*std::min_element(least_.begin(), least_.end()),
            *std::max_element(largest_.begin(), largest_.end())};
  }

 private:
  std::array<T, n> least_, largest_;
};

template <class T>
Magnitudes magnitudes_of_block(const T* coordinates, std::int64_t count) {
  Lanes<T> lanes;
  std::int64_t i = 0;
  for (; i + Lanes<T>::n <= count; i += Lanes<T>::n) {
    for (std::int64_t j = 0; j < Lanes<T>::n; ++j) {
      lanes.add(static_cast<std::size_t>(j), coordinates[i + j]);
    }
  }
  for (; i < count; ++i) lanes.add(0, coordinates[i]);
  return lanes.range();
}

}  // namespace

template <class T>
Magnitudes magnitudes_of(const PointsView<T>& points) {
  constexpr std::int64_t per_block = 1 << 15;
  const std::int64_t n = points.n_points * points.dimension;
  return parallel_reduce(
      (n + per_block - 1) / per_block, Magnitudes{},
      [&](std::int64_t block) {
        const std::int64_t first = block * per_block;
        return magnitudes_of_block(points.coordinates + first, std::min(per_block, n - first));
      },
      [](const Magnitudes& a, const Magnitudes& b) {
        return Magnitudes{std::min(a.least, b.least), std::max(a.largest, b.largest)};
      },
      1);
}

template Magnitudes magnitudes_of(const PointsView<float>&);
template Magnitudes magnitudes_of(const PointsView<double>&);

}  // namespace warpgraph
