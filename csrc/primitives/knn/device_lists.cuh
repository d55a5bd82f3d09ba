// Lists of nearest neighbours in device memory.
#pragma once

#include "core/cuda/memory/buffer.hpp"
#include "core/types.hpp"

#include <algorithm>

namespace warpgraph::knn {

/// View of lists: the j-th nearest neighbour of the point at position first_position + i is at [j *
/// stride + i]: its key and its position or id, or no_vertex.
template <class T>
struct DeviceLists {
  T* key;
  vertex_t* neighbour;
  std::int64_t stride;
  std::int64_t first_position;
};

template <class T>
class OwnedLists {
 public:
  OwnedLists(vertex_t n, int length, const cuda::Stream& stream)
      : keys_(static_cast<std::size_t>(n) * static_cast<std::size_t>(length), stream),
        neighbours_(keys_.size(), stream),
        n_(n) {}

  static std::size_t bytes(std::size_t n, std::size_t length) {
    return n * length * (sizeof(T) + sizeof(vertex_t));
  }
  [[nodiscard]] DeviceLists<T> view() const noexcept {
    return {keys_.data(), neighbours_.data(), n_, 0};
  }

 private:
  cuda::DeviceBuffer<T> keys_;
  cuda::DeviceBuffer<vertex_t> neighbours_;
  vertex_t n_;
};

/// Lists of `length` entries of the points at the positions from lists.first_position on.
template <class T>
struct Slice {
  DeviceLists<T> lists;
  vertex_t n_points;
  int length;
  bool has_ids;  // true: neighbours are ids, otherwise positions
  int last;      // place of the last neighbour
};

/// Returns the upper bound on the points of a slice, whose lists take one to two GiB.
inline std::int64_t points_per_slice(std::int64_t length) {
  constexpr std::int64_t max_entries = std::int64_t{1} << 27;
  return std::max<std::int64_t>(max_entries / length, 1);
}

}  // namespace warpgraph::knn
