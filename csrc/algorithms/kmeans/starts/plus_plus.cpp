#include "algorithms/kmeans/starts/plus_plus.hpp"

#include "algorithms/kmeans/nearest_two.hpp"
#include "core/containers/at.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"

#include <array>
#include <string>

namespace warpgraph {
namespace {

using namespace kmeans_detail;

/// Adds fan_out values in pairs, in place.
double sum_in_pairs(double* values) noexcept {
  for (int half = fan_out / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) values[i] += values[i + half];
  }
  return values[0];
}

/// The squared distances of consecutive points to a few centres, by tiles; see ../nearest_two.hpp.
template <class T>
class TileDistances {
 public:
  TileDistances(PointsView<T> points, const std::vector<T>& centres, std::int64_t n_centres)
      : points_(points), centres_(centres), n_centres_(n_centres) {
    axes_.resize(static_cast<std::size_t>(points.dimension));
    found_.resize(static_cast<std::size_t>(n_centres));
  }
  /// Computes the distances of up to tile_points points.
  void compute(std::int64_t first, std::int64_t count) {
    for (std::int64_t lane = 0; lane < count; ++lane) {
      const T* row = points_.row(first + lane);
      for (std::size_t k = 0; k < axes_.size(); ++k) {
        axes_[k].values[static_cast<std::size_t>(lane)] = row[k];
      }
    }
    tile_distances(axes_.data()->values.data(), points_.dimension, centres_.data(), n_centres_,
                   found_.data()->values.data());
  }
  [[nodiscard]] T distance(std::int64_t centre, std::int64_t lane) const noexcept {
    return found_[static_cast<std::size_t>(centre)].values[static_cast<std::size_t>(lane)];
  }

 private:
  struct alignas(64) Lanes {
    std::array<T, static_cast<std::size_t>(tile_points<T>)> values{};
  };
  PointsView<T> points_;
  const std::vector<T>& centres_;
  std::int64_t n_centres_;
  std::vector<Lanes> axes_;   // of the points, axis by axis
  std::vector<Lanes> found_;  // centre by centre
};

template <class T>
class PlusPlus {
 public:
  PlusPlus(const WeightedPoints<T>& points, std::int64_t n_trials)
      : points_(points),
        shape_(points.n_points),
        distances_(static_cast<std::size_t>(points.n_points), T(1)),
        trees_(static_cast<std::size_t>(n_trials * shape_.n_nodes)) {
    sum_values({});
  }

  /// Chooses the first centre, by the weights alone.
  vertex_t choose_first(double uniform) {
    const vertex_t first = draw(uniform, 0);
    std::fill(distances_.begin(), distances_.end(), infinity<T>());
    sum_values(std::span(&first, 1));
    chosen_ = first;
    return first;
  }

  vertex_t choose(std::span<const double> uniforms, vertex_t otherwise) {
    std::vector<vertex_t> candidates;
    for (const double uniform : uniforms) candidates.push_back(draw(uniform, otherwise));
    sum_values(candidates);
    best_ = 0;
    for (std::int64_t t = 1; t < std::ssize(candidates); ++t) {
      if (total(t) < total(best_)) best_ = t;
    }
    chosen_ = candidates[static_cast<std::size_t>(best_)];
    return chosen_;
  }

 private:
  [[nodiscard]] double* tree(std::int64_t trial) noexcept {
    return trees_.data() + trial * shape_.n_nodes;
  }
  [[nodiscard]] double total(std::int64_t trial) noexcept {
    return tree(trial)[shape_.n_nodes - 1];
  }

  /// Draws a point by its value; returns `otherwise` if all values are 0.
  vertex_t draw(double uniform, vertex_t otherwise) {
    double rest = uniform * total(best_);
    std::int64_t node = 0;
    std::array<double, fan_out> values{};
    for (int level = shape_.n_levels - 2; level >= -1; --level) {
      const bool are_points = level < 0;
      const auto l = static_cast<std::size_t>(are_points ? 0 : level);
      const std::int64_t first = node * fan_out;
      const std::int64_t end = are_points ? points_.n_points : shape_.size[l];
      const auto count = static_cast<int>(std::min<std::int64_t>(fan_out, end - first));
      for (int i = 0; i < count; ++i) {
        values[static_cast<std::size_t>(i)] =
            are_points ? value(first + i) : tree(best_)[shape_.begin[l] + first + i];
      }
      const int child = choose_child(values.data(), count, rest);
      if (child < 0) return otherwise;
      node = first + child;
    }
    return static_cast<vertex_t>(node);
  }

  /// Returns the value of a point; distances_ do not have the last chosen centre yet.
  [[nodiscard]] double value(std::int64_t p) const {
    T distance = distances_[static_cast<std::size_t>(p)];
    if (chosen_ >= 0) {
      distance = std::min(
          distance, squared_distance(points_.row(p), points_.row(chosen_), points_.dimension));
    }
    return value_of(points_, p, distance);
  }

  /// Lowers the distances by the last chosen centre, and sums the values that each candidate would
  /// leave; without candidates, the values as they are.
  void sum_values(std::span<const vertex_t> candidates) {
    std::vector<T> centres;
    const auto add = [&](vertex_t row) {
      centres.insert(centres.end(), points_.row(row), points_.row(row) + points_.dimension);
    };
    if (chosen_ >= 0) add(chosen_);
    for (const vertex_t candidate : candidates) add(candidate);
    const std::int64_t n_centres = std::ssize(candidates) + (chosen_ >= 0 ? 1 : 0);
    const std::int64_t n_trials = std::max<std::int64_t>(std::ssize(candidates), 1);
    const std::int64_t grain =
        distance_grain(points_.dimension, std::max<std::int64_t>(n_centres, 1)) / fan_out + 1;
    parallel_blocks(shape_.size[0], grain, [&](int, std::int64_t first, std::int64_t last) {
      TileDistances<T> tile(points_, centres, n_centres);
      std::vector<double> values(static_cast<std::size_t>(n_trials * fan_out));
      for (std::int64_t node = first; node < last; ++node) {
        std::fill(values.begin(), values.end(), 0.0);
        find_values(node, tile, !candidates.empty(), n_trials, values.data());
        for (std::int64_t t = 0; t < n_trials; ++t) {
          tree(t)[node] = sum_in_pairs(values.data() + t * fan_out);
        }
      }
    });
    for (std::int64_t t = 0; t < n_trials; ++t) sum_upper_levels(tree(t));
  }

  /// Computes the values of the points of a node, fan_out for each trial.
  void find_values(std::int64_t node, TileDistances<T>& tile, bool has_candidates,
                   std::int64_t n_trials, double* values) {
    const std::int64_t begin = node * fan_out;
    const std::int64_t end = std::min<std::int64_t>(begin + fan_out, points_.n_points);
    const bool lowers = chosen_ >= 0;
    for (std::int64_t first = begin; first < end; first += tile_points<T>) {
      const std::int64_t count = std::min<std::int64_t>(tile_points<T>, end - first);
      if (lowers || has_candidates) tile.compute(first, count);
      for (std::int64_t lane = 0; lane < count; ++lane) {
        T& nearest = distances_[static_cast<std::size_t>(first + lane)];
        if (lowers) nearest = std::min(nearest, tile.distance(0, lane));
        for (std::int64_t t = 0; t < n_trials; ++t) {
          const T distance = has_candidates
                                 ? std::min(nearest, tile.distance(t + (lowers ? 1 : 0), lane))
                                 : nearest;
          values[t * fan_out + (first - begin) + lane] = value_of(points_, first + lane, distance);
        }
      }
    }
  }

  void sum_upper_levels(double* nodes) const {
    for (std::size_t level = 1; level < static_cast<std::size_t>(shape_.n_levels); ++level) {
      const double* below = nodes + shape_.begin[level - 1];
      for (std::int64_t i = 0; i < shape_.size[level]; ++i) {
        std::array<double, fan_out> values{};
        const std::int64_t count =
            std::min<std::int64_t>(fan_out, shape_.size[level - 1] - i * fan_out);
        std::copy_n(below + i * fan_out, count, values.begin());
        nodes[shape_.begin[level] + i] = sum_in_pairs(values.data());
      }
    }
  }

  const WeightedPoints<T> points_;
  const TreeShape shape_;
  HostVector<T> distances_;  // to the nearest centre but the last one
  std::vector<double> trees_;
  std::int64_t best_ = 0;  // whose tree has the values that the chosen centres leave
  vertex_t chosen_ = no_vertex;
};

}  // namespace

template <class T>
MemoryNeed need_of_plus_plus(std::int64_t n_points, vertex_t k, std::int64_t n_uniforms) {
  const std::int64_t in_trees = trials_of(n_uniforms, k) * TreeShape(n_points).n_nodes;
  return {"k-means++ among " + std::to_string(n_points) + " points",
          at(n_points) * sizeof(T) + at(in_trees) * sizeof(double),
          "pass fewer points, or another init"};
}

template <class T>
std::vector<vertex_t> plus_plus_points(const WeightedPoints<T>& points, vertex_t k,
                                       std::span<const double> uniforms, MemoryBudget budget) {
  budget.require(need_of_plus_plus<T>(points.n_points, k, std::ssize(uniforms)));
  const std::int64_t n_trials = trials_of(std::ssize(uniforms), k);
  PlusPlus<T> state(points, n_trials);
  std::vector<vertex_t> chosen{state.choose_first(uniforms[0])};
  for (vertex_t c = 1; c < k; ++c) {
    const auto first = static_cast<std::size_t>(1 + (c - 1) * n_trials);
    chosen.push_back(
        state.choose(uniforms.subspan(first, static_cast<std::size_t>(n_trials)), chosen[0]));
  }
  return chosen;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(need_of_plus_plus)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(plus_plus_points)

}  // namespace warpgraph
