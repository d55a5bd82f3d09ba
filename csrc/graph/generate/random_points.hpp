// Random points for clustering and spanning trees: a function of the parameters and the seed, for
// any number of threads.
#pragma once

#include "core/types.hpp"

#include <span>

namespace warpgraph {

struct PointOptions {
  // uniform: in the unit cube. normal: standard normal coordinates. blobs: normal around centres
  // that are uniform in the unit cube; each point belongs to a random centre.
  enum class Kind { uniform, normal, blobs };
  Kind kind = Kind::uniform;
  std::int64_t dim = 2;
  std::int64_t n_blobs = 10;
  double spread = 0.02;  // standard deviation of a blob
};

/// Fills `points`, row by row, and for blobs labels[i], the index of point i's centre. The size of
/// `labels` is the number of points.
template <class T>
void random_points(const PointOptions& options, std::uint64_t seed, std::span<T> points,
                   std::span<std::int32_t> labels);

}  // namespace warpgraph
