#include "algorithms/kmeans/nearest_two.hpp"

#include "core/processor/function_clones.hpp"

namespace warpgraph::kmeans_detail {
namespace {

/// The bytes of an AVX2 vector. GCC splits wider ones inefficiently.
constexpr int vector_bytes = 32;
constexpr int n_vectors = 64 / vector_bytes;
/// The centres whose distances are accumulated together: with two vectors each, eight independent
/// sums, which take half of the AVX2 registers.
constexpr int centres_per_step = 4;

template <class T>
struct BestTwo {
  using Values [[gnu::vector_size(vector_bytes), gnu::may_alias]] = T;
  using Indices [[gnu::vector_size(vector_bytes), gnu::may_alias]] = lane_index<T>;
  Values first[n_vectors];
  Values second[n_vectors];
  Indices nearest[n_vectors];
};

/// Computes the squared distances of the points to `count` centres. Coordinates are added in order.
template <class T, int count>
[[gnu::always_inline]] inline void sum_squares(
    const T* columns, std::int64_t dimension, const T* from,
    typename BestTwo<T>::Values (&sums)[count][n_vectors]) {
  using Values = typename BestTwo<T>::Values;
  for (std::int64_t k = 0; k < dimension; ++k) {
    const auto* column = reinterpret_cast<const Values*>(columns + k * tile_points<T>);
    for (int c = 0; c < count; ++c) {
      for (int i = 0; i < n_vectors; ++i) {
        const Values difference = column[i] - from[c * dimension + k];
        sums[c][i] += difference * difference;
      }
    }
  }
}

/// Compares the points with `count` centres from `centre` on.
template <class T, int count>
[[gnu::always_inline]] inline void compare_centres(const T* columns, std::int64_t dimension,
                                                   const T* centres, vertex_t centre,
                                                   BestTwo<T>& best) {
  using Values = typename BestTwo<T>::Values;
  using Indices = typename BestTwo<T>::Indices;
  Values sums[count][n_vectors] = {};
  sum_squares<T, count>(columns, dimension, centres + centre * dimension, sums);
  for (int c = 0; c < count; ++c) {
    const Indices index = Indices{} + static_cast<lane_index<T>>(centre + c);
    for (int i = 0; i < n_vectors; ++i) {
      const Values distance = sums[c][i];
      const Values lesser = distance < best.second[i] ? distance : best.second[i];
      best.second[i] = distance < best.first[i] ? best.first[i] : lesser;
      best.nearest[i] = distance < best.first[i] ? index : best.nearest[i];
      best.first[i] = distance < best.first[i] ? distance : best.first[i];
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void find_nearest_two(const T* columns, std::int64_t dimension,
                                                    const T* centres, vertex_t n_centres,
                                                    NearestTwo<T>& found) {
  using Values = typename BestTwo<T>::Values;
  BestTwo<T> best;
  for (int i = 0; i < n_vectors; ++i) {
    best.first[i] = best.second[i] = Values{} + infinity<T>();
    best.nearest[i] = typename BestTwo<T>::Indices{};
  }
  vertex_t centre = 0;
  for (; centre + centres_per_step <= n_centres; centre += centres_per_step) {
    compare_centres<T, centres_per_step>(columns, dimension, centres, centre, best);
  }
  for (; centre < n_centres; ++centre) {
    compare_centres<T, 1>(columns, dimension, centres, centre, best);
  }
  for (int i = 0; i < n_vectors; ++i) {
    reinterpret_cast<Values*>(found.first.data())[i] = best.first[i];
    reinterpret_cast<Values*>(found.second.data())[i] = best.second[i];
    reinterpret_cast<typename BestTwo<T>::Indices*>(found.nearest.data())[i] = best.nearest[i];
  }
}

template <class T, int count>
[[gnu::always_inline]] inline void store_distances(const T* columns, std::int64_t dimension,
                                                   const T* from, T* distances) {
  using Values = typename BestTwo<T>::Values;
  Values sums[count][n_vectors] = {};
  sum_squares<T, count>(columns, dimension, from, sums);
  for (int c = 0; c < count; ++c) {
    for (int i = 0; i < n_vectors; ++i) {
      reinterpret_cast<Values*>(distances + c * tile_points<T>)[i] = sums[c][i];
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void find_distances(const T* columns, std::int64_t dimension,
                                                  const T* centres, std::int64_t n_centres,
                                                  T* distances) {
  std::int64_t c = 0;
  for (; c + centres_per_step <= n_centres; c += centres_per_step) {
    store_distances<T, centres_per_step>(columns, dimension, centres + c * dimension,
                                         distances + c * tile_points<T>);
  }
  for (; c < n_centres; ++c) {
    store_distances<T, 1>(columns, dimension, centres + c * dimension,
                          distances + c * tile_points<T>);
  }
}

}  // namespace

WARPGRAPH_FOR_THIS_CPU void nearest_two(const float* columns, std::int64_t dimension,
                                        const float* centres, vertex_t n_centres,
                                        NearestTwo<float>& found) {
  find_nearest_two(columns, dimension, centres, n_centres, found);
}
WARPGRAPH_FOR_THIS_CPU void nearest_two(const double* columns, std::int64_t dimension,
                                        const double* centres, vertex_t n_centres,
                                        NearestTwo<double>& found) {
  find_nearest_two(columns, dimension, centres, n_centres, found);
}
WARPGRAPH_FOR_THIS_CPU void tile_distances(const float* columns, std::int64_t dimension,
                                           const float* centres, std::int64_t n_centres,
                                           float* distances) {
  find_distances(columns, dimension, centres, n_centres, distances);
}
WARPGRAPH_FOR_THIS_CPU void tile_distances(const double* columns, std::int64_t dimension,
                                           const double* centres, std::int64_t n_centres,
                                           double* distances) {
  find_distances(columns, dimension, centres, n_centres, distances);
}

}  // namespace warpgraph::kmeans_detail
