#include "primitives/metric/column_blocks.hpp"

namespace warpgraph {
namespace {

template <class Rows>
auto blocks_of(const Rows& rows, const Metric& metric) {
  using Item = typename Rows::Item;
  std::unique_ptr<PointBlocks<Item>> made;
  with_metric<Item>(metric, [&]<class MetricOf>(MetricOf of) {
    made = std::make_unique<ColumnBlocks<MetricOf>>(rows, of);
  });
  return made;
}

}  // namespace

std::unique_ptr<PointBlocks<double>> make_point_blocks(const NumberRows& rows,
                                                       const Metric& metric) {
  return blocks_of(rows, metric);
}
std::unique_ptr<PointBlocks<std::uint64_t>> make_point_blocks(const BitRows& rows,
                                                              const Metric& metric) {
  return blocks_of(rows, metric);
}

}  // namespace warpgraph
