// Lloyd's algorithm on all cores. Points whose nearest centre is not implied by their bounds are
// gathered into tiles; see nearest_two.hpp.
#include "algorithms/kmeans/distance_bounds.hpp"
#include "algorithms/kmeans/lloyd.hpp"
#include "algorithms/kmeans/nearest_two.hpp"
#include "core/atomics.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <string>

namespace warpgraph {
namespace {

using namespace kmeans_detail;

/// The points gathered for nearest_two(), and its result.
template <class T>
class PointTile {
 public:
  explicit PointTile(std::int64_t dimension)
      : dimension_(dimension), axes_(static_cast<std::size_t>(dimension)) {}

  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] bool full() const noexcept { return size_ == tile_points<T>; }
  [[nodiscard]] std::int64_t point(int i) const noexcept { return at(points_, i); }
  void add(std::int64_t p, const T* coordinates) noexcept {
    at(points_, size_) = p;
    for (std::int64_t k = 0; k < dimension_; ++k) {
      at(axes_[static_cast<std::size_t>(k)].lanes, size_) = coordinates[k];
    }
    ++size_;
  }
  /// Returns the nearest centres. Lanes without a point hold coordinates of an earlier tile; their
  /// results are not read.
  const NearestTwo<T>& find_nearest(const T* centres, vertex_t n_centres) noexcept {
    nearest_two(axes_.data()->lanes.data(), dimension_, centres, n_centres, found_);
    return found_;
  }
  void clear() noexcept { size_ = 0; }

 private:
  template <class Array>
  static auto& at(Array& array, int i) noexcept {
    return array[static_cast<std::size_t>(i)];
  }
  struct alignas(64) Axis {
    std::array<T, static_cast<std::size_t>(tile_points<T>)> lanes{};
  };
  std::int64_t dimension_;
  int size_ = 0;
  std::array<std::int64_t, static_cast<std::size_t>(tile_points<T>)> points_;
  std::vector<Axis> axes_;  // axis by axis
  NearestTwo<T> found_;
};

template <class T>
double inertia_of(const WeightedPoints<T>& points, std::span<const T> centres,
                  std::span<const vertex_t> labels) {
  constexpr std::int64_t block = inertia_block_size;
  std::vector<double> sums(static_cast<std::size_t>((points.n_points + block - 1) / block));
  parallel_for(
      static_cast<std::int64_t>(sums.size()),
      [&](std::int64_t b) {
        double sum = 0;
        const std::int64_t last = std::min<std::int64_t>((b + 1) * block, points.n_points);
        for (std::int64_t p = b * block; p < last; ++p) {
          const T* own = centres.data() + labels[static_cast<std::size_t>(p)] * points.dimension;
          const auto squared =
              static_cast<double>(squared_distance(points.row(p), own, points.dimension));
          sum += points.weight(p) * squared;  // NaN if an overflowed distance has weight 0
        }
        sums[static_cast<std::size_t>(b)] = sum;
      },
      1);
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

template <class T>
class Lloyd {
 public:
  Lloyd(const WeightedPoints<T>& points, std::span<const T> start, const KMeansOptions& options,
        bool with_bounds)
      : points_(points),
        options_(options),
        n_centres_(
            static_cast<vertex_t>(static_cast<std::int64_t>(start.size()) / points.dimension)),
        rounding_(points.dimension),
        use_bounds_(with_bounds && n_centres_ > 1 && rounding_.usable()),
        sums_(points, n_centres_),
        dirty_blocks_(static_cast<std::size_t>(sums_.n_blocks()), 1),
        centres_(start.begin(), start.end()),
        labels_(static_cast<std::size_t>(points.n_points), no_vertex),
        moves_(static_cast<std::size_t>(n_centres_)),
        half_separations_(static_cast<std::size_t>(n_centres_)) {
    if (!use_bounds_) return;
    upper_.resize(labels_.size());
    lower_.resize(labels_.size());
  }

  static std::size_t bytes(const WeightedPoints<T>& points, std::int64_t n_centres) {
    return CentreSums<T>::bytes(points, n_centres) +
           static_cast<std::size_t>(points.n_points) * (sizeof(vertex_t) + 3 * sizeof(T));
  }

  KMeansResult<T> run() {
    const int iterations = iterate(*this, options_);
    const double inertia =
        inertia_of(points_, std::span<const T>(centres_), std::span<const vertex_t>(labels_));
    return {std::move(centres_), std::move(labels_), inertia, iterations};
  }

  std::int64_t assign();
  void fill_empty_centres();
  double move_centres();

 private:
  [[nodiscard]] bool stays(std::int64_t p) noexcept;
  std::int64_t assign_tile(PointTile<T>& tile) noexcept;
  void update_separations();

  [[nodiscard]] const T* centre(std::int64_t c) const noexcept {
    return centres_.data() + c * points_.dimension;
  }

  const WeightedPoints<T> points_;
  const KMeansOptions options_;
  const vertex_t n_centres_;
  const DistanceBounds<T> rounding_;
  const bool use_bounds_;
  CentreSums<T> sums_;
  std::vector<std::uint8_t> dirty_blocks_;  // per block: whether labels in it have changed
  std::vector<T> centres_;
  HostVector<vertex_t> labels_;
  HostVector<T> upper_;              // upper bound on the distance to the point's own centre
  HostVector<T> lower_;              // lower bound on the distances to all other centres
  std::vector<T> moves_;             // per centre: upper bound on its last move
  std::vector<T> half_separations_;  // per centre: half the distance to the nearest other centre
  T max_move_ = 0;                   // largest move, which is that of max_mover_
  T second_max_move_ = 0;
  vertex_t max_mover_ = 0;
  bool assigned_ = false;
};

template <class T>
std::int64_t Lloyd<T>::assign() {
  std::atomic<std::int64_t> changed{0};
  const std::int64_t grain = distance_grain(points_.dimension, n_centres_);
  parallel_blocks(points_.n_points, grain, [&](int, std::int64_t first, std::int64_t last) {
    PointTile<T> tile(points_.dimension);
    std::int64_t block_changes = 0;
    for (std::int64_t p = first; p < last; ++p) {
      if (use_bounds_ && assigned_ && stays(p)) continue;
      tile.add(p, points_.row(p));
      if (tile.full()) block_changes += assign_tile(tile);
    }
    block_changes += assign_tile(tile);
    changed.fetch_add(block_changes, std::memory_order_relaxed);
  });
  assigned_ = true;
  return changed.load();
}

/// Updates a point's bounds by the moves of the centres. Returns whether they prove that the point
/// keeps its centre. If not, it tightens the upper bound to the distance to its own centre and
/// tests again.
template <class T>
bool Lloyd<T>::stays(std::int64_t p) noexcept {
  const auto i = static_cast<std::size_t>(p);
  const vertex_t own = labels_[i];
  const auto o = static_cast<std::size_t>(own);
  T upper = rounding_.raised(upper_[i], moves_[o]);
  const T lower = rounding_.lowered(lower_[i], own == max_mover_ ? second_max_move_ : max_move_);
  const T others = std::max(lower, half_separations_[o]);
  bool stay = rounding_.certainly_less(upper, others);
  if (!stay) {
    upper = rounding_.upper(squared_distance(points_.row(p), centre(own), points_.dimension));
    stay = rounding_.certainly_less(upper, others);
  }
  upper_[i] = upper;
  lower_[i] = lower;
  return stay;
}

/// Assigns the points of a tile to their nearest centres. Returns how many changed.
template <class T>
std::int64_t Lloyd<T>::assign_tile(PointTile<T>& tile) noexcept {
  if (tile.size() == 0) return 0;
  const NearestTwo<T>& found = tile.find_nearest(centres_.data(), n_centres_);
  std::int64_t changed = 0;
  for (int lane = 0; lane < tile.size(); ++lane) {
    const auto j = static_cast<std::size_t>(lane);
    const auto i = static_cast<std::size_t>(tile.point(lane));
    const auto nearest = static_cast<vertex_t>(found.nearest[j]);
    if (use_bounds_) {
      upper_[i] = rounding_.upper(found.first[j]);
      lower_[i] = rounding_.lower(found.second[j]);
    }
    if (labels_[i] == nearest) continue;
    labels_[i] = nearest;
    relaxed_store(dirty_blocks_[static_cast<std::size_t>(sums_.block_of(tile.point(lane)))],
                  std::uint8_t{1});
    ++changed;
  }
  tile.clear();
  return changed;
}

template <class T>
void Lloyd<T>::fill_empty_centres() {
  sums_.update(labels_, dirty_blocks_);
  std::fill(dirty_blocks_.begin(), dirty_blocks_.end(), std::uint8_t{0});
  const auto relocated = relocate_points_to_empty(points_, std::span<const T>(centres_),
                                                  std::span<vertex_t>(labels_), sums_.counts());
  for (const std::int64_t p : relocated) {
    dirty_blocks_[static_cast<std::size_t>(sums_.block_of(p))] = 1;
    if (use_bounds_)
      lower_[static_cast<std::size_t>(p)] = 0;  // it was a bound for another set of centres
    if (use_bounds_) upper_[static_cast<std::size_t>(p)] = infinity<T>();
  }
  if (!relocated.empty()) sums_.update(labels_, dirty_blocks_);
}

template <class T>
double Lloyd<T>::move_centres() {
  const std::int64_t d = points_.dimension;
  double total = 0;
  max_move_ = second_max_move_ = 0;
  for (vertex_t c = 0; c < n_centres_; ++c) {
    const auto i = static_cast<std::size_t>(c);
    const double squared =
        move_centre(centres_.data() + c * d, sums_.sums().data() + c * d, sums_.mass(c), d);
    total += squared;
    const T move = squared > 0 ? rounding_.upper(static_cast<T>(squared)) : T(0);
    moves_[i] = move;
    if (move > max_move_) {
      second_max_move_ = max_move_;
      max_move_ = move;
      max_mover_ = c;
    } else {
      second_max_move_ = std::max(second_max_move_, move);
    }
  }
  update_separations();
  return total;
}

/// Computes half the distance from every centre to the nearest other one.
template <class T>
void Lloyd<T>::update_separations() {
  if (!use_bounds_) return;
  parallel_for(
      n_centres_,
      [&](std::int64_t a) {
        T nearest = infinity<T>();
        for (std::int64_t b = 0; b < n_centres_; ++b) {
          if (a == b) continue;
          nearest = std::min(nearest, squared_distance(centre(a), centre(b), points_.dimension));
        }
        half_separations_[static_cast<std::size_t>(a)] = rounding_.lower(nearest) / 2;
      },
      distance_grain(points_.dimension, n_centres_));
}

}  // namespace

template <class T>
KMeansResult<T> kmeans_detail::run_lloyd(const WeightedPoints<T>& points, std::span<const T> start,
                                         const KMeansOptions& options, bool with_bounds) {
  return Lloyd<T>(points, start, options, with_bounds).run();
}

template <class T>
MemoryNeed need_of_kmeans(const WeightedPoints<T>& points, std::int64_t n_centres) {
  return {"k-means of " + std::to_string(points.n_points) + " points and " +
              std::to_string(n_centres) + " centres",
          Lloyd<T>::bytes(points, n_centres), "pass fewer points or ask for fewer clusters"};
}

template <class T>
KMeansResult<T> kmeans_cpu(const WeightedPoints<T>& points, std::span<const T> start,
                           const KMeansOptions& options, MemoryBudget budget) {
  const std::int64_t n_centres = static_cast<std::int64_t>(start.size()) / points.dimension;
  budget.require(need_of_kmeans(points, n_centres));
  return run_lloyd(points, start, options);
}

template <class T>
double nearest_centres(const WeightedPoints<T>& points, std::span<const T> centres,
                       std::span<vertex_t> labels) {
  const auto n_centres =
      static_cast<vertex_t>(static_cast<std::int64_t>(centres.size()) / points.dimension);
  const std::int64_t grain = distance_grain(points.dimension, n_centres);
  parallel_blocks(points.n_points, grain, [&](int, std::int64_t first, std::int64_t last) {
    PointTile<T> tile(points.dimension);
    for (std::int64_t p = first; p < last; ++p) {
      tile.add(p, points.row(p));
      if (!tile.full() && p + 1 < last) continue;
      const NearestTwo<T>& found = tile.find_nearest(centres.data(), n_centres);
      for (int lane = 0; lane < tile.size(); ++lane) {
        labels[static_cast<std::size_t>(tile.point(lane))] =
            static_cast<vertex_t>(found.nearest[static_cast<std::size_t>(lane)]);
      }
      tile.clear();
    }
  });
  return inertia_of(points, centres, std::span<const vertex_t>(labels));
}

std::int64_t count_used(std::span<const vertex_t> labels, const double* weights,
                        std::int64_t n_centres) {
  std::vector<std::uint8_t> used(static_cast<std::size_t>(n_centres), 0);
  parallel_for(std::ssize(labels), [&](std::int64_t p) {
    if (weights != nullptr && !(weights[p] > 0)) return;
    std::uint8_t& flag = used[static_cast<std::size_t>(labels[static_cast<std::size_t>(p)])];
    if (relaxed_load(flag) == 0) relaxed_store(flag, std::uint8_t{1});
  });
  return std::count(used.begin(), used.end(), 1);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(kmeans_detail::run_lloyd)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(need_of_kmeans)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(kmeans_cpu)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(nearest_centres)

}  // namespace warpgraph
