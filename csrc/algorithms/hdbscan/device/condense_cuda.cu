#include "algorithms/hdbscan/device/condense_kernels.cuh"
#include "algorithms/hdbscan/device/device_hdbscan.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/cub/scan.hpp"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/cuda/for_each.cuh"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"

#include <bit>

namespace warpgraph::hdbscan {
namespace {

using Words = cuda::DeviceBuffer<std::uint32_t>;
using Reals = cuda::DeviceBuffer<double>;

class DeviceCondenser {
 public:
  DeviceCondenser(std::span<const double> linkage, vertex_t min_cluster_size,
                  const cuda::Stream& stream)
      : stream_(stream),
        n_rows_(std::ssize(linkage) / 4),
        above_(words(2 * n_rows_ + 1)),
        link_(words(n_rows_)),
        leaving_(words(n_rows_)),
        tree_{reinterpret_cast<const Join*>(linkage.data()), n_rows_,
              static_cast<double>(min_cluster_size), above_.data()} {}

  /// An upper bound of the bytes per point, those of clusters included, of which there are at most
  /// as many as points.
  static constexpr std::size_t bytes_per_point =
      4 * sizeof(std::uint32_t)                         // above, link, leaving
      + 8 * sizeof(std::uint32_t)                       // the sort, with CUB's second buffers
      + 2 * sizeof(double)                              // summands, and sums of blocks
      + 4 * sizeof(std::uint32_t) + 3 * sizeof(double)  // clusters, and where they begin
      + sizeof(vertex_t);

  DeviceCondensedTree run(const PointPlaces& points) {
    find_births();
    cuda::for_each(stream_, n_rows_, FindCluster{tree_, link_.data()});
    cuda::for_each(stream_, n_rows_, FindExit{tree_, link_.data()});
    cuda::for_each(stream_, n_rows_ + 1,
                   PlacePoint{tree_, link_.data(), points.cluster.data(), points.lambda.data()});
    poll();
    sort_rows();
    return to_host(sum_stabilities());
  }

 private:
  [[nodiscard]] Words words(std::int64_t n) const {
    return Words(static_cast<std::size_t>(n), stream_);
  }
  [[nodiscard]] Reals reals(std::int64_t n) const {
    return Reals(static_cast<std::size_t>(n), stream_);
  }
  [[nodiscard]] Births births() const { return {birth_row_.data(), birth_.data(), size_.data()}; }
  [[nodiscard]] RowsOfClusters sorted() const {
    return {clusters_.data(), rows_.data(), begin_.data()};
  }

  /// Counts the clusters, and links every row.
  void find_births() {
    const Words splits = words(n_rows_ + 1);
    cuda::for_each(stream_, n_rows_, DivideRow{tree_, leaving_.data(), splits.data()});
    cuda::exclusive_sum(splits.data(), n_rows_ + 1, stream_);
    n_clusters_ = 2 * cuda::read_back(splits.data() + n_rows_, stream_) + 1;
    birth_row_ = words(n_clusters_);
    birth_ = reals(n_clusters_);
    size_ = cuda::DeviceBuffer<vertex_t>(n_clusters_, stream_);
    cuda::for_each(stream_, n_rows_, LinkRow{tree_, splits.data(), link_.data(), births()});
  }

  void sort_rows() {
    const Words keys = words(n_rows_);
    const Words rows = words(n_rows_);
    clusters_ = words(n_rows_);
    rows_ = words(n_rows_);
    begin_ = words(n_clusters_ + std::int64_t{1});
    cuda::for_each(stream_, n_rows_,
                   KeyRow{tree_, link_.data(), n_clusters_, keys.data(), rows.data()});
    cuda::sort_pairs(keys.data(), clusters_.data(), rows.data(), rows_.data(), n_rows_,
                     std::bit_width(n_clusters_), stream_);
  }

  /// Adds blocks of summands, blocks of their sums, and so on until each cluster has one.
  [[nodiscard]] Reals sum_stabilities() {
    Reals summands = reals(n_rows_);
    cuda::for_each(
        stream_, n_rows_,
        MassOfRow{tree_, sorted(), n_clusters_, leaving_.data(), birth_.data(), summands.data()});
    Words blocks;
    const std::uint32_t* begin = begin_.data();
    std::int64_t longest = n_rows_;
    do {
      Words next = words(n_clusters_ + std::int64_t{1});
      cuda::for_each(stream_, n_clusters_, CountBlocks{begin, n_clusters_, next.data()});
      cuda::exclusive_sum(next.data(), n_clusters_ + std::int64_t{1}, stream_);
      const std::int64_t most = n_rows_ / summands_per_block + n_clusters_;
      Reals sums = reals(most);
      cuda::for_each(stream_, most,
                     SumBlock{summands.data(), begin, next.data(), n_clusters_, sums.data()});
      summands = std::move(sums);
      blocks = std::move(next);
      begin = blocks.data();
      longest = (longest + summands_per_block - 1) / summands_per_block;
    } while (longest > 1);
    return summands;
  }

  [[nodiscard]] DeviceCondensedTree to_host(const Reals& stability) const {
    const cuda::DeviceBuffer<vertex_t> parent(n_clusters_, stream_);
    const Reals death = reals(n_clusters_);
    cuda::for_each(
        stream_, n_clusters_,
        FinishCluster{tree_, link_.data(), births(), sorted(), parent.data(), death.data()});
    DeviceCondensedTree found;
    CondensedTree& clusters = found.clusters;
    Join root{};
    cuda::CopyOut out;
    const auto fetch = [&](auto& to, const auto& from) {
      to.resize(n_clusters_);
      out.copy(to.data(), from.data(), n_clusters_, stream_);
    };
    fetch(clusters.parent, parent);
    fetch(clusters.birth, birth_);
    fetch(clusters.death, death);
    fetch(clusters.size, size_);
    fetch(clusters.stability, stability);
    out.copy(&root, tree_.rows + n_rows_ - 1, 1, stream_);
    out.finish();
    found.least_lambda = lambda_of(root.height);
    return found;
  }

  const cuda::Stream& stream_;
  const std::int64_t n_rows_;
  const Words above_;
  const Words link_;
  const Words leaving_;
  const Dendrogram tree_;
  std::uint32_t n_clusters_ = 0;
  Words birth_row_;  // of each cluster, with the next two
  Reals birth_;
  cuda::DeviceBuffer<vertex_t> size_;
  Words clusters_;  // of the rows by cluster
  Words rows_;
  Words begin_;
};

}  // namespace

DeviceCondensedTree condense_cuda(std::span<const double> linkage, vertex_t min_cluster_size,
                                  const PointPlaces& points, const MemoryBudget& budget,
                                  const cuda::Stream& stream) {
  const std::size_t n = linkage.size() / 4 + 1;
  EXPECTS(n > 1, "a dendrogram of ", n, " points has no rows");
  budget.require(concat("the condensed tree of ", n, " points"),
                 n * DeviceCondenser::bytes_per_point, "pass device='cpu'");
  return DeviceCondenser(linkage, min_cluster_size, stream).run(points);
}

}  // namespace warpgraph::hdbscan
