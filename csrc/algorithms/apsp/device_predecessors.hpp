// Predecessors for a distance matrix in device memory. Not for use outside this folder.
#pragma once

#include "algorithms/apsp/apsp.hpp"
#include "core/memory/host_vector.hpp"
#include "primitives/path_trees/row_trees.hpp"

#include <numeric>
#include <vector>

namespace warpgraph::apsp_detail {

/// Finder of predecessors from the rows of a distance matrix, band by band.
template <class R>
class DevicePredecessors {
 public:
  /// Prepares for bands of at most `rows_per_band` rows. If the host has to transpose the graph for
  /// this, the device can compute distances meanwhile.
  DevicePredecessors(const CsrView<R>& host, const ApspOptions& options,
                     const ApspResult<R>& result, std::int64_t rows_per_band,
                     const cuda::Stream& stream)
      : host_(host),
        options_(options),
        result_(result),
        rows_per_band_(rows_per_band),
        stream_(stream),
        trees_(host, host.n_vertices, nullptr, rows_per_band, options.derived, stream) {}

  /// Returns the bytes that bands of `rows_per_band` rows need.
  static std::size_t bytes_needed(const CsrPattern& graph, std::int64_t rows_per_band) {
    return shortest_paths::RowTrees<R>::bytes_needed(graph, graph.n_vertices, rows_per_band);
  }

  /// Sets the rule for predecessors: whether all sums are exact. `exact` says that they are known
  /// to be; otherwise this finds it out from the distances, which must be complete.
  void set_summation(bool exact, const R* rows, std::int64_t stride) {
    const std::function<R()> farthest = [&] {
      return shortest_paths::farthest_on(rows, stride, n_vertices(), n_vertices(), stream_);
    };
    exact = exact || sums_are_exact<R>(host_, farthest, false);
    sums_ = exact ? Sums::exact : Sums::in_any_order;
  }

  /// Attaches the vertices of n rows, from row `first` on, to their predecessors.
  void attach(const R* rows, std::int64_t stride, std::int64_t first, std::int64_t n) {
    trees_.attach(rows, stride, first, n, sums_);
  }
  /// Copies the predecessors of the last attach() to the result.
  void copy(cuda::Staging& staging) {
    trees_.copy(staging, [to = result_.predecessors, n = n_vertices()](std::int64_t row) {
      return to + row * n;
    });
  }

  /// Completes, on CPU cores, those rows of rounded sums whose paths contain arcs of weight zero or
  /// arcs whose weight is lost in rounding. Distances and predecessors must be in their final
  /// place.
  void finish() const {
    const std::vector<std::int64_t> unfinished = trees_.unfinished(0, n_vertices());
    if (unfinished.empty()) return;
    std::vector<vertex_t> sources(static_cast<std::size_t>(n_vertices()));
    std::iota(sources.begin(), sources.end(), vertex_t{0});
    const TreeOptions tree_options{sums_, false, options_.budget};
    if (!result_.on_device) {
      const DistanceRows<R> rows{sources, result_.distances, result_.row_stride};
      return finish_trees(host_, rows, tree_options, unfinished, result_.predecessors);
    }
    finish_on_host(sources, tree_options, unfinished);
  }

 private:
  [[nodiscard]] std::int64_t n_vertices() const { return host_.n_vertices; }

  /// Completes rows whose distances are on the device: copies these to the host band by band.
  void finish_on_host(const std::vector<vertex_t>& sources, const TreeOptions& tree_options,
                      const std::vector<std::int64_t>& unfinished) const {
    HostVector<R> fetched(static_cast<std::size_t>(rows_per_band_ * n_vertices()));
    std::vector<std::int64_t> rows;
    for (auto next = unfinished.begin(); next != unfinished.end();) {
      const std::int64_t first = *next;
      rows.clear();
      for (; next != unfinished.end() && *next < first + rows_per_band_; ++next) {
        rows.push_back(*next - first);
        cuda::copy(fetched.data() + rows.back() * n_vertices(),
                   result_.distances + *next * result_.row_stride,
                   static_cast<std::size_t>(n_vertices()), stream_);
      }
      stream_.synchronize();
      const auto of_band =
          std::span<const vertex_t>(sources).subspan(static_cast<std::size_t>(first));
      finish_trees<R>(host_, {of_band, fetched.data(), n_vertices()}, tree_options, rows,
                      result_.predecessors + first * n_vertices());
    }
  }

  const CsrView<R>& host_;
  const ApspOptions& options_;
  const ApspResult<R>& result_;
  const std::int64_t rows_per_band_;
  const cuda::Stream& stream_;
  shortest_paths::RowTrees<R> trees_;
  Sums sums_ = Sums::exact;
};

}  // namespace warpgraph::apsp_detail
