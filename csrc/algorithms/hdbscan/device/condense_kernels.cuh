// The loop bodies of condense_cuda, each over all rows, points or clusters.
//
// Benign races in FindLastOfMerge, FindCluster and FindExit: a thread reads the links of rows above
// its own and moves its own link up. Whatever it reads leads to the same end, in fewer steps the
// further the other threads are. No other thread writes its link.
#pragma once

#include "algorithms/hdbscan/condense/dendrogram.hpp"
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
  [[nodiscard]] __device__ std::uint32_t row_above(std::int64_t row) const {
    return above[n_points() + row];
  }
  /// Returns whether clusters may go on below a row. Rows with a finite lambda come after the
  /// others.
  [[nodiscard]] __device__ bool may_go_on(std::int64_t row) const {
    return lambda(row) < infinity<double>();
  }
  /// Returns whether the row above is another merge. Heights ascend, so that mostly the next row
  /// says so, which a neighbouring thread reads.
  [[nodiscard]] __device__ bool is_last_of_merge(std::int64_t row) const {
    if (row == n_rows - 1) return true;
    const double height = rows[row].height;
    return rows[row + 1].height > height || rows[row_above(row)].height > height;
  }
  /// Returns whether a row is the last of a merge that is part of a cluster.
  [[nodiscard]] __device__ bool is_kept(std::int64_t row) const {
    if (row == n_rows - 1) return true;
    return rows[row].size >= min_size && is_last_of_merge(row) &&
           (may_go_on(row) || may_go_on(row_above(row)));
  }
};

/// The large parts of the merges, at the last row of each.
struct Parts {
  std::uint32_t* n_large;
  std::uint32_t* n_small;  // points in the others
};

/// A loop body that finds the rows above, and gives each row no large parts so far.
struct StartRow {
  Dendrogram tree;
  Parts parts;
  __device__ void operator()(std::int64_t row) const {
    const Join join = tree.rows[row];
    const auto number = static_cast<std::uint32_t>(row);
    tree.above[static_cast<std::int64_t>(join.first)] = number;
    tree.above[static_cast<std::int64_t>(join.second)] = number;
    parts.n_large[row] = 0;
    parts.n_small[row] = static_cast<std::uint32_t>(join.size);
  }
};

/// A loop body that finds the last row of each row's merge. i counts rows from the last.
struct FindLastOfMerge {
  Dendrogram tree;
  std::uint32_t* last;  // at first: the row above, or the row itself if that is another merge
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t row = tree.n_rows - 1 - i;
    std::uint32_t to = relaxed_load(last[row]);
    for (std::uint32_t next = relaxed_load(last[to]); next != to; next = relaxed_load(last[to])) {
      to = next;
      relaxed_store(last[row], to);
    }
  }
};

struct StartLastOfMerge {
  Dendrogram tree;
  std::uint32_t* last;
  __device__ void operator()(std::int64_t row) const {
    last[row] = tree.is_last_of_merge(row) ? static_cast<std::uint32_t>(row) : tree.row_above(row);
  }
};

/// A loop body that adds a kept row to the large parts of the merge above. Whatever the order of
/// additions, the counts are the same.
struct CountPart {
  Dendrogram tree;
  const std::uint32_t* last;
  Parts parts;
  __device__ void operator()(std::int64_t row) const {
    if (row == tree.n_rows - 1 || !tree.is_kept(row)) return;
    const std::uint32_t merge = last[tree.row_above(row)];
    const auto size = static_cast<std::uint32_t>(tree.rows[row].size);
    atomicAdd(&parts.n_large[merge], 1u);
    atomicSub(&parts.n_small[merge], size);
  }
};

/// A loop body that finds the number of clusters that are born at a row: those at the i-th row from
/// the last. 0 beyond the first row.
struct CountBirths {
  Dendrogram tree;
  Parts parts;
  std::uint32_t* n_births;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t row = tree.n_rows - 1 - i;
    const std::uint32_t n = row < 0 ? 0 : parts.n_large[row];
    n_births[i] = n > 1 ? n : 0;
  }
};

/// The facts about clusters that are known at the row where each is born.
struct Births {
  std::uint32_t* row;  // the merge; not set for the root
  double* lambda;
  vertex_t* size;
};

/// A loop body that links a row to the merge above, or to its cluster if that is born there.
///
/// The clusters born at one merge take their numbers in any order: number_by_birth orders them.
struct LinkRow {
  Dendrogram tree;
  const std::uint32_t* last;
  Parts parts;
  std::uint32_t* next_birth;  // of each row from the last: the clusters born so far, without root
  std::uint32_t* link;
  Births births;
  __device__ void operator()(std::int64_t row) const {
    if (row == tree.n_rows - 1) {
      be_born(row, 0, 0, 0, 0);
      return;
    }
    const std::uint32_t merge = last[tree.row_above(row)];
    link[row] = merge;
    const std::uint32_t n_large = parts.n_large[merge];
    if (n_large < 2 || !tree.is_kept(row)) return;
    const std::uint32_t cluster = 1 + atomicAdd(&next_birth[tree.n_rows - 1 - merge], 1u);
    be_born(row, cluster, merge, tree.lambda(merge), points_of_small_parts(row, merge));
  }

 private:
  /// Returns the points of small parts if the row is the larger of two large parts.
  [[nodiscard]] __device__ std::uint32_t points_of_small_parts(std::int64_t row,
                                                               std::uint32_t merge) const {
    const auto size = static_cast<std::uint32_t>(tree.rows[row].size);
    const std::uint32_t n_small = parts.n_small[merge];
    const std::uint32_t n_in_large = static_cast<std::uint32_t>(tree.rows[merge].size) - n_small;
    const bool is_larger = parts.n_large[merge] == 2 && 2 * std::uint64_t{size} > n_in_large;
    return is_larger ? n_small : 0;
  }
  __device__ void be_born(std::int64_t row, std::uint32_t cluster, std::uint32_t merge,
                          double lambda, std::uint32_t n_small) const {
    link[row] = is_cluster | cluster;
    births.row[cluster] = merge;
    births.lambda[cluster] = lambda;
    births.size[cluster] =
        static_cast<vertex_t>(static_cast<std::uint32_t>(tree.rows[row].size) + n_small);
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

/// A loop body that finds where a point leaves; after a split into two, that is from the larger
/// one.
struct PlacePoint {
  Dendrogram tree;
  const std::uint32_t* link;
  const std::uint32_t* n_large;
  const std::uint32_t* last_birth;  // of each row from the last: the last cluster that is born
  Births births;
  vertex_t* cluster;
  double* lambda;
  __device__ void operator()(std::int64_t point) const {
    std::uint32_t row = tree.above[point];
    std::uint32_t to = link[row];
    if ((to & is_cluster) == 0) {
      row = to;
      to = link[row];
    }
    std::uint32_t left = to & ~is_cluster;
    if (n_large[row] == 2) {
      const std::uint32_t second = last_birth[tree.n_rows - 1 - row];
      const vertex_t size = births.size[second];
      const vertex_t other_size = births.size[second - 1];
      if (size != other_size) left = size > other_size ? second : second - 1;
    }
    cluster[point] = static_cast<vertex_t>(left);
    lambda[point] = tree.lambda(row);
  }
};

struct RenumberPoint {
  const vertex_t* number;  // of each cluster
  vertex_t* cluster;
  __device__ void operator()(std::int64_t point) const { cluster[point] = number[cluster[point]]; }
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
  Parts parts;
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
    const double n_leaving = parts.n_large[row] == 1 ? parts.n_small[row] : tree.rows[row].size;
    mass[i] = n_leaving * (tree.lambda(row) - birth[cluster]);
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
