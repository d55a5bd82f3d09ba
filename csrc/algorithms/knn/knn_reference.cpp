#include "algorithms/knn/knn.hpp"
#include "core/interrupt.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpgraph {
namespace {

/// The order of other points as neighbours of one.
template <class T>
struct Candidate {
  T squared_distance;
  vertex_t id;
  bool operator<(const Candidate& other) const noexcept {
    return squared_distance != other.squared_distance ? squared_distance < other.squared_distance
                                                      : id < other.id;
  }
};

}  // namespace

template <class T>
void knn_reference(PointsView<T> points, const KnnOptions& options, const NeighboursView& out) {
  const std::int64_t k = options.n_neighbors;
  std::vector<Candidate<T>> row;
  for (vertex_t p = 0; p < points.n_points; ++p) {
    poll();
    row.clear();
    if (options.include_self) row.push_back({T(0), p});
    for (vertex_t q = 0; q < points.n_points; ++q) {
      if (q == p) continue;
      row.push_back({squared_distance(points.row(p), points.row(q), points.dimension), q});
    }
    std::sort(row.begin() + (options.include_self ? 1 : 0), row.end());
    for (std::int64_t i = 0; i < k; ++i) {
      const auto& [squared, id] = row[static_cast<std::size_t>(i)];
      const double distance = std::sqrt(static_cast<double>(squared));
      if (out.neighbours != nullptr) out.neighbours[p * k + i] = id;
      if (out.distances != nullptr) out.distances[p * k + i] = distance;
      if (out.farthest != nullptr && i == k - 1) out.farthest[p] = distance;
    }
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(knn_reference)

}  // namespace warpgraph
