#include "algorithms/validity_index/validity_index.hpp"
#include "core/containers/at.hpp"
#include "core/function_ref.hpp"
#include "core/memory/ledger.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <utility>

namespace warpgraph {
namespace {

constexpr auto advice = "pass fewer points";

/// The rows of clusters, cluster by cluster, each in the order of the source.
class Clusters {
 public:
  Clusters(std::span<const vertex_t> labels,
           FunctionRef<std::strong_ordering(vertex_t, vertex_t)> compare) {
    rows_.reserve(at(std::ranges::count_if(labels, [](vertex_t label) { return label >= 0; })));
    for (std::size_t row = 0; row < labels.size(); ++row) {
      if (labels[row] >= 0) rows_.push_back(static_cast<vertex_t>(row));
    }
    parallel_sort_rows(rows_, [&](vertex_t a, vertex_t b) {
      if (labels[at(a)] != labels[at(b)]) return labels[at(a)] < labels[at(b)];
      const std::strong_ordering order = compare(a, b);
      return order == 0 ? a < b : order < 0;
    });
    const auto begins = [&](std::size_t i) {
      return i == 0 || labels[at(rows_[i])] != labels[at(rows_[i - 1])];
    };
    std::size_t n_clusters = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) n_clusters += begins(i) ? 1 : 0;
    labels_.reserve(n_clusters);
    starts_.reserve(n_clusters + 1);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!begins(i)) continue;
      labels_.push_back(labels[at(rows_[i])]);
      starts_.push_back(i);
    }
    starts_.push_back(rows_.size());
  }

  static std::size_t bytes(std::size_t n) {
    return n * (2 * sizeof(vertex_t) + sizeof(std::size_t));  // of rows, labels and starts
  }

  [[nodiscard]] std::int64_t count() const noexcept { return std::ssize(labels_); }
  [[nodiscard]] std::size_t n_rows() const noexcept { return rows_.size(); }
  [[nodiscard]] vertex_t label(std::int64_t cluster) const { return labels_[at(cluster)]; }
  [[nodiscard]] std::span<const vertex_t> rows(std::int64_t cluster) const {
    const std::size_t first = starts_[at(cluster)];
    return std::span(rows_).subspan(first, starts_[at(cluster) + 1] - first);
  }
  [[nodiscard]] HostVector<std::int64_t> sizes() const {
    HostVector<std::int64_t> found;
    found.reserve(labels_.size());
    for (std::int64_t c = 0; c < count(); ++c) found.push_back(std::ssize(rows(c)));
    return found;
  }
  [[nodiscard]] HostVector<vertex_t> take_labels() noexcept { return std::move(labels_); }

 private:
  HostVector<vertex_t> rows_;
  HostVector<vertex_t> labels_;
  HostVector<std::size_t> starts_;
};

/// Points whose coordinates are copied for the pairs of some of them.
template <class Coordinate>
struct OfPoints {
  const PairsByMetric<Coordinate>& all;

  /// Orders points by their coordinates.
  [[nodiscard]] std::strong_ordering compare(vertex_t a, vertex_t b) const {
    const Coordinate* const x = all.points.row(a);
    const Coordinate* const y = all.points.row(b);
    for (std::int64_t k = 0; k < all.points.dimension; ++k) {
      if (x[k] < y[k]) return std::strong_ordering::less;
      if (y[k] < x[k]) return std::strong_ordering::greater;
    }
    return std::strong_ordering::equal;
  }

  /// Calls f(the pairs of some rows), whose copy is charged to the ledger meanwhile.
  template <class F>
  void with_pairs(std::span<const vertex_t> rows, MemoryBudget budget, const F& f) const {
    const std::int64_t width = all.points.dimension;
    const MemoryBudget left = budget.charge("a copy of " + std::to_string(rows.size()) + " points",
                                            rows.size() * at(width) * sizeof(Coordinate), advice);
    HostVector<Coordinate> items(rows.size() * at(width));
    parallel_for(std::ssize(rows), [&](std::int64_t i) {
      std::copy_n(all.points.row(rows[at(i)]), width, items.data() + i * width);
    });
    const auto n = static_cast<vertex_t>(rows.size());
    f(PairsByMetric<Coordinate>{{items.data(), n, width}, all.metric}, left);
  }

  [[noreturn]] static void refuse(vertex_t label) {
    throw std::overflow_error(concat("distances within cluster ", label,
                                     " are beyond the largest float64; divide X by a number"));
  }
};

template <class T>
struct OfMatrix {
  const DistanceMatrix<T>& distances;

  /// Leaves rows in their order.
  [[nodiscard]] static std::strong_ordering compare(vertex_t, vertex_t) {
    return std::strong_ordering::equal;
  }

  template <class F>
  void with_pairs(std::span<const vertex_t> rows, MemoryBudget budget, const F& f) const {
    f(GivenPairs<T>{distances, rows}, budget);
  }

  [[noreturn]] static void refuse(vertex_t label) {
    throw std::invalid_argument(concat("distances of inf separate points of cluster ", label));
  }
};

/// Inner points of clusters.
class InnerPoints {
 public:
  explicit InnerPoints(std::size_t most) {
    rows_.reserve(most);
    cores_.reserve(most);
    clusters_.reserve(most);
  }
  /// Returns the bytes of n inner points, and of their separations.
  static std::size_t bytes(std::size_t n) {
    return n * (2 * sizeof(vertex_t) + 2 * sizeof(double));
  }

  void add(vertex_t row, double core, std::int64_t cluster) {
    rows_.push_back(row);
    cores_.push_back(core);
    clusters_.push_back(static_cast<vertex_t>(cluster));
  }

  /// Returns the least weight between an inner point of each cluster and one of another.
  template <class Source>
  HostVector<double> separations(const Source& source, std::int64_t n_clusters,
                                 MemoryBudget budget) const {
    HostVector<double> of_points(rows_.size());
    source.with_pairs(rows_, budget, [&](const auto& pairs, MemoryBudget left) {
      find_separations(pairs, cores_, clusters_, of_points, left);
    });
    HostVector<double> least;
    least.assign(at(n_clusters), infinity<double>());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      double& of_cluster = least[at(clusters_[i])];
      of_cluster = std::min(of_cluster, of_points[i]);
    }
    return least;
  }

 private:
  HostVector<vertex_t> rows_;
  HostVector<double> cores_;
  HostVector<vertex_t> clusters_;
};

/// Adds the inner points of a cluster of several points; returns its sparseness.
template <class Source>
double add_cluster(const Source& source, const Clusters& clusters, std::int64_t cluster,
                   double exponent, MemoryBudget budget, InnerPoints& inner) {
  const std::span<const vertex_t> rows = clusters.rows(cluster);
  HostVector<double> cores;
  cores.assign(rows.size(), 0);
  DenseForest tree;
  source.with_pairs(rows, budget, [&](const auto& pairs, MemoryBudget left) {
    if (exponent > 0) density_cores(pairs, exponent, cores, left);
    tree = mst_of_pairs(pairs, cores, {.alpha = 1, .by_distance = true}, left);
  });
  if (tree.weights.size() + 1 < rows.size()) Source::refuse(clusters.label(cluster));

  HostVector<vertex_t> degrees;
  degrees.assign(rows.size(), 0);
  for (const vertex_t end : tree.ends) ++degrees[at(end)];
  const auto is_inner = [&](vertex_t i) { return rows.size() == 2 || degrees[at(i)] > 1; };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_inner(static_cast<vertex_t>(i))) inner.add(rows[i], cores[i], cluster);
  }
  for (std::size_t edge = tree.weights.size(); edge-- > 0;) {
    if (is_inner(tree.ends[2 * edge]) && is_inner(tree.ends[2 * edge + 1])) {
      return tree.weights[edge];
    }
  }
  return tree.weights.back();
}

double validity_of(double separation, double sparseness, std::size_t n_rows) {
  const double larger = std::max(separation, sparseness);
  const bool is_defined = std::isfinite(separation) && larger > 0 && n_rows > 1;
  return is_defined ? (separation - sparseness) / larger : 0;
}

template <class Source>
ClusterValidity validity_of_clusters(const Source& source, std::span<const vertex_t> labels,
                                     const ValidityOptions& options, const ClusterReport& report) {
  const std::size_t n = labels.size();
  const std::size_t of_cluster = n * (sizeof(double) + sizeof(vertex_t));  // cores and degrees
  const MemoryBudget of_clusters =
      options.budget.charge("the validity of clusters of " + std::to_string(n) + " points",
                            Clusters::bytes(n) + InnerPoints::bytes(n) + of_cluster, advice);
  Clusters clusters(labels, [&](vertex_t a, vertex_t b) { return source.compare(a, b); });
  const std::int64_t count = clusters.count();
  const MemoryBudget left =
      of_clusters.charge("the validity of " + std::to_string(count) + " clusters",
                         at(count) * (sizeof(std::int64_t) + 2 * sizeof(double)), advice);
  HostVector<double> sparseness;
  sparseness.assign(at(count), 0);
  InnerPoints inner(clusters.n_rows());
  for (std::int64_t c = 0; c < count; ++c) {
    const std::span<const vertex_t> rows = clusters.rows(c);
    if (rows.size() == 1) {
      inner.add(rows[0], 0, c);
    } else {
      sparseness[at(c)] = add_cluster(source, clusters, c, options.exponent, left, inner);
    }
    poll();
    report(c + 1, count + 1);
  }
  HostVector<double> validity = inner.separations(source, count, left);
  for (std::int64_t c = 0; c < count; ++c) {
    validity[at(c)] = validity_of(validity[at(c)], sparseness[at(c)], clusters.rows(c).size());
  }
  if (count > 0) report(count + 1, count + 1);
  HostVector<std::int64_t> sizes = clusters.sizes();
  return {clusters.take_labels(), std::move(sizes), std::move(validity)};
}

}  // namespace

template <class Coordinate>
ClusterValidity validity_of_points(const PairsByMetric<Coordinate>& pairs,
                                   std::span<const vertex_t> labels, const ValidityOptions& options,
                                   ClusterReport report) {
  return validity_of_clusters(OfPoints<Coordinate>{pairs}, labels, options, report);
}

template <class T>
ClusterValidity validity_of_matrix(const DistanceMatrix<T>& distances,
                                   std::span<const vertex_t> labels, const ValidityOptions& options,
                                   ClusterReport report) {
  check_distances(distances);
  return validity_of_clusters(OfMatrix<T>{distances}, labels, options, report);
}

#define WARPGRAPH_INSTANTIATE_VALIDITY(Coordinate)                                          \
  template ClusterValidity validity_of_points<Coordinate>(const PairsByMetric<Coordinate>&, \
                                                          std::span<const vertex_t>,        \
                                                          const ValidityOptions&, ClusterReport);
WARPGRAPH_INSTANTIATE_VALIDITY(float)
WARPGRAPH_INSTANTIATE_VALIDITY(double)
WARPGRAPH_INSTANTIATE_VALIDITY(std::uint64_t)
#undef WARPGRAPH_INSTANTIATE_VALIDITY
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(validity_of_matrix)

}  // namespace warpgraph
