#include "graph/generate/random_points.hpp"

#include "core/error.hpp"
#include "core/threads/parallel.hpp"
#include "graph/generate/random.hpp"

#include <cmath>
#include <numbers>

namespace warpgraph {
namespace {

enum Stream : std::uint64_t { coordinate_stream = 101, blob_stream, centre_stream };

/// Returns a standard normal number, by the Box-Muller transform.
double normal(RandomSequence random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

}  // namespace

template <class T>
void random_points(const PointOptions& options, std::uint64_t seed, std::span<T> points,
                   std::span<std::int32_t> labels) {
  using Kind = PointOptions::Kind;
  EXPECTS(options.dim >= 1, "dim must be at least 1, got ", options.dim);
  EXPECTS(options.n_blobs >= 1 && options.n_blobs <= infinity<std::int32_t>(),
          "n_blobs must be in 1..", infinity<std::int32_t>(), ", got ", options.n_blobs);
  EXPECTS(options.spread >= 0 && std::isfinite(options.spread),
          "spread must be a number >= 0, got ", options.spread);
  const auto dim = static_cast<std::uint64_t>(options.dim);
  EXPECTS(points.size() == labels.size() * dim, "there must be room for ", labels.size(),
          " points of ", dim, " coordinates, got ", points.size());
  const CounterRandom coordinates(seed, coordinate_stream);
  const CounterRandom blobs(seed, blob_stream);
  const CounterRandom centres(seed, centre_stream);
  parallel_for(static_cast<std::int64_t>(labels.size()), [&](std::int64_t i) {
    const auto point = static_cast<std::uint64_t>(i);
    const std::uint64_t blob = blobs.below(point, static_cast<std::uint64_t>(options.n_blobs));
    labels[point] = options.kind == Kind::blobs ? static_cast<std::int32_t>(blob) : 0;
    for (std::uint64_t k = point * dim; k < (point + 1) * dim; ++k) {
      double x = 0;
      if (options.kind == Kind::uniform) {
        x = coordinates.uniform(k);
      } else if (options.kind == Kind::normal) {
        x = normal(coordinates.sequence(k));
      } else {
        x = centres.uniform(blob * dim + k % dim) +
            options.spread * normal(coordinates.sequence(k));
      }
      points[k] = static_cast<T>(x);
    }
  });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(random_points)

}  // namespace warpgraph
