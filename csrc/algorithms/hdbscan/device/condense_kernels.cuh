// The loop bodies of condense_cuda, each over all rows, points or clusters.
//
// Benign races in FindCluster and FindExit: a thread reads the links of rows above its own and
// moves its own link up. Whatever it reads leads to the same end, in fewer steps the further the
// other threads are. No other thread writes its link.
#pragma once

#include "algorithms/hdbscan/dendrogram.hpp"
#include "core/atomics.hpp"
#include "core/types.hpp"

#include <cstdint>

namespace warpgraph::hdbscan {

/// The bit of a resolved link: the other bits are a cluster. Without it, they are a row.
inline constexpr std::uint32_t is_cluster = 1u << 31;

/// The dendrogram read downwards.
struct Dendrogram {
  const Join* rows;
  std::int64_t n_rows;
  double min_size;
  std::uint32_t* above;  // of each node, points first: the row that joins it

  [[nodiscard]] __device__ std::int64_t n_points() const { return n_rows + 1; }
  [[nodiscard]] __device__ double lambda(std::int64_t row) const {
    return lambda_of(rows[row].height);
  }
  /// Returns whether clusters may go on below a row. Rows with a finite lambda come after the
  /// others.
  [[nodiscard]] __device__ bool may_go_on(std::int64_t row) const {
    return lambda(row) < infinity<double>();
  }
  /// Returns whether a row is part of a cluster.
  [[nodiscard]] __device__ bool is_kept(std::int64_t row) const {
    if (row == n_rows - 1) return true;
    return rows[row].size >= min_size && (may_go_on(row) || may_go_on(above[n_points() + row]));
  }
};

/// A loop body that finds how many points leave the cluster of a row there, if the row is part of
/// one.
struct DivideRow {
  Dendrogram tree;
  std::uint32_t* leaving;   // points
  std::uint32_t* is_split;  // whether both sides are clusters; 0 after the last row
  __device__ void operator()(std::int64_t row) const {
    const Join join = tree.rows[row];
    const auto first = static_cast<std::int64_t>(join.first);
    const auto second = static_cast<std::int64_t>(join.second);
    tree.above[first] = tree.above[second] = static_cast<std::uint32_t>(row);
    // The smaller node is the point, if one is.
    const double size = first < tree.n_points() ? 1 : tree.rows[first - tree.n_points()].size;
    const double other = join.size - size;
    const bool may_go_on = lambda_of(join.height) < infinity<double>();
    const bool goes_on = may_go_on && size >= tree.min_size;
    const bool other_goes_on = may_go_on && other >= tree.min_size;
    is_split[row] = goes_on && other_goes_on ? 1 : 0;
    if (row == tree.n_rows - 1) is_split[tree.n_rows] = 0;
    const double n_leaving = goes_on == other_goes_on ? join.size : goes_on ? other : size;
    leaving[row] = static_cast<std::uint32_t>(n_leaving);
  }
};

/// The numbers of clusters that are known at the row where each is born.
struct Births {
  std::uint32_t* row;  // the split; not set for the root
  double* lambda;
  vertex_t* size;
};

/// A loop body that links a row to the one above it, or to its cluster if that is born there.
struct LinkRow {
  Dendrogram tree;
  const std::uint32_t* splits_below;  // prefix sums of is_split
  std::uint32_t* link;
  Births births;
  __device__ void operator()(std::int64_t row) const {
    if (row == tree.n_rows - 1) {
      be_born(row, 0, 0, 0);
      return;
    }
    const std::int64_t node = tree.n_points() + row;
    const std::uint32_t above = tree.above[node];
    const std::uint32_t splits_so_far = splits_below[above + 1];
    link[row] = above;
    if (splits_so_far == splits_below[above]) return;
    const bool is_second = static_cast<std::int64_t>(tree.rows[above].second) == node;
    const std::uint32_t splits_above = splits_below[tree.n_rows] - splits_so_far;
    be_born(row, 2 * splits_above + (is_second ? 2 : 1), above, tree.lambda(above));
  }

 private:
  __device__ void be_born(std::int64_t row, std::uint32_t cluster, std::uint32_t split,
                          double lambda) const {
    link[row] = is_cluster | cluster;
    births.row[cluster] = split;
    births.lambda[cluster] = lambda;
    births.size[cluster] = static_cast<vertex_t>(tree.rows[row].size);
  }
};

/// A loop body that resolves the link of a row that is part of a cluster. i counts rows from the
/// last.
struct FindCluster {
  Dendrogram tree;
  std::uint32_t* link;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t row = tree.n_rows - 1 - i;
    if (!tree.is_kept(row)) return;
    std::uint32_t to = relaxed_load(link[row]);
    while ((to & is_cluster) == 0) {
      to = relaxed_load(link[to]);
      relaxed_store(link[row], to);
    }
  }
};

/// A loop body that links a row that is part of no cluster to the first one above it that is, after
/// FindCluster.
struct FindExit {
  Dendrogram tree;
  std::uint32_t* link;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t row = tree.n_rows - 1 - i;
    std::uint32_t to = relaxed_load(link[row]);
    if ((to & is_cluster) != 0) return;
    for (std::uint32_t next = relaxed_load(link[to]); (next & is_cluster) == 0;
         next = relaxed_load(link[to])) {
      to = next;
      relaxed_store(link[row], to);
    }
  }
};

struct PlacePoint {
  Dendrogram tree;
  const std::uint32_t* link;
  vertex_t* cluster;
  double* lambda;
  __device__ void operator()(std::int64_t point) const {
    std::uint32_t row = tree.above[point];
    std::uint32_t to = link[row];
    if ((to & is_cluster) == 0) {
      row = to;
      to = link[row];
    }
    cluster[point] = static_cast<vertex_t>(to & ~is_cluster);
    lambda[point] = tree.lambda(row);
  }
};

/// A loop body that gives the rows from the last to the first the keys of a sort by cluster; those
/// of none come after the others.
struct KeyRow {
  Dendrogram tree;
  const std::uint32_t* link;
  std::uint32_t n_clusters;
  std::uint32_t* keys;
  std::uint32_t* rows;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t row = tree.n_rows - 1 - i;
    const std::uint32_t to = link[row];
    keys[i] = (to & is_cluster) != 0 ? to & ~is_cluster : n_clusters;
    rows[i] = static_cast<std::uint32_t>(row);
  }
};

/// The rows sorted by cluster. Every cluster has at least one.
struct RowsOfClusters {
  const std::uint32_t* cluster;
  const std::uint32_t* row;
  std::uint32_t* begin;  // of each cluster, and the end of the last
};

/// A loop body that marks where clusters begin, and finds the summands of their stabilities.
struct MassOfRow {
  Dendrogram tree;
  RowsOfClusters sorted;
  std::uint32_t n_clusters;
  const std::uint32_t* leaving;
  const double* birth;
  double* mass;
  __device__ void operator()(std::int64_t i) const {
    const std::uint32_t cluster = sorted.cluster[i];
    if (i == 0 || sorted.cluster[i - 1] != cluster) {
      sorted.begin[cluster] = static_cast<std::uint32_t>(i);
    }
    if (cluster == n_clusters) return;
    if (i + 1 == tree.n_rows) sorted.begin[n_clusters] = static_cast<std::uint32_t>(tree.n_rows);
    const std::uint32_t row = sorted.row[i];
    mass[i] = leaving[row] * (tree.lambda(row) - birth[cluster]);
  }
};

/// A loop body that finds the numbers of a cluster that only its first and its last row have.
struct FinishCluster {
  Dendrogram tree;
  const std::uint32_t* link;
  Births births;
  RowsOfClusters sorted;
  vertex_t* parent;
  double* death;
  __device__ void operator()(std::int64_t cluster) const {
    parent[cluster] =
        cluster == 0 ? no_vertex : static_cast<vertex_t>(link[births.row[cluster]] & ~is_cluster);
    death[cluster] = tree.lambda(sorted.row[sorted.begin[cluster + 1] - 1]);
  }
};

struct CountBlocks {
  const std::uint32_t* begin;
  std::uint32_t n_clusters;
  std::uint32_t* blocks;  // 0 after the last cluster
  __device__ void operator()(std::int64_t cluster) const {
    if (cluster == 0) blocks[n_clusters] = 0;
    const std::uint32_t n = begin[cluster + 1] - begin[cluster];
    blocks[cluster] = (n + summands_per_block - 1) / summands_per_block;
  }
};

/// A loop body that adds the summands of one block.
struct SumBlock {
  const double* summands;
  const std::uint32_t* begin;        // of each cluster's summands
  const std::uint32_t* first_block;  // of each cluster
  std::uint32_t n_clusters;
  double* sums;
  __device__ void operator()(std::int64_t block) const {
    if (block >= first_block[n_clusters]) return;
    const std::uint32_t cluster = cluster_of(static_cast<std::uint32_t>(block));
    const auto in_cluster = static_cast<std::uint32_t>(block) - first_block[cluster];
    const std::uint32_t first = begin[cluster] + in_cluster * summands_per_block;
    const std::uint32_t left = begin[cluster + 1] - first;
    const std::uint32_t n = left < summands_per_block ? left : summands_per_block;
    double sum = 0;
    for (std::uint32_t i = 0; i < n; ++i) sum += summands[first + i];
    sums[block] = sum;
  }

 private:
  /// Returns the last cluster whose first block is not after this one; each cluster has one.
  [[nodiscard]] __device__ std::uint32_t cluster_of(std::uint32_t block) const {
    std::uint32_t low = 0;
    for (std::uint32_t high = n_clusters; high - low > 1;) {
      const std::uint32_t middle = low + (high - low) / 2;
      (first_block[middle] <= block ? low : high) = middle;
    }
    return low;
  }
};

}  // namespace warpgraph::hdbscan
