#include "algorithms/hdbscan/condense/numbering.hpp"
#include "algorithms/hdbscan/device/condense_kernels.cuh"
#include "algorithms/hdbscan/device/device_hdbscan.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/cub/scan.hpp"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/cuda/for_each.cuh"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"

#include <bit>
#include <utility>

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
        n_large_(words(n_rows_)),
        n_small_(words(n_rows_)),
        tree_{reinterpret_cast<const Join*>(linkage.data()), n_rows_,
              static_cast<double>(min_cluster_size), above_.data()} {}

  /// An upper bound of the bytes per point, those of clusters included, of which there are at most
  /// as many as points.
  static constexpr std::size_t bytes_per_point =
      5 * sizeof(std::uint32_t)                         // above, link, parts
      + 8 * sizeof(std::uint32_t)                       // the sort, with CUB's second buffers
      + 2 * sizeof(double)                              // summands, and sums of blocks
      + 4 * sizeof(std::uint32_t) + 3 * sizeof(double)  // clusters, and where they begin
      + sizeof(vertex_t);

  DeviceCondensedTree run(const PointPlaces& points) {
    find_births();
    cuda::for_each(stream_, n_rows_, FindCluster{tree_, link_.data()});
    cuda::for_each(stream_, n_rows_, FindExit{tree_, link_.data()});
    cuda::for_each(stream_, n_rows_ + 1,
                   PlacePoint{tree_, link_.data(), n_large_.data(), next_birth_.data(), births(),
                              points.cluster.data(), points.lambda.data()});
    next_birth_ = {};
    poll();
    sort_rows();
    DeviceCondensedTree found = to_host(sum_stabilities());
    number_clusters(found.clusters, points.cluster);
    return found;
  }

 private:
  [[nodiscard]] Words words(std::int64_t n) const {
    return Words(static_cast<std::size_t>(n), stream_);
  }
  [[nodiscard]] Reals reals(std::int64_t n) const {
    return Reals(static_cast<std::size_t>(n), stream_);
  }
  [[nodiscard]] Parts parts() const { return {n_large_.data(), n_small_.data()}; }
  [[nodiscard]] Births births() const { return {birth_row_.data(), birth_.data(), size_.data()}; }
  [[nodiscard]] RowsOfClusters sorted() const {
    return {clusters_.data(), rows_.data(), begin_.data()};
  }

  /// Counts the clusters, and links every row.
  void find_births() {
    const Words last = words(n_rows_);
    cuda::for_each(stream_, n_rows_, StartRow{tree_, parts()});
    cuda::for_each(stream_, n_rows_, StartLastOfMerge{tree_, last.data()});
    cuda::for_each(stream_, n_rows_, FindLastOfMerge{tree_, last.data()});
    cuda::for_each(stream_, n_rows_, CountPart{tree_, last.data(), parts()});
    next_birth_ = words(n_rows_ + 1);
    cuda::for_each(stream_, n_rows_ + 1, CountBirths{tree_, parts(), next_birth_.data()});
    cuda::exclusive_sum(next_birth_.data(), n_rows_ + 1, stream_);
    n_clusters_ = cuda::read_back(next_birth_.data() + n_rows_, stream_) + 1;
    birth_row_ = words(n_clusters_);
    birth_ = reals(n_clusters_);
    size_ = cuda::DeviceBuffer<vertex_t>(n_clusters_, stream_);
    cuda::for_each(
        stream_, n_rows_,
        LinkRow{tree_, last.data(), parts(), next_birth_.data(), link_.data(), births()});
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
        MassOfRow{tree_, sorted(), n_clusters_, parts(), birth_.data(), summands.data()});
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

  /// Numbers the clusters by their first points where they are born at the same lambda.
  void number_clusters(CondensedTree& clusters, std::span<vertex_t> point_cluster) const {
    const std::int64_t n_points = n_rows_ + 1;
    const cuda::DeviceBuffer<vertex_t> device_first(n_clusters_, stream_);
    cuda::fill(device_first.data(), static_cast<vertex_t>(n_points), n_clusters_, stream_);
    cuda::for_each(stream_, n_points, LowerFirst{point_cluster.data(), device_first.data()});
    std::vector<vertex_t> first(n_clusters_);
    cuda::copy_out(first.data(), device_first.data(), first.size(), stream_);
    const std::vector<vertex_t> number = number_by_birth(clusters, std::move(first));
    if (number.empty()) return;
    const auto device_number = cuda::to_device(std::span<const vertex_t>(number), stream_);
    cuda::for_each(stream_, n_points, RenumberPoint{device_number.data(), point_cluster.data()});
    stream_.synchronize();
  }

  const cuda::Stream& stream_;
  const std::int64_t n_rows_;
  const Words above_;
  const Words link_;
  const Words n_large_;
  const Words n_small_;
  const Dendrogram tree_;
  Words next_birth_;
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
                                  const PointPlaces& points, MemoryBudget budget,
                                  const cuda::Stream& stream) {
  const std::size_t n = linkage.size() / 4 + 1;
  EXPECTS(n > 1, "a dendrogram of ", n, " points has no rows");
  budget.require(concat("the condensed tree of ", n, " points"),
                 n * DeviceCondenser::bytes_per_point, "pass device='cpu'");
  return DeviceCondenser(linkage, min_cluster_size, stream).run(points);
}

}  // namespace warpgraph::hdbscan
