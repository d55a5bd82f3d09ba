// The loop bodies that label points, for CPU and GPU.
#pragma once

#include "core/atomics.hpp"
#include "core/types.hpp"

#include <cstdint>

namespace warpgraph::hdbscan {

/// A loop body that fills `labels` with clusters of the tree, or no_vertex, and lowers `first` of
/// each cluster to its first point.
struct AssignCluster {
  const vertex_t* point_cluster;
  const double* point_lambda;
  const vertex_t* above;  // of each cluster: the selected one that it is or is below
  double least_of_root;
  vertex_t* labels;
  vertex_t* first;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t p) const noexcept {
    const double lambda = point_lambda[p];
    vertex_t cluster = above[point_cluster[p]];
    if (!(lambda > 0) || (cluster == 0 && !(lambda >= least_of_root))) cluster = no_vertex;
    labels[p] = cluster;
    if (cluster == no_vertex) return;
    // Most points of a cluster see a smaller one. An outdated value costs an atomic minimum.
    const auto point = static_cast<vertex_t>(p);
    if (point < cached_load(first[cluster])) lower(first[cluster], point);
  }
};

/// A loop body that replaces clusters by their labels, and fills the probabilities.
struct NumberLabel {
  const double* point_lambda;
  const double* death;       // of each cluster
  const vertex_t* label_of;  // of each cluster
  vertex_t* labels;
  double* probabilities;
  WARPGRAPH_HOST_DEVICE void operator()(std::int64_t p) const noexcept {
    const vertex_t cluster = labels[p];
    probabilities[p] = cluster == no_vertex ? 0 : probability(point_lambda[p], death[cluster]);
    if (cluster != no_vertex) labels[p] = label_of[cluster];
  }

 private:
  WARPGRAPH_HOST_DEVICE static double probability(double lambda, double most) noexcept {
    if (!(most > 0) || lambda == infinity<double>()) return 1;
    return (most < lambda ? most : lambda) / most;
  }
};

}  // namespace warpgraph::hdbscan
