// Predecessors of a matrix that lies in the memory of a device, beside its distances. Not for use
// outside this folder.
#pragma once

#include "algorithms/apsp/apsp.hpp"
#include "core/memory/host_vector.hpp"
#include "primitives/path_trees/row_trees.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace warpgraph::apsp_steps {

template <class R>
class DeviceTrees {
 public:
  /// Bands of the matrix have so many rows at most. To be made while the device works off the
  /// rounds: the graph may have to be turned round.
  DeviceTrees(const CsrView<R>& host, const ApspOptions& options, const ApspResult<R>& result,
              std::int64_t most_rows, const cuda::Stream& stream)
      : host_(host),
        options_(options),
        result_(result),
        most_rows_(most_rows),
        stream_(stream),
        trees_(host, host.n_vertices, nullptr, most_rows, options.derived, stream) {}

  /// In bands of so many rows.
  static std::size_t bytes_needed(const CsrPattern& graph, std::int64_t most_rows) {
    return shortest_paths::RowTrees<R>::bytes_needed(graph, graph.n_vertices, most_rows);
  }

  /// How the distances came about; `exact` if that is known already. They are complete.
  void set_sums(bool exact, const R* rows, std::int64_t stride) {
    const std::function<R()> farthest = [&] {
      return shortest_paths::farthest_on(rows, stride, n_vertices(), n_vertices(), stream_);
    };
    exact = exact || sums_are_exact<R>(host_, farthest, false);
    sums_ = exact ? Sums::exact : Sums::in_any_order;
  }

  /// As RowTrees has them.
  void hang(const R* rows, std::int64_t stride, std::int64_t first, std::int64_t n) {
    trees_.hang(rows, stride, first, n, sums_);
  }
  void copy(cuda::Staging& staging) {
    trees_.copy(staging, [to = result_.predecessors, n = n_vertices()](std::int64_t row) {
      return to + row * n;
    });
  }

  /// Once distances and predecessors are where they belong: cores complete rows of rounded sums
  /// that arcs of no weight, or such as vanish in rounding, lead through.
  void finish() const {
    const std::vector<std::int64_t> unfinished = trees_.unfinished(0, n_vertices());
    if (unfinished.empty()) return;
    std::vector<vertex_t> sources(static_cast<std::size_t>(n_vertices()));
    std::iota(sources.begin(), sources.end(), vertex_t{0});
    const TreeOptions how{sums_, false, options_.memory_limit};
    if (!result_.on_device) {
      const DistanceRows<R> rows{sources, result_.distances, result_.row_stride};
      return finish_trees(host_, rows, how, unfinished, result_.predecessors);
    }
    finish_fetched(sources, how, unfinished);
  }

 private:
  [[nodiscard]] std::int64_t n_vertices() const { return host_.n_vertices; }

  /// Band by band.
  void finish_fetched(const std::vector<vertex_t>& sources, const TreeOptions& how,
                      const std::vector<std::int64_t>& unfinished) const {
    HostVector<R> fetched(static_cast<std::size_t>(most_rows_ * n_vertices()));
    std::vector<std::int64_t> rows;
    for (auto next = unfinished.begin(); next != unfinished.end();) {
      const std::int64_t first = *next;
      rows.clear();
      for (; next != unfinished.end() && *next < first + most_rows_; ++next) {
        rows.push_back(*next - first);
        cuda::copy(fetched.data() + rows.back() * n_vertices(),
                   result_.distances + *next * result_.row_stride,
                   static_cast<std::size_t>(n_vertices()), stream_);
      }
      stream_.synchronize();
      const auto of_band = std::span(sources).subspan(static_cast<std::size_t>(first));
      finish_trees<R>(host_, {of_band, fetched.data(), n_vertices()}, how, rows,
                      result_.predecessors + first * n_vertices());
    }
  }

  const CsrView<R>& host_;
  const ApspOptions& options_;
  const ApspResult<R>& result_;
  const std::int64_t most_rows_;
  const cuda::Stream& stream_;
  shortest_paths::RowTrees<R> trees_;
  Sums sums_ = Sums::exact;
};

}  // namespace warpgraph::apsp_steps
