#include "algorithms/kmeans/nearest_two.hpp"

#include "core/threads/this_cpu.hpp"

namespace warpgraph::kmeans_steps {
namespace {

/// A vector of AVX2. GCC takes wider ones apart badly.
constexpr int part_bytes = 32;
constexpr int parts = 64 / part_bytes;
/// Centres whose distances are summed at once: with two parts each, eight sums that do not wait for
/// each other, and half of AVX2's registers.
constexpr int centres_at_once = 4;

template <class T>
struct Best {
  using Values [[gnu::vector_size(part_bytes), gnu::may_alias]] = T;
  using Numbers [[gnu::vector_size(part_bytes), gnu::may_alias]] = lane_index<T>;
  Values first[parts];
  Values second[parts];
  Numbers nearest[parts];
};

/// Distances to the `count` centres from `centre` on, each coordinate added after the one before.
template <class T, int count>
[[gnu::always_inline]] inline void look_at(const T* columns, std::int64_t dimension,
                                           const T* centres, vertex_t centre, Best<T>& best) {
  using Values = typename Best<T>::Values;
  using Numbers = typename Best<T>::Numbers;
  const T* from = centres + centre * dimension;
  Values sums[count][parts] = {};
  for (std::int64_t k = 0; k < dimension; ++k) {
    const auto* column = reinterpret_cast<const Values*>(columns + k * tile_points<T>);
    for (int c = 0; c < count; ++c) {
      for (int i = 0; i < parts; ++i) {
        const Values apart = column[i] - from[c * dimension + k];
        sums[c][i] += apart * apart;
      }
    }
  }
  for (int c = 0; c < count; ++c) {
    const Numbers here = Numbers{} + static_cast<lane_index<T>>(centre + c);
    for (int i = 0; i < parts; ++i) {
      const Values key = sums[c][i];
      const Values lesser = key < best.second[i] ? key : best.second[i];
      best.second[i] = key < best.first[i] ? best.first[i] : lesser;
      best.nearest[i] = key < best.first[i] ? here : best.nearest[i];
      best.first[i] = key < best.first[i] ? key : best.first[i];
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void look_at_all(const T* columns, std::int64_t dimension,
                                               const T* centres, vertex_t n_centres,
                                               NearestTwo<T>& found) {
  using Values = typename Best<T>::Values;
  Best<T> best;
  for (int i = 0; i < parts; ++i) {
    best.first[i] = best.second[i] = Values{} + infinity<T>();
    best.nearest[i] = typename Best<T>::Numbers{};
  }
  vertex_t centre = 0;
  for (; centre + centres_at_once <= n_centres; centre += centres_at_once) {
    look_at<T, centres_at_once>(columns, dimension, centres, centre, best);
  }
  for (; centre < n_centres; ++centre) look_at<T, 1>(columns, dimension, centres, centre, best);
  for (int i = 0; i < parts; ++i) {
    reinterpret_cast<Values*>(found.first.data())[i] = best.first[i];
    reinterpret_cast<Values*>(found.second.data())[i] = best.second[i];
    reinterpret_cast<typename Best<T>::Numbers*>(found.nearest.data())[i] = best.nearest[i];
  }
}

}  // namespace

WARPGRAPH_FOR_THIS_CPU void nearest_two(const float* columns, std::int64_t dimension,
                                        const float* centres, vertex_t n_centres,
                                        NearestTwo<float>& found) {
  look_at_all(columns, dimension, centres, n_centres, found);
}
WARPGRAPH_FOR_THIS_CPU void nearest_two(const double* columns, std::int64_t dimension,
                                        const double* centres, vertex_t n_centres,
                                        NearestTwo<double>& found) {
  look_at_all(columns, dimension, centres, n_centres, found);
}

}  // namespace warpgraph::kmeans_steps
