// Points to cluster and to span trees over; functions of the parameters and the seed, whatever the
// number of threads.
#pragma once

#include "core/types.hpp"

#include <span>

namespace warpgraph {

struct PointOptions {
  // uniform: in the unit cube; normal: standard normal coordinates; blobs: normal around centres
  // that are uniform in the unit cube, each point at a random one.
  enum class Kind { uniform, normal, blobs };
  Kind kind = Kind::uniform;
  std::int64_t dim = 2;
  std::int64_t n_blobs = 10;
  double spread = 0.02;  // standard deviation of a blob
};

/// Fills `points`, one after the other, and with blobs labels[i], the number of point i's centre;
/// the size of `labels` says how many points there are.
template <class T>
void random_points(const PointOptions& options, std::uint64_t seed, std::span<T> points,
                   std::span<std::int32_t> labels);

}  // namespace warpgraph
